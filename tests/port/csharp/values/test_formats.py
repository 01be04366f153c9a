"""formats.py: f-strings, %, str.format and str()."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import DTYPE, FLOAT, INT, NONE, SIZES, STR, ListOf, TupleOf
from tests.port.csharp.values.given import (
    INTS,
    PAIR,
    SHAPE,
    SIZE,
    UNIQUE,
    A,
    N,
    P,
    S,
    X,
    binary,
    builtin,
    csharp,
    lit,
    method,
    tuple_of,
)


def _format(*parts: ir.Expression, form: str = "") -> ir.Format:
    return ir.Format(parts, tuple("" if isinstance(one, ir.Literal) else form for one in parts), type=STR)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (_format(lit("size "), N, lit(" of {x}")), '$"size {n} of {{x}}"'),
        (_format(lit("plain")), '"plain"'),
        (_format(P, S, X), '$"{p}{s}{x}"'),
        (_format(A), '$"{PythonMath.Str(a)}"'),
        (_format(SHAPE), '$"torch.Size([{string.Join(", ", x.shape)}])"'),
        (_format(SIZE), '$"{PythonMath.Str(size)}"'),
        (_format(ir.Property(X, "dtype", type=DTYPE)), '$"{PythonMath.Str(x.dtype)}"'),
        (_format(A, form=".3f"), '$"{PythonMath.Fixed(a, 3)}"'),
        (_format(N, form=".2f"), '$"{PythonMath.Fixed((double)n, 2)}"'),
        (_format(A, form=".1%"), '$"{PythonMath.Percent(a, 1)}"'),
        (_format(N, form="d"), '$"{n}"'),
        (_format(N, form="03d"), '$"{PythonMath.PadZeros(PythonMath.Str(n), 3)}"'),
        (_format(S, form="8"), '$"{s.PadRight(8)}"'),
        (_format(N, form=">8"), '$"{PythonMath.Str(n).PadLeft(8)}"'),
        (_format(N, form="*<8"), '$"{PythonMath.Str(n).PadRight(8, "*"[0])}"'),
        (binary("%", lit("%d%% of %s"), tuple_of(N, S), STR), '$"{n}% of {s}"'),
        (binary("%", lit("%.2f"), A, STR), '$"{PythonMath.Fixed(a, 2)}"'),
        (binary("%", lit("%d"), A, STR), '$"{(long)a}"'),
        (method(lit("{} and {x:.1f}"), "format", N, kind=STR), None),
        (method(lit("{1} {0}"), "format", N, S, kind=STR), '$"{s} {n}"'),
        (builtin("str", lit(1e-05), kind=STR), '"1e-05"'),
        (builtin("repr", S, kind=STR), "PythonMath.Repr(s)"),
    ],
)
def test_text(node: ir.Expression, wanted: str | None) -> None:
    """A format that names a value that is not given is refused."""
    if wanted is not None:
        assert csharp(node) == wanted
        return
    with pytest.raises(Untranslatable, match="the format"):
        csharp(node)


@pytest.mark.parametrize(
    "node",
    [
        _format(A, form=".3e"),
        _format(A, form="g"),
        _format(N, form=","),
        _format(P, form="d"),
        _format(UNIQUE),
        _format(ir.Local("named", type=TupleOf((INT, INT), ("a", "b")))),
        _format(PAIR),
        _format(S, form="d"),
        binary("%", S, N, STR),
        binary("%", lit("%d %d"), tuple_of(N), STR),
        binary("%", lit("%x"), N, STR),
        binary("%", lit("%d"), S, STR),
        binary("%", lit("%s"), ir.Local("any", type=SIZES), STR),
        method(lit("{!r}"), "format", N, kind=STR),
        method(lit("{1} {0}"), "format", builtin("len", INTS), builtin("len", INTS), kind=STR),
        builtin("str", ir.Literal(torch.device("cpu"), type=NONE), kind=STR),
    ],
)
def test_refused(node: ir.Expression) -> None:
    if isinstance(node, ir.BuiltinCall):  # which is None by its type
        assert csharp(node) == 'PythonMath.Str(torch.device("cpu"))'
        return
    with pytest.raises(Untranslatable):
        csharp(node)


def test_the_text_of_a_sum_of_floats_is_refused() -> None:
    """Python's is an int where there is nothing to add."""
    total = builtin("sum", ir.Local("floats", type=ListOf(FLOAT)), kind=FLOAT)
    with pytest.raises(Untranslatable, match="the text of a float that may be or hold an int in Python"):
        csharp(builtin("str", total, kind=STR))
