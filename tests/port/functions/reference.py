"""Drawn functions in Python: the result of each call, and whether its integers stay within 64 bits."""

from __future__ import annotations

import ast
import contextlib
import copy
import gc
import signal
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import torch

from tests.port.functions.drawing import Arguments, Drawn
from tests.port.functions.values import is_wide, shown

#: The text of a call that raises.
RAISES: Final = "raises"
#: How long a call may take of the processor: a drawn loop may grow the list over which it goes.
_SECONDS: Final = 0.5


class Endless(BaseException):
    """A call took too long."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Stop with Endless after some time; it is no Exception, so that nothing but :func:`call` catches it."""

    def stop(*_: object) -> None:
        raise Endless

    gc.disable()  # what is raised in a callback of its is lost
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()


def call(function: Callable[..., Any], arguments: Arguments, kind: str = "", kinds: Sequence[str] = ()) -> str:
    """Return the text of a call's result and of its arguments after it, ``raises``, or nothing where it does not end.

    ``kind`` and ``kinds`` are the declared types of the result and of the parameters.
    """
    given = copy.deepcopy(arguments)
    try:
        with limited(), torch.no_grad():
            result = function(*given)
    except Endless:
        return ""
    except Exception:  # whatever a drawn function raises
        return RAISES
    kinds = kinds or [""] * len(given)
    return f"{shown(result, kind)} <- {', '.join(map(shown, given, kinds))}"


def is_wide_within(drawn: Drawn, arguments: Arguments) -> bool:
    """Return whether an integer has more than 64 bits at any time of a call, where C# must throw."""
    tree = _Recording().visit(ast.parse(drawn.source))
    found: list[bool] = []

    def saw(value: Any) -> Any:
        found.append(is_wide(value))
        return value

    space: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor, "_saw": saw}
    exec(compile(ast.fix_missing_locations(tree), "<drawn>", "exec"), space)
    (function,) = (one for one in space.values() if isinstance(one, types.FunctionType) and one is not saw)
    call(function, arguments)
    return any(found)


class _Recording(ast.NodeTransformer):
    """Passes each value that is read to ``_saw``, and variables that are changed in place."""

    def visit(self, node: ast.AST) -> Any:
        """Return the node, recorded where it is a value."""
        made = self.generic_visit(node)
        if isinstance(made, ast.AugAssign):
            target = copy.deepcopy(made.target)
            target.ctx = ast.Load()
            return [made, ast.Expr(_seen(target))]
        is_read = isinstance(getattr(made, "ctx", ast.Load()), ast.Load)
        inert = isinstance(made, (ast.JoinedStr, ast.FormattedValue, ast.Slice, ast.Starred))
        return _seen(made) if isinstance(made, ast.expr) and is_read and not inert else made


def _seen(node: ast.expr) -> ast.Call:
    return ast.Call(ast.Name("_saw", ast.Load()), [node], [])
