"""bridge.compare.isolate.divergence: the operators at which two forwards diverge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from bridge.compare.isolate.divergence import Divergence, find_divergences
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.phrasing.divergences import describe_divergence
from bridge.compare.isolate.source_location import SourceLocation
from bridge.compare.result import Comparison

Judge = Callable[..., Comparison]
Record = Callable[..., OperatorRecorder]


@pytest.mark.dotnet
@pytest.mark.parametrize(
    ("name", "shape", "how", "text", "at"),
    [
        ("Attention", (), "dim", "softmax: dim -1 in pytorch, 1 in dotnet; the input of out", "scores.softmax(1);"),
        ("Attention", (6, 6), "scale", "dotnet calls div before softmax, pytorch does not", ""),
        ("Attention", (6, 6), "swapped", "transpose", ""),
        ("Complement", (), "number", "rsub: other 1 in pytorch, 1.5 in dotnet; the input of fc", "1.5 : 1.0"),
        ("Late", (), "late", "transpose of pytorch (originals.py:18) is missing in dotnet", ""),
        # PyTorch's norm calls linalg_vector_norm and TorchSharp's calls norm, in the correct port as well.
        ("Length", (), "dim", "norm: dim (1) in pytorch, (0) in dotnet; the input of fc", ""),
        ("Length", (), "p", "norm: p 1 in pytorch, 2 in dotnet; the input of fc", ""),
        ("Recurrent", (), "first", "select: index -1 in pytorch, 0 in dotnet", ""),
        (
            "Recurrent",
            (),
            "cell",
            "select: self is result 2 of lstm, float32[1, 2, 4] in pytorch, is result 3 of lstm",
            "",
        ),
        ("Residual", (), "missing", "add of pytorch", ""),
        ("Residual", (), "twice", "dotnet calls add, pytorch does not", ""),
        ("Several", (), "third", "dotnet calls mul, pytorch does not", ""),
        ("Several", (), "body", "dotnet calls neg, pytorch does not", ""),
        ("Sampling", (), "dim", "softmax: dim -1 in pytorch, 0 in dotnet", ""),
        (
            "Sampling",
            (),
            "exp",
            "exp of pytorch (originals.py:134) is missing in dotnet before add ({at})",
            "var z = how =",
        ),
    ],
)
def test_the_operator_is_the_first_finding(
    judge: Judge, line: Callable[[str], str], name: str, shape: tuple[int, ...], how: str, text: str, at: str
) -> None:
    found = judge(name, how, shape=shape).findings[0]
    assert (found.kind, found.path) == ("operator", "")
    source = line(at) if at else ""
    assert f"the root ({name}): " in found.message
    assert text.format(at=source) in found.message
    assert found.source == source or not at or "{at}" in text


@pytest.mark.dotnet
def test_the_fix_is_the_line_with_pytorchs_number(judge: Judge) -> None:
    """The fix is empty where the sources are elsewhere, as for prebuilt assemblies."""
    assert judge("Attention", "dim").findings[0].fix in ("", "return scores.softmax(-1)")


@pytest.mark.dotnet
def test_a_dimension_counted_from_the_other_end_is_equal(judge: Judge) -> None:
    assert judge("Attention", "same", lockstep=True).found == ()


def describe(divergence: Divergence) -> str:
    return describe_divergence(divergence, ("pytorch", "dotnet"))


def only(ours: OperatorRecorder, theirs: OperatorRecorder) -> Divergence:
    (found,) = find_divergences(ours, theirs)[0]
    return found


def test_inner_divergences_are_arguments_of_the_operators_before(record: Record) -> None:
    """Rows 1 and 0 instead of 0 and 1: each side has all results, until the two are concatenated."""
    ours = record(lambda x: torch.cat((x.select(0, 0), x.select(0, 1))))
    theirs = record(lambda x: torch.cat((x.select(0, 1), x.select(0, 0))))
    assert [describe(inner) for inner in only(ours, theirs).input_divergences()] == [
        "select: index 0 in pytorch, 1 in dotnet",
        "select: index 1 in pytorch, 0 in dotnet",
    ]


def test_operators_on_the_same_tensor_correspond_by_position(record: Record) -> None:
    ours = record(lambda x: torch.cat((x.select(0, 0), x.select(0, 1))))
    theirs = record(lambda x: torch.cat((x.select(0, 0), x.select(0, 0))))
    assert "select: index 1 in pytorch, 0 in dotnet" in map(describe, find_divergences(ours, theirs)[0])


def test_operators_with_another_scalar_correspond(record: Record) -> None:
    ours, theirs = record(lambda x: 1.0 / x.exp()), record(lambda x: 1.5 / x.exp())
    assert describe(only(ours, theirs)) == "mul: other 1 in pytorch, 1.5 in dotnet"


def test_results_of_the_same_operators_are_described_by_their_origin() -> None:
    sides = []
    for place in (0, 1):
        recorder = OperatorRecorder(SourceLocation)
        given = torch.ones(3), torch.arange(3.0)
        recorder.module_called(given)
        with recorder:
            _ = given[0].neg() + given[1].neg()
            recorder.module_returned(given[place].neg().exp())
        sides.append(recorder)
    assert describe(only(*sides)) == (
        "exp: self is the result of neg, computed from the first argument in pytorch, "
        "is the result of neg, computed from argument 2 in dotnet"
    )
