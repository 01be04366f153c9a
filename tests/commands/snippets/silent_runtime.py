"""A runtime that leaves no events, for test_fuzz.py."""

from __future__ import annotations

from collections.abc import Mapping

from hook_contract.program import Program
from hook_contract.runtimes.model.programs import Model
from hook_contract.runtimes.runtime import Events


class Silent(Model):
    """Runs nothing."""

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": []}


RUNTIME = Silent()
