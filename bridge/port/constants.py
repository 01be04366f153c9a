"""What an expression of Python is where that follows from how the model was made, so that C# need not compute it."""

from __future__ import annotations

import ast
import math
import operator
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

import torch
from torch import nn

from bridge.port import folded
from bridge.port.csharp_types import Untranslatable, csharp_type
from bridge.port.members import Argument, Constant, Keyed, Text, literal
from bridge.port.watched import Method, Seen

_TRACING: Final = frozenset(
    {
        "is_scripting",
        "is_tracing",
        "is_compiling",
        "is_exporting",
        "has_torch_function",
        "has_torch_function_unary",
        "has_torch_function_variadic",
    }
)
_COMPUTED: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_NOTHING: Final = object()


class Constants:
    """What is known of the expressions of one function.

    ``attribute`` gives what ``self.name`` is: a field, or a constant; ``function`` the C# name of another function of the model's source.
    ``names`` are the variables, ``self`` is the name of the first parameter of a method, or of a function that is ``bound``: one that gets
    the module as its first argument. ``methods`` are all functions that were watched.
    """

    def __init__(
        self,
        method: Method,
        attribute: Callable[[ast.Attribute], Argument],
        function: Callable[..., str],
        methods: Mapping[types.FunctionType, Method] | None = None,
        bound: bool = False,
    ) -> None:
        self.method = method
        self.methods = methods or {}
        self.attribute = attribute
        self.function = function
        #: What stands for a number of a graph that differs from instance to instance.
        self.standing: dict[ast.expr, Text] = {}
        self.names: dict[str, Text | Constant | Keyed] = {}
        self.after: list[str] = []
        #: What may be null, and is known not to be here.
        self.there: set[str] = set()
        #: The C# type of a module of the model; what another class calls a method of one of its modules.
        self.type_of_module: Callable[[nn.Module], str] = lambda module: type(module).__name__
        #: The name of an attribute that a method sets.
        self.keep: Callable[[ast.Attribute, Text], str] = _kept_nowhere
        self.elsewhere: Callable[[type, types.FunctionType], str | None] = lambda kind, function: None
        first = method.tree.args.args[:1]
        self.self = first[0].arg if first and (bound or first[0].arg == "self") else ""

    # -- What was seen --------------------------------------------------------------------------------------------------

    def seen(self, node: ast.expr) -> Seen:
        return self.method.seen.get(node) or Seen()

    def type(self, node: ast.expr) -> str:
        """The C# type of what the expression was."""
        seen = self.seen(node)
        kinds = seen.types - {"NoneType"}
        if not kinds:
            raise Untranslatable(node, f"'{ast.unparse(node)}' was never reached in the run that was watched")
        if "Tensor" in kinds and len(kinds) > 1:
            return "object"
        found = csharp_type(seen.sample, node) if seen.sample is not None else "object"
        return found + ("?" if "NoneType" in seen.types else "")

    def receiver(self, text: Text) -> str:
        """What a member is asked of; with the mark that it is there where the compiler cannot know it."""
        word = text.at(16)
        return f"{word}!" if text.type.endswith("?") and word not in self.there else word

    def known_type(self, text: Text) -> str:
        """The type of what is not null here, if that is known."""
        return text.type.removesuffix("?") if text.code in self.there else text.type

    # -- Constants ------------------------------------------------------------------------------------------------------

    def constant(self, node: ast.expr) -> Constant | None:
        """What the expression is where that follows from how the model is made; else None."""
        if isinstance(node, ast.Constant):
            return None if node in self.standing else Constant(node.value)
        if isinstance(node, ast.Name):
            known = self.names.get(node.id)
            if isinstance(known, Keyed):
                fixed = {name: one.value for name, one in known.items.items() if isinstance(one, Constant)}
                return Constant(fixed) if len(fixed) == len(known.items) else None
            if known is not None or node.id in self.assigned:
                return known if isinstance(known, Constant) else None
            value = self.method.function.__globals__.get(node.id, self._closed_over.get(node.id, _NOTHING))
            return Constant(value) if isinstance(value, (bool, int, float, str, torch.dtype, type(None))) else None
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == self.self and self.self:
                if node.attr == "training":
                    return None
                found = self.attribute(node)
                return found if isinstance(found, Constant) else None
            if (setting := folded.attribute(self, node)) is not None:
                return setting
            owner = self.method.function.__globals__.get(node.value.id) if isinstance(node.value, ast.Name) else None
            value = (
                getattr(owner, node.attr, _NOTHING) if isinstance(owner, types.ModuleType) else _NOTHING
            )  # math.pi, torch.float32
            if value is math.pi:
                return Constant(math.pi, "Math.PI")
            return Constant(value) if isinstance(value, (torch.dtype, bool, int, float, str)) else None
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not) and (true := self.tested(node.operand)) is not None:
                return Constant(not true)
            inner = self.constant(node.operand)
            if inner is None:
                return None
            return Constant(
                not inner.value
                if isinstance(node.op, ast.Not)
                else -inner.value
                if isinstance(node.op, ast.USub)
                else inner.value
            )
        if isinstance(node, ast.BoolOp):
            return self._bool(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self.constant(node.left), self.constant(node.comparators[0])
            if left is not None and right is not None:
                return Constant(_compare(node.ops[0], left.value, right.value))
            if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and right is not None and right.value is None:
                return self._never_none(node)
            return folded.other(self, node)
        if isinstance(node, ast.BinOp):
            left, right = self.constant(node.left), self.constant(node.right)
            if left is not None and right is not None and not isinstance(left.value, str):
                with suppress(KeyError, TypeError, ValueError, ArithmeticError):  # what raises is no constant
                    return Constant(_COMPUTED[type(node.op)](left.value, right.value))
            return None
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
            items = [self.constant(one) for one in node.elts]
            return Constant(tuple(one.value for one in items if one is not None)) if None not in items else None
        if isinstance(node, ast.IfExp):
            test, body, other = self.constant(node.test), self.constant(node.body), self.constant(node.orelse)
            return (body if test.value else other) if test is not None else body if body == other else None
        if isinstance(node, ast.Call):
            return self._constant_call(node)
        return folded.other(self, node)

    def tested(self, node: ast.expr) -> bool | None:
        """What a child of the module is, if it is tested: true, where each instance has it and it has no length; else None."""
        seen = self.seen(node)
        modules = [one for one in seen.values if isinstance(one, nn.Module)]
        plain = (
            bool(modules) and len(modules) == len(seen.values) and not any(hasattr(one, "__len__") for one in modules)
        )
        if not plain or not isinstance(node, ast.Attribute):
            return None
        try:
            found = self.attribute(node) if isinstance(node.value, ast.Name) and node.value.id == self.self else None
        except Untranslatable:
            return None
        return True if isinstance(found, Text) and not found.type.endswith("?") else None

    def _constant_call(self, node: ast.Call) -> Constant | None:
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        if name in _TRACING:
            return Constant(False)
        if name in ("float", "int") and len(node.args) == 1 and (inner := self.constant(node.args[0])) is not None:
            return Constant({"float": float, "int": int}[name](inner.value))
        if (found := folded.call(self, node, name)) is not None:
            return found
        seen = self.seen(node)
        if name in ("isinstance", "hasattr", "callable") and len(seen.truths) == 1:
            return Constant(next(iter(seen.truths)))
        return None

    def _bool(self, node: ast.BoolOp) -> Constant | None:
        unknown = False
        for value in node.values:
            found = self.constant(value)
            if found is None:
                unknown = True
            elif bool(found.value) == isinstance(node.op, ast.Or):
                return Constant(bool(found.value) if unknown else found.value)
        return None if unknown else found

    def _never_none(self, node: ast.Compare) -> Constant | None:
        """``x is None`` where x is a tensor that was never None, or always; or a field that no instance lacks."""
        if isinstance(node.left, ast.Attribute) and isinstance(node.left.value, ast.Name) and self.self:
            if node.left.value.id == self.self and node.left.attr != "training":
                found = self.attribute(node.left)
                if isinstance(found, Text) and not found.type.endswith("?"):
                    return Constant(isinstance(node.ops[0], ast.IsNot))
            return None
        kinds = self.seen(node.left).types
        if isinstance(node.left, ast.Name) and kinds and ("NoneType" not in kinds or kinds == {"NoneType"}):
            return Constant(("NoneType" in kinds) == isinstance(node.ops[0], ast.Is))
        return None

    @property
    def _closed_over(self) -> Mapping[str, Any]:
        """What the function has of the function around it."""
        function = self.method.function
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        return {name: cell.cell_contents for name, cell in cells if name != "__class__"}

    @property
    def assigned(self) -> frozenset[str]:
        """The variables of the function, parameters among them."""
        return _names_assigned(self.method.tree)


def _kept_nowhere(node: ast.Attribute, value: Text) -> str:
    raise Untranslatable(node, f"an assignment to '{ast.unparse(node)}'")


def written(found: Constant, node: ast.expr) -> Text:
    """A constant that stands for itself. Raises Untranslatable."""
    if (named := found.named) is not None:
        return named
    value = found.value
    types_ = {bool: "bool", int: "long", float: "double", str: "string", torch.dtype: "ScalarType"}
    if value is None:
        return Text("null", "null")
    type_ = types_.get(type(value))
    if type_ is None and isinstance(value, (tuple, list)) and all(isinstance(one, int) for one in value):
        type_ = "long[]"
    if isinstance(value, (tuple, list)) and value and all(isinstance(one, str) for one in value):
        return Text(f"new[] {{ {', '.join(str(literal(one, 'string')) for one in value)} }}", "string[]")
    code = literal(value, type_) if type_ else None
    if code is None or type_ is None:
        raise Untranslatable(node, f"the value {value!r}")
    return Text(code, type_, 14 if code.startswith("-") else 16)


def _compare(op: ast.cmpop, left: Any, right: Any) -> bool:
    if isinstance(op, (ast.Is, ast.IsNot)):
        return (left is right) == isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        return (left in right) == isinstance(op, ast.In)
    names = {
        ast.Lt: "__lt__",
        ast.LtE: "__le__",
        ast.Gt: "__gt__",
        ast.GtE: "__ge__",
        ast.Eq: "__eq__",
        ast.NotEq: "__ne__",
    }
    return bool(getattr(left, names[type(op)])(right))


@cache
def _names_assigned(tree: ast.FunctionDef) -> frozenset[str]:
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(stored | {one.arg for one in (*tree.args.args, *tree.args.kwonlyargs)})
