"""bodies/assignments.py: variables with their types, places, tuples, operators, parameters."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from bridge.port.csharp.bodies.assignments import parameters
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as t
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import BOOL, DTYPE, FLOAT, INT, NONE, SIZES, STR, TENSOR, UNKNOWN

X, N, Y = ir.Local("x", type=TENSOR), ir.Local("n", type=INT), ir.Local("y", type=FLOAT)
ONE, HALF = ir.Literal(1, type=INT), ir.Literal(0.5, type=FLOAT)
LIST = ir.Local("items", type=t.ListOf(INT))
TENSORS = ir.Local("parts", type=t.ListOf(TENSOR))
TABLE = ir.Local("table", type=t.DictOf(STR, INT))
SHAPE = ir.Property(X, "shape", type=SIZES)
PAIR = ir.Local("pair", type=t.TupleOf((TENSOR, INT)))


def var(name: str, kind: t.Type, declares: bool = True) -> ir.LocalTarget:
    return ir.LocalTarget(name, kind, declares)


def many(*items: ir.Target, star: int = -1) -> ir.TupleTarget:
    return ir.TupleTarget(items, star)


def lines(*nodes: ir.Statement, emission: Emission | None = None) -> list[str]:
    """Return the lines of statements without their indentation."""
    made = (emission or begin()).statements(nodes)
    return [line.strip() for one in made for line in text(one).splitlines()]


@pytest.mark.parametrize(
    ("target", "value", "wanted"),
    [
        (var("a", TENSOR), X, "var a = x;"),
        (var("a", TENSOR), ir.Field("w", type=TENSOR), "Tensor a = w;"),  # w may be a Parameter, and a other tensors, too
        (var("a", TENSOR, False), X, "a = x;"),
        (var("a", INT), ONE, "long a = 1;"),  # an int, if C# inferred it
        (var("a", INT), N, "var a = n;"),
        (var("a", INT), ir.BuiltinCall("len", (LIST,), type=INT), "long a = items.Count;"),
        (var("a", FLOAT), HALF, "var a = 0.5;"),
        (var("a", FLOAT), ONE, "double a = 1;"),
        (var("a", BOOL), ir.Literal(True, type=BOOL), "var a = true;"),
        (var("a", t.OptionalOf(TENSOR)), ir.Literal(None, type=NONE), "Tensor? a = null;"),
        (var("a", t.OptionalOf(TENSOR)), X, "Tensor? a = x;"),
        (var("a", t.ListOf(FLOAT)), ir.ListLiteral((), type=t.ListOf(UNKNOWN)), "var a = new List<double>();"),
        (var("_", TENSOR), X, "_ = x;"),
        (ir.PlaceTarget(ir.Field("n", type=INT)), N, "n = n;"),
        (ir.PlaceTarget(ir.Item(LIST, ONE, type=INT)), N, "items[1] = n;"),
        (ir.PlaceTarget(ir.Item(LIST, N, type=INT)), N, "PythonMath.SetItem(items, n, n);"),
        (ir.PlaceTarget(ir.Slice(LIST, ONE, None, type=LIST.type)), LIST, "PythonMath.SetSlice(items, 1, null, items);"),
        (ir.PlaceTarget(ir.Item(TABLE, ir.Literal("a", type=STR), type=INT)), N, 'table["a"] = n;'),
        (ir.PlaceTarget(ir.TensorIndex(X, (ONE,), type=TENSOR)), X, "x[1] = x;"),
        (ir.PlaceTarget(ir.TensorIndex(X, (ONE,), type=TENSOR)), HALF, "x.index_put_(0.5, 1);"),
    ],
)  # fmt: skip
def test_assignments(target: ir.Target, value: ir.Expression, wanted: str) -> None:
    assert lines(ir.Assign(target, value)) == [wanted]


def test_a_field_that_a_variable_hides_is_assigned_by_this() -> None:
    assert lines(ir.Assign(ir.PlaceTarget(ir.Field("n", type=INT)), N), emission=begin(names={"n"})) == ["this.n = n;"]


@pytest.mark.parametrize(
    "place",
    [
        ir.Slice(LIST, None, None, ir.Literal(2, type=INT), type=LIST.type),
        ir.Property(X, "data", type=TENSOR),
        ir.Item(PAIR, ONE, type=INT),
    ],
)
def test_places_that_csharp_does_not_assign_are_refused(place: ir.Expression) -> None:
    with pytest.raises(Untranslatable, match="an assignment to"):
        lines(ir.Assign(ir.PlaceTarget(place), X))


@pytest.mark.parametrize(
    ("kind", "settled", "wanted"),
    [
        (TENSOR, True, "Tensor a;"),
        (TENSOR, False, "Tensor a = default!;"),
        (INT, False, "long a = default;"),
        (t.OptionalOf(TENSOR), False, "Tensor? a = null;"),
    ],
)
def test_declarations(kind: t.Type, settled: bool, wanted: str) -> None:
    assert lines(ir.Declare("a", kind, settled)) == [wanted]


def literal(*items: ir.Expression) -> ir.TupleLiteral:
    return ir.TupleLiteral(items, type=t.TupleOf(tuple(one.type for one in items)))


A, B = ir.Local("a", type=INT), ir.Local("b", type=INT)
NESTED = ir.Local("pair", type=t.TupleOf((TENSOR, t.TupleOf((INT, STR)))))
SELF_A = ir.PlaceTarget(ir.Field("first", type=TENSOR))


@pytest.mark.parametrize(
    ("target", "value", "wanted"),
    [
        (many(var("a", TENSOR), var("b", INT)), PAIR, ["var (a, b) = pair;"]),
        (many(var("a", TENSOR), var("_", INT)), PAIR, ["var (a, _) = pair;"]),
        (many(var("a", TENSOR), var("b", INT, False)), PAIR, ["(var a, b) = pair;"]),
        (many(var("a", TENSOR), var("b", FLOAT)), PAIR, ["(var a, double b) = pair;"]),
        (many(var("a", TENSOR), many(var("b", INT), var("c", STR))), NESTED, ["var (a, (b, c)) = pair;"]),
        (many(SELF_A, var("b", INT)), PAIR, ["(first, var b) = pair;"]),
        (
            many(var("a", TENSOR), var("b", t.SIZES, False)), ir.Local("pair", type=t.TupleOf((TENSOR, t.TupleOf((INT, INT))))),
            ["(var a, var item) = pair;", "b = new long[] { item.Item1, item.Item2 };"],
        ),
        (many(var("a", INT, False), var("b", INT, False)), literal(B, A), ["(a, b) = (b, a);"]),
        (many(var("a", INT), var("b", FLOAT)), literal(ONE, HALF), ["long a = 1;", "var b = 0.5;"]),
        (many(var("a", INT, False), var("b", INT, False)), literal(B, ONE), ["a = b;", "b = 1;"]),
        (many(var("b", INT), var("_", INT), var("h", INT)), SHAPE, ["var (b, _, h) = x.shape;"]),
        (many(var("a", INT), var("b", INT)), LIST, ["var (a, b) = items;"]),
        (many(var("a", TENSOR), var("b", TENSOR)), X, ["var (a, b) = x.unbind();"]),
    ],
)  # fmt: skip
def test_tuples(target: ir.TupleTarget, value: ir.Expression, wanted: list[str]) -> None:
    assert lines(ir.Assign(target, value)) == wanted


def test_a_list_that_is_taken_apart_is_counted() -> None:
    emission = begin()
    lines(ir.Assign(many(var("a", INT), var("b", INT)), SHAPE), emission=emission)
    assert emission.helpers == {"Deconstruct2"}


def test_a_place_is_found_after_the_value() -> None:
    """``i, items[i] = pair``: Python assigns i first."""
    index = ir.PlaceTarget(ir.Item(TENSORS, ir.Local("i", type=INT), type=TENSOR))
    pair = ir.Local("pair", type=t.TupleOf((INT, TENSOR)))
    assert lines(ir.Assign(many(var("i", INT, False), index), pair)) == [
        "(i, var item) = pair;",
        "PythonMath.SetItem(parts, i, item);",
    ]


def test_a_star_takes_the_rest() -> None:
    target = many(var("a", INT), var("rest", t.ListOf(INT)), var("c", INT), star=1)
    assert lines(ir.Assign(target, SHAPE)) == [
        "var shape = x.shape;",
        "if (shape.Length < 2)", "{", 'throw new ArgumentException("not enough values to unpack");', "}",
        "var a = shape[0];",
        "var rest = shape.Take(1..^1).ToList();",
        "var c = shape[^1];",
    ]  # fmt: skip
    assert lines(ir.Assign(many(var("a", INT), var("_", LIST.type), star=1), LIST))[-1] == "var a = items[0];"


@pytest.mark.parametrize(
    ("target", "operator", "value", "wanted"),
    [
        (var("n", INT, False), "+", N, "n += n;"),
        (var("n", INT, False), "//", ONE, "n = PythonMath.FloorDivide(n, 1);"),
        (var("y", FLOAT, False), "-", N, "y -= n;"),
        (var("y", FLOAT, False), "/", Y, "y = PythonMath.Divide(y, y);"),
        (var("s", STR, False), "+", ir.Literal("a", type=STR), 's += "a";'),
        (var("items", LIST.type, False), "+", LIST, "items.AddRange(items);"),
        (var("seen", t.SetOf(INT), False), "|", ir.Local("more", type=t.SetOf(INT)), "seen.UnionWith(more);"),
        (var("x", TENSOR, False), "+", X, "x.add_(x);"),
        (var("x", TENSOR, False), "@", X, "x = x.matmul(x);"),
        (ir.PlaceTarget(ir.Item(TENSORS, ONE, type=TENSOR)), "*", X, "parts[1].mul_(x);"),
        (ir.PlaceTarget(ir.TensorIndex(X, (ONE,), type=TENSOR)), "+", HALF, "x[1] += 0.5;"),
        (ir.PlaceTarget(ir.Item(TABLE, ir.Literal("a", type=STR), type=INT)), "+", ONE, 'table["a"] += 1;'),
        (ir.PlaceTarget(ir.Field("steps", type=INT)), "+", ONE, "steps += 1;"),
    ],
)
def test_operators(target: ir.Target, operator: str, value: ir.Expression, wanted: str) -> None:
    assert lines(ir.Augment(target, operator, value)) == [wanted]


def test_a_number_that_is_made_of_itself_has_an_operator() -> None:
    for kind, wanted in ((INT, "a += n;"), (TENSOR, "a = a + n;")):
        value = ir.Binary("+", ir.Local("a", type=kind), N, type=kind)
        assert lines(ir.Assign(var("a", kind, False), value)) == [wanted]


def test_a_place_that_is_computed_is_not_evaluated_twice() -> None:
    popped = ir.ContainerCall(LIST, "pop", (), type=INT)
    place = ir.PlaceTarget(ir.Item(LIST, popped, type=INT))
    with pytest.raises(Untranslatable, match="computed"):
        lines(ir.Augment(place, "//", ONE))


LSTM = ir.Field("lstm", type=t.ModuleOf(nn.LSTM))
STATE = t.TupleOf((TENSOR, TENSOR))
RUN = ir.ModuleCall(LSTM, (ir.Argument("input", X),), type=t.TupleOf((TENSOR, STATE)))


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        (many(var("out", TENSOR), many(var("h", TENSOR), var("c", TENSOR))), ["var (@out, h, c) = lstm.call(x);"]),
        (many(var("y", TENSOR), var("_", STATE)), ["var (y, _, _) = lstm.call(x);"]),
        (
            many(var("y", TENSOR), var("s", STATE)),
            ["var (y, sHidden, sCell) = lstm.call(x);", "var s = (sHidden, sCell);"],
        ),
        (var("all", RUN.type), ["var all = PythonMath.NestedState(lstm.call(x));"]),
    ],
)
def test_the_three_tensors_of_an_lstm(target: ir.Target, wanted: list[str]) -> None:
    emission = begin()
    assert lines(ir.Assign(target, RUN), emission=emission) == wanted
    assert ("NestedState" in emission.helpers) == any("NestedState" in line for line in wanted)


@pytest.mark.parametrize(
    ("parameter", "wanted", "before"),
    [
        (ir.Parameter("n", INT, ONE), "long n = 1", []),
        (ir.Parameter("n", INT, ir.Literal(1, "steps", type=INT)), "long n = 1", []),
        (ir.Parameter("m", t.OptionalOf(TENSOR), ir.Literal(None, type=NONE)), "Tensor? m = null", []),
        (ir.Parameter("m", t.OptionalOf(INT), ir.Convert(ONE, type=t.OptionalOf(INT))), "long? m = 1", []),
        (ir.Parameter("d", DTYPE, ir.Literal(torch.uint8, type=DTYPE)), "ScalarType d = ScalarType.Byte", []),
        (ir.Parameter("xs", t.ListOf(TENSOR), spread=True), "params Tensor[] xs", []),
        (ir.Parameter("s", SIZES, ir.Literal((1, 2), type=SIZES)), "long[]? s = null", ["s ??= new long[] { 1, 2 };"]),
    ],
)
def test_parameters(parameter: ir.Parameter, wanted: str, before: list[str]) -> None:
    (made,), first = parameters(begin(), [parameter])
    assert text(made) == wanted
    assert list(map(text, first)) == before
