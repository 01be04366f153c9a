"""Strings formatted by ``str.format`` or ``%``: lowered as an f-string with the same values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from enum import Enum
from string import Formatter
from typing import Final

from bridge.port.frontend.context import Context
from bridge.port.ir.nodes import Expression, Format, Literal, TupleLiteral
from bridge.port.ir.types import INT, STR, is_number

_PERCENT: Final = re.compile(r"%(?:%|(\d*)(\.\d+)?([sdif]))")


def check_texts(context: Context, nodes: Iterable[ast.expr]) -> None:
    """Raise Untranslatable if a value that becomes text was a member of an enumeration: C# has its value, which has another text."""
    for node in nodes:
        for value in context.observation(node).values:
            if isinstance(value, Enum) and str(value) != str(value.value):
                context.fail(node, f"the text of {value!r}, for which C# has its value: '{ast.unparse(node)}'")


def lower_method(context: Context, node: ast.Call, text: str) -> Expression:
    """Lower ``"{} of {:.2f}".format(a, b)``."""
    check_texts(context, (*node.args, *(one.value for one in node.keywords)))
    places = [context.expression(one) for one in node.args]
    named = {one.arg: context.expression(one.value) for one in node.keywords}
    parts: list[Expression] = []
    formats: list[str] = []
    count = 0
    for word, name, form, conversion in Formatter().parse(text):
        if word:
            _add(parts, formats, Literal(word, type=STR, origin=context.origin(node)), "")
        if name is None:
            continue
        key = name or str(count)
        count += 1
        number = int(key) if key.isdigit() else -1
        value = named.get(key) if number < 0 else places[number] if number < len(places) else None
        if value is None or conversion not in (None, "s") or "{" in (form or ""):
            context.fail(node, f"the format of '{ast.unparse(node)}'")
        _add(parts, formats, value, form or "")
    return Format(tuple(parts), tuple(formats), type=STR, origin=context.origin(node))


def lower_percent(context: Context, node: ast.AST, text: str, value: Expression) -> Expression:
    """Lower ``"%s of %.2f" % (a, b)``."""
    values = list(value.items) if isinstance(value, TupleLiteral) else [value]
    parts: list[Expression] = []
    formats: list[str] = []
    end = 0
    for found in _PERCENT.finditer(text):
        _add(parts, formats, Literal(text[end : found.start()], type=STR), "")
        end = found.end()
        if found.group() == "%%":
            _add(parts, formats, Literal("%", type=STR), "")
            continue
        width, digits, kind = found.groups()
        one = values.pop(0) if values else None
        fits = isinstance(one, Expression) and _fits(one, kind, f"{width}{digits or ''}")
        if not fits or not isinstance(one, Expression):
            context.fail(node, f"the format '{found.group()}' in '{ast.unparse(node)}'")
        _add(parts, formats, one, f"{digits or '.6'}f" if kind == "f" else "")
    if values or "%" in _PERCENT.sub("", text):
        context.fail(node, f"the format of '{ast.unparse(node)}'")
    _add(parts, formats, Literal(text[end:], type=STR), "")
    return Format(tuple(parts), tuple(formats), type=STR, origin=context.origin(node))


def _fits(value: Expression, kind: str, form: str) -> bool:
    """Return whether an f-string formats a value as ``%`` does: ``%s``, ``%d`` of an int, or ``%f`` of a number, each without a width."""
    if kind == "f":
        return is_number(value.type) and not form.split(".")[0]
    return not form and (kind == "s" or value.type == INT)


def _add(parts: list[Expression], formats: list[str], value: Expression, form: str) -> None:
    if not isinstance(value, Literal) or value.value != "":
        parts.append(value)
        formats.append(form)
