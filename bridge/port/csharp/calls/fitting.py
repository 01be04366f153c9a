"""Conversion of a value to an argument for a parameter of a C# type."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import torch

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, index, is_plain, path, without
from bridge.port.csharp.calls.member_table import enumeration, plain
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import is_narrow
from bridge.port.csharp.types import LONG, TENSOR
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

_DTYPES: Final[dict[Any, str]] = {
    **{
        getattr(torch, name): name
        for name in ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8")
    },
    **{getattr(torch, name): name for name in ("uint8", "bool", "complex64", "complex128")},
    bool: "bool",
    int: "int64",
    float: "float64",
}
#: Structs of C#, which have no null.
_STRUCTS: Final = frozenset({"long", "int", "double", "float", "bool", "ScalarType", "short", "byte", "sbyte", "char"})
#: The C# types of parameters that accept a value of a Python type, with the cost: 0 for the same type, 1 for a conversion.
_DIRECT: Final[dict[types.Type, dict[str, int]]] = {
    types.TENSOR: {"Tensor": 0, "object": 1},
    types.INT: {"long": 0, "Scalar": 0, "double": 1, "Tensor": 1, "float": 1, "object": 1},
    types.FLOAT: {"double": 0, "Scalar": 0, "Tensor": 1, "object": 1},
    types.BOOL: {"bool": 0, "Scalar": 1, "object": 1},
    types.STR: {"string": 0, "Device": 1, "object": 1},
    types.DTYPE: {"ScalarType": 0},
    types.DEVICE: {"Device": 0},
    types.PACKED: {"PackedSequence": 0},
}
#: Conversions that need a cast in C#.
_CAST: Final = {(types.INT, "int"), (types.FLOAT, "float")}
_LISTS: Final = frozenset({"IList", "IEnumerable", "ICollection", "IReadOnlyList"})
NULL: Final = tree.Literal(None)
_UNBOUNDED: Final = {math.inf: "PositiveInfinity", -math.inf: "NegativeInfinity"}
HELPERS: Final = "PythonMath"


@dataclass(frozen=True, slots=True)
class Fitted:
    """An argument in C#; ``cost`` is 0 where it has the parameter's own type, 1 where C# converts it, 2 where it is wrapped."""

    expression: tree.Expression
    cost: int = 0


def _is_computed(value: ir.Expression) -> bool:
    """Return whether an int may be computed twice, since it is made of names and literals."""
    if isinstance(value, ir.Binary):
        return value.type == types.INT and _is_computed(value.left) and _is_computed(value.right)
    return is_plain(value)


def known(value: Any) -> ir.Expression:
    """Return a value of Python as a literal, or as a tuple of literals."""
    if isinstance(value, (tuple, list)):
        items = tuple(map(known, value))
        return ir.TupleLiteral(items, type=types.TupleOf(tuple(one.type for one in items)))
    kinds = {bool: types.BOOL, int: types.INT, float: types.FLOAT, str: types.STR, type(None): types.NONE}
    kinds |= {torch.dtype: types.DTYPE, torch.device: types.DEVICE, type: types.DTYPE}
    return ir.Literal(value, type=kinds.get(type(value), types.UNKNOWN))


def is_sequence(value: ir.Expression) -> tuple[ir.Expression | ir.Spread, ...] | None:
    """Return the items of a tuple or list literal, or of a sum such as ``[a] + rest`` (the items ``a`` and ``*rest``); None for others."""
    if isinstance(value, (ir.TupleLiteral, ir.ListLiteral)):
        return value.items
    if isinstance(value, ir.Literal) and isinstance(value.value, (tuple, list)):
        return tuple(map(known, value.value))
    if isinstance(value, ir.Binary) and value.operator == "+" and isinstance(value.type, (types.ListOf, types.TupleOf)):
        sides = [is_sequence(one) for one in (value.left, value.right)]
        if sides != [None, None]:
            return (*(sides[0] or (ir.Spread(value.left),)), *(sides[1] or (ir.Spread(value.right),)))
    return None


