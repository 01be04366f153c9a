"""``with`` statements and decorators that set a mode of gradients, or that do not affect values."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Final

import torch

from bridge.port.frontend.context import Context
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import GradientMode, Literal, Statement

_MODES: Final[dict[Any, str]] = {
    torch.no_grad: "no_grad",
    torch.enable_grad: "enable_grad",
    torch.inference_mode: "inference_mode",
}
#: Contexts of automatic mixed precision, which a port does not have; with ``enabled=False`` they have no effect.
_AUTOCASTS: Final = (torch.autocast, torch.amp.autocast, torch.cuda.amp.autocast)


def lower_with(context: Context, node: ast.With) -> tuple[Statement, ...]:
    """Lower ``with torch.no_grad():`` and other modes of gradients; a context that has no effect is left out."""
    modes = [_mode(context, one) for one in node.items]
    body = context.statements(node.body)
    for mode in reversed(modes):
        body = within(mode, body, context, node)
    return body


def within(mode: str, body: Sequence[Statement], context: Context, node: ast.AST) -> tuple[Statement, ...]:
    """Return the statements within a mode of gradients; unchanged if ``mode`` is empty."""
    return (GradientMode(mode, tuple(body), origin=context.origin(node)),) if mode else tuple(body)


def _mode(context: Context, item: ast.withitem) -> str:
    call = item.context_expr
    callee = context.static(call.func) if isinstance(call, ast.Call) else None
    if isinstance(call, ast.Call) and item.optional_vars is None:
        if callee in _MODES and not call.args and not call.keywords:
            return _MODES[callee]
        if callee is torch.set_grad_enabled and len(call.args) == 1:
            given = context.expression(call.args[0])
            if isinstance(given, Literal):
                return "enable_grad" if given.value else "no_grad"
        if (callee in _AUTOCASTS or _may_autocast(callee)) and _is_off(context, call):
            return ""
        if callee is torch.autograd.profiler.record_function:
            return ""
    raise Untranslatable(context.origin(item.context_expr), f"'with {ast.unparse(item)}'")


def _may_autocast(callee: Any) -> bool:
    """Return whether a function is the one of transformers that enters ``torch.autocast`` or no context."""
    of_transformers = str(getattr(callee, "__module__", "")).startswith("transformers.")
    return of_transformers and getattr(callee, "__name__", "") == "maybe_autocast"


def _is_off(context: Context, call: ast.Call) -> bool:
    given = [context.expression(one.value) for one in call.keywords if one.arg == "enabled"]
    return bool(given) and isinstance(given[0], Literal) and given[0].value is False
