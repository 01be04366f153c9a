"""bridge.conformance.fuzzing: all runtimes agree on random programs, and one that does not is found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bridge.conformance.accept import accept
from bridge.conformance.fuzzing import first_difference, fuzz
from bridge.conformance.ledger import ledger
from bridge.program import Program, dumps, load
from bridge.runtimes.programs.runtime import Events, runtime


class WithoutPrepend:
    """PyTorch, but a prepended hook goes to the end (O-2)."""

    name = "wrong"
    variants = ("",)
    lacks: Mapping[str, str] = {}
    devices = ("cpu",)

    def version(self) -> str:
        return "0"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return runtime("pytorch").run(parse_without(program), device)


def parse_without(program: Program) -> Program:
    """The program without its prepends."""

    def strip(item: Any) -> Any:
        if isinstance(item, Mapping):
            return {key: strip(value) for key, value in item.items() if key != "prepend"}
        return [strip(part) for part in item] if isinstance(item, (list, tuple)) else item

    return Program(program.name, (), "", strip(program.tree), tuple(strip(program.steps)))


@pytest.mark.dotnet
@pytest.mark.timeout(600)
def test_two_thousand_random_programs() -> None:
    """Every runtime agrees with PyTorch on each that it can run, or the ledger says why; the seed is fixed."""
    score = fuzz(2000, 20261121, [runtime(name) for name in ("model", "hooks", "dotnet")], ledger())
    assert score.failure is None, f"{score.difference}\n{dumps(score.failure)}"
    assert score.programs == 2000
    assert min(score.runs[name] for name in ("model", "hooks", "dotnet typed/csharp", "dotnet object/alone")) > 300


def test_a_wrong_runtime_is_found_and_its_program_shrunk_to_one_that_can_be_taken_in(tmp_path: Path) -> None:
    score = fuzz(500, 1, [WithoutPrepend()], ())
    assert score.failure is not None
    assert "pytorch:" in score.difference
    registered = [step for step in score.failure.steps if step["do"] == "register"]
    assert any(step.get("prepend") for step in registered)
    assert len(score.failure.steps) <= 4, "two hooks, of which one is prepended, and a call"
    file = tmp_path / "O-2-found.json"
    file.write_text(dumps(score.failure), encoding="utf-8")
    assert accept(file).expect
    assert load(file).expect


def test_equal_seeds_give_equal_programs() -> None:
    first, second = (fuzz(30, 4, [], ()) for _ in range(2))
    assert (first.programs, first.events) == (second.programs, second.events)
    assert first.events > 0


def test_the_first_difference_names_both_sides() -> None:
    enter, back = {"event": "enter"}, {"event": "return"}
    assert first_difference("model", [enter, back], [enter, enter]).startswith(
        "event 1\n  pytorch: {'event': 'return'}"
    )
    assert "model: nothing more" in first_difference("model", [enter, back], [enter])
    assert "pytorch: nothing more" in first_difference("model", [enter], [enter, back])
