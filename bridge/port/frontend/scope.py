"""Variables of one function while it is lowered: their types at each point, what is proven of optionals, and how branches join.

A Python variable may become several C# variables, its versions: one for each type of its values (``x``, ``x#2``). Where versions meet
(after an ``if``, at the head of a loop) and have a common type, they are united into one version of that type. By then, the code before
that point is lowered already; therefore a function is lowered in rounds, until a round finds nothing new.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Final

import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Argument,
    Bind,
    BuiltinCall,
    Compare,
    Conditional,
    Convert,
    Expression,
    Field,
    Literal,
    Local,
    LocalTarget,
    Logical,
    Not,
    Origin,
    TorchCall,
    Truth,
    TupleLiteral,
)
from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    DictOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    SetOf,
    TupleOf,
    Type,
    is_choice,
    is_number,
    join,
    required,
)

_NOWHERE: Final = Origin()
_SEVERAL: Final = object()
#: A variable's name, the nesting depth of the comprehension, lambda or function that it is local to, and the type of its value.
Version = tuple[str, int, Type]


class Variables:
    """The versions of all variables of a function, over all rounds."""

    def __init__(self, stored: Iterable[str] = ()) -> None:
        self.changed = False
        #: The state at the end of the body of each loop, found in the round before.
        self.ends: dict[ast.AST, State] = {}
        #: The result types of nested functions, found in the round before.
        self.results: dict[ast.AST, Type] = {}
        #: The partials that calls create, kept so that every round uses the same objects.
        self.constants: dict[ast.AST, Any] = {}
        #: The only literal that is assigned to each version; ``_SEVERAL`` if other values are, too.
        self.literals: dict[Version, Any] = {}
        #: The number that an accumulator begins with, by its version: ``loss = 0.0`` before ``loss += tensor``.
        self.numbers: dict[Version, Any] = {}
        self._stored = frozenset(stored)
        self._parents: dict[Version, Version] = {}
        self._types: dict[Version, Type] = {}
        self._order: dict[str, list[Version]] = {}

    def begin(self) -> None:
        """Begin a round."""
        self.changed = False
        self._order.clear()

    def root(self, version: Version) -> Version:
        """Return the version that represents all versions united with this one."""
        while version in self._parents:
            version = self._parents[version]
        return version

    def type(self, version: Version) -> Type:
        """Return the type with which a version is declared."""
        root = self.root(version)
        return self._types.get(root, root[2])

    def name(self, version: Version) -> str:
        """Return the name of a version: Python's name for the variable's first version, with a number for the others."""
        root = self.root(version)
        order = self._order.setdefault(root[0], [])
        if root not in order:
            order.append(root)
        place = order.index(root)
        return f"{root[0]}#{place + 1}" if place else root[0]

    def unite(self, a: Version, b: Version) -> bool:
        """Unite two versions if they have a common type; return whether they do."""
        first, second = self.root(a), self.root(b)
        if first == second:
            return True
        found = join((self.type(first), self.type(second)))
        if found is None:
            return False
        self._merge(first, second, found)
        return True

    def accumulate(self, a: Version, b: Version, number: Any) -> None:
        """Unite the version of a number that a loop begins with and that of the tensor that it becomes, as an optional tensor."""
        self._merge(self.root(a), self.root(b), OptionalOf(TENSOR))
        self.numbers[self.root(a)] = number

    def _merge(self, first: Version, second: Version, found: Type) -> None:
        if first == second:
            return
        self._parents[second] = first
        self._types[first] = found
        self.changed = True
        if second in self.numbers:
            self.numbers[first] = self.numbers[second]

    def depth(self, name: str, depth: int) -> int:
        """Return ``depth`` for a name that the function itself also assigns, else ``depth - 1``, so that C# keeps the variable's name."""
        return depth if name in self._stored else depth - 1


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable at one point: its version, and the type of its value (None if the values that meet here have no common type)."""

    version: Version
    type: Type | None


@dataclass(frozen=True, slots=True)
class State:
    """All variables at one point, the fields that are proven not None, and whether the point is unreachable (``dead``)."""

    variables: Mapping[str, Variable] = field(default_factory=dict)
    proven: frozenset[str] = frozenset()
    dead: bool = False


class Scope:
    """The variables of a function at the point that is being lowered."""

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self._now = State()
        self._depths: dict[str, int] = {}
        self._depth = 0
        self.captured: set[str] = set()

    # -- Reading and assigning -----------------------------------------------------------------------------------------

    def read(self, name: str, origin: Origin) -> Expression | None:
        """Return the value of a variable, converted to the type that it has here; None for a name that is no variable."""
        found = self._now.variables.get(name)
        if found is None:
            return None
        if found.type is None:
            raise Untranslatable(origin, f"{name} is of one type or another here")
        declared = self.variables.type(found.version)
        if isinstance(declared, ConstantOf) or declared == NONE:
            return Literal(getattr(declared, "value", None), type=declared, origin=origin)
        if declared == TupleOf(()):  # C# has no empty tuple
            return TupleLiteral((), type=declared, origin=origin)
        if is_choice(declared) and (isinstance(found.type, ConstantOf) or found.type == NONE):
            return Literal(getattr(found.type, "value", None), type=found.type, origin=origin)
        if self.variables.root(found.version) in self.variables.numbers:
            return self._accumulated(found, declared, origin)
        value = Local(self.variables.name(found.version), type=declared, origin=origin)
        if found.type == declared or found.type == NONE:
            return value
        return Convert(value, proven=True, type=found.type, origin=origin)

    def _accumulated(self, found: Variable, declared: Type, origin: Origin) -> Expression:
        number = self.variables.numbers[self.variables.root(found.version)]
        value = Local(self.variables.name(found.version), type=declared, origin=origin)
        first = Literal(number, type=FLOAT if isinstance(number, float) else INT, origin=origin)
        if found.type is not None and is_number(found.type):
            return first
        tensor = Convert(value, proven=True, type=TENSOR, origin=origin)
        if found.type == TENSOR:
            return tensor
        dtype = Literal(
            torch.get_default_dtype() if isinstance(number, float) else torch.int64, type=DTYPE, origin=origin
        )
        arguments = (Argument("data", first), Argument("dtype", dtype, positional=False))
        made = TorchCall(torch.tensor, None, arguments, ("data", "dtype"), 0, type=TENSOR, origin=origin)
        test = Compare("is-not", value, Literal(None, type=NONE, origin=origin), type=BOOL, origin=origin)
        return Conditional(test, tensor, made, type=TENSOR, origin=origin)

    def knows(self, name: str) -> bool:
        """Return whether a name is a variable here."""
        return name in self._now.variables

    def type_of(self, name: str) -> Type | None:
        """Return the type that a variable has here; None for a name that is no variable, or whose values have no common type."""
        found = self._now.variables.get(name)
        return None if found is None else found.type

    def assign(self, name: str, found: Type, origin: Origin = _NOWHERE) -> LocalTarget:
        """Assign a value of type ``found`` to a variable, and return the target; the caller converts the value to the target's type."""
        version = (name, self._depths.get(name, 0), found)
        if name in self.captured and self.captured_differs(name, version):
            raise Untranslatable(origin, f"{name}, which a function within uses, becomes a {found}")
        declared = self.variables.type(version)
        if self.variables.root(version) in self.variables.numbers:
            self._set(name, Variable(version, found))
        elif name in self.captured:  # any call of the nested function may assign another value
            self._set(name, Variable(version, self.variables.type(version)))
        else:
            self._set(name, Variable(version, self._narrowed(found, declared)))
        return LocalTarget(self.variables.name(version), declared, origin=origin)

    def note_literal(self, name: str, value: Expression) -> None:
        """Note a value that is assigned to a variable, to find out whether all assignments give it the same literal."""
        version = self._now.variables[name].version
        found = value.value if isinstance(value, Literal) and is_number(value.type) else _SEVERAL
        known = self.variables.literals.setdefault(version, found)
        if known is not found and (type(known) is not type(found) or known != found):
            self.variables.literals[version] = _SEVERAL

    def is_mixed(self, name: str) -> bool:
        """Return whether a variable is an accumulator that may be its first number or a tensor here."""
        found = self._now.variables.get(name)
        accumulates = found is not None and self.variables.root(found.version) in self.variables.numbers
        return accumulates and found is not None and isinstance(found.type, OptionalOf)

    def accumulates(self, name: str) -> bool:
        """Return whether a variable is an accumulator."""
        found = self._now.variables.get(name)
        return found is not None and self.variables.root(found.version) in self.variables.numbers

    def accumulator(self, name: str, origin: Origin) -> LocalTarget:
        """Return the target of an accumulator with its declared type, an optional tensor."""
        version = self._now.variables[name].version
        return LocalTarget(self.variables.name(version), self.variables.type(version), origin=origin)

    def settle(self, name: str, *, is_number: bool) -> None:
        """Continue with an accumulator known to be its first number (``is_number``) or a tensor."""
        version = self._now.variables[name].version
        number = self.variables.numbers[self.variables.root(version)]
        self._set(name, Variable(version, (FLOAT if isinstance(number, float) else INT) if is_number else TENSOR))

    def delete(self, name: str) -> None:
        """Remove a variable: ``del name``."""
        self._now = replace(self._now, variables={key: one for key, one in self._now.variables.items() if key != name})

    def refine(self, name: str, found: Type) -> None:
        """Refine the type of a container by an item that is put into it; ``found`` is the container's type with the item's type.

        The elements of a list of modules get the modules' common type.
        """
        known = self._now.variables.get(name)
        if known is None or known.type is None or not (holds_unknown(known.type) or _holds_modules(known.type)):
            return
        version = (name, known.version[1], found)
        if self.variables.unite(known.version, version):
            self._set(name, Variable(version, self.variables.type(version)))

    def fresh(self, hint: str, found: Type) -> LocalTarget:
        """Return the target of a new variable that the Python source does not have."""
        return self.assign(hint if self._now.variables.get(hint) is None else f"{hint}Value", found)

    def captured_differs(self, name: str, version: Version) -> bool:
        """Unite a new version of a variable with the version that a nested function sees; return whether they have no common type."""
        known = self._now.variables.get(name)
        return known is not None and not self.variables.unite(known.version, version)

    def capture(self, names: Iterable[str]) -> None:
        """Note the variables that a nested function uses: each has one version from here on, of which nothing is proven."""
        for name in names:
            known = self._now.variables.get(name)
            if known is not None and self.variables.root(known.version) not in self.variables.numbers:
                self.captured.add(name)
                self._set(name, Variable(known.version, self.variables.type(known.version)))

    def _set(self, name: str, variable: Variable) -> None:
        proven = frozenset(one for one in self._now.proven if not one.startswith(f"{name}."))
        self._now = replace(self._now, variables={**self._now.variables, name: variable}, proven=proven)

    def _narrowed(self, found: Type, declared: Type) -> Type:
        """Return the type known for a value of type ``found`` that is assigned to a variable of type ``declared``."""
        if found == declared or (declared == FLOAT and found == INT):
            return found
        if isinstance(declared, OptionalOf) and not isinstance(found, OptionalOf):
            return NONE if found == NONE else declared.inner
        return declared

    # -- Branches ------------------------------------------------------------------------------------------------------

    def state(self) -> State:
        """Return the state at this point."""
        return self._now

    def restore(self, state: State) -> None:
        """Restore a state, from which lowering continues."""
        self._now = state

    def end(self) -> None:
        """Note that the code after this point is unreachable, as after ``return``, ``raise``, ``break`` and ``continue``."""
        self._now = replace(self._now, dead=True)

    def begin_loop(self, node: ast.AST) -> State:
        """Begin a loop: join the state before it with the state at the end of its body, if a round found it; return the result."""
        if node in self.variables.ends:
            self.join([self._now, self.variables.ends[node]])
        return self._now

    def end_loop(self, node: ast.AST, continues: Iterable[State]) -> None:
        """End the body of a loop: join the states at its end and at each ``continue``, and note the result for the next round."""
        self.join([self._now, *continues])
        known = self.variables.ends.get(node)
        if known is None or self._summary(known) != self._summary(self._now):
            self.variables.ends[node] = self._now
            self.variables.changed = True

    def has_end(self, node: ast.AST) -> bool:
        """Return whether the state at the end of a loop's body is known."""
        return node in self.variables.ends

    def end_of(self, node: ast.AST) -> State:
        """Return the state at the end of a loop's body."""
        return self.variables.ends[node]

    def _summary(self, state: State) -> object:
        roots = {name: (self.variables.root(one.version), one.type) for name, one in state.variables.items()}
        return roots, state.proven, state.dead

    @property
    def dead(self) -> bool:
        """Return whether this point is unreachable."""
        return self._now.dead

    def join(self, states: Iterable[State]) -> None:
        """Join the states of branches that meet here, without unreachable ones."""
        alive = [one for one in states if not one.dead]
        if not alive:
            self._now = replace(self._now, dead=True)
            return
        names = dict.fromkeys(name for one in alive for name in one.variables)
        met = {name: [one.variables[name] for one in alive if name in one.variables] for name in names}
        proven = reduce(frozenset.__and__, [one.proven for one in alive])
        self._now = State({name: self._met(name, those) for name, those in met.items()}, proven)

    def _met(self, name: str, those: Sequence[Variable]) -> Variable:
        first = those[0]
        if all(one == first for one in those):
            return first
        types = [one.type for one in those]
        if None in types:
            return Variable(first.version, None)
        for one in those[1:]:
            if not self.variables.unite(first.version, one.version) and not self._accumulates(first, one):
                return Variable(first.version, None)
        declared = self.variables.type(first.version)
        if self.variables.root(first.version) in self.variables.numbers:
            return Variable(first.version, types[0] if len(set(types)) == 1 else declared)
        found = join(one for one in types if one is not None)
        return Variable(first.version, declared if found is None else self._narrowed(found, declared))

    def _accumulates(self, a: Variable, b: Variable) -> bool:
        """Make an accumulator of a number and a tensor that meet, if the number is always the same literal; return whether it is."""
        kinds = {a.type, b.type}
        if a.type is None or b.type is None or not (TENSOR in kinds and any(map(is_number, (a.type, b.type)))):
            return False
        number = a if is_number(a.type) else b
        value = self.variables.literals.get(number.version, _SEVERAL)
        if value is _SEVERAL or isinstance(value, bool):
            return False
        self.variables.accumulate(a.version, b.version, value)
        return True

    # -- Proofs --------------------------------------------------------------------------------------------------------

    def assume(self, test: Expression, truth: bool) -> None:
        """Note what a test proves if it is ``truth``: that optional variables and fields are None or not, or the class of a module."""
        if isinstance(test, Not):
            self.assume(test.value, not truth)
        elif isinstance(test, Logical) and truth == (test.operator == "and"):
            for one in test.values:
                self.assume(one, truth)
        elif isinstance(test, Compare) and isinstance(test.right, Literal) and test.right.value is None:
            if test.operator in ("is", "is-not", "==", "!="):
                self._prove(test.left, there=truth == (test.operator in ("is-not", "!=")))
        elif isinstance(test, Truth) and (truth or is_choice(test.value.type)):
            self._prove(test.value, there=truth)
        elif isinstance(test, BuiltinCall) and test.name == "isinstance" and truth:
            self._prove(test.arguments[0], there=True)
            self._prove_class(*test.arguments)

    def is_proven(self, path: str) -> bool:
        """Return whether a field (``self.bias``) is proven not None."""
        return path in self._now.proven

    def disprove(self, path: str) -> None:
        """Forget that a field is proven not None, since it is assigned."""
        self._now = replace(self._now, proven=self._now.proven - {path})

    def _prove(self, value: Expression, *, there: bool) -> None:
        if isinstance(value, Bind):
            self._prove_local(value.name, there)
        elif isinstance(value, Convert):
            self._prove(value.value, there=there)
        elif isinstance(value, Local):
            self._prove_local(value.name, there)
        elif isinstance(value, Field) and there:
            self._now = replace(self._now, proven=self._now.proven | {f"self.{value.name}"})

    def _prove_local(self, name: str, there: bool) -> None:
        python = name.partition("#")[0]
        found = self._now.variables.get(python)
        if found is None or python in self.captured or self.variables.name(found.version) != name:
            return
        if isinstance(found.type, OptionalOf):
            self._set(python, Variable(found.version, required(found.type) if there else NONE))

    def _prove_class(self, value: Expression, kind: Expression) -> None:
        """Note the class of a module that had no known class."""
        python = value.name.partition("#")[0] if isinstance(value, Local) else ""
        found = self._now.variables.get(python)
        if found is None or python in self.captured or not isinstance(kind, Literal):
            return
        if found.type in (ANY_MODULE, ModuleOf(nn.Module)) and issubclass(kind.value, nn.Module):
            chain = issubclass(kind.value, nn.Sequential)
            known = ModulesOf(nn.Sequential, ModuleOf(nn.Module)) if chain else ModuleOf(kind.value)
            self._set(python, Variable(found.version, known))

    # -- Names of inner functions --------------------------------------------------------------------------------------

    @contextmanager
    def inner(self, names: Sequence[str]) -> Iterator[None]:
        """Enter a comprehension, lambda or nested function, in which ``names`` are local variables."""
        before, depths = self._now, dict(self._depths)
        self._depth += 1
        for name in names:
            self._depths[name] = self.variables.depth(name, self._depth)
            self.delete(name)
        try:
            yield
        finally:
            self._depth -= 1
            self._depths = depths
            own = {name: one for name, one in before.variables.items() if name in names}
            kept = {name: one for name, one in self._now.variables.items() if name not in names}
            self._now = replace(self._now, variables={**kept, **own}, dead=before.dead)


