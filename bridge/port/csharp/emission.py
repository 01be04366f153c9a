"""Shared state of the lowering to C#: the names of the project, the names of the current method, and the helpers that are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.names import KEYWORDS, PREDEFINED, unique
from bridge.port.csharp.types import TENSOR, csharp_type
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as ir_types
from bridge.port.ir.errors import Untranslatable
from bridge.port.observe.modules import is_einops

_NOWHERE: Final = ir.Origin()


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around a statement.

    ``completed`` is the variable that tells whether the loop ended without ``break``, ``variable`` the variable that the loop declares;
    each is empty if there is no such variable.
    """

    completed: str = ""
    variable: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class Emission:
    """Names of the project, and the recursion into expressions and statements.

    Of the project: ``classes`` are the C# names of the model's own classes, ``module_types`` the C# types of modules that are not named
    like their class, ``functions`` the static methods for functions of the model's source, ``methods`` the C# names of methods, and
    ``fields`` the expressions for fields that have another name in C#. ``constructors`` are the parameters of translated constructors by
    class, ``parameters`` the C# names of those parameters. ``headers`` are the parameters of the model's functions by function, and of
    forwards by class. ``helpers`` are the members of PythonMath that are used.

    Of the current method: ``names`` are the names that it uses, ``result`` is its result type, and ``loops`` are the loops around the
    current statement.
    """

    #: Functions that lower expressions, statements, and torch functions that are values (:func:`bridge.port.csharp.lowering.begin`).
    lower_expression: Callable[[Emission, ir.Expression], tree.Expression]
    lower_statements: Callable[[Emission, Sequence[ir.Statement]], tuple[tree.Statement, ...]]
    lower_function: Callable[[Emission, Any], tree.Expression | None]
    classes: Mapping[type, str] = field(default_factory=dict)
    module_types: Mapping[type, tree.Type] = field(default_factory=dict)
    functions: Mapping[FunctionType, tree.Expression] = field(default_factory=dict)
    methods: Mapping[FunctionType, str] = field(default_factory=dict)
    fields: Mapping[str, tree.Expression] = field(default_factory=dict)
    constructors: Mapping[type, tuple[ir.Parameter, ...]] = field(default_factory=dict)
    parameters: Mapping[type, Mapping[str, str]] = field(default_factory=dict)
    headers: Mapping[type | FunctionType, tuple[ir.Parameter, ...]] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    #: Constants of settings objects that are used, by their names: ``BertConfig.hidden_size``.
    settings: dict[str, ir.Literal] = field(default_factory=dict)
    #: Names that no class of such constants can have.
    taken: frozenset[str] = frozenset()
    #: Parameters with ``params``, which take any number of arguments and are arrays.
    arrays: frozenset[str] = frozenset()
    #: Structs whose default is no constant of C#: such a parameter is nullable only in C#, and is read by ``Value``.
    boxed: set[str] = field(default_factory=set)
    loops: list[Loop] = field(default_factory=list)
    result: ir_types.Type = ir_types.UNKNOWN
    #: Variables of the method that are never negative (:func:`bridge.port.ir.ranges.nonnegative_names`).
    nonnegative: frozenset[str] = frozenset()
    #: Variables of the method whose floats may be ints in Python, or the int 0 (:func:`bridge.port.ir.integers.int_names`).
    integers: frozenset[str] = frozenset()
    zeros: frozenset[str] = frozenset()

    # -- Recursion -----------------------------------------------------------------------------------------------------

    def expression(self, node: ir.Expression) -> tree.Expression:
        """Return an expression in C#."""
        return self.lower_expression(self, node)

    def expressions(self, nodes: Sequence[ir.Expression]) -> tuple[tree.Expression, ...]:
        """Return several expressions in C#."""
        return tuple(map(self.expression, nodes))

    def statements(self, nodes: Sequence[ir.Statement]) -> tuple[tree.Statement, ...]:
        """Return statements in C#."""
        return self.lower_statements(self, nodes)

    def type_of(self, found: ir_types.Type, origin: ir.Origin = _NOWHERE) -> tree.Type:
        """Return a type in C#. Raises Untranslatable if no run showed the type."""
        return csharp_type(found, self.module_type, origin)

    # -- Names ---------------------------------------------------------------------------------------------------------

    def class_name(self, kind: type) -> str:
        """Return the C# name of a class of the model, or of a layer of TorchSharp."""
        if kind in self.classes:
            return self.classes[kind]
        return "Linear" if kind is nn.modules.linear.NonDynamicallyQuantizableLinear else kind.__name__.lstrip("_")

    def module_type(self, kind: type) -> tree.Type:
        """Return the C# type of modules of class ``kind``; for ``nn.Module`` and ``object``, a base class of modules of several classes."""
        if kind in self.module_types:
            return self.module_types[kind]
        if kind is nn.Module or is_einops(kind):
            return tree.Type("Module", (TENSOR, TENSOR))
        return tree.Type("Module" if kind is object else self.class_name(kind))

    def function_name(self, function: FunctionType, origin: ir.Origin = _NOWHERE) -> tree.Expression:
        """Return the name by which a function that is no method is called: ``Functions.name``. Raises Untranslatable."""
        if function not in self.functions:
            raise Untranslatable(origin, f"the function {function.__qualname__}, which has no translation")
        try:
            return self.functions[function]
        except Untranslatable as error:  # report the line of the call, which has no translation either
            raise Untranslatable(origin if origin != _NOWHERE else error.origin, error.why) from None

    def method_name(self, function: FunctionType) -> str:
        """Return the C# name of a method of the model."""
        return self.methods.get(function) or function.__name__

    def field_name(self, name: str) -> tree.Expression:
        """Return a field of the module itself, with ``this`` if a local variable hides it."""
        if name in self.fields:
            return self.fields[name]
        hidden = name in self.names or name in PREDEFINED
        return tree.Member(tree.Name("this"), name) if hidden else tree.Name(name)

    def fresh(self, name: str) -> str:
        """Return a name that the method does not use yet, and add it to the names that it uses."""
        found = unique(name, self.names)
        self.names.add(found)
        return found

    def setting(self, node: ir.Literal) -> tree.Expression | None:
        """Return the constant of a settings object, and add it to the project; None if C# cannot name it, or if it has another value."""
        kind, _, name = node.name.partition(".")
        if not kind.isidentifier() or not kind[0].isupper() or kind in self.taken or name in KEYWORDS or name == kind:
            return None
        known = self.settings.setdefault(node.name, replace(node, name="")).value
        same = type(known) is type(node.value) and known == node.value
        return tree.Member(tree.Name(kind), name) if same else None

    # -- Helpers -------------------------------------------------------------------------------------------------------

    def helper(self, name: str, *arguments: tree.Expression, types: tuple[tree.Type, ...] = ()) -> tree.Call:
        """Return a call of a helper of PythonMath (:mod:`bridge.port.csharp.helpers`), and add the helper to the project."""
        self.helpers.add(name)
        function = tree.Member(tree.Name("PythonMath"), name)
        return tree.Call(function, tuple(map(tree.Argument, arguments)), types)
