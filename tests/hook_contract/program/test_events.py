"""hook_contract.program.events."""

from __future__ import annotations

from typing import Any

import pytest

from hook_contract.program.events import align, describe, first_difference, key, lines

A, B, C, D = ({"event": "return", "value": value} for value in (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"value": True}, {"value": 1}),
        ({"value": None}, {"value": 0}),
        ({"value": {"tuple": [1]}}, {"value": {"list": [1]}}),
        ({"value": 1}, {"value": "1"}),
        ({"value": 1.5}, {"value": 1}),
    ],
)
def test_what_is_not_the_same_has_another_key(left: Any, right: Any) -> None:
    assert key(left) != key(right)


def test_a_float_equals_its_integer_everywhere_and_nan_is_nan() -> None:
    assert key({"args": [2.0, {"a": 3.0}]}) == key({"args": (2, {"a": 3})})
    assert key({"value": float("nan")}) == key({"value": float("nan")})


def test_equal_traces_have_no_difference() -> None:
    assert first_difference([A, B], (dict(A), dict(B))) is None
    assert first_difference([], []) is None


@pytest.mark.parametrize(
    ("got", "number", "expected", "came"),
    [([A, C, B], 2, B, C), ([A], 2, B, None), ([A, B, C, D], 4, None, D), ([], 1, A, None)],
)
def test_the_first_difference_is_named_with_its_number(got: Any, number: int, expected: Any, came: Any) -> None:
    found = first_difference([A, B, C], got)
    assert found is not None
    assert (found.number, found.expected, found.got) == (number, expected, came)


def test_aligned_rows_hold_both_traces_completely_and_in_order() -> None:
    expected, got = [A, B, C, D], [A, C, D, A]
    rows = align(expected, got)
    assert [left for left, _ in rows if left is not None] == expected
    assert [right for _, right in rows if right is not None] == got
    assert rows == ((A, A), (B, None), (C, C), (D, D), (None, A))


def test_aligned_rows_of_equal_traces_are_pairs() -> None:
    assert align([A, B], [A, B]) == ((A, A), (B, B))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"event": "enter", "module": "", "args": [3], "kwargs": {"scale": 2}}, "enter (root): args (3), kwargs {scale: 2}"),
        ({"event": "forward", "hook": "f", "module": "a.b", "args": [3], "output": {"tuple": [1]}}, "forward f a.b: args (3), output (1,)"),
        ({"event": "return", "value": None}, "return None"),
        ({"event": "return", "value": {"dict": {"a": {"plain": 1}}}}, "return {a: plain 1}"),
        ({"event": "return", "value": {"value": 3, "id": 0}}, "return 3 #0"),
        ({"event": "return", "value": {"vector": [1, 2]}}, "return <1 2>"),
        ({"event": "raise", "error": "Error", "key": "boom"}, 'raise Error "boom"'),
        ({"event": "raise", "error": "", "key": "Error was expected"}, 'raise nothing "Error was expected"'),
        ({"event": "read", "name": "x", "what": "grad", "value": 2}, "read: name x, what grad, value 2"),
        ({"event": "read", "name": "", "what": "grad_mode", "value": {"plain": True}}, "read: what grad_mode, value plain true"),
    ],
)  # fmt: skip
def test_an_event_in_words(event: Any, words: str) -> None:
    assert describe(event) == words


def test_what_a_thread_did_is_indented() -> None:
    assert lines([{"event": "thread", "number": 1, "events": [A]}, B]) == ["thread 1:", "  return 1", "return 2"]
