"""bridge.conformance.without_try."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, seed, settings

from bridge.conformance.without_try import without_try
from bridge.program import Program, parse, words
from bridge.program.generate import programs
from bridge.runtimes.runtime import runtime

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
