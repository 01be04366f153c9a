"""helpers.py: the class PythonMath, with what is used and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bridge.port.csharp import helpers


def test_a_helper_brings_those_that_it_calls_and_no_other() -> None:
    assert helpers.closure(["Item"]) == {"Item", "Place"}
    assert helpers.closure(["Slice"]) == {"Slice", "Places"}
    assert helpers.closure(["Percent"]) == {"Percent", "Fixed", "Scaled", "Shortest"}
    text = helpers.text(["Slice"], "Net")
    assert "namespace Net;" in text
    assert "IEnumerable<int> Places(" in text
    assert "FloorDivide" not in text


def test_a_helper_has_its_overloads() -> None:
    text = helpers.text(["Modulo"], "Net")
    assert "long Modulo(long" in text
    assert "double Modulo(double" in text


def test_only_the_namespaces_that_are_needed_are_used() -> None:
    assert "using System.Globalization;" not in helpers.text(["Item"], "Net")
    assert "using System.Globalization;" in helpers.text(["Fixed"], "Net")


def test_lists_are_taken_apart_with_a_check_of_their_length() -> None:
    text = helpers.text(["Deconstruct3"], "Net")
    assert "Deconstruct<T>(this IList<T> items, out T item1, out T item2, out T item3)" in text
    assert "if (items.Count != 3)" in text


def test_a_helper_that_there_is_not_is_an_error() -> None:
    with pytest.raises(KeyError, match="NoSuch"):
        helpers.text(["NoSuch"], "Net")


@pytest.mark.sdk
def test_the_compiler_takes_every_helper(build_csharp: Callable[[Mapping[str, str], str], Path]) -> None:
    assert build_csharp({"PythonMath.cs": helpers.text(helpers._members(), "Net")}, "EveryHelper").is_file()
