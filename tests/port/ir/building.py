"""Short ways to write IR by hand, and to show it as lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Argument, Expression, Function, Literal, Local, LocalTarget, Node, Parameter, Statement
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, STR, TENSOR, Type

_KINDS: dict[type, Type] = {bool: BOOL, int: INT, float: FLOAT, str: STR, type(None): NONE}


def lit(value: Any, name: str = "") -> Literal:
    """Return a literal of the value's type."""
    return Literal(value, name, type=_KINDS[type(value)])


def var(name: str, kind: Type = INT) -> Local:
    """Return a variable that is read."""
    return Local(name, type=kind)


def field(name: str, kind: Type = TENSOR) -> nodes.Field:
    """Return an attribute of the module."""
    return nodes.Field(name, type=kind)


def put(name: str, value: Expression, kind: Type | None = None) -> nodes.Assign:
    """Return ``name = value``."""
    return nodes.Assign(LocalTarget(name, kind or value.type), value)


def op(operator: str, left: Expression, right: Expression, kind: Type | None = None) -> nodes.Binary:
    """Return ``left operator right``."""
    return nodes.Binary(operator, left, right, type=kind or left.type)


def compare(operator: str, left: Expression, right: Expression) -> nodes.Compare:
    """Return a comparison of two values."""
    return nodes.Compare(operator, left, right, type=BOOL)


def call(function: Any, receiver: Expression, *arguments: Argument) -> nodes.TorchCall:
    """Return a call of a tensor's method."""
    return nodes.TorchCall(function, receiver, arguments, type=TENSOR)


def relu(value: Expression) -> nodes.TorchCall:
    """Return a call that changes nothing."""
    return call(torch.Tensor.relu, value)


def back(value: Expression) -> nodes.Return:
    """Return ``return value``."""
    return nodes.Return(value)


def function(*body: Statement, parameters: dict[str, Type] | None = None) -> Function:
    """Return a function of these statements."""
    given = tuple(Parameter(name, kind) for name, kind in (parameters or {"x": TENSOR}).items())
    return Function("forward", given, TENSOR, body)


def shown(node: Any) -> str:
    """Return the expression or target as Python would write it, with ``var`` where a name is declared."""
    rule = _SHOWN.get(type(node))
    return rule(node) if rule is not None else type(node).__name__


def lines(found: Function | tuple[Statement, ...], depth: int = 0) -> list[str]:
    """Return the statements as lines, indented by two spaces a block."""
    made: list[str] = []
    for one in found.body if isinstance(found, Function) else found:
        made.append("  " * depth + shown(one))
        for part in ("body", "other"):
            if block := getattr(one, part, ()):
                made += ["  " * depth + "else"] if part == "other" else []
                made += lines(block, depth + 1)
    return made


def _listed(found: Iterable[Node]) -> str:
    return ", ".join(map(shown, found))


def _target(node: nodes.LocalTarget) -> str:
    return f"{'var ' if node.declares else ''}{node.name}"


_SHOWN: dict[type[Node], Any] = {
    Literal: lambda node: repr(node.value),
    Local: lambda node: node.name,
    nodes.Field: lambda node: f"self.{node.name}",
    nodes.Binary: lambda node: f"({shown(node.left)} {node.operator} {shown(node.right)})",
    nodes.Unary: lambda node: f"{node.operator}{shown(node.operand)}",
    nodes.Compare: lambda node: f"({shown(node.left)} {node.operator} {shown(node.right)})",
    nodes.Truth: lambda node: f"bool({shown(node.value)})",
    nodes.Not: lambda node: f"not {shown(node.value)}",
    nodes.Logical: lambda node: f"({f' {node.operator} '.join(map(shown, node.values))})",
    nodes.Conditional: lambda node: f"({shown(node.body)} if {shown(node.test)} else {shown(node.other)})",
    nodes.Bind: lambda node: f"({node.name} := {shown(node.value)})",
    nodes.Convert: lambda node: f"{node.type}({shown(node.value)})",
    nodes.TorchCall: lambda node: f"{shown(node.receiver)}.{node.function.__name__}({_listed(one.value for one in node.arguments)})",
    nodes.BuiltinCall: lambda node: f"{node.name}({', '.join(map(shown, node.arguments))})",
    nodes.ContainerCall: lambda node: f"{shown(node.value)}.{node.name}({', '.join(map(shown, node.arguments))})",
    nodes.Lambda: lambda node: f"lambda {', '.join(node.parameters)}: {shown(node.body)}",
    LocalTarget: _target,
    nodes.TupleTarget: lambda node: f"({', '.join(map(shown, node.items))})",
    nodes.PlaceTarget: lambda node: shown(node.place),
    nodes.Assign: lambda node: f"{shown(node.target)} = {shown(node.value)}",
    nodes.Augment: lambda node: f"{shown(node.target)} {node.operator}= {shown(node.value)}",
    nodes.Declare: lambda node: f"declare {node.name}: {node.type}{'' if node.settled else ' = default'}",
    nodes.Evaluate: lambda node: shown(node.value),
    nodes.If: lambda node: f"if {shown(node.test)}",
    nodes.While: lambda node: f"while {shown(node.test)}",
    nodes.For: lambda node: f"for {shown(node.target)} in {shown(node.source)}",
    nodes.CountingLoop: lambda node: f"count {node.name} from {shown(node.start)} to {shown(node.stop)} by {node.step}",
    nodes.Return: lambda node: f"return {shown(node.value)}",
    nodes.Note: lambda node: f"# {node.text}",
}  # fmt: skip
