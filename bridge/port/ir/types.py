"""Types of the intermediate representation: the types of Python that a port distinguishes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import nn


@dataclass(frozen=True, slots=True)
class Type:
    """A type of Python's; equal types are equal values."""

    def __str__(self) -> str:
        return type(self).__name__


@dataclass(frozen=True, slots=True)
class Primitive(Type):
    """A type without parts, by its name in Python."""

    name: str

    def __str__(self) -> str:
        return self.name


INT = Primitive("int")
FLOAT = Primitive("float")
BOOL = Primitive("bool")
STR = Primitive("str")
NONE = Primitive("None")
TENSOR = Primitive("Tensor")
DTYPE = Primitive("dtype")
DEVICE = Primitive("device")
#: A tuple of ints of any length: ``x.shape``, ``(n, -1)``.
SIZES = Primitive("Size")
#: The sequence of a packed batch (``torch.nn.utils.rnn.PackedSequence``).
PACKED = Primitive("PackedSequence")
#: The result of a function that returns values of several types without a common type.
OBJECT = Primitive("object")
#: The type of a value that no run has shown and nothing implies.
UNKNOWN = Primitive("unknown")


@dataclass(frozen=True, slots=True)
class ListOf(Type):
    """A list whose elements have one type."""

    element: Type

    def __str__(self) -> str:
        return f"list[{self.element}]"


@dataclass(frozen=True, slots=True)
class SetOf(Type):
    """A set whose elements have one type."""

    element: Type

    def __str__(self) -> str:
        return f"set[{self.element}]"


@dataclass(frozen=True, slots=True)
class IteratorOf(Type):
    """Elements that are iterated over once, as of ``zip``, ``enumerate``, ``range``, ``reversed``, ``dict.items()`` or a generator."""

    element: Type

    def __str__(self) -> str:
        return f"iterator[{self.element}]"


@dataclass(frozen=True, slots=True)
class DictOf(Type):
    """A dictionary; its order is that of insertion."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True)
class TupleOf(Type):
    """A tuple of a fixed length; ``names`` are those of a named tuple, of a dataclass, or of a result of transformers."""

    items: tuple[Type, ...]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class OptionalOf(Type):
    """A value or None; ``inner`` is neither None nor optional."""

    inner: Type

    def __str__(self) -> str:
        return f"{self.inner} | None"


@dataclass(frozen=True, slots=True)
class ModuleOf(Type):
    """A module, by its class; ``kind`` is ``torch.nn.Module`` if it may be of several classes.

    ``plain`` says that it is called with one tensor and returns one.
    """

    kind: type
    plain: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.kind.__name__


@dataclass(frozen=True, slots=True)
class ModulesOf(Type):
    """A list (``ModuleList``), chain (``Sequential``) or dictionary (``ModuleDict``) of modules of one type."""

    kind: type
    element: Type

    def __str__(self) -> str:
        return f"{self.kind.__name__}[{self.element}]"


#: A module of which nothing is known, since it may be of several classes that are called in different ways.
ANY_MODULE = ModuleOf(object)
#: A module that is called with one tensor and returns one.
PLAIN_MODULE = ModuleOf(nn.Module, plain=True)


@dataclass(frozen=True, slots=True)
class FunctionOf(Type):
    """A function that is a value: a lambda, a nested function."""

    parameters: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parameters))}) -> {self.result}"


@dataclass(frozen=True, slots=True, eq=False)
class ConstantOf(Type):
    """One object of Python that C# does not have: a settings object, a class, or a function that is the same in every call."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstantOf) and _is_same(self.value, other.value)

    def __hash__(self) -> int:
        return id(self.value.func if isinstance(self.value, partial) else self.value)

    def __str__(self) -> str:
        return getattr(self.value, "__name__", type(self.value).__name__)


def _is_same(a: Any, b: Any) -> bool:
    """Return whether two objects are the same, or partials of one function with the same arguments."""
    if a is b or not isinstance(a, partial) or not isinstance(b, partial):
        return a is b
    given = [*zip(a.args, b.args, strict=False), *((value, b.keywords.get(name)) for name, value in a.keywords.items())]
    alike = len(a.args) == len(b.args) and a.keywords.keys() == b.keywords.keys()
    plain = (bool, int, float, str, type, type(None))
    return (
        alike
        and _is_same(a.func, b.func)
        and all(type(one) is type(other) and isinstance(one, plain) and one == other for one, other in given)
    )


