"""The source of functions as syntax trees, with mangled names, and without memos (:mod:`bridge.port.observe.memos`)."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Iterable, Sequence
from typing import Any, Final

from torch import nn

from bridge.port.observe.decorators import apply_decorators, find_wrappers
from bridge.port.observe.memos import remove_memos
from bridge.port.observe.observations import Method

#: For each class of nodes whose name may be private to a class, the attribute that holds the name.
_NAMES: Final = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg"}


def unwrap(value: Any) -> Any:
    """Return the innermost function, without the decorators that wrap it by ``functools.wraps``."""
    function = value.__func__ if isinstance(value, types.MethodType) else value
    return inspect.unwrap(function) if isinstance(function, types.FunctionType) else function


def is_method(kind: type, function: Any) -> bool:
    """Return whether the function, without its decorators, is the method or property of that name in a class."""
    owner, name = _owner(str(getattr(function, "__qualname__", ""))), str(getattr(function, "__name__", ""))
    found = inspect.getattr_static(kind, _mangled(name, owner), None)
    if isinstance(found, staticmethod):
        return False
    found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
    return unwrap(found) is function


def is_foreign(function: types.FunctionType) -> bool:
    """Return whether a function belongs to PyTorch, NumPy or Python's standard library."""
    name = (function.__module__ or "").partition(".")[0]
    return name in ("torch", "numpy") or name in sys.stdlib_module_names


def read_method(value: Any, instances: Sequence[nn.Module] = ()) -> Method | None:
    """Return a function with its tree, without observations; None if its source cannot be read.

    Decorators that only switch gradients off or on become ``with`` statements in the tree; the names of others that change what the
    function does are in ``decorators``. ``instances`` are the modules that have the method; if empty, a bound method's own module is used.
    """
    function = unwrap(value)
    try:
        lines, line = inspect.getsourcelines(function)
        tree = parsed("".join(lines))
    except (OSError, TypeError, SyntaxError):  # the lines of a lambda may be part of a longer expression
        return None
    if not isinstance(tree, ast.FunctionDef) or not isinstance(function, types.FunctionType):
        return None
    owner = getattr(value, "__self__", None)
    decorators = apply_decorators(tree, value, instances or ([owner] if isinstance(owner, nn.Module) else []))
    _mangle(tree, function.__qualname__)
    return Method(
        function, remove_memos(tree), inspect.getsourcefile(function) or "", line, {}, decorators=tuple(decorators)
    )


def parsed(source: str) -> ast.stmt:
    """Return the first statement of a source, which may be indented; lines inside its strings may be indented less."""
    if not source[:1].isspace():
        return ast.parse(source).body[0]
    block = ast.increment_lineno(ast.parse(f"if True:\n{source}"), -1).body[0]
    assert isinstance(block, ast.If)
    return block.body[0]


def name_decorators(value: Any) -> tuple[str, ...]:
    """Return the names of the decorators that change what a function does, the outermost first."""
    method = read_method(value) if find_wrappers(value) else None
    return method.decorators if method is not None else ()


def build_function(name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """Return the tree of a function with these parameters and statements."""
    arguments = ast.arguments([], [ast.arg(one) for one in parameters], None, [], [], None, [])
    tree = ast.FunctionDef(name, arguments, body, [], None)
    if sys.version_info >= (3, 12):
        tree.type_params = []  # Python 3.12 gives the field no default
    return tree


def _mangle(tree: ast.FunctionDef, qualified: str) -> None:
    """Write private names as the compiler does within the class: ``self.__scale`` as ``self._Net__scale``."""
    for part in (tree.args, *tree.body):
        _Mangling(_owner(qualified)).visit(part)


def _owner(qualified: str) -> str:
    """Return the name of the class in a qualified name, without leading underscores; empty if the function is in no class."""
    owner = qualified.rpartition(".")[0].rpartition(".")[2]
    return "" if owner == "<locals>" else owner.lstrip("_")


def _mangled(name: str, owner: str) -> str:
    """Return a name as a class mangles it. ``owner`` is the name of the class without leading underscores."""
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name


class _Mangling(ast.NodeVisitor):
    """Renames private names, except in nested classes."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def visit(self, node: ast.AST) -> None:
        """Rename the node and all nodes below it."""
        if isinstance(node, ast.ClassDef):
            return
        attribute = _NAMES.get(type(node), "")
        if isinstance(name := getattr(node, attribute, None), str):
            setattr(node, attribute, _mangled(name, self._owner))
        self.generic_visit(node)