def dtype(value: Any) -> tree.Expression:
    """Return ``torch.float32``, also for Python's ``float``, ``int`` and ``bool``."""
    return path(f"torch.{_DTYPES[value]}")


def receiver(emission: Emission, value: ir.Expression) -> tree.Expression:
    """Return the object whose member is called, with ``!`` if its type is nullable."""
    made = emission.expression(value)
    return tree.Unary("!", made, postfix=True) if isinstance(value.type, types.OptionalOf) else made


def array(element: tree.Type, items: tuple[tree.Expression, ...]) -> tree.Expression:
    """Return ``new long[] { 1, 2 }``; ``[a, .. b]`` for tensors, or if an item is a spread list."""
    if element == TENSOR or any(isinstance(one, tree.Spread) for one in items):
        return tree.Collection(items)
    return tree.New(tree.ArrayType("[]", (element,)), initializer=items)


@dataclass(frozen=True, slots=True)
class Fitting:
    """Fits values to types; a number that becomes a list is repeated ``dimensions`` times.

    With ``layer``, one number may stand for a tuple of equal numbers.
    """

    emission: Emission
    layer: bool = False
    dimensions: int = 1

    def fit(self, value: ir.Expression, wanted: tree.Type) -> Fitted | None:
        """Return the value as an argument for a parameter of type ``wanted``; None if it does not fit."""
        items = is_sequence(value)
        if items is not None:
            return self._fit_items(value, items, wanted)
        if isinstance(value, ir.Literal) and not value.name:
            return self._fit_literal(value, wanted)
        return self._fit_value(value, wanted)

    # -- Literals ------------------------------------------------------------------------------------------------------

    def _fit_literal(self, literal: ir.Literal, wanted: tree.Type) -> Fitted | None:
        value = literal.value
        if value is None:
            nullable = wanted.nullable or not (
                _is_struct(wanted) or (enumeration(wanted.name) if wanted.name else None)
            )
            return Fitted(NULL) if nullable else None
        if (members := (enumeration(wanted.name) if wanted.name else None)) is not None and wanted.name != "ScalarType":
            name = members.get(plain(value if isinstance(value, str) else getattr(value, "__name__", "")))
            return None if name is None else Fitted(path(f"{wanted.name}.{name}"))
        if isinstance(value, torch.dtype) or (isinstance(value, type) and value in _DTYPES):
            return Fitted(dtype(value)) if wanted.name == "ScalarType" and value in _DTYPES else None
        if callable(value) and wanted.name == "Func":
            return self._fit_function(value, wanted)
        if wanted.name == "int" and literal.type == types.INT and -(2**31) <= value < 2**31:
            return Fitted(tree.Literal(value), 1)
        if wanted.name == "float" and literal.type == types.FLOAT:
            if not math.isfinite(value):
                return Fitted(path(f"float.{_UNBOUNDED.get(value, 'NaN')}"), 1)
            return Fitted(tree.Literal(value, "f"), 1)
        if wanted.name == "Tensor" and literal.type in (types.INT, types.FLOAT):
            return Fitted(self._scalar_tensor(literal), 1)
        return self._fit_value(literal, wanted)

    def _scalar_tensor(self, literal: ir.Literal) -> tree.Expression:
        """Return a number that C# converts to a tensor: to int64, or to float32 if that is PyTorch's default dtype and holds it exactly."""
        made, value = self.emission.expression(literal), literal.value
        if not isinstance(made, tree.Literal):
            return made
        if literal.type == types.INT:
            return tree.Literal(value, "L")
        exact = torch.get_default_dtype() == torch.float32 and torch.tensor(value, dtype=torch.float32).item() == value
        return tree.Literal(value, "f") if exact else made

    def _fit_function(self, function: Any, wanted: tree.Type) -> Fitted | None:
        if wanted.arguments != (TENSOR, TENSOR):
            return None
        found = self.emission.lower_function(self.emission, function)
        return None if found is None else Fitted(found)

    # -- Tuples and lists that are written out -------------------------------------------------------------------------

    def _fit_items(
        self, value: ir.Expression, items: tuple[ir.Expression | ir.Spread, ...], wanted: tree.Type
    ) -> Fitted | None:
        if isinstance(wanted, tree.TupleType):
            if len(items) != len(wanted.arguments):
                return None
            found = [self._fit_item(item, one) for item, one in zip(items, wanted.arguments, strict=True)]
            expressions = tuple(one for one in found if one is not None)
            if len(expressions) != len(items):
                return None
            return Fitted(tree.Tuple(expressions), int(self._collapses(value, items)))
        if wanted.name == "long" and self._collapses(value, items):
            return self.fit(items[0], wanted)  # type: ignore[arg-type]  # a literal
        if isinstance(wanted, tree.ArrayType):
            return self._fit_array(items, wanted.arguments[0], 1)
        if wanted.name in _LISTS:
            return self._fit_array(items, wanted.arguments[0], 2 if wanted.name == "IList" else 1)
        return self._fit_value(value, wanted) if wanted.name == "object" else None

    def _collapses(self, value: ir.Expression, items: tuple[ir.Expression | ir.Spread, ...]) -> bool:
        """Return whether one number may stand for a tuple: in an argument of a layer whose items are all the same literal."""
        return self.layer and not isinstance(value, ir.ListLiteral) and _uniform(items)

    def _fit_item(self, item: ir.Expression | ir.Spread, wanted: tree.Type) -> tree.Expression | None:
        if isinstance(item, ir.Spread):
            found = self._fit_value(item.value, tree.ArrayType("[]", (wanted,)))
            if found is None:
                return None
            return tree.Spread(without(found.expression, "ToArray"))
        fitted = self.fit(item, wanted)
        return None if fitted is None else fitted.expression

    def _fit_array(self, items: tuple[ir.Expression | ir.Spread, ...], element: tree.Type, cost: int) -> Fitted | None:
        if len(items) == 1 and isinstance(items[0], ir.Spread):
            return self._fit_value(items[0].value, tree.ArrayType("[]", (element,)))
        found = [self._fit_item(item, element) for item in items]
        expressions = tuple(one for one in found if one is not None)
        return Fitted(array(element, expressions), cost) if len(expressions) == len(items) else None

    # -- Values by their types -----------------------------------------------------------------------------------------

    def _fit_value(self, value: ir.Expression, wanted: tree.Type) -> Fitted | None:
        kind = types.required(value.type)
        if isinstance(wanted, tree.ArrayType) or wanted.name in {*_LISTS, "ReadOnlySpan", "Size"}:
            return self._fit_sequence(value, kind, wanted)
        if isinstance(wanted, tree.TupleType):
            return self._fit_tuple(value, kind, wanted)
        if wanted.name == "Func":
            same = isinstance(kind, types.FunctionOf) and len(kind.parameters) == len(wanted.arguments) - 1
            return self._as_is(value) if same else None
        if wanted.name in ("Module", "object") and isinstance(kind, (types.ModuleOf, types.ModulesOf)):
            return self._as_is(value)
        absent = isinstance(value.type, types.OptionalOf) and not wanted.nullable
        if (kind, wanted.name) in _CAST:
            made = self.emission.expression(value)
            return Fitted(made if is_narrow(value) else tree.Cast(wanted, made), 1)
        cost = _DIRECT.get(kind, {}).get(wanted.name)
        if cost is None or (absent and wanted.name == "Scalar"):
            return None
        if absent and wanted.name in _STRUCTS:
            return Fitted(tree.Member(self.emission.expression(value), "Value"), cost)
        found = self._as_is(value, cost)
        if wanted.nullable and isinstance(found.expression, tree.Unary) and found.expression.postfix:
            return Fitted(found.expression.operand, cost)
        return found

    def _as_is(self, value: ir.Expression, cost: int = 0) -> Fitted:
        return Fitted(self.emission.expression(value), cost)

    def _fit_sequence(self, value: ir.Expression, kind: types.Type, wanted: tree.Type) -> Fitted | None:
        element = wanted.arguments[0] if wanted.arguments else LONG
        listed = wanted.name in _LISTS
        if kind == types.SIZES and element == LONG:
            return self._as_is(value, 0 if isinstance(wanted, tree.ArrayType) else 1)
        if isinstance(kind, (types.ListOf, types.IteratorOf)) and self._holds(kind.element, element):
            expression = self.emission.expression(value)
            copied = without(expression, "ToList")
            is_array = isinstance(value, ir.TorchCall) and copied is not expression
            if listed:
                fits = isinstance(kind, types.ListOf) or wanted.name == "IEnumerable"
                whole = is_array or wanted.name == "IEnumerable"
                return Fitted(copied if whole else expression) if fits else None
            return Fitted(copied if is_array else call(copied, "ToArray"), 1)
        if listed or not isinstance(wanted, tree.ArrayType):
            return None
        if isinstance(kind, types.TupleOf) and all(self._holds(one, element) for one in kind.items):
            return self._fit_parts(value, kind, element)
        one = self.fit(value, element) if element == LONG and types.is_number(kind) else None
        if one is None or not (self.dimensions == 1 or _is_computed(value)):
            return None
        return Fitted(array(element, (one.expression,) * self.dimensions), 2)

    def _fit_parts(self, value: ir.Expression, kind: types.TupleOf, element: tree.Type) -> Fitted | None:
        """Return the items of a tuple as an array; None if the tuple would be evaluated more than once."""
        expression = self.emission.expression(value)
        if len(kind.items) == 1:  # in C#, a tuple of one item is the item itself
            return Fitted(array(element, (expression,)), 1)
        if isinstance(expression, tree.Call) and expression.function == path(f"{HELPERS}.ToTuple{len(kind.items)}"):
            return Fitted(expression.arguments[0].value)  # the array from which the tuple is made
        if not is_plain(value):
            return None
        parts = tuple(tree.Member(expression, f"Item{place + 1}") for place in range(len(kind.items)))
        return Fitted(array(element, parts), 1)

    def _holds(self, kind: types.Type, element: tree.Type) -> bool:
        """Return whether elements of a Python type have the C# type ``element`` without a conversion."""
        return _DIRECT.get(kind, {}).get(element.name) == 0 and element.name != "Scalar"

    def _fit_tuple(self, value: ir.Expression, kind: types.Type, wanted: tree.TupleType) -> Fitted | None:
        count = len(wanted.arguments)
        if isinstance(kind, types.TupleOf) and len(kind.items) == count:
            fits = all(_DIRECT.get(a, {}).get(b.name) == 0 for a, b in zip(kind.items, wanted.arguments, strict=True))
            return self._as_is(value) if fits else None
        if kind == types.SIZES and is_plain(value) and all(one == LONG for one in wanted.arguments):
            made = self.emission.expression(value)
            return Fitted(tree.Tuple(tuple(index(made, tree.Literal(place)) for place in range(count))), 2)
        numbers = all(one.name in ("long", "double") for one in wanted.arguments)
        if types.is_number(kind) and numbers and is_plain(value):
            found = [self.fit(value, one) for one in wanted.arguments]
            items = tuple(one.expression for one in found if one is not None)
            return Fitted(tree.Tuple(items), 2) if len(items) == count else None
        return None


def _is_struct(wanted: tree.Type) -> bool:
    return isinstance(wanted, tree.TupleType) or wanted.name in _STRUCTS


def _uniform(items: tuple[ir.Expression | ir.Spread, ...]) -> bool:
    return bool(items) and all(isinstance(one, ir.Literal) and one == items[0] for one in items)
