"""Numbers that a run computes from sizes of tensors: each has its value and its expression, so that a graph fixes no size.

Arithmetic gives such numbers again. Whatever else a program does with one (a comparison, ``int``, ``float``, a key of a dictionary) gives
a plain value of this run: it is noted as an escape, with its place.
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, Protocol

import torch

_ARITHMETIC: Final[dict[str, tuple[type[ast.operator], Callable[[Any, Any], Any]]]] = {
    "add": (ast.Add, operator.add), "sub": (ast.Sub, operator.sub), "mul": (ast.Mult, operator.mul),
    "floordiv": (ast.FloorDiv, operator.floordiv), "mod": (ast.Mod, operator.mod), "truediv": (ast.Div, operator.truediv),
    "pow": (ast.Pow, operator.pow),
}  # fmt: skip
_TESTS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "bool")
_CONVERSIONS: Final = ("int", "float", "hash", "round", "trunc", "floor", "ceil", "divmod", "rdivmod", "abs")


class Recorder(Protocol):
    """The record that the expressions of tracked numbers belong to."""

    def note(self, node: ast.expr, value: Any) -> ast.expr:
        """Store the value of an expression, and return the expression."""
        ...

    def escape(self, frame: FrameType) -> None:
        """Note that a number became a plain value in a frame."""
        ...


class Size(int):
    """A size of a tensor, or a whole number computed from sizes."""

    record: Recorder
    node: ast.expr


class Real(float):
    """A float computed from sizes."""

    record: Recorder
    node: ast.expr


def tracked(value: float, record: Recorder, node: ast.expr) -> Size | Real:
    """Return a number with its expression."""
    made = Size(value) if isinstance(value, int) else Real(value)
    made.record, made.node = record, node
    return made


def plain(value: Any) -> Any:
    """Return a value with each tracked number in it replaced by a plain number; the same object if it has none."""
    if type(value) is Size:
        return int.__add__(value, 0)
    if type(value) is Real:
        return float.__add__(value, 0.0)
    if type(value) is slice:
        return slice(plain(value.start), plain(value.stop), plain(value.step))
    if type(value) in (tuple, list, torch.Size):
        items = list(map(plain, value))
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    if type(value) is dict:
        named = {key: plain(one) for key, one in value.items()}
        return value if all(named[key] is one for key, one in value.items()) else named
    return value


def _with(number: Any, other: Any, name: str, swapped: bool) -> Any:
    node, compute = _ARITHMETIC[name]
    if type(other) is bool:
        number.record.escape(sys._getframe(2))
        return compute(other, plain(number)) if swapped else compute(plain(number), other)
    if type(other) not in (int, float, Size, Real):
        return NotImplemented
    a, b = (other, number) if swapped else (number, other)
    value = compute(plain(a), plain(b))
    record = number.record
    return tracked(value, record, record.note(ast.BinOp(_node(a, record), node(), _node(b, record)), value))


def _node(value: Any, record: Recorder) -> ast.expr:
    return value.node if type(value) in (Size, Real) else record.note(ast.Constant(value), value)


def _arithmetic(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    return lambda number, other: _with(number, other, name, swapped)


def _negated(number: Any) -> Any:
    value = -plain(number)
    return tracked(value, number.record, number.record.note(ast.UnaryOp(ast.USub(), number.node), value))


def _escaping(name: str, base: type) -> Callable[..., Any]:
    method = getattr(base, f"__{name}__")

    def escape(number: Any, *others: Any) -> Any:
        number.record.escape(sys._getframe(1))
        return method(plain(number), *map(plain, others))

    return escape


for _kind, _base in ((Size, int), (Real, float)):
    for _name in _ARITHMETIC:
        setattr(_kind, f"__{_name}__", _arithmetic(_name, False))
        setattr(_kind, f"__r{_name}__", _arithmetic(_name, True))
    for _name in (*_TESTS, *_CONVERSIONS):
        if hasattr(_base, f"__{_name}__"):
            setattr(_kind, f"__{_name}__", _escaping(_name, _base))
    _kind.__neg__ = _negated  # type: ignore[method-assign]  # of two classes with the same arithmetic
