"""Accepting a program: PyTorch's trace is written into the file, and what proves nothing is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridge.runtimes.registry import runtime
from hook_contract.conformance import acceptance
from hook_contract.conformance.errors import NotAcceptedError
from hook_contract.program import Program, ProgramError, load
from hook_contract.runtimes.runtime import Events

accept = partial(acceptance.accept, reference=runtime("pytorch"))
CALL = {"do": "call", "args": [3]}
RETURNED = ({"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7})


def written(folder: Path, *steps: Any, **changed: Any) -> Path:
    data = {"name": "O-1-example", "clauses": ["O-1"], "about": "", "tree": {"kind": "leaf"}, "steps": list(steps)}
    path = folder / "O-1-example.json"
    path.write_text(json.dumps(data | changed), encoding="utf-8")
    return path


def test_the_trace_of_pytorch_becomes_what_the_program_expects(tmp_path: Path) -> None:
    path = written(tmp_path, CALL)

    accepted = accept(path)

    assert accepted.expect == RETURNED
    assert load(path) == accepted


def test_what_it_expected_before_does_not_count(tmp_path: Path) -> None:
    assert accept(written(tmp_path, CALL, expect=[{"event": "return", "value": 8}])).expect == RETURNED


def test_a_device_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    reading = {"do": "read", "what": "device", "name": "weight"}

    (read,) = accept(written(tmp_path, reading)).expect or ()

    assert read == {"event": "read", "name": "weight", "what": "device", "value": {"text": "asked"}}


def test_expected_exceptions_are_accepted_in_blocks_and_threads(tmp_path: Path) -> None:
    failing = {**CALL, "raises": "Error"}
    block = {"do": "no_grad", "steps": [failing, CALL], "raises": "Error"}
    path = written(tmp_path, failing, block, {"do": "thread", "count": 2, "steps": [failing]}, tree={"kind": "raise"})

    assert [event["event"] for event in accept(path).expect or ()] == ["enter", "raise"] * 3 + ["thread"] * 2


@pytest.mark.parametrize(
    ("steps", "tree", "message"),
    [
        ([CALL], "raise", r"ends early: Error \(boom\)\. Its steps expect no exception"),
        ([{**CALL, "raises": "TypeError"}], "raise", r"ends early: Error \(boom\)\. Its steps expect \['TypeError'\]"),
        ([{**CALL, "raises": "Error"}], "leaf", "ends early: Error was expected"),
        ([{"do": "no_grad", "steps": [CALL]}], "raise", "ends early"),
        ([{"do": "thread", "steps": [CALL]}], "raise", "ends early"),
        ([{"do": "thread", "count": 2, "steps": [{**CALL, "raises": "Error"}, CALL]}], "raise", "ends early"),
        ([{"do": "train"}], "leaf", "has an empty trace"),
    ],
)
def test_a_program_that_proves_nothing_is_refused(tmp_path: Path, steps: list[Any], tree: str, message: str) -> None:
    path = written(tmp_path, *steps, tree={"kind": tree})
    before = path.read_text(encoding="utf-8")

    with pytest.raises(NotAcceptedError, match=f"^O-1-example {message}"):
        accept(path)

    assert path.read_text(encoding="utf-8") == before


def test_a_file_that_is_not_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"^O-1-example\.json \(O-1-example\): at steps"):
        accept(written(tmp_path, {"do": "jump"}))


class Counting:
    """A runtime whose trace is another each time."""

    name = "counting"
    lacks: Mapping[str, str] = {}
    devices = ("cpu",)

    def __init__(self) -> None:
        self.runs = 0

    def version(self) -> str:
        return "Counting 1"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        self.runs += 1
        return {"": [{"event": "return", "value": self.runs}]}


def test_a_trace_that_is_another_each_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAcceptedError, match="gives a different trace when run again"):
        accept(written(tmp_path, CALL), reference=Counting())
