"""Forwards that only choose a function by the settings of the module, and call that with their arguments."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterable
from typing import Any

from torch import nn

from bridge.port.observe.modules import forward_of

_CHOOSES = "def forward(self, *args, **kwargs):\n    chosen = value\n    return chosen(self, *args, **kwargs)"


def dispatched(modules: Iterable[nn.Module]) -> dict[type[nn.Module], types.FunctionType]:
    """Return, by class, the function that the forward of all its modules chooses, for classes whose forward does nothing else."""
    found: dict[type[nn.Module], set[Any]] = {}
    for module in modules:
        found.setdefault(type(module), set()).add(_chosen(module))
    functions = {kind: only for kind, (only, *others) in found.items() if not others}
    return {kind: one for kind, one in functions.items() if isinstance(one, types.FunctionType)}


def _chosen(module: nn.Module) -> Any:
    """Return the function that a module's forward chooses; None for another forward, or for the function that the forward wraps."""
    forward = forward_of(type(module))
    value = _choice(forward) if hasattr(forward, "__wrapped__") and isinstance(forward, types.FunctionType) else None
    if value is None or not isinstance(forward, types.FunctionType):
        return None
    cells = zip(forward.__code__.co_freevars, forward.__closure__ or (), strict=True)
    space = {**forward.__globals__, **{name: cell.cell_contents for name, cell in cells}, "self": module}
    chosen = eval(
        compile(ast.fix_missing_locations(ast.Expression(value)), "<forward>", "eval"), space
    )  # the model's own code
    return None if chosen is inspect.unwrap(forward) else chosen


def _choice(forward: types.FunctionType) -> ast.expr | None:
    """Return the expression whose value a forward calls with its own arguments; None for a forward that does anything else."""
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getsourcelines(forward.__code__)[0]))).body[0]
    except (OSError, SyntaxError):
        return None
    if not isinstance(tree, ast.FunctionDef) or not isinstance(first := tree.body[0], ast.Assign):
        return None
    value, target = first.value, first.targets[0]
    first.value, tree.decorator_list = ast.Name("value", ast.Load()), []
    if not isinstance(target, ast.Name):
        return None
    plain = _CHOOSES.replace("chosen", target.id)
    return value if ast.unparse(tree) == plain else None
