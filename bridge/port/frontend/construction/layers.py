"""New modules and parameters: layers of PyTorch's, and modules of the model's own classes."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any, Final

from torch import nn

from bridge.port.frontend.calls import arguments
from bridge.port.frontend.calls.callees import NOTHING, is_maker
from bridge.port.frontend.calls.libraries import einops_calls
from bridge.port.frontend.construction import collections, constants
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import literal
from bridge.port.ir.effects import effects
from bridge.port.ir.nodes import Argument, Construct, Expression, FunctionCall, Spread
from bridge.port.ir.types import NONE, TENSOR
from bridge.port.observe.modules import is_chain, is_einops, parameters

#: Arguments for the device and dtype of a layer. Only None is translated, as when a constructor passes on its own default.
_PLACES: Final = frozenset({"device", "dtype"})
#: How many dimensions the inputs of ``nn.Upsample`` have, by the mode.
_MODES: Final = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


def lower(context: Context, node: ast.Call, callee: Any) -> Expression | None:
    """Lower a call that makes a module, a parameter or a ``functools.partial``; None for another call."""
    if callee is functools.partial:
        return constants.lower_partial(context, node)
    if isinstance(callee, functools.partial):
        return lower(context, _with(context, node, callee), callee.func)
    if callee is nn.Parameter or callee is nn.Buffer:
        return _parameter(context, node, callee)
    if not isinstance(callee, type) or not issubclass(callee, nn.Module):
        return None
    if is_chain(callee):
        return _chain(context, node, callee)
    if is_einops(callee):
        return einops_calls.lower_layer(context, node, callee)
    if callee in collections.KINDS:
        return collections.lower(context, node, callee)
    return _own(context, node, callee) if context.surroundings.is_own(callee) else _layer(context, node, callee)


def _with(context: Context, node: ast.Call, found: functools.partial[Any]) -> ast.Call:
    """Return the call with the arguments of the partial ``found`` added."""
    given = {one.arg for one in node.keywords}
    values = [_constant(context, node, one) for one in found.args]
    keywords = [
        ast.keyword(name, _constant(context, node, one)) for name, one in found.keywords.items() if name not in given
    ]
    made = ast.Call(node.func, [*values, *node.args], [*node.keywords, *keywords])
    return ast.copy_location(made, node)


def _constant(context: Context, node: ast.Call, value: Any) -> ast.expr:
    """Return an expression for ``value``, an argument of a partial."""
    if literal(value, context.origin(node)) is not None:
        return ast.copy_location(ast.Constant(value), node)
    if not is_maker(value):
        context.fail(node, f"a partial with a {type(value).__name__}: '{ast.unparse(node)}'")
    name = ast.copy_location(ast.Name(f"partial {len(context.imported)}", ast.Load()), node)
    context.imported[name.id] = value
    return name


def _parameter(context: Context, node: ast.Call, kind: type) -> Expression:
    """Lower ``nn.Parameter(data, requires_grad)`` or ``nn.Buffer(data, persistent=…)``."""
    given = _given(context, node, list(inspect.signature(kind.__new__).parameters)[1:])
    if "data" not in given or given["data"].value.type != TENSOR:
        context.fail(node, f"'{ast.unparse(node)}', of no tensor")
    return Construct(kind, tuple(given.values()), type=TENSOR, origin=context.origin(node))


def _own(context: Context, node: ast.Call, kind: type[nn.Module]) -> Expression:
    """Lower the construction of a module of a class of the model, whose constructor is translated."""
    origin = context.origin(node)
    header = context.surroundings.constructor(kind, origin)
    given = arguments.bound(context, node, header)
    return Construct(kind, given, type=context.surroundings.new_type(kind), origin=origin)


def _chain(context: Context, node: ast.Call, kind: type[nn.Module]) -> Expression:
    """Lower the construction of a class of the model that is a chain and has no forward: a call of the function that makes the chain."""
    header = context.surroundings.builder(kind, context.origin(node))
    init: Any = kind.__init__
    given = arguments.bound(context, node, header)
    return FunctionCall(init, given, type=header.result, origin=context.origin(node))


def _layer(context: Context, node: ast.Call, kind: type[nn.Module]) -> Expression:
    """Lower the construction of a layer of PyTorch's."""
    known = list(parameters(kind))
    whole = [
        name
        for name, one in inspect.signature(kind).parameters.items()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    node = _expanded(context, node, kind)
    given = {} if kind is nn.Identity else _given(context, node, known if set(whole) < set(known) else whole)
    if kind is nn.Identity and not effects(*map(context.expression, node.args)).removable:
        context.fail(node, f"'{ast.unparse(node)}', whose arguments do something")
    for name in _PLACES & given.keys():
        if given.pop(name).value.type != NONE:
            context.fail(node, f"the {name} of '{ast.unparse(node)}'")
    for name, default in parameters(kind).items():  # None as the argument, as the default
        if default is None and name in given and given[name].value.type == NONE and effects(given[name]).removable:
            del given[name]
    if lacking := [name for name in given if name not in known]:
        context.fail(node, f"the argument {lacking[0]} of '{ast.unparse(node)}'")
    rank = _rank(context, given, kind)
    found = context.surroundings.new_type(kind)
    return Construct(kind, tuple(given.values()), rank, type=found, origin=context.origin(node))


def _expanded(context: Context, node: ast.Call, kind: type[nn.Module]) -> ast.Call:
    """Return the call with the entries of ``params = {} if inplace is None else {"inplace": inplace}`` in place of ``**params``."""
    keywords: list[ast.keyword] = []
    for one in node.keywords:
        choice = _choice(context, one.value) if one.arg is None else None
        if choice is None:
            keywords.append(one)
            continue
        test, *arms = choice
        for name in dict.fromkeys(name for arm in arms for name in arm):
            if name not in parameters(kind):
                context.fail(node, f"the argument {name} of '{ast.unparse(node)}'")
            default = ast.Constant(parameters(kind)[name])
            value = ast.IfExp(test, *(arm.get(name, default) for arm in arms))
            keywords.append(ast.keyword(name, ast.fix_missing_locations(ast.copy_location(value, node))))
    return ast.copy_location(ast.Call(node.func, node.args, keywords), node)


def _choice(context: Context, node: ast.expr) -> tuple[ast.expr, dict[str, ast.expr], dict[str, ast.expr]] | None:
    """Return the test, and the entries of both dictionaries, of a variable assigned ``{…} if test else {…}``; None for another value.

    The test and the entries can be evaluated where the variable is read, since they use no variables that the function assigns.
    """
    tree = context.method.tree
    if not isinstance(node, ast.Name):
        return None
    stores = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Name) and one.id == node.id and isinstance(one.ctx, ast.Store)
    ]
    made = [
        one.value for one in ast.walk(tree)
        if isinstance(one, ast.Assign) and [ast.unparse(to) for to in one.targets] == [node.id]
    ]  # fmt: skip
    if len(stores) != 1 or len(made) != 1 or not isinstance(made[0], ast.IfExp):
        return None
    arms = [_entries(one) for one in (made[0].body, made[0].orelse)]
    read = {one.id for one in ast.walk(made[0]) if isinstance(one, ast.Name)}
    stored = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
    first, second = arms
    if first is None or second is None or read & stored or any(isinstance(one, ast.Call) for one in ast.walk(made[0])):
        return None
    return made[0].test, first, second


