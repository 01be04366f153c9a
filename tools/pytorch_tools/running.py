"""Runs checks in the environment of the tools, each in a process of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import workers
from pytorch_tools import environment
from pytorch_tools.checks import Check

#: Seconds after which a check of one model counts as hanging. Compiling ResNet-18 takes minutes on two busy cores.
DEADLINE = 900.0


def rows(check: Check) -> list[workers.Row]:
    """Return a row for each model of a check, with the outcome 'same', 'both refuse', 'refused', 'differs' or 'not installed'."""
    executable = environment.python()
    row = {"check": check.name, "version": ""}
    if reason := environment.absent().get(check.distribution):
        return [{**row, "model": model, "outcome": "not installed", "text": reason} for model in check.cases]
    found: list[workers.Row] = []
    while left := check.cases[len(found) :]:
        with tempfile.TemporaryDirectory() as folder:
            command: list[str | Path] = [executable, "-m", "pytorch_tools.worker", check.name, *left]
            cache = {"HF_HUB_OFFLINE": "1", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor"}
            new, ended = workers.run(command, Path(folder), DEADLINE * len(left), **cache)
        if len(new) < len(left):  # the process has ended in the next model
            new.append({**row, "model": left[len(new)], "outcome": "differs", "text": ended})
        found += new
    return found
