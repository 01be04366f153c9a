"""Snippets of test_scoring.py."""

from __future__ import annotations

import json
import mmap
from pathlib import Path

from mutation.scoring import BYTES, DISPATCHER, verdicts

from bridge.program import corpus


def verdict(old: str, new: str, programs: str) -> None:
    """Prints what comes of the model whose dispatcher has ``new`` for ``old``, by the programs whose names begin so."""
    source = Path("bridge/runtimes/model/dispatcher.py").read_text(encoding="utf-8")
    assert old in source
    chosen = [item for item in corpus() if item.name.startswith(programs)]
    (found,) = verdicts([("it", {DISPATCHER: source.replace(old, new)})], chosen)
    print(json.dumps([found.name, found.caught, found.how]))


def crowded(old: str, new: str, programs: str) -> None:
    """The same in a process that has more mapped already than a wrong runtime may take."""
    with mmap.mmap(-1, 2 * BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0):  # only the addresses
        verdict(old, new, programs)
