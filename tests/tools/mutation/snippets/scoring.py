"""Snippets of test_scoring.py."""

from __future__ import annotations

import json
import mmap
from pathlib import Path

from hook_contract.program import corpus
from mutation.scoring import BYTES, DISPATCHER, verdicts


def verdict(old: str, new: str, programs: str) -> None:
    """Print the verdict on the model with ``new`` for ``old`` in its dispatcher, by programs with these prefixes."""
    source = Path("hook-contract/hook_contract/runtimes/model/dispatcher.py").read_text(encoding="utf-8")
    assert old in source
    chosen = [item for item in corpus() if item.name.startswith(programs)]
    (found,) = verdicts([("it", {DISPATCHER: source.replace(old, new)})], chosen)
    print(json.dumps([found.name, found.caught, found.how]))


def crowded(old: str, new: str, programs: str) -> None:
    """Print the verdict in a process that has more memory mapped than a wrong runtime may use."""
    with mmap.mmap(-1, 2 * BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0):  # only the addresses
        verdict(old, new, programs)
