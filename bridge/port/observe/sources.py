"""The source of functions as trees: below their decorators, with mangled names, without memos."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Iterable, Sequence
from typing import Any, Final

from torch import nn

from bridge.port.observe.decorators import apply_decorators, find_wrappers
from bridge.port.observe.memos import remove_memos
from bridge.port.observe.observations import Method

#: Where nodes have a name that is private to a class.
_NAMES: Final = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg"}


def unwrap(value: Any) -> Any:
    """Return the function whose source runs: that below the decorators which name it by ``functools.wraps``."""
    function = value.__func__ if isinstance(value, types.MethodType) else value
    return inspect.unwrap(function) if isinstance(function, types.FunctionType) else function


def is_method(kind: type, function: Any) -> bool:
    """Return whether a class has the function as a method or property of its name, below its decorators."""
    owner, name = _owner(str(getattr(function, "__qualname__", ""))), str(getattr(function, "__name__", ""))
    found = inspect.getattr_static(kind, _mangled(name, owner), None)
    if isinstance(found, staticmethod):
        return False
    found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
    return unwrap(found) is function


def is_foreign(function: types.FunctionType) -> bool:
    """Return whether a function is of PyTorch, NumPy or Python's library."""
    name = (function.__module__ or "").partition(".")[0]
    return name in ("torch", "numpy") or name in sys.stdlib_module_names


def read_method(value: Any, instances: Sequence[nn.Module] = ()) -> Method | None:
    """Return a function with its tree, without observations; None without a source.

    Decorators that only switch gradients off or on are ``with`` statements in the tree; others that wrap the function are named.
    ``instances`` are the modules whose method it is; for a bound method, its own.
    """
    function = unwrap(value)
    try:
        lines, line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(tree, ast.FunctionDef) or not isinstance(function, types.FunctionType):
        return None
    owner = getattr(value, "__self__", None)
    decorators = apply_decorators(tree, value, instances or ([owner] if isinstance(owner, nn.Module) else []))
    _mangle(tree, function.__qualname__)
    return Method(
        function, remove_memos(tree), inspect.getsourcefile(function) or "", line, {}, decorators=tuple(decorators)
    )


def name_decorators(value: Any) -> tuple[str, ...]:
    """Return the names of the decorators that change what a function does, the outermost first."""
    method = read_method(value) if find_wrappers(value) else None
    return method.decorators if method is not None else ()


def build_function(name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """Return the tree of a function with these parameters and statements."""
    arguments = ast.arguments([], [ast.arg(one) for one in parameters], None, [], [], None, [])
    tree = ast.FunctionDef(name, arguments, body, [], None)
    if sys.version_info >= (3, 12):
        tree.type_params = []  # 3.12 fills in none
    return tree


def _mangle(tree: ast.FunctionDef, qualified: str) -> None:
    """Write private names as the compiler does within the class: ``self.__scale`` as ``self._Net__scale``."""
    for part in (tree.args, *tree.body):
        _Mangling(_owner(qualified)).visit(part)


def _owner(qualified: str) -> str:
    """Return the class of a qualified name without leading underscores; empty for a function that is in no class."""
    owner = qualified.rpartition(".")[0].rpartition(".")[2]
    return "" if owner == "<locals>" else owner.lstrip("_")


def _mangled(name: str, owner: str) -> str:
    """Return the name that a class without leading underscores has for one of its names."""
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name


class _Mangling(ast.NodeVisitor):
    """Renames private names, except within a class of their own."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def visit(self, node: ast.AST) -> None:
        """Rename in a node and those below it."""
        if isinstance(node, ast.ClassDef):
            return
        attribute = _NAMES.get(type(node), "")
        if isinstance(name := getattr(node, attribute, None), str):
            setattr(node, attribute, _mangled(name, self._owner))
        self.generic_visit(node)
