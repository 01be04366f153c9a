"""Assignments to buffers in a forward, for which C# keeps the buffer and changes its elements."""

from __future__ import annotations

import ast

from bridge.port.frontend.context import Context
from bridge.port.ir.nodes import Binary, Expression, Field, ReplaceBuffer
from bridge.port.ir.types import TENSOR


def replaced(context: Context, node: ast.expr, value: Expression) -> ReplaceBuffer | None:
    """Lower ``self.buffer = a * self.buffer + b``; None for another target.

    The buffer is changed in place, so that ``value`` has to be a new tensor, and no variable may still hold the buffer as it was.
    """
    own = (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == context.receiver != ""
    )
    if not own or not isinstance(node, ast.Attribute) or not context.surroundings.is_buffer(node.attr):
        return None
    if value.type != TENSOR or not isinstance(value, Binary):
        context.fail(
            node, f"an assignment to self.{node.attr}, which is a buffer, of a value that is no result of arithmetic"
        )
    place = context.surroundings.field(node.attr, context.origin(node))
    for method in context.surroundings.methods.values():
        if not isinstance(place, Field) or not _is_operand(method.tree, node.attr):
            context.fail(
                node, f"an assignment to self.{node.attr}, which is a buffer that is read outside of arithmetic"
            )
    assert isinstance(place, Field)
    return ReplaceBuffer(place, value, origin=context.origin(node))


def _is_operand(tree: ast.FunctionDef, name: str) -> bool:
    """Return whether each read of an attribute is an operand, whose result is another tensor."""
    return all(
        isinstance(parent, ast.BinOp) or (isinstance(parent, ast.Call) and parent.func is child)  # a method of the name
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if isinstance(child, ast.Attribute) and child.attr == name and isinstance(child.ctx, ast.Load)
    )
