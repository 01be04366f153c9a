"""hook_contract.conformance.explanation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bridge.runtimes.ledger import ledger
from hook_contract.conformance.explanation import explains, find_row
from hook_contract.contract.ledger import Divergence

ENTER, RETURN = {"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}
ERROR = {"event": "raise", "error": "TypeError", "key": ""}


def test_a_row_explains_the_difference_that_it_describes_and_no_other(row: Callable[..., Divergence]) -> None:
    ends = row(expected=({"event": "return"},), got=({"event": "raise", "error": "TypeError"},))
    assert explains(ends, [ENTER, RETURN], [ENTER, ERROR])
    assert not explains(ends, [ENTER, RETURN], [ENTER, RETURN])
    assert not explains(ends, [ENTER, RETURN], [ENTER, {**ERROR, "error": "ValueError"}])
    assert not explains(ends, [ENTER, RETURN], [ENTER])
    assert not explains(ends, [ENTER, RETURN], [ENTER, ERROR, RETURN]), "the trace must end there"
    assert not explains(ends, [ENTER, ENTER], [ENTER, ERROR]), "another event was expected"


def test_a_row_that_goes_on_wants_the_rest_as_expected(row: Callable[..., Divergence]) -> None:
    swapped = row(
        expected=({"event": "enter"}, {"event": "return"}), got=({"event": "return"}, {"event": "enter"}), goes_on=True
    )
    assert explains(swapped, [ENTER, RETURN, ERROR], [RETURN, ENTER, ERROR])
    assert not explains(swapped, [ENTER, RETURN, ERROR], [RETURN, ENTER])
    assert not explains(swapped, [ENTER, RETURN, ERROR], [RETURN, ENTER, RETURN])


def test_an_explanation_is_found_for_a_program_of_no_corpus(row: Callable[..., Divergence]) -> None:
    rows = (row(id="BR-1", runtime="other", got=(ERROR,)), row(id="BR-2", programs=("gone",), got=(ERROR,)))
    there = {"runtime": "wrong", "version": "2"}
    assert find_row(rows, [RETURN], [ERROR], **there) is rows[1]
    assert find_row(rows, [RETURN], [ENTER], **there) is None
    assert find_row(rows, [RETURN], [ERROR], **{**there, "runtime": "right"}) is None


def test_a_sign_may_stand_behind_the_difference_in_a_thread_too(row: Callable[..., Divergence]) -> None:
    rows = (row(sign={"event": "raise"}),)
    there = {"runtime": "wrong", "version": "2"}
    thread = {"event": "thread", "number": 0, "events": [RETURN, ERROR]}
    assert find_row(rows, [RETURN], [ENTER, ERROR], **there) is rows[0]
    assert find_row(rows, [ENTER, {**thread, "events": [ENTER, ERROR]}], [RETURN], **there) is rows[0]
    assert find_row(rows, [ERROR, ENTER], [ERROR, RETURN], **there) is None, "it came before the difference"
    assert find_row(rows, [ENTER, RETURN, ERROR], [RETURN, ERROR], **there) is None, "it came in a later step"
    without = (row(expected=({"event": "return"},), got=({"event": "raise"},)),)
    other = {**thread, "events": [ERROR, ERROR]}
    assert find_row(without, [ENTER, thread], [ENTER, other], **there) is without[0]
    assert find_row(without, [ENTER, other], [ENTER, thread], **there) is None


def test_a_row_explains_in_the_variants_that_are_named(row: Callable[..., Divergence]) -> None:
    rows = (row(expected=({"event": "enter"},), variants=("typed/*",)),)
    there = {"runtime": "wrong", "version": "2"}
    assert find_row(rows, [ENTER], [RETURN], variant="typed/python", **there) is rows[0]
    assert find_row(rows, [ENTER], [RETURN], variant="object/python", **there) is None


def test_a_pattern_may_stand_for_any_number_of_events(row: Callable[..., Divergence]) -> None:
    item = row(
        expected=({"event": "raise"},),
        got=({"event": "forward", "times": "any"}, {"event": "raise", "error": "TypeError"}),
    )
    hook = {"event": "forward", "hook": "f", "module": "", "args": [3], "output": None}
    raised = {**ERROR, "error": "RuntimeError"}
    for count in range(3):
        assert explains(item, [ENTER, raised], [ENTER, *[hook] * count, ERROR])
    assert not explains(item, [ENTER, raised], [ENTER, hook, RETURN, ERROR])
    assert not explains(item, [ENTER, raised], [ENTER, hook])


@pytest.mark.parametrize(
    ("runtime", "variant", "row"),
    [("hooks", "", "BR-1"), ("dotnet", "typed/alone", "BR-2"), ("torchsharp+bridge", "", "BR-27")],
)
def test_an_error_that_only_pytorch_raises_in_a_recovery_may_end_as_a_warning(
    runtime: str, variant: str, row: str
) -> None:
    """A-6, A-8: 'mutated during iteration' ends a call that an always-called hook made, in the recovery of another call."""
    called = {"event": "forward", "hook": "h3", "module": "", "args": [0, 0], "output": None}
    key = "module forward hook with ``always_call=True``"
    failed = {"event": "warning", "category": "UserWarning", "key": key}
    ended = {"event": "raise", "error": "Error", "key": "h7"}
    expected = [called, failed, failed | {"key": "mutated during iteration"}, ended]
    found = find_row(
        ledger(), expected, [called, failed, called, failed, ended], runtime=runtime, version="1", variant=variant
    )
    assert found is not None
    assert found.id == row
