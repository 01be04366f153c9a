"""A custom ``torch.autograd.Function`` as plain functions, that are translated as a model's are: its forward, its backward, and its call.

The forward returns its result and the tensors that it saves; the backward takes these, and returns the gradients of the inputs.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final

import torch

from bridge.port.errors import PortError

#: Members of a Function that change how it is called or differentiated.
_OTHERS: Final = frozenset({"setup_context", "vmap", "jvp", "jacobian", "generate_vmap_rule", "apply"})


def differentiable(
    found: list[torch.Tensor],
    inputs: list[torch.Tensor],
    backward: Callable[[list[torch.Tensor], torch.Tensor], list[torch.Tensor | None]],
) -> torch.Tensor:
    """Return the first tensor of ``found``, whose gradient ``backward`` leads to ``inputs``: it takes the other tensors and that gradient.

    This function itself only calls ``backward`` once, to be observed.
    """
    backward(found[1:], torch.ones_like(found[0]))
    return found[0]


def is_custom(value: Any) -> bool:
    """Return whether a value is the ``apply`` of a ``torch.autograd.Function`` that is not PyTorch's."""
    owner = getattr(value, "__self__", None)
    if not isinstance(owner, type) or getattr(value, "__name__", "") != "apply":
        return False
    return issubclass(owner, torch.autograd.Function) and not _is_torchs(owner)


def custom_kinds() -> Iterator[Any]:
    """Yield the classes of ``torch.autograd.Function`` that are not PyTorch's."""
    waiting: list[Any] = [torch.autograd.Function]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if not _is_torchs(kind):
            yield kind


def _is_torchs(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "torch"


@cache
def plain_function(kind: type[torch.autograd.Function]) -> types.FunctionType | None:
    """Return a function that does what ``kind.apply`` does; None if the class does more than save tensors and arguments."""
    owned = [one for one in kind.__mro__ if not _is_torchs(one) and one is not object]
    forward, backward = (inspect.getattr_static(kind, one, None) for one in ("forward", "backward"))
    if len(owned) != 1 or not isinstance(forward, staticmethod) or not isinstance(backward, staticmethod):
        return None
    if _OTHERS & vars(kind).keys():
        return None
    try:
        trees = [_parsed(one.__func__) for one in (forward, backward)]
        text = ast.unparse(_module(kind.__name__.lstrip("_"), *trees))
    except _Refused:
        return None
    file = f"<{kind.__module__}.{kind.__qualname__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {**forward.__func__.__globals__, "__bridge_differentiable__": differentiable, "torch": torch}
    exec(compile(text, file, "exec"), space)  # the model's own code
    return space[kind.__name__.lstrip("_")]  # type: ignore[no-any-return]  # just defined


class _Refused(PortError):
    """The class does more than these functions could."""


def _parsed(function: Any) -> ast.FunctionDef:
    if not isinstance(function, types.FunctionType) or function.__code__.co_freevars:
        raise _Refused
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):
        raise _Refused from None
    if not isinstance(tree, ast.FunctionDef) or [ast.unparse(one) for one in tree.decorator_list] != ["staticmethod"]:
        raise _Refused
    arguments = tree.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or not arguments.args:
        raise _Refused
    tree.decorator_list = []
    return tree


def _module(name: str, forward: ast.FunctionDef, backward: ast.FunctionDef) -> ast.Module:
    """Return the three functions."""
    parameters = [one.arg for one in forward.args.args[1:]]
    if len(backward.args.args) != 2 or backward.args.defaults:
        raise _Refused
    context = _Context(forward.args.args[0].arg, parameters)
    context.of_forward(forward)
    kept = context.of_backward(backward)
    attributes = list(context.attributes.values())
    forward.name, backward.name = f"{name}_forward", f"{name}_backward"
    call = ast.parse(
        f"def {name}({ast.unparse(_without_first(forward.args))}):\n"
        f"    with torch.no_grad():\n"
        f"        found = {forward.name}({', '.join(parameters)})\n"
        f"    return __bridge_differentiable__(found, [{', '.join(kept)}], "
        f"lambda saved, gradient: {backward.name}({', '.join(['saved', 'gradient', *attributes])}))\n"
    )
    forward.args = _without_first(forward.args)
    taken = ["saved", backward.args.args[1].arg, *map(_attribute, context.attributes)]
    backward.args = ast.arguments([], [ast.arg(one) for one in taken], None, [], [], None, [])
    return ast.fix_missing_locations(ast.Module([forward, backward, *call.body], []))