def _entries(node: ast.expr) -> dict[str, ast.expr] | None:
    if not isinstance(node, ast.Dict) or not all(isinstance(one, ast.Constant) for one in node.keys):
        return None
    return {
        str(key.value): one for key, one in zip(node.keys, node.values, strict=True) if isinstance(key, ast.Constant)
    }


def _rank(context: Context, given: dict[str, Argument], kind: type[nn.Module]) -> int:
    mode = constants.value_of(given["mode"].value) if "mode" in given else NOTHING
    return _MODES.get(str(mode)) or context.surroundings.rank(kind) if issubclass(kind, nn.Upsample) else 0


def _given(context: Context, node: ast.Call, names: list[str]) -> dict[str, Argument]:
    """Return the arguments by the names of the parameters."""
    origin, found = context.origin(node), {}
    values = arguments.positional(context, node, node.args)
    if len(values) > len(names) or any(isinstance(one, Spread) for one in values):
        context.fail(node, f"the arguments of '{ast.unparse(node)}'")
    for name, value in zip(names, values, strict=False):
        assert isinstance(value, Expression)
        found[name] = Argument(name, value, origin=origin)
    for name, value in arguments.named(context, node):
        if name in found:
            context.fail(node, f"two values of {name} in '{ast.unparse(node)}'")
        found[name] = Argument(name, value, False, origin=origin)
    return found
