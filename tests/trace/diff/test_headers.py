"""What headers tell before events are compared."""

from __future__ import annotations

from bridge.trace import Header
from bridge.trace.diff.headers import differences

NAMES = ("pytorch", "dotnet")


def test_what_one_side_did_not_record_is_not_compared() -> None:
    a = Header("pytorch", inputs={"0.0": "1"})
    assert differences(a, None, NAMES) == differences(None, a, NAMES) == differences(a, Header("dotnet"), NAMES) == ()
    assert differences(a, a, NAMES) == ()


def test_inputs_come_before_weights_and_names_are_listed() -> None:
    a = Header("pytorch", inputs={"0.0": "1", "0.1": "1"}, weights={"w": "1"})
    b = Header("dotnet", inputs={"0.0": "2", "0.1": "2"}, weights={"w": "1", "b": "1"})
    assert differences(a, b, NAMES) == (
        "Different inputs: argument 0, argument 1 differ.",
        "Different weights: b only in dotnet.",
    )


def test_of_several_calls_each_argument_has_its_call() -> None:
    a, b = Header("a", inputs={"0.0": "1"}), Header("b", inputs={"0.0": "2", "1.0": "1"})
    assert differences(a, b, NAMES) == (
        "Different inputs: argument 0 of call 0 differs; argument 0 of call 1 only in dotnet.",
    )