def _without_first(arguments: ast.arguments) -> ast.arguments:
    return ast.arguments([], arguments.args[1:], None, [], [], None, arguments.defaults)


def _attribute(name: str) -> str:
    return f"saved_{name}"


class _Context:
    """Replaces the uses of ``ctx``; ``attributes`` are those that forward sets, each to one of its ``parameters``."""

    def __init__(self, name: str, parameters: Sequence[str]) -> None:
        self.attributes: dict[str, str] = {}
        self._name = name
        self._parameters = parameters

    def of_forward(self, tree: ast.FunctionDef) -> None:
        """Make forward return its result and the tensors that it saves."""
        stored = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        saved: list[ast.expr] = []
        body: list[ast.stmt] = []
        for node in tree.body:
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and ast.unparse(call.func) == f"{self._name}.save_for_backward":
                if saved or call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
                    raise _Refused
                saved = [ast.Name(f"saved_{place}", ast.Load()) for place in range(len(call.args))]
                body += [ast.Assign([ast.Name(f"saved_{at}", ast.Store())], one) for at, one in enumerate(call.args)]
                continue
            if isinstance(node, ast.Assign) and (name := self._member(node.targets[0])) and len(node.targets) == 1:
                value = ast.unparse(node.value)
                if value not in self._parameters or value in stored or name in self.attributes:
                    raise _Refused
                self.attributes[name] = value
                continue
            body.append(node)
        returns = [one for one in ast.walk(tree) if isinstance(one, ast.Return)]
        if returns != [one for one in body[-1:] if isinstance(one, ast.Return)] or returns[0].value is None:
            raise _Refused
        if isinstance(returns[0].value, ast.Tuple):
            raise _Refused
        returns[0].value = ast.List([returns[0].value, *saved], ast.Load())
        tree.body, tree.returns = body, None
        self._check(tree)

    def of_backward(self, tree: ast.FunctionDef) -> list[str]:
        """Make backward take what forward saved, and return the list of the gradients that it computes; return their parameters."""
        self._name = tree.args.args[0].arg
        tree.body = [_Replace(self._name, self.attributes).visit(one) for one in tree.body]
        tree.returns = None
        self._check(tree)
        returns = [one for one in ast.walk(tree) if isinstance(one, ast.Return)]
        rows = [one.value.elts if isinstance(one.value, ast.Tuple) else [one.value] for one in returns]
        if not rows or any(len(row) != len(self._parameters) or None in row for row in rows):
            raise _Refused
        needed = [
            place
            for place in range(len(self._parameters))
            if any(not (isinstance(row[place], ast.Constant) and row[place].value is None) for row in rows)  # type: ignore[union-attr]  # checked
        ]
        for one, row in zip(returns, rows, strict=True):
            one.value = ast.List([row[place] for place in needed], ast.Load())  # type: ignore[misc]  # as above
        return [self._parameters[place] for place in needed]

    def _member(self, node: ast.expr) -> str:
        of_context = (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self._name
        )
        return node.attr if of_context and isinstance(node, ast.Attribute) else ""

    def _check(self, tree: ast.FunctionDef) -> None:
        """Raise _Refused if ``ctx`` is still used, or the function has others within, whose ``return`` would be taken for its own."""
        for node in (part for one in tree.body for part in ast.walk(one)):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) or (
                isinstance(node, ast.Name) and node.id == self._name
            ):
                raise _Refused


class _Replace(ast.NodeTransformer):
    """Replaces what backward reads of ``ctx``: saved tensors, saved arguments, and whether an input needs a gradient, which is True."""

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self._name, self._attributes = name, attributes

    def visit_Subscript(self, node: ast.Subscript) -> Any:  # the name that ast calls
        if ast.unparse(node.value) == f"{self._name}.needs_input_grad":
            return ast.Constant(value=True)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:  # the name that ast calls
        if isinstance(node.value, ast.Name) and node.value.id == self._name:
            if node.attr in ("saved_tensors", "saved_variables"):
                return ast.Name("saved", ast.Load())
            if node.attr in self._attributes:
                return ast.Name(_attribute(node.attr), ast.Load())
        return self.generic_visit(node)
