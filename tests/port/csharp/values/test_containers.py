"""containers.py: literals, comprehensions, what is walked over, and methods."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.csharp.values.containers import walked
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import (
    BOOL,
    FLOAT,
    INT,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    SetOf,
    TupleOf,
)  # fmt: skip
from tests.port.csharp.values.given import (
    COUNTS,
    INTS,
    PAIR,
    SHAPE,
    SIZE,
    STRINGS,
    TABLE,
    TENSORS,
    UNIQUE,
    C,
    M,
    N,
    S,
    X,
    Y,
    binary,
    builtin,
    compare,
    csharp,
    list_of,
    lit,
    method,
    tuple_of,
)  # fmt: skip

_NAMED = ir.Field("named", type=ModulesOf(nn.ModuleDict, ModuleOf(nn.Linear)))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (list_of(X, Y, element=TENSOR), "new List<Tensor> { x, y }"),
        (ir.ListLiteral((), type=ListOf(UNKNOWN)), "new List<Tensor>()"),
        (list_of(ir.Spread(TENSORS), X, element=TENSOR), "(List<Tensor>)[.. tensors, x]"),
        (list_of(lit(1), N), "new List<long> { 1, n }"),
        (tuple_of(X, lit(1)), "(x, 1L)"),
        (tuple_of(X), "x"),
        (tuple_of(ir.Spread(PAIR), X, kind=TupleOf((INT, TENSOR, TENSOR))), "(pair.Item1, pair.Item2, x)"),
        (tuple_of(N, lit(-1), kind=SIZES), "new long[] { n, -1 }"),
        (tuple_of(ir.Spread(SHAPE), kind=SIZES), "x.shape"),
        (tuple_of(ir.Spread(SIZE), lit(1), kind=SIZES), "(long[])[.. size, 1]"),
        (ir.SetLiteral((lit(1), lit(2)), type=SetOf(INT)), "new HashSet<long> { 1, 2 }"),
        (ir.DictLiteral(((lit("x"), X),), type=TABLE.type), 'new Dictionary<string, Tensor> { ["x"] = x }'),
        (ir.DictLiteral((), type=TABLE.type), "new Dictionary<string, Tensor>()"),
    ],
)
def test_literals(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


_I, _V, _K = ir.Local("i", type=INT), ir.Local("v", type=TENSOR), ir.Local("k", type=STR)
_EACH = ir.LocalTarget("v", TENSOR)
_RANGE = ir.Generator(ir.LocalTarget("i", INT), builtin("range", C, kind=IteratorOf(INT)))
_ITEMS = method(TABLE, "items", kind=IteratorOf(TupleOf((STR, TENSOR))))
_PAIRS = ir.TupleTarget((ir.LocalTarget("k", STR), _EACH))
_ZIP = builtin("zip", STRINGS, TENSORS, kind=IteratorOf(TupleOf((STR, TENSOR))))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (
            ir.Comprehension(binary("*", _V, lit(2)), (ir.Generator(_EACH, TENSORS),), type=ListOf(TENSOR)),
            "tensors.Select(v => v * 2).ToList()",
        ),
        (
            ir.Comprehension(_V, (ir.Generator(_EACH, X, (ir.Truth(_V),)),), type=IteratorOf(TENSOR)),
            "x.unbind().Where(v => v.ToBoolean())",
        ),
        (
            ir.Comprehension(binary("*", X, _I), (_RANGE,), type=ListOf(TENSOR)),
            "Enumerable.Range(0, (int)x.shape[0]).Select(i => x * i).ToList()",
        ),
        (
            ir.Comprehension(binary("*", lit(2), _I), (_RANGE,), type=ListOf(INT)),
            "PythonMath.Range(0, x.shape[0]).Select(i => 2 * i).ToList()",
        ),
        (
            ir.Comprehension(lit(1), (ir.Generator(_EACH, TENSORS),), type=ListOf(INT)),
            "tensors.Select(v => 1L).ToList()",
        ),
        (
            ir.Comprehension(_V, (ir.Generator(_PAIRS, _ITEMS, (compare("!=", _K, lit("a")),)),), type=ListOf(TENSOR)),
            'table.Where(one => one.Key != "a").Select(one => one.Value).ToList()',
        ),
        (
            ir.Comprehension(_V, (ir.Generator(_PAIRS, _ZIP, (compare("==", _K, S),)),), type=ListOf(TENSOR)),
            "strings.Zip(tensors).Where(one => one.Item1 == s).Select(one => one.Item2).ToList()",
        ),
        (
            ir.Comprehension(_V, (ir.Generator(_PAIRS, _ZIP),), _K, type=TABLE.type),
            "PythonMath.ToDictionary(strings.Zip(tensors).Select(one => (one.Item1, one.Item2)))",
        ),
        (
            ir.Comprehension(
                _V,
                (ir.Generator(ir.LocalTarget("t", TENSOR), TENSORS), ir.Generator(_EACH, ir.Local("t", type=TENSOR))),
                type=ListOf(TENSOR),
            ),
            "tensors.SelectMany(t => t.unbind()).ToList()",
        ),
    ],
)
def test_comprehensions(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


def test_the_parameter_of_a_lambda_hides_no_variable_that_is_read() -> None:
    one = ir.Local("one", type=TENSOR)
    node = ir.Comprehension(binary("+", _V, one), (ir.Generator(_PAIRS, _ZIP),), type=ListOf(TENSOR))
    assert csharp(node) == "strings.Zip(tensors).Select(each => each.Item2 + one).ToList()"


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (X, "x.unbind()"),
        (TABLE, "table.Keys"),
        (_NAMED, "named.keys()"),
        (S, "PythonMath.Characters(s)"),
        (tuple_of(N, lit(2)), "new long[] { n, 2 }"),
        (tuple_of(X, Y), "new Tensor[] { x, y }"),
        (PAIR, None),
        (list_of(X, Y, element=TENSOR), "new Tensor[] { x, y }"),
        (UNIQUE, None),
        (ir.Local("names", type=SetOf(STR)), "names"),
        (N, None),
    ],
)
def test_walked_over(node: ir.Expression, wanted: str | None) -> None:
    """Tuples of several types, sets whose order only Python knows, and numbers are not walked over."""
    if wanted is not None:
        assert text(walked(begin(), node)) == wanted
        return
    with pytest.raises(Untranslatable):
        walked(begin(), node)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (method(TENSORS, "append", X), "tensors.Add(x)"),
        (method(TENSORS, "extend", tuple_of(X, Y)), "tensors.AddRange(new Tensor[] { x, y })"),
        (method(TENSORS, "insert", lit(0), X), "tensors.Insert(0, x)"),
        (method(TENSORS, "insert", N, X), "PythonMath.Insert(tensors, n, x)"),
        (method(TENSORS, "pop", kind=TENSOR), "PythonMath.Pop(tensors)"),
        (method(TENSORS, "pop", lit(0), kind=TENSOR), "PythonMath.Pop(tensors, 0)"),
        (method(INTS, "remove", N), "PythonMath.Remove(ints, n)"),
        (method(TENSORS, "copy", kind=TENSORS.type), "tensors.ToList()"),
        (method(TENSORS, "reverse"), "tensors.Reverse()"),
        (method(INTS, "sort"), "ints.Sort()"),
        (method(STRINGS, "sort"), "PythonMath.Replace(strings, strings.Order(StringComparer.Ordinal).ToList())"),
        (method(TABLE, "keys", kind=IteratorOf(STR)), "table.Keys"),
        (_ITEMS, "table.Select(entry => (entry.Key, entry.Value))"),
        (method(_NAMED, "items", kind=IteratorOf(TupleOf((STR, TENSOR)))), "named.keys().Zip(named.values())"),
        (method(TABLE, "get", S, kind=OptionalOf(TENSOR)), "table.GetValueOrDefault(s)"),
        (method(COUNTS, "get", S, kind=OptionalOf(INT)), "PythonMath.GetOrNull(counts, s)"),
        (method(COUNTS, "get", S, lit(0), kind=INT), "counts.GetValueOrDefault(s, 0)"),
        (method(TABLE, "pop", S, kind=TENSOR), "PythonMath.Pop(table, s)"),
        (method(TABLE, "update", TABLE), "PythonMath.Update(table, table)"),
        (method(TABLE, "copy", kind=TABLE.type), "new Dictionary<string, Tensor>(table)"),
        (method(UNIQUE, "add", N), "unique.Add(n)"),
        (method(UNIQUE, "union", UNIQUE, kind=UNIQUE.type), "unique.Union(unique).ToHashSet()"),
        (method(UNIQUE, "isdisjoint", INTS, kind=BOOL), "!unique.Overlaps(ints)"),
        (method(SHAPE, "numel", kind=INT), "x.shape.Aggregate(1L, (product, size) => product * size)"),
    ],
)  # fmt: skip
def test_methods(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    "node",
    [
        method(TENSORS, "remove", X),
        method(TENSORS, "index", X, kind=INT),
        method(TENSORS, "append"),
        method(TABLE, "popitem", kind=PAIR.type),
        method(TABLE, "update", _ZIP),
        ir.ContainerCall(TABLE, "update", (), (ir.Argument("a", X),), type=TABLE.type),
        method(UNIQUE, "pop", kind=INT),
        ir.Comprehension(N, (ir.Generator(ir.LocalTarget("v", INT), UNIQUE),), type=ListOf(INT)),
        ir.Comprehension(N, (ir.Generator(ir.TupleTarget((_EACH, _EACH)), INTS),), type=ListOf(INT)),
        tuple_of(ir.Spread(INTS), kind=TupleOf((INT, INT))),
        ir.DictLiteral((), type=DictOf(STR, TupleOf((UNKNOWN, FLOAT)))),
    ],
)
def test_refused(node: ir.Expression) -> None:
    if isinstance(node, ir.DictLiteral):  # of which any type is right
        assert csharp(node) == "new Dictionary<string, (Tensor, double)>()"
        return
    with pytest.raises(Untranslatable):
        csharp(node)


def test_an_insertion_is_refused_where_its_place_is_no_number() -> None:
    assert csharp(method(TENSORS, "insert", M, X)) == "PythonMath.Insert(tensors, m, x)"
