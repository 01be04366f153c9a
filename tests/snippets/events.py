"""Snippets of runtimes/test_hooks.py and hook_contract/runtimes/model/test_dispatcher.py."""

from __future__ import annotations

import json
import sys
from typing import Any

from bridge.runtimes.registry import runtime
from hook_contract.program import parse


def run(name: str, program: dict[str, Any], validate: bool) -> None:
    """Print the number of events of a program on a runtime, and which of some modules are imported."""
    events = runtime(name).run(parse(json.dumps(program), validate=validate))[""]
    print(len(events), sorted({"torch", "clr", "pythonnet", "clr_loader"} & set(sys.modules)))
