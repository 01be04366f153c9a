"""Methods and functions through all rooms: from the source to a declaration of C#, or to one that throws where that is left to do."""

from __future__ import annotations

import inspect
import math
import textwrap
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.port import passes
from bridge.port.csharp import methods as csharp
from bridge.port.csharp import tree
from bridge.port.csharp.emission import Emission
from bridge.port.frontend import functions
from bridge.port.frontend.surroundings import Surroundings
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Function, Literal, Origin, Parameter
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.ir.types import OBJECT, TENSOR, UNKNOWN
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_foreign, read_method


@dataclass(frozen=True, slots=True)
class Left:
    """A method that is left to do: where it is in the original, in which class, and why."""

    place: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Wrote:
    """How a method was written: its name in C#, where the original is, and from what: its ``source``, its ``graph``, or ``left`` to do.

    ``fixed`` says what of the original C# has as it was in the runs.
    """

    where: str
    place: str
    how: str
    fixed: tuple[str, ...] = ()


def place_of(method: Method) -> str:
    """Return where the original is: PyTorch's forward, where another stands for it."""
    of_pytorch = read_method(method.stands_for.forward) if method.stands_for is not None else None  # type: ignore[attr-defined]  # a module
    found = of_pytorch or method
    return found.at(found.tree)


def emit(
    emission: Emission, function: Function, name: str, modifiers: str, constants: dict[str, Literal] | None = None
) -> tree.MethodDeclaration:
    """Return a lowered function as a declaration of C#; ``constants`` are given the settings that it names. Raises Untranslatable."""
    passed = passes.run(function, frozenset(emission.methods.values()))
    passed = unnamed(passed, constants is not None)
    made = csharp.lower(passed, emission)
    if constants is not None:
        named = [one for one in walk(passed) if isinstance(one, Literal) and one.name]
        constants |= {one.name: replace(one, name="") for one in named}
    return replace(made, name=name, modifiers=modifiers)


def unnamed(node: Any, numbers: bool) -> Any:
    """Return the node without the names of settings, but for those of numbers where the class declares them."""
    node = rebuilt(node, lambda one: unnamed(one, numbers))
    if not isinstance(node, Literal) or not node.name:
        return node
    kept = numbers and type(node.value) in (int, float) and math.isfinite(node.value)
    return node if kept else replace(node, name="")


def emit_left(
    emission: Emission, function: Function, method: Method, error: Untranslatable, name: str, modifiers: str
) -> tree.MethodDeclaration:
    """Return a method that throws, with the original as a comment, so that what calls it compiles."""
    source = textwrap.dedent(inspect.getsource(method.original or method.function)).rstrip()
    why = f"{error.origin}: {error.why}"
    result = OBJECT if function.result == UNKNOWN else function.result
    made = csharp.lower(replace(function, body=(), result=result), emission)
    throw = tree.Throw(tree.New(tree.Type("NotImplementedException"), (tree.Argument(tree.Literal(why)),)))
    return replace(made, name=name, modifiers=modifiers, body=(tree.Comment(source), throw))


def head(method: Method, surroundings: Surroundings, bound: bool | None = None) -> Function:
    """Return a function that cannot be lowered with parameters and a result by the runs, so that what calls it can be."""
    try:
        made = functions.head(method, surroundings, bound=bound)
        return replace(made, result=TENSOR) if made.result == UNKNOWN else made
    except Untranslatable:
        origin = Origin(method.file, method.line)
        names = [one.arg for one in method.tree.args.args if one.arg != "self"]
        return Function(method.tree.name, tuple(Parameter(one, TENSOR) for one in names), TENSOR, (), origin=origin)


def method_of(methods: dict[types.FunctionType, Method], function: types.FunctionType) -> Method | None:
    """Return a function with what was observed of it, or by its annotations where it did not run; None without these."""
    if function not in methods and not is_foreign(function):
        method = read_method(function)
        if method is not None and functions.is_annotated(method.tree):
            methods[function] = method
    return methods.get(function)


@dataclass(slots=True)
class FreeFunctions(Mapping[types.FunctionType, tree.Expression]):
    """Functions of the model's source that are no methods: static methods of one class of C#, each made when it is first called."""

    surroundings: Surroundings
    emission: Emission
    methods: dict[types.FunctionType, Method]
    wrote: list[Wrote] = field(default_factory=list)
    declarations: dict[types.FunctionType, tree.MethodDeclaration] = field(default_factory=dict)
    lowered: dict[types.FunctionType, Function] = field(default_factory=dict)
    _names: dict[types.FunctionType, str] = field(default_factory=dict)
    _open: set[types.FunctionType] = field(default_factory=set)

    def lower(self, function: types.FunctionType, origin: Origin) -> Function:
        """Return the function, lowered. Raises Untranslatable where it, or one that it calls, has no translation."""
        method = method_of(self.methods, function)
        if method is None:
            raise Untranslatable(
                origin, f"the function {function.__qualname__}, which did not run, and whose types no annotations tell"
            )
        if function in self._open:
            return functions.head(method, self.surroundings, bound=False)
        if function not in self.lowered:
            self._open.add(function)
            try:
                self.lowered[function] = functions.lower(method, self.surroundings, bound=False)
            except Untranslatable as error:
                raise Untranslatable(origin, f"{function.__name__} ({error.origin}): {error.why}") from None
            finally:
                self._open.discard(function)
        return self.lowered[function]

    def __getitem__(self, function: types.FunctionType) -> tree.Expression:
        """Return the name by which C# calls the function. Raises Untranslatable."""
        if function not in self._names:
            lowered = self.lower(function, Origin())
            name = function.__name__.lstrip("_")
            while name in self._names.values():
                name += "2"
            self._names[function] = name
            kept = self.emission.names
            try:
                self.declarations[function] = emit(self.emission, lowered, name, "internal static")
            except Untranslatable as error:
                del self._names[function]
                raise Untranslatable(error.origin, f"{function.__name__} ({error.origin}): {error.why}") from None
            finally:
                self.emission.names = kept
            self.wrote.append(Wrote(f"Functions.{name}", place_of(self.methods[function]), "source"))
        return tree.Member(tree.Name("Functions"), self._names[function])

    def __contains__(self, function: object) -> bool:
        return function in self.methods

    def __iter__(self) -> Iterator[types.FunctionType]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def declaration(self) -> tree.ClassDeclaration | None:
        """Return the class of the functions that are called; None without one."""
        if not self.declarations:
            return None
        return tree.ClassDeclaration("Functions", "internal static", members=tuple(self.declarations.values()))
