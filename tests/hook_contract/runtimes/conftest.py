"""The broken runtimes of snippets/broken.py, through both ways in."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hook_contract
from hook_contract.program import Program, parse
from hook_contract.runtimes.command import CommandRuntime
from hook_contract.runtimes.loading import find_runtime

SNIPPETS = Path(__file__).with_name("snippets")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes of these tests import this package and the files in ``snippets``."""
    package = Path(hook_contract.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (SNIPPETS, package))))


@pytest.fixture
def find() -> Iterator[Callable[..., CommandRuntime]]:
    """Return a function that finds a runtime, ``find("HANGS", "object", limit=1)``, and close all in the end."""
    found = []

    def start(name: str, way: str, limit: float = 20.0) -> CommandRuntime:
        command = f'"{sys.executable}" "{SNIPPETS / "broken.py"}" {name}'
        runtime = find_runtime(f"broken:{name}" if way == "object" else command, limit)
        assert isinstance(runtime, CommandRuntime)
        found.append(runtime)
        return runtime

    yield start
    for runtime in found:
        runtime.close()


@pytest.fixture
def program() -> Callable[[str], Program]:
    """Return a function that makes a program on which broken runtimes are ``broken``, or are not."""

    def make(about: str) -> Program:
        steps = [{"do": "call", "args": [3]}]
        expect = [{"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}]
        return parse(
            {
                "name": about,
                "clauses": ["C-1"],
                "about": about,
                "tree": {"kind": "leaf"},
                "steps": steps,
                "expect": expect,
            }
        )

    return make
