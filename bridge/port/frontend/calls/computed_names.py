"""Attributes whose names are computed: ``getattr(self, f"{kind}_scale")`` is one of the attributes of that form, chosen by ``kind``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch import nn

from bridge.port.frontend import attributes
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import convert, is_read
from bridge.port.ir.nodes import Compare, Conditional, Expression, Literal, UnsupportedValue
from bridge.port.ir.types import BOOL, STR, UNKNOWN, join, required


def lower(context: Context, node: ast.Call) -> Expression | None:
    """Lower ``getattr(self, f"{kind}_scale")`` as a choice of the attributes that all instances have; None for another call.

    C# throws for another ``kind``.
    """
    form = node.args[1]
    if context.surroundings.constructs or len(node.args) != 2 or not isinstance(form, ast.JoinedStr):
        return None
    parts = [one for one in form.values if isinstance(one, ast.FormattedValue)]
    if len(parts) != 1 or parts[0].conversion != -1 or parts[0].format_spec is not None:
        return None
    kind = context.expression(parts[0].value)
    if required(kind.type) != STR or not is_read(kind):
        return None
    place = form.values.index(parts[0])
    before, after = _text(form.values[:place]), _text(form.values[place + 1 :])
    known = {
        text: attributes.of_self(context, node, f"{before}{text}{after}")
        for text in _parts(context, node.args[0], before, after)
    }
    return _choice(context, node, kind, known) if known else None


def _choice(context: Context, node: ast.Call, kind: Expression, known: dict[str, Expression]) -> Expression:
    origin = context.origin(node)
    found = join(one.type for one in known.values())
    if found is None or found == UNKNOWN:
        context.fail(node, f"'{ast.unparse(node)}', of several types")
    made: Expression = UnsupportedValue(
        f"another attribute than those of {', '.join(known)}", type=found, origin=origin
    )
    for text, value in reversed(known.items()):
        wanted = Literal(text, type=STR, origin=origin)
        test = Compare("==", kind, wanted, type=BOOL, origin=origin)
        made = Conditional(test, convert(value, found), made, type=found, origin=origin)
    return made


def _text(values: list[ast.expr]) -> str:
    return "".join(str(one.value) for one in values if isinstance(one, ast.Constant))


def _parts(context: Context, owner: ast.expr, before: str, after: str) -> Iterator[str]:
    """Yield what stands between ``before`` and ``after`` in the names of attributes that all instances of the class have."""
    if not isinstance(owner, ast.Name) or owner.id != context.receiver:
        return
    modules = [one for one in context.observation(owner).values if isinstance(one, nn.Module)]
    for name in dict.fromkeys(
        name for one in modules for names in (vars(one), one._parameters, one._buffers, one._modules) for name in names
    ):
        middle = name[len(before) : len(name) - len(after)]
        if middle and name == f"{before}{middle}{after}" and context.surroundings.has(name):
            yield middle