def _holds_modules(found: Type) -> bool:
    element = found.element if isinstance(found, (ListOf, ModulesOf)) else UNKNOWN
    return isinstance(element, (ModuleOf, ModulesOf)) or (
        isinstance(element, TupleOf) and _holds_modules(ListOf(element.items[-1]))
    )


def holds_unknown(found: Type) -> bool:
    """Return whether a type, or a part of it, is not known yet."""
    if isinstance(found, (ListOf, SetOf, IteratorOf, ModulesOf)):
        return holds_unknown(found.element)
    if isinstance(found, DictOf):
        return holds_unknown(found.key) or holds_unknown(found.value)
    if isinstance(found, TupleOf):
        return any(map(holds_unknown, found.items))
    return found == UNKNOWN or (isinstance(found, OptionalOf) and holds_unknown(found.inner))


def coerced(value: Expression, wanted: Type) -> Expression:
    """Return a value converted to a wider type: a number to float, a value to an optional, an empty list to a list of a known type."""
    if value.type == wanted or wanted == UNKNOWN:
        return value
    if isinstance(value, Conditional) and holds_unknown(value.type):
        arms = (coerced(one, wanted) for one in (value.body, value.other))
        return Conditional(value.test, *arms, type=wanted, origin=value.origin)
    if holds_unknown(value.type) and not isinstance(value, (Local, Convert)):
        return replace(value, type=wanted)
    if is_number(value.type) and value.type != INT and wanted == INT:
        return value
    return Convert(value, type=wanted, origin=value.origin)