def optional(inner: Type) -> Type:
    """Return the type of a value of ``inner`` or None."""
    return inner if inner == NONE or isinstance(inner, OptionalOf) else OptionalOf(inner)


def required(found: Type) -> Type:
    """Return the type without None."""
    return found.inner if isinstance(found, OptionalOf) else found


def is_choice(found: Type) -> bool:
    """Return whether a value is either None or one object that C# does not have, so that C# has a bool for it."""
    return isinstance(found, OptionalOf) and isinstance(found.inner, ConstantOf)


def is_number(found: Type) -> bool:
    """Return whether values of the type are numbers of Python, bool among them."""
    return found in (INT, FLOAT, BOOL)


def join(types: Iterable[Type]) -> Type | None:
    """Return the type that has the values of all these types; None if there is no such type.

    int and float join to float, None and a type to an optional type, tuples of the same length item by item, and other containers
    by their elements. Modules of several classes join to PLAIN_MODULE if all are called with one tensor and return one, else to
    ANY_MODULE. UNKNOWN, which is also the element type of an empty container, is ignored.
    """
    found: Type | None = UNKNOWN
    for one in types:
        found = None if found is None else _join(found, one)
    return found


def _join(a: Type, b: Type) -> Type | None:
    if b == UNKNOWN or (a == b and not (isinstance(b, ModuleOf) and b.plain)):
        return a
    if a in (UNKNOWN, b):
        return b
    if NONE in (a, b) or isinstance(a, OptionalOf) or isinstance(b, OptionalOf):
        kinds = [required(one) for one in (a, b) if one != NONE]
        inner = join(kinds)
        return None if inner is None else optional(inner)
    if OBJECT in (a, b):
        return OBJECT
    if {a, b} == {INT, FLOAT}:
        return FLOAT
    return _join_parts(a, b)


def _join_parts(a: Type, b: Type) -> Type | None:
    if isinstance(a, (ListOf, SetOf, IteratorOf)) and type(a) is type(b):
        element = _join(a.element, b.element)
        return None if element is None else type(a)(element)
    if isinstance(a, DictOf) and isinstance(b, DictOf):
        key, value = _join(a.key, b.key), _join(a.value, b.value)
        return None if key is None or value is None else DictOf(key, value)
    if isinstance(a, TupleOf) and isinstance(b, TupleOf) and len(a.items) == len(b.items):
        items = [_join(one, other) for one, other in zip(a.items, b.items, strict=True)]
        names = a.names if a.names == b.names or not b.names else b.names if not a.names else ()
        return None if None in items else TupleOf(tuple(one for one in items if one is not None), names)
    if _is_module(a) and _is_module(b):
        return PLAIN_MODULE if _is_plain(a) and _is_plain(b) else ANY_MODULE
    if isinstance(a, ModulesOf) and isinstance(b, ModulesOf) and a.kind is b.kind:
        element = _join(a.element, b.element)
        return None if element is None else ModulesOf(a.kind, element)
    if all(isinstance(one, (ModuleOf, ModulesOf)) for one in (a, b)):
        return ANY_MODULE
    whole = [one for one in (a, b) if one == SIZES or _is_sizes(one)]
    return SIZES if len(whole) == 2 else None


def _is_module(found: Type) -> bool:
    return isinstance(found, ModuleOf) or (isinstance(found, ModulesOf) and found.kind.__name__ == "Sequential")


def _is_plain(found: Type) -> bool:
    """Return whether the module is called with one tensor and returns one, as a Sequential is."""
    return isinstance(found, ModulesOf) or (isinstance(found, ModuleOf) and found.plain)


def _is_sizes(found: Type) -> bool:
    """Return whether a type is a tuple of ints, which joins with SIZES and with tuples of other lengths."""
    return isinstance(found, TupleOf) and not found.names and all(one == INT for one in found.items)
