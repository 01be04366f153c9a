"""Snippets of test_scoring.py."""

from __future__ import annotations

import json
from pathlib import Path

from mutation.scoring import DISPATCHER, verdicts

from bridge.program import corpus


def verdict(old: str, new: str, programs: str) -> None:
    """Prints what comes of the model whose dispatcher has ``new`` for ``old``, by the programs whose names begin so."""
    source = Path("bridge/runtimes/model/dispatcher.py").read_text(encoding="utf-8")
    assert old in source
    chosen = [item for item in corpus() if item.name.startswith(programs)]
    (found,) = verdicts([("it", {DISPATCHER: source.replace(old, new)})], chosen)
    print(json.dumps([found.name, found.caught, found.how]))
