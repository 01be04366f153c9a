"""The context in which one function is lowered; the lowering of each construct lowers nested constructs through it alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, NoReturn

from bridge.port.frontend.comments import Comments
from bridge.port.frontend.scope import Scope, State
from bridge.port.frontend.surroundings import Surroundings
from bridge.port.frontend.values import as_bool
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Expression, LocalTarget, Origin, Parameter, Statement
from bridge.port.ir.types import UNKNOWN, Type
from bridge.port.observe.observations import Method, Observation


@dataclass(slots=True)
class Returns:
    """The types that a function returns: ``types`` so far in this round, ``result`` in the round before, and ``observed`` in the runs."""

    types: list[Type] = field(default_factory=list)
    result: Type = UNKNOWN
    observed: Type = UNKNOWN


@dataclass(slots=True)
class Loop:
    """A loop that is being lowered: the scope at each ``break`` and ``continue``, and the names that the loop assigns."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)
    stored: frozenset[str] = frozenset()
    #: Whether the scope at the end of the body is not known yet from an earlier round.
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """One function while it is lowered; ``receiver`` is its name for the module itself (``self``), empty if it is no method."""

    method: Method
    surroundings: Surroundings
    scope: Scope
    lower_expression: Callable[[Context, ast.expr], Expression]
    lower_statements: Callable[[Context, Sequence[ast.stmt]], tuple[Statement, ...]]
    receiver: str = ""
    comments: Comments | None = None
    returns: Returns = field(default_factory=Returns)
    loops: list[Loop] = field(default_factory=list)
    #: The objects that ``import`` statements within the function bind, by name.
    imported: dict[str, Any] = field(default_factory=dict)
    #: The parameters of the nested functions, by the functions' names.
    nested: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    #: The variables that hold the entries of dictionaries of keyword arguments, by the dictionary's name and by keyword.
    given: dict[str, dict[str, str]] = field(default_factory=dict)
    #: The tuples of a variable that grows in a loop, which C# has as lists.
    grown: frozenset[ast.AST] = frozenset()
    #: The name of ``**kwargs``, and the parameters that it stands for.
    keywords_name: str = ""
    keywords: tuple[str, ...] = ()
    #: Those of ``keywords`` that some calls do not give, which are None then; the value says whether any call gave None.
    absent: Mapping[str, bool] = field(default_factory=dict)

    def origin(self, node: ast.AST) -> Origin:
        """Return the file and line of a node in the original source."""
        return Origin(self.method.file, self.method.line + getattr(node, "lineno", 1) - 1)

    def observation(self, node: ast.AST) -> Observation:
        """Return the observation of an expression in the runs; an empty observation if no run reached it."""
        return self.method.seen.get(node, Observation()) if isinstance(node, (ast.expr, ast.arg)) else Observation()

    def ran(self, nodes: ast.AST | Sequence[ast.AST]) -> bool:
        """Return whether any run reached an expression at or below the nodes."""
        every = [nodes] if isinstance(nodes, ast.AST) else nodes
        return any(inner in self.method.seen for node in every for inner in ast.walk(node))

    def expression(self, node: ast.expr) -> Expression:
        """Lower an expression."""
        return self.lower_expression(self, node)

    def condition(self, node: ast.expr) -> Expression:
        """Lower an expression that is a condition to its truth, a bool."""
        return as_bool(self.expression(node))

    def statements(self, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        """Lower a block, beginning with the current scope; the caller joins the scope at its end with the scopes of other branches."""
        return self.lower_statements(self, nodes)

    def fail(self, node: ast.AST, why: str) -> NoReturn:
        """Raise Untranslatable for a construct."""
        raise Untranslatable(self.origin(node), why)

    # -- Variables -----------------------------------------------------------------------------------------------------

    def local(self, node: ast.Name) -> Expression | None:
        """Return the value of a variable, converted to the type that is known here; None if the name is no variable.

        Variables of enclosing functions count, too.
        """
        return self.scope.read(node.id, self.origin(node))

    def assign(self, name: str, found: Type, origin: Origin) -> LocalTarget:
        """Assign a value of type ``found`` to a variable, and return the target (of a walrus, a comprehension or a loop)."""
        return self.scope.assign(name, found, origin)

    @contextmanager
    def assuming(self, test: Expression, truth: bool) -> Iterator[None]:
        """Refine the types of optionals within the ``with`` block, whose code (an arm of a conditional) runs if ``test`` is ``truth``."""
        before = self.scope.state()
        self.scope.assume(test, truth)
        try:
            yield
        finally:
            self.scope.join([before, self.scope.state()])

    @contextmanager
    def inner(self, names: Sequence[str]) -> Iterator[Context]:
        """Enter a comprehension, lambda or nested function, in which ``names`` are local variables."""
        with self.scope.inner(names):
            yield self

    def capture(self, node: ast.AST, own: Sequence[str], changed: Sequence[str] = ()) -> None:
        """Note the outer variables that a nested function uses: since it may be called later, each is one C# variable from here on.

        Raises Untranslatable if an enclosing loop changes one of these variables: C# has a new variable in each iteration, Python does not.
        """
        read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - set(own)
        read |= {name for one in read for name in self.given.get(one, {}).values()}
        if late := sorted(read & {name for one in self.loops for name in one.stored}):
            self.fail(node, f"a function made in a loop that changes {late[0]}, which the function uses")
        self.scope.capture(read | set(changed))

    @contextmanager
    def turns(self, names: Sequence[str]) -> Iterator[None]:
        """Enter the element of a comprehension, whose variables ``names`` have another value in each iteration."""
        self.loops.append(Loop(stored=frozenset(names)))
        try:
            yield
        finally:
            self.loops.pop()

    def with_returns(self, returns: Returns) -> Context:
        """Return the context of a nested function."""
        return replace(self, returns=returns, loops=[])

    def with_keywords(self, name: str, keywords: tuple[str, ...], absent: Mapping[str, bool]) -> Context:
        """Return the context with the name of ``**kwargs``, and with the parameters that it stands for."""
        return replace(self, keywords_name=name, keywords=keywords, absent=absent)

    def resolve(self, name: str) -> tuple[bool, Any]:
        """Return whether a name that is no variable has a value (in the closure, module or built-ins of the function), and that value."""
        if name in self.imported:
            return True, self.imported[name]
        function = self.method.function
        free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        if name in free:
            try:
                return True, free[name].cell_contents
            except ValueError:  # the cell of the closure is still empty
                return False, None
        builtins = function.__globals__.get("__builtins__", {})
        for space in (function.__globals__, builtins if isinstance(builtins, dict) else vars(builtins)):
            if name in space:
                return True, space[name]
        return False, None

    def static(self, node: ast.AST) -> Any:
        """Return the object that a dotted name (``torch.nn.functional.relu``) refers to in every run; None for other expressions."""
        if isinstance(node, ast.Name):
            return None if self.scope.knows(node.id) else self.resolve(node.id)[1]
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            return getattr(owner, node.attr, None) if isinstance(owner, (ModuleType, type)) else None
        return None
