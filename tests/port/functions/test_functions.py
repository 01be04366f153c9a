"""Random functions give the same in Python and, translated by `port`, in C# (section 2 of issue 43). Many more: make port-functions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.port.functions import harness, reference
from tests.port.functions.drawing import Drawn, draw, load

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a timer of POSIX stops a drawn call that does not end")
_COUNT = 50
_SEED = 43


@pytest.mark.sdk
@pytest.mark.dotnet
@pytest.mark.timeout(300)
def test_no_function_differs_and_few_are_refused(sdk: Any) -> None:
    report = harness.check(sdk, _COUNT, _SEED)
    assert not report.differences, "\n\n".join(map(str, report.differences))
    assert report.functions == _COUNT
    assert report.calls > 4 * _COUNT
    assert report.refused.total() < 0.15 * _COUNT, report.refused


def test_a_seed_draws_the_same_functions_again() -> None:
    first, second, other = draw(20, 1), draw(20, 1), draw(20, 2)
    assert [one.source for one in first] == [one.source for one in second]
    assert [repr(one.calls) for one in first] == [repr(one.calls) for one in second]
    assert {one.source for one in first} != {one.source for one in other}


@pytest.mark.parametrize(
    ("body", "found", "differs"),
    [
        ("p0 + 1", "2 <- 1", False),
        ("p0 + 1", "3 <- 1", True),
        ("p0 + 1", "2 <- 2", True),
        ("p0 + 1.0", "2 <- 1", True),
        ("p0 == 1", "1 <- 1", True),
        ("p0 // 0", "raises DivideByZeroException: ", False),
        ("p0 // 0", "0 <- 1", True),
        ("p0 + 1", "raises DivideByZeroException: ", True),
        ("p0 + 1", "raises OverflowException: ", True),
        ("p0 << 64", "raises OverflowException: ", False),
        ("(p0 << 64) >> 64", "raises OverflowException: ", False),
        ("(p0 << 64) >> 64", "1 <- 1", False),
        ("p0 + 1", "hangs", True),
    ],
)
def test_the_harness_sees_each_kind_of_difference(tmp_path: Path, body: str, found: str, differs: bool) -> None:
    """The value, the arguments after the call, the types, what is raised, and integers of more than 64 bits, which C# must refuse."""
    drawn = [Drawn("f0", f"def f0(p0: int):\n    return {body}\n", ("int",), "int", ((1,),), ())]
    functions = load(drawn, tmp_path / "one_function.py")
    translation = harness.translate(drawn, functions)
    translation.declarations.setdefault("f0", harness.empty("f0"))
    translation.refused.clear()
    report = harness.judged(drawn, functions, translation, {}, {("f0", 0): found})
    assert bool(report.differences) == differs


def test_a_call_that_never_ends_is_left_out() -> None:
    assert reference.call(lambda p0: [p0.append(one) for one in p0], ([1],)) == ""


def test_an_int_in_a_list_of_floats_is_shown_as_a_float() -> None:
    """C# has a double for each element of a parameter that is declared as list[float]."""
    given = reference.call(lambda p0: p0.append(sum(p0[1:])), ([0.5],), "", ("list[float]",))
    assert given == reference.call(lambda p0: p0.append(0.0), ([0.5],))
    assert given != reference.call(lambda p0: p0.append(sum(p0[1:])), ([0.5],))
