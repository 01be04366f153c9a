"""bridge.trace.diff: other arguments and other values, and whom they are blamed on."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bridge.trace import Event, Trace, Value
from bridge.trace.diff import Diff, diff

from .conftest import Node, both, model, record


def nudged(amount: float) -> Diff:
    def chain(from_second: float) -> list[Node]:
        conv2, act = (
            Node("conv2", given=3.0, data=4.0 + from_second),
            Node("act", given=4.0 + from_second, data=from_second),
        )
        return [Node("", [Node("conv1", given=1.0, data=3.0), conv2, act], given=1.0, data=from_second)]

    return both(chain(0.0), chain(amount))


def test_first_module_whose_output_differs_while_its_inputs_do_not() -> None:
    result = nudged(0.5)
    assert result.culprit is not None
    assert result.culprit.path == "conv2"
    assert result.first_numeric is result.culprit
    assert [(d.path, d.phase) for d in result.numeric] == [
        ("conv2", "forward"),
        ("act", "pre"),
        ("act", "forward"),
        ("", "forward"),
    ]
    assert result.largest_difference == 0.5
    assert not result.structural
    assert not result.same
    assert (
        "conv2: result differs by up to 0.5 (relative 0.111) in 1 of 1 number. Its inputs are equal" in result.explain()
    )


def test_culprit_is_the_enclosing_module_when_it_computes_between_its_calls() -> None:
    a = [Node("", [Node("conv1", data=3.0), Node("act", given=3.0)])]
    b = [Node("", [Node("conv1", data=3.0), Node("act", given=9.0, data=5.0)], data=8.0)]
    result = both(a, b)
    assert result.culprit is not None
    assert result.culprit.path == ""
    assert result.numeric[0].path == "act"


@pytest.mark.parametrize("phases", [("bypass", "bypass"), ("call", "bypass"), ("bypass", "call")])
def test_the_inputs_of_a_bypassed_module_are_not_called_equal(phases: tuple[str, str]) -> None:
    sides = [
        [
            Node(
                "",
                [Node("conv1", data=3.0, phase=phase, given=3.0), Node("act", given=amount, data=amount)],
                data=amount,
            )
        ]
        for phase, amount in zip(phases, (3.0, 4.0), strict=True)
    ]
    for side, amount in zip(sides, (3.0, 4.0), strict=True):
        side[0].children[0].data = amount
    result = both(*sides)
    assert result.culprit is not None
    assert result.culprit.path == "conv1"
    assert "Its inputs are equal" not in result.explain()
    assert "No value before it differs: look here first." in result.explain()


def test_other_inputs_blame_no_module() -> None:
    result = both([Node("", given=1.0, data=2.0)], [Node("", given=1.5, data=2.5)])
    assert result.culprit is None
    assert result.first_numeric is result.numeric[0]
    assert result.numeric[0].phase == "pre"


def test_tolerances() -> None:
    a, b = [Node("", data=100.0)], [Node("", data=100.5)]
    assert not both(a, b, atol=0.4).same
    assert both(a, b, atol=0.6).same
    assert both(a, b, rtol=0.005).same
    assert both(a, b, atol=0.6).largest_difference == 0.5
    for wrong in (-1.0, math.nan):
        with pytest.raises(ValueError, match="zero or more"):
            diff(Trace("a"), Trace("b"), atol=wrong)


def test_digests_alone_are_compared() -> None:
    a, b = record(model("c"), full=False), record([Node("", [Node("c", data=2.5)])], full=False)
    assert diff(a, a).same
    assert diff(a, a).compared == 4
    result = diff(a, b)
    assert result.culprit is not None
    assert result.culprit.path == "c"
    assert math.isinf(result.largest_difference)
    assert result.culprit.message.endswith("differs by digest.")
    assert result.explain().count("values='full'") == 1


def compared(x: object, y: object, **options: float) -> Diff:
    return both([Node("", data=np.asarray(x))], [Node("", data=np.asarray(y))], **options)


def test_nan_and_infinity() -> None:
    nan, inf = math.nan, math.inf
    assert compared([nan, inf, -inf], [nan, inf, -inf]).same
    payload = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert compared(payload, np.array([nan], np.float32)).same
    for x, y in ((nan, 1.0), (1.0, nan), (inf, -inf), (inf, nan), (1.0, inf)):
        result = compared([x, 0.0], [y, 0.0], atol=1e9, rtol=0.5)
        assert [(d.elements, d.nonfinite, d.absolute) for d in result.numeric] == [(1, 1, inf)], (x, y)
        assert "with a NaN or an infinity" in result.explain()


@pytest.mark.parametrize(
    ("x", "y", "gap"),
    [
        (np.array([2**63 - 1]), np.array([-(2**63)]), float(2**64 - 1)),
        (np.array([2**53 + 1]), np.array([2**53]), 1.0),
        (np.array([0], np.uint8), np.array([255], np.uint8), 255.0),
        (np.array([True, False]), np.array([True, True]), 1.0),
        (np.array([1 + 2j]), np.array([1 + 2.5j]), 0.5),
        (np.array([1.0], np.float16), np.array([1.5], np.float16), 0.5),
        (np.array([1e308]), np.array([-1e308]), math.inf),
    ],
)
def test_differences_of_every_sort_of_number(x: np.ndarray, y: np.ndarray, gap: float) -> None:
    result = compared(x, y)
    assert result.largest_difference == gap
    assert result.numeric[0].elements == 1
    assert compared(x, x.copy()).same
    assert compared(x[:0], y[:0]).same


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shape", Value("tensor", (2,), "float32", "cpu")),
        ("dtype", Value("tensor", (1,), "float64", "cpu")),
        ("device", Value("tensor", (1,), "float32", "cuda:0")),
        ("kind", Value("none")),
    ],
)
def test_other_arguments(name: str, value: Value) -> None:
    a = Trace("a", [Event(0, "fc", "Linear", "pre", 0, -1, values=(Value("tensor", (1,), "float32", "cpu"),))])
    result = diff(a, Trace("b", [replace(a[0], values=(value,))]))
    assert [(d.kind, d.path, d.device_only) for d in result.numeric] == [("arguments", "fc", name == "device")]
    assert name in result.explain()
    assert not result.structural
    more = diff(a, Trace("b", [replace(a[0], values=a[0].values * 2)]))
    assert "1 value against 2" in more.explain()


def test_another_device_does_not_hide_the_culprit() -> None:
    a = record([Node("", [Node("conv1", data=1.0)])])
    result = diff(a, record([Node("", [Node("conv1", data=7.0)])], device="cuda:0"))
    assert result.numeric[0].device_only
    assert result.culprit is not None
    assert result.culprit.path == "conv1"


def test_literals() -> None:
    def trace(literal: object, kind: str = "float") -> Trace:
        return Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(Value(kind, literal=literal),))])  # type: ignore[arg-type]

    assert diff(trace(math.nan), trace(math.nan)).same
    assert diff(trace(1.0), trace(1.1), atol=0.2).same
    assert diff(trace("a", "str"), trace("b", "str")).numeric[0].kind == "arguments"
    assert diff(trace(1, "int"), trace(True, "bool")).numeric[0].kind == "arguments"
    assert not diff(trace(math.inf), trace(-math.inf), atol=1.0, rtol=1.0).same


@pytest.mark.parametrize(
    ("x", "y", "same"),
    [(2, 2.0, True), (-0.0, 0, True), (2, 2.5, False), (2**53 + 1, float(2**53), False), (1, math.nan, False)],
)
def test_the_type_of_an_argument_makes_a_float_of_a_whole_number(x: float, y: float, same: bool) -> None:
    a, b = (
        Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(Value(type(literal).__name__, literal=literal),))])  # type: ignore[arg-type]
        for literal in (x, y)
    )
    for result in (diff(a, b, atol=9.0), diff(b, a, atol=9.0)):
        assert result.same == same
        assert result.compared == int(same)
        assert same or "kind " in result.explain()


@pytest.mark.parametrize(("x", "y"), [(10**400, 1), (10**400, 10**400 + 1), (10**400, 1.5), (-(10**400), math.inf)])
def test_integers_that_no_float_holds(x: float, y: float) -> None:
    def trace(literal: float) -> Trace:
        kind = "int" if isinstance(literal, int) else "float"
        return Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(Value(kind, literal=literal),))])

    for a, b in ((x, y), (y, x)):
        result = diff(trace(a), trace(b), atol=1e9, rtol=0.5)
        assert [d.kind for d in result.numeric] == ["arguments"]
        assert diff(trace(a), trace(a)).same
    if isinstance(y, int):
        assert diff(trace(x), trace(y)).largest_difference == math.inf
