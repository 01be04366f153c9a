"""The operators at which two forwards part are named, with both values and the line of C#."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.compare.compared import Comparison
from bridge.compare.findings import Finding

pytestmark = pytest.mark.dotnet
Judge = Callable[..., Comparison]
SOURCE = (Path(__file__).parent / "Faults.cs").read_text(encoding="utf-8").splitlines()


def line(text: str) -> str:
    """``Faults.cs:12`` of the line that has a text."""
    return f"Faults.cs:{next(number for number, written in enumerate(SOURCE, 1) if text in written)}"


def first(found: Comparison) -> Finding:
    return found.findings[0]


def test_another_dimension_is_named_with_its_line(judge: Judge) -> None:
    found = first(judge("Attention", (6, 6, 6), "dim"))
    assert found.kind == "operator"
    assert found.source == line("return scores.softmax(1);")
    assert found.message.startswith("the root (Attention): softmax: dim -1 in pytorch, 1 in dotnet; what out received")


def test_the_fix_has_the_number_in_place(judge: Judge) -> None:
    """Where the sources are there: those of tests are compiled elsewhere."""
    found = first(judge("Attention", (6, 6, 6), "dim"))
    assert found.fix in ("", "return scores.softmax(-1)")


def test_a_dimension_counted_from_the_other_end_is_the_same(judge: Judge) -> None:
    assert judge("Attention", (6, 6, 6), "same", lockstep=True).found == ()


@pytest.mark.parametrize(
    ("name", "shape", "how", "words"),
    [
        ("Late", (4, 4), "late", "transpose of pytorch (originals.py:18) is missing in dotnet"),
        ("Attention", (6, 6), "scale", "dotnet calls div before softmax, pytorch does not"),
        ("Attention", (6, 6), "swapped", "transpose"),
        ("Residual", (2, 3, 5, 5), "missing", "add of pytorch"),
        ("Residual", (2, 3, 5, 5), "twice", "dotnet calls add, pytorch does not"),
        ("Recurrent", (2, 3, 4), "first", "select: index -1 in pytorch, 0 in dotnet"),
        (
            "Recurrent",
            (2, 3, 4),
            "cell",
            "select: self is result 2 of lstm, float32[1, 2, 4] in pytorch, is result 3 of lstm",
        ),
        ("Several", (2, 4), "third", "dotnet calls mul, pytorch does not"),
        ("Several", (2, 4), "body", "dotnet calls neg, pytorch does not"),
        ("Sampling", (4, 4), "dim", "softmax: dim -1 in pytorch, 0 in dotnet"),
        (
            "Sampling",
            (4, 4),
            "exp",
            "exp of pytorch (originals.py:134) is missing in dotnet before add (Faults.cs:224)",
        ),
    ],
)
def test_what_is_missing_extra_or_other_is_said(
    judge: Judge, name: str, shape: tuple[int, ...], how: str, words: str
) -> None:
    found = first(judge(name, shape, how))
    assert (found.kind, found.path) == ("operator", "")
    assert words in found.message
