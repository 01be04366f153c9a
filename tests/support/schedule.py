"""The order of the test files."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
#: The slowest files, slowest first: pytest-xdist starts with them, so that none is left for one worker at the end.
LONGEST = (
    "test_docs.py",
    "torchsharp/test_operators.py",
    "clr/compile/test_projects.py",
    "interop/test_exit.py",
    "interop/test_start.py",
    "torchsharp/test_scalars.py",
    "clr/compile/test_manifest.py",
    "torchsharp/process/test_remote_module.py",
    "hook_contract/conformance/test_fuzzer.py",
    "interop/test_collection.py",
    "commands/terminal/test_interrupt.py",
    "tools/mutation/test_lying.py",
    "commands/test_watch.py",
    "commands/test_port.py",
    "clr/compile/test_recompiler.py",
    "test_doctor.py",
    "torchsharp/process/test_endurance.py",
    "torchsharp/test_attributes.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest files first; pytest-xdist distributes files in this order."""
    places = {TESTS / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
