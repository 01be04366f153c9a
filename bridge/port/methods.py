"""The translation of methods and functions, through all rooms (README.md), to C# declarations; a method that is left to do throws."""

from __future__ import annotations

import inspect
import math
import textwrap
import types
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.port import passes
from bridge.port.csharp import methods as csharp
from bridge.port.csharp import tree
from bridge.port.csharp.bodies.tidying import unqualified
from bridge.port.csharp.emission import Emission
from bridge.port.frontend import functions
from bridge.port.frontend.surroundings import Surroundings
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Function, Literal, Origin, Parameter, Unsupported, UnsupportedValue
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.ir.types import OBJECT, TENSOR, UNKNOWN
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_foreign, read_method


@dataclass(frozen=True, slots=True)
class Left:
    """A method that is left to do: its ``place`` in the original's source, its class and name (``where``), and the reason."""

    place: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Wrote:
    """How a method was written: ``where`` is its name in C#, ``place`` is the line of the original.

    ``how`` is ``source`` or ``graph``, from which it was translated, or ``left`` (to do); a constructor that has no translation is
    written from the class's ``instances``. ``fixed`` has a sentence on each value or branch that C# fixes as it was in the runs.
    """

    where: str
    place: str
    how: str
    fixed: tuple[str, ...] = ()

    @property
    def constructs(self) -> bool:
        """Return whether the method is a constructor."""
        return self.where.endswith(".__init__")


def place_of(method: Method) -> str:
    """Return the place of the original; for a forward that replaces PyTorch's, the place of PyTorch's forward."""
    of_pytorch = read_method(method.stands_for.forward) if method.stands_for is not None else None  # type: ignore[attr-defined]  # a module
    found = of_pytorch or method
    return found.at(found.tree)


def emit(
    emission: Emission,
    function: Function,
    name: str,
    modifiers: str,
    constants: dict[str, Literal] | None = None,
    *,
    chained: bool = False,
) -> tree.MethodDeclaration:
    """Return a lowered function as a declaration of C#; its named settings are added to ``constants``. Raises Untranslatable.

    ``chained`` says whether it is the forward of a child of ``nn.Sequential``.
    """
    passed = passes.run(function, frozenset(emission.methods.values()), chained=chained)
    passed = unnamed(passed, constants is not None)
    made = csharp.lower(passed, emission)
    if constants is not None:
        named = [one for one in walk(passed) if isinstance(one, Literal) and one.name and not one.of_settings]
        constants |= {one.name: replace(one, name="") for one in named}
    return replace(made, name=name, modifiers=modifiers)


def unnamed(node: Any, numbers: bool) -> Any:
    """Return the node without names of literals, except for finite numbers of settings objects, and bools.

    With ``numbers``, other finite numbers keep their names, too, since the class declares these.
    """
    node = rebuilt(node, lambda one: unnamed(one, numbers))
    if not isinstance(node, Literal) or not node.name:
        return node
    kinds = (int, float, bool) if node.of_settings else (int, float) if numbers else ()
    kept = type(node.value) in kinds and math.isfinite(node.value)
    return node if kept else replace(node, name="")


def emit_left(
    emission: Emission, function: Function, method: Method, error: Untranslatable, name: str, modifiers: str
) -> tree.MethodDeclaration:
    """Return a method that throws, with the original as a comment, so that its callers compile."""
    source = textwrap.dedent(inspect.getsource(method.original or method.function)).rstrip()
    why = f"{error.origin}: {error.why}"
    result = OBJECT if function.result == UNKNOWN else function.result
    made = csharp.lower(replace(function, body=(), result=result), emission)
    throw = tree.Throw(tree.New(tree.Type("NotImplementedException"), (tree.Argument(tree.Literal(why)),)))
    return replace(made, name=name, modifiers=modifiers, body=(tree.Comment(source), throw))


def head(method: Method, surroundings: Surroundings, bound: bool | None = None) -> Function:
    """Return the head of a function that cannot be lowered, with the types of its runs, so that its callers can be lowered."""
    try:
        made = functions.head(method, surroundings, bound=bound)
        return replace(made, result=TENSOR) if made.result == UNKNOWN else made
    except Untranslatable:
        origin = Origin(method.file, method.line)
        names = [one.arg for one in method.tree.args.args if one.arg != "self"]
        return Function(method.tree.name, tuple(Parameter(one, TENSOR) for one in names), TENSOR, (), origin=origin)


def thrown(function: Function) -> tuple[str, ...]:
    """Return a sentence on each branch of a function that throws because it has no translation and no run took it."""
    branches = (one for part in function.body if not isinstance(part, Unsupported) for one in walk(part))
    return tuple(
        f"A branch throws NotSupportedException: {one.origin}: {one.why}"
        for one in branches
        if isinstance(one, (Unsupported, UnsupportedValue))
    )


