"""hook_contract.conformance.fuzzer: all runtimes agree on random programs, and one that does not is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings

from bridge.runtimes.ledger import ledger
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.registry import runtime
from hook_contract.conformance import fuzzer
from hook_contract.conformance.acceptance import accept
from hook_contract.program import Program, dumps, load, parse, words
from hook_contract.program.generate import programs
from hook_contract.runtimes.runtime import Events

fuzz = partial(fuzzer.fuzz, reference=runtime("pytorch"), world=TorchWorld)
without_try = partial(fuzzer.without_try, world=TorchWorld)


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
    """Return the program without its prepends."""

    def strip(item: Any) -> Any:
        if isinstance(item, Mapping):
            return {key: strip(value) for key, value in item.items() if key != "prepend"}
        return [strip(part) for part in item] if isinstance(item, (list, tuple)) else item

    return Program(program.name, (), "", strip(program.tree), tuple(strip(program.steps)))


@pytest.mark.dotnet
@pytest.mark.parametrize("count", [150, pytest.param(2000, marks=pytest.mark.slow)])
def test_random_programs(count: int) -> None:
    """Every runtime agrees with PyTorch on each that it can run, or the ledger says why; the seed is fixed."""
    score = fuzz(count, 20261121, [runtime(name) for name in ("model", "hooks", "dotnet")], ledger())
    assert score.failure is None, f"{score.difference}\n{dumps(score.failure)}"
    assert score.programs == count
    names = ("model", "hooks", "dotnet typed/csharp", "dotnet object/alone")
    assert min(score.runs[name] for name in names) > 0.15 * count


@pytest.mark.cuda
@pytest.mark.dotnet
def test_random_programs_on_a_device() -> None:
    score = fuzz(300, 20261126, [runtime("dotnet")], ledger(), device="cuda", world=lambda: TorchWorld("cuda"))
    assert score.failure is None, f"{score.difference}\n{dumps(score.failure)}"
    assert score.runs["dotnet typed/csharp"] > 100


def test_a_wrong_runtime_is_found_and_its_program_shrunk_to_one_that_can_be_taken_in(tmp_path: Path) -> None:
    score = fuzz(500, 1, [WithoutPrepend()], ())
    assert score.failure is not None
    assert score.difference.startswith("wrong: event ")
    registered = [step for step in score.failure.steps if step["do"] == "register"]
    assert any(step.get("prepend") for step in registered)
    assert len(score.failure.steps) <= 4, "two hooks, of which one is prepended, and a call"
    assert "step:try" not in words(score.failure), "the corpus has none"
    file = tmp_path / "O-2-found.json"
    file.write_text(dumps(score.failure), encoding="utf-8")
    assert accept(file, runtime("pytorch")).expect
    assert load(file).expect


def test_equal_seeds_give_equal_programs() -> None:
    first, second = (fuzz(30, 4, [], ()) for _ in range(2))
    assert (first.programs, first.events) == (second.programs, second.events)
    assert first.events > 0


class Changed(WithoutPrepend):
    """PyTorch, but with its events changed."""

    def __init__(self, change: Callable[[Events], Events]) -> None:
        self.change = change

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": self.change(runtime("pytorch").run(program, device)[""])}


def _with_numbers_for_bools(item: Any) -> Any:
    if isinstance(item, dict):
        return {name: _with_numbers_for_bools(part) for name, part in item.items()}
    if isinstance(item, list):
        return [_with_numbers_for_bools(part) for part in item]
    return int(item) if isinstance(item, bool) else item


def _broken(events: Events) -> Events:
    raise LookupError("out of order")


def test_true_is_not_one() -> None:
    score = fuzz(60, 1, [Changed(_with_numbers_for_bools)], ())
    assert score.failure is not None
    assert "expected read" in score.difference


def test_a_runtime_that_breaks_is_reported_with_the_program() -> None:
    score = fuzz(20, 1, [Changed(_broken)], ())
    assert score.failure is not None
    assert score.difference == "wrong: LookupError: out of order"


def test_a_difference_that_does_not_come_again_is_still_reported() -> None:
    once = iter([True])
    score = fuzz(20, 1, [Changed(lambda events: [] if next(once, False) else events)], ())
    assert score.failure is not None
    assert score.difference.startswith("wrong: event 1: expected ")
    assert score.difference.endswith("got the end of the trace (not every time)")


CALL = {"do": "call", "args": [3]}
TREE = {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}, {"name": "b", "kind": "raise"}]}


def program(*steps: Any) -> Program:
    return Program("p", (), "", TREE, steps)


def attempt(*steps: Any) -> Any:
    return {"do": "try", "steps": list(steps)}


def test_a_step_says_what_it_raises_and_what_never_ran_is_left_out() -> None:
    leaf = {**CALL, "module": "a"}
    block = {"do": "no_grad", "steps": [attempt(leaf, CALL, leaf), leaf, CALL]}
    found = without_try(
        program(attempt(leaf, attempt(CALL, leaf), block, leaf), {"do": "thread", "steps": [attempt(CALL)]})
    )
    failing = {**CALL, "raises": "Error"}
    assert found.steps == (
        leaf,
        failing,
        {"do": "no_grad", "steps": [leaf, failing, leaf, CALL], "raises": "Error"},
        {"do": "thread", "steps": [failing]},
    )


def test_what_is_expected_and_does_not_come_stays_as_it_is() -> None:
    given = program(attempt({**CALL, "module": "a", "raises": "TypeError"}), attempt(CALL))
    assert without_try(given) is given


@seed(9)
@settings(max_examples=150, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_programs_leave_the_trace_that_they_left(program: Program) -> None:
    found = without_try(program)
    assert parse(found.to_json()) == found
    assert found is program or "step:try" not in words(found)
    assert runtime("pytorch").run(found) == runtime("pytorch").run(program)
