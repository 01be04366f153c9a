"""The operators at which two forwards part are named, with both values and the line of C#."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bridge.compare.findings import Finding
from bridge.compare.isolate.divergence import Divergence, find_divergences
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.phrasing.divergences import describe_divergence
from bridge.compare.isolate.phrasing.fixes import suggest_fix
from bridge.compare.isolate.source_location import SourceLocation
from bridge.compare.result import Comparison

Judge = Callable[..., Comparison]
SOURCE = (Path(__file__).parent / "Faults.cs").read_text(encoding="utf-8").splitlines()


def line(text: str) -> str:
    """``Faults.cs:12`` of the line that has a text."""
    return f"Faults.cs:{next(number for number, written in enumerate(SOURCE, 1) if text in written)}"


def first(found: Comparison) -> Finding:
    return found.findings[0]


@pytest.mark.dotnet
def test_another_dimension_is_named_with_its_line(judge: Judge) -> None:
    found = first(judge("Attention", (6, 6, 6), "dim"))
    assert found.kind == "operator"
    assert found.source == line("return scores.softmax(1);")
    assert found.message.startswith("the root (Attention): softmax: dim -1 in pytorch, 1 in dotnet; the input of out")


@pytest.mark.dotnet
@pytest.mark.parametrize(
    ("how", "words"), [("dim", "norm: dim (1) in pytorch, (0) in dotnet"), ("p", "norm: p 1 in pytorch, 2 in dotnet")]
)
def test_another_spelling_of_an_operator_is_no_cause(judge: Judge, how: str, words: str) -> None:
    """PyTorch's norm calls linalg_vector_norm, TorchSharp's calls norm, in the right port too."""
    found = first(judge("Length", (4, 4), how))
    assert found.kind == "operator"
    assert found.message.startswith(f"the root (Length): {words}; the input of fc")


@pytest.mark.dotnet
def test_the_fix_has_the_number_in_place(judge: Judge) -> None:
    """Where the sources are there: those of tests are compiled elsewhere."""
    found = first(judge("Attention", (6, 6, 6), "dim"))
    assert found.fix in ("", "return scores.softmax(-1)")


@pytest.mark.dotnet
def test_a_dimension_counted_from_the_other_end_is_the_same(judge: Judge) -> None:
    assert judge("Attention", (6, 6, 6), "same", lockstep=True).found == ()


@pytest.mark.dotnet
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
            f"exp of pytorch (originals.py:134) is missing in dotnet before add ({line('var z = how ==')})",
        ),
    ],
)
def test_what_is_missing_extra_or_other_is_said(
    judge: Judge, name: str, shape: tuple[int, ...], how: str, words: str
) -> None:
    found = first(judge(name, shape, how))
    assert (found.kind, found.path) == ("operator", "")
    assert words in found.message


def recorded(forward: Callable[[torch.Tensor], torch.Tensor], line: str = "") -> OperatorRecorder:
    x = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))
    made = OperatorRecorder(lambda: SourceLocation("F.cs:7", line))
    made.module_called(x)
    with made:
        made.module_returned(forward(x))
    return made


def only(ours: OperatorRecorder, theirs: OperatorRecorder) -> Divergence:
    (found,) = find_divergences(ours, theirs)[0]
    return found


def test_what_an_operator_is_given_is_another_place_of_the_same() -> None:
    """Rows 1 and 0 in place of 0 and 1: no operator gives what PyTorch does not have, until the two are used."""
    ours = recorded(lambda x: torch.cat((x.select(0, 0), x.select(0, 1))))
    theirs = recorded(lambda x: torch.cat((x.select(0, 1), x.select(0, 0))))
    assert [describe_divergence(one, ("pytorch", "dotnet")) for one in only(ours, theirs).inner()] == [
        "select: index 0 in pytorch, 1 in dotnet",
        "select: index 1 in pytorch, 0 in dotnet",
    ]


def test_of_several_on_the_same_the_one_in_its_place_is_meant() -> None:
    ours = recorded(lambda x: torch.cat((x.select(0, 0), x.select(0, 1))))
    theirs = recorded(lambda x: torch.cat((x.select(0, 0), x.select(0, 0))))
    found = [describe_divergence(one, ("pytorch", "dotnet")) for one in find_divergences(ours, theirs)[0]]
    assert "select: index 1 in pytorch, 0 in dotnet" in found


def test_a_number_is_another_argument_where_the_tensor_is_the_same() -> None:
    ours, theirs = recorded(lambda x: 1.0 / x.exp()), recorded(lambda x: 1.5 / x.exp())
    assert describe_divergence(only(ours, theirs), ("pytorch", "dotnet")) == "mul: other 1 in pytorch, 1.5 in dotnet"


def test_what_both_make_of_other_things_says_of_which() -> None:
    sides = []
    for place in (0, 1):
        made = OperatorRecorder(SourceLocation)
        given = torch.ones(3), torch.arange(3.0)
        made.module_called(given)
        with made:
            _ = given[0].neg() + given[1].neg()
            made.module_returned(given[place].neg().exp())
        sides.append(made)
    assert describe_divergence(only(*sides), ("pytorch", "dotnet")) == (
        "exp: self is the result of neg, computed from the first argument in pytorch, "
        "is the result of neg, computed from argument 2 in dotnet"
    )


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("return x.softmax(0);", "return x.softmax(1)"),
        ("return x.softmax(0).select(0, 2);", "return x.softmax(1).select(0, 2)"),
        ("return x.select(0, 2).softmax(dim);", ""),
        ("return functional.softmax(x.sum(0), dim);", ""),
    ],
)
def test_the_number_to_write_is_an_argument_of_that_operator(written: str, wanted: str) -> None:
    ours, theirs = recorded(lambda x: x.softmax(1)), recorded(lambda x: x.softmax(0), written)
    assert suggest_fix(only(ours, theirs), ModuleFinding("", "Net", "result", "", 0)) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [("return x * 3 + 2;", "return x * 4 + 2"), ("return x.pow(3) * three;", "")],
)
def test_the_number_to_write_stands_beside_the_sign(written: str, wanted: str) -> None:
    ours, theirs = recorded(lambda x: x * 4), recorded(lambda x: x * 3, written)
    assert suggest_fix(only(ours, theirs), ModuleFinding("", "Net", "result", "", 0)) == wanted