def without_refused(
    method: Method, lowered: Function, error: Untranslatable, surroundings: Surroundings, *, bound: bool
) -> Function | None:
    """Return the function, lowered again so that the untranslatable branch throws, if no run took it; None if there is no such branch."""
    line = error.origin.line
    if error.origin.file != method.file or line in method.refused:
        return None
    method.refused[line] = error.why
    again = functions.lower(method, surroundings, bound=bound)
    return None if again == lowered else again


def method_of(methods: MutableMapping[types.FunctionType, Method], function: types.FunctionType) -> Method | None:
    """Return a function with its observations, or with its annotations if it did not run; None if it has neither."""
    if function not in methods and not is_foreign(function):
        method = read_method(function)
        if method is not None and functions.is_annotated(method.tree):
            methods[function] = method
    return methods.get(function)


def _plain_name(function: types.FunctionType) -> str:
    """Return the name of a function; for a constructor, the name of its class."""
    name = function.__name__
    return (function.__qualname__.split(".")[-2] if name == "__init__" else name).lstrip("_")


@dataclass(slots=True)
class FreeFunctions(Mapping[types.FunctionType, tree.Expression]):
    """Functions of the model's source that are no methods; they become static methods of one C# class, each when it is first called."""

    surroundings: Surroundings
    emission: Emission
    methods: MutableMapping[types.FunctionType, Method]
    wrote: list[Wrote] = field(default_factory=list)
    declarations: dict[types.FunctionType, tree.MethodDeclaration] = field(default_factory=dict)
    lowered: dict[types.FunctionType, Function] = field(default_factory=dict)
    _names: dict[types.FunctionType, str] = field(default_factory=dict)
    _open: set[types.FunctionType] = field(default_factory=set)

    def lower(self, function: types.FunctionType, origin: Origin, surroundings: Surroundings | None = None) -> Function:
        """Return the function, lowered. Raises Untranslatable if the function, or a function that it calls, has no translation.

        ``surroundings`` are given for a function that a constructor calls.
        """
        within = surroundings or self.surroundings
        method = method_of(self.methods, function)
        if method is None:
            raise Untranslatable(
                origin, f"the function {function.__qualname__}, which did not run, and whose types no annotations tell"
            )
        if function in self._open:
            return functions.head(method, within, bound=False)
        if function not in self.lowered:
            self._open.add(function)
            try:
                self.lowered[function] = functions.lower(method, within, bound=False)
            except Untranslatable as error:
                raise Untranslatable(origin, f"{function.__name__} ({error.origin}): {error.why}") from None
            finally:
                self._open.discard(function)
        return self.lowered[function]

    def __getitem__(self, function: types.FunctionType) -> tree.Expression:
        """Return the name by which C# calls the function. Raises Untranslatable."""
        if function not in self._names:
            self.lower(function, Origin())
            name = _plain_name(function)
            while name in self._names.values():
                name += "2"
            self._names[function] = name
            kept = self.emission.names
            try:
                self.declarations[function] = self._emitted(function, name)
            except Untranslatable as error:
                del self._names[function]
                raise Untranslatable(error.origin, f"{function.__name__} ({error.origin}): {error.why}") from None
            finally:
                self.emission.names = kept
            self.wrote.append(
                Wrote(f"Functions.{name}", place_of(self.methods[function]), "source", thrown(self.lowered[function]))
            )
        return tree.Member(tree.Name("Functions"), self._names[function])

    def _emitted(self, function: types.FunctionType, name: str) -> tree.MethodDeclaration:
        method = self.methods[function]
        # The functions that this one calls may have been lowered with it just now.
        headers: dict[type | types.FunctionType, tuple[Parameter, ...]] = {
            one: found.parameters for one, found in self.lowered.items()
        }
        self.emission.headers = {**self.emission.headers, **headers}
        while True:
            try:
                return emit(self.emission, self.lowered[function], name, "internal static")
            except Untranslatable as error:
                again = without_refused(method, self.lowered[function], error, self.surroundings, bound=False)
                if again is None:
                    raise
                self.lowered[function] = again

    def __contains__(self, function: object) -> bool:
        return function in self.methods

    def __iter__(self) -> Iterator[types.FunctionType]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def state(self) -> tuple[Any, ...]:
        """Return a copy of everything written so far, for :meth:`restore`."""
        return list(self.wrote), dict(self.declarations), dict(self.lowered), dict(self._names)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Forget everything written since :meth:`state` was called."""
        self.wrote[:] = state[0]
        held: tuple[dict[Any, Any], ...] = (self.declarations, self.lowered, self._names)
        for one, before in zip(held, state[1:], strict=True):
            one.clear()
            one.update(before)

    def declaration(self) -> tree.ClassDeclaration | None:
        """Return the class of the functions that are called; None if there are no such functions."""
        if not self.declarations:
            return None
        whole = tree.ClassDeclaration("Functions", "internal static", members=tuple(self.declarations.values()))
        return unqualified(whole)
