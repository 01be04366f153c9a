"""State that lowering to C# shares: the names of the project, those of the method at hand, the helpers that are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.names import PREDEFINED, unique
from bridge.port.csharp.types import TENSOR, csharp_type
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as ir_types
from bridge.port.ir.errors import Untranslatable

_NOWHERE: Final = ir.Origin()


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around a statement: the variable that tells whether it ran to its end, or none; the variable that it declares."""

    completed: str = ""
    variable: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class Emission:
    """Names of the project, and the recursion into expressions and statements.

    ``classes`` are the names of the model's own classes in C#; ``module_types`` the types of modules that differ from the class's name;
    ``functions`` those of the model's source that are written as static methods, ``methods`` the names of methods; ``fields`` how a
    field is read whose name is another in C#. ``headers`` are the parameters of the model's functions, and of its classes' forwards by the
    class. ``helpers`` are the members of PythonMath that are used, ``names`` the names that the
    method at hand uses, ``loops`` those around the statement at hand, ``result`` the type that its method returns.
    """

    #: The lowering of expressions, of statements, and of functions of torch's that are values (:func:`bridge.port.csharp.lowering.begin`).
    lower_expression: Callable[[Emission, ir.Expression], tree.Expression]
    lower_statements: Callable[[Emission, Sequence[ir.Statement]], tuple[tree.Statement, ...]]
    lower_function: Callable[[Emission, Any], tree.Expression | None]
    classes: Mapping[type, str] = field(default_factory=dict)
    module_types: Mapping[type, tree.Type] = field(default_factory=dict)
    functions: Mapping[FunctionType, tree.Expression] = field(default_factory=dict)
    methods: Mapping[FunctionType, str] = field(default_factory=dict)
    fields: Mapping[str, tree.Expression] = field(default_factory=dict)
    headers: Mapping[type | FunctionType, tuple[ir.Parameter, ...]] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    #: Parameters that take any number of values, which are arrays.
    arrays: frozenset[str] = frozenset()
    loops: list[Loop] = field(default_factory=list)
    result: ir_types.Type = ir_types.UNKNOWN
    #: Variables of the method that are never negative (:func:`bridge.port.ir.ranges.nonnegative_names`).
    nonnegative: frozenset[str] = frozenset()

    # -- Recursion -----------------------------------------------------------------------------------------------------

    def expression(self, node: ir.Expression) -> tree.Expression:
        """Return an expression in C#."""
        return self.lower_expression(self, node)

    def expressions(self, nodes: Sequence[ir.Expression]) -> tuple[tree.Expression, ...]:
        """Return several."""
        return tuple(map(self.expression, nodes))

    def statements(self, nodes: Sequence[ir.Statement]) -> tuple[tree.Statement, ...]:
        """Return statements in C#."""
        return self.lower_statements(self, nodes)

    def type_of(self, found: ir_types.Type, origin: ir.Origin = _NOWHERE) -> tree.Type:
        """Return a type in C#. Raises Untranslatable where no run showed it."""
        return csharp_type(found, self.module_type, origin)

    # -- Names ---------------------------------------------------------------------------------------------------------

    def class_name(self, kind: type) -> str:
        """Return the name of a class of the model's, or of a layer of TorchSharp's."""
        if kind in self.classes:
            return self.classes[kind]
        return "Linear" if kind is nn.modules.linear.NonDynamicallyQuantizableLinear else kind.__name__.lstrip("_")

    def module_type(self, kind: type) -> tree.Type:
        """Return the type of a module; of one of several classes that are called at one place, what they have in common."""
        if kind in self.module_types:
            return self.module_types[kind]
        if kind is nn.Module:
            return tree.Type("Module", (TENSOR, TENSOR))
        return tree.Type("Module" if kind is object else self.class_name(kind))

    def function_name(self, function: FunctionType, origin: ir.Origin = _NOWHERE) -> tree.Expression:
        """Return the name by which a function that is no method is called: ``Functions.name``. Raises Untranslatable."""
        if function not in self.functions:
            raise Untranslatable(origin, f"the function {function.__qualname__}, which has no translation")
        return self.functions[function]

    def method_name(self, function: FunctionType) -> str:
        """Return the name of a method of the model's."""
        return self.methods.get(function) or function.__name__

    def field_name(self, name: str) -> tree.Expression:
        """Return a field of the module itself; with ``this`` where a variable of the method hides it."""
        if name in self.fields:
            return self.fields[name]
        hidden = name in self.names or name in PREDEFINED
        return tree.Member(tree.Name("this"), name) if hidden else tree.Name(name)

    def fresh(self, name: str) -> str:
        """Return a name that nothing else in the method has, and take it."""
        found = unique(name, self.names)
        self.names.add(found)
        return found

    # -- Helpers -------------------------------------------------------------------------------------------------------

    def helper(self, name: str, *arguments: tree.Expression, types: tuple[tree.Type, ...] = ()) -> tree.Call:
        """Return a call of a helper of PythonMath (:mod:`bridge.port.csharp.helpers`), which the project is given for it."""
        self.helpers.add(name)
        function = tree.Member(tree.Name("PythonMath"), name)
        return tree.Call(function, tuple(map(tree.Argument, arguments)), types)
