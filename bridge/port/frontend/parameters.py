"""The parameters of a function: their types by all calls, their defaults by the source."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls.callees import is_function
from bridge.port.frontend.classes.settings import is_settings
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import annotated_type, is_foreign, type_of, type_of_name
from bridge.port.frontend.scope import coerced
from bridge.port.frontend.values import are_ints
from bridge.port.ir.nodes import MOST_ARGUMENTS, Convert, Expression, Literal, Parameter, TupleLiteral
from bridge.port.ir.types import (
    DEVICE,
    DTYPE,
    NONE,
    SIZES,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    ListOf,
    OptionalOf,
    TupleOf,
    Type,
    join,
    optional,
    required,
)
from bridge.port.observe.decorators import find_wrappers

_MISSING: Final = inspect.Parameter.empty
_KEYWORDS: Final = {"device": DEVICE, "dtype": DTYPE}
#: Parameters that transformers takes from the configuration where nothing is given (``merge_with_config_defaults``).
_CONFIGURED: Final = frozenset({"use_cache", "is_causal", "vision_feature_layer", "vision_feature_select_strategy"})
_LITERALS: Final = (type(None), bool, int, float, str, torch.dtype, torch.device)


@dataclass(frozen=True, slots=True)
class Header:
    """The parameters of a function, the names that ``**kwargs`` stands for, and that of ``*args`` where nothing was given to it.

    ``fixed`` are those of too many that are their default in every call, with their places.
    """

    parameters: tuple[Parameter, ...]
    keywords: tuple[str, ...] = ()
    no_others: str = ""
    fixed: tuple[tuple[int, Parameter], ...] = ()


def header(context: Context) -> Header:
    """Return the parameters of the function of a method, by all calls that were observed; the module itself is left out."""
    method, arguments = context.method, context.method.tree.args
    named = [
        one for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if one.arg != context.receiver
    ]
    signature = inspect.signature(method.function, follow_wrapped=False).parameters
    made = [_parameter(context, one, signature[one.arg].default if one.arg in signature else _MISSING) for one in named]
    alone = {one.arg for one in arguments.kwonlyargs}
    made = [replace(one, named=one.name in alone) for one in made]
    keywords = _keywords(context) if arguments.kwarg is not None else {}
    for name, found in keywords.items():
        default = of_configuration(context, name, found)
        made.append(Parameter(name, found, default, named=True, origin=context.origin(method.tree)))
    if not _is_forward(context):  # whose call gives all arguments by their places
        made = _ordered(made)
    no_others = ""
    if arguments.vararg is not None:
        given = [one for call in method.given for one in call.get(arguments.vararg.arg, ())]
        if not all(isinstance(one, torch.Tensor) for one in given):
            context.fail(arguments.vararg, f"*{arguments.vararg.arg}, which takes other things than tensors")
        if given:
            made.append(
                Parameter(arguments.vararg.arg, ListOf(TENSOR), None, True, origin=context.origin(arguments.vararg))
            )
        else:
            no_others = arguments.vararg.arg
    fixed = {place: one for place, one in enumerate(made) if _is_constant(one)}
    fixed |= _fixed(context, made, len(fixed))
    return Header(
        tuple(one for place, one in enumerate(made) if place not in fixed),
        tuple(keywords),
        no_others,
        tuple(sorted(fixed.items())),
    )


def _fixed(context: Context, made: Sequence[Parameter], gone: int) -> dict[int, Parameter]:
    """Return, by their places, as many parameters as a module takes too many of, without those that are gone already.

    A child of nn.Sequential takes one, another module six.

    Those that nothing reads come first, without a default, for they may be anything; then the last that are their default in every call.
    """
    surroundings = context.surroundings
    kind = surroundings.kind
    if kind is None or surroundings.forward_of(kind) is not context.method.function:
        return {}
    body = ast.Module(context.method.tree.body, [])
    read = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
    backwards = [(place, one) for place, one in reversed(list(enumerate(made))) if not _is_constant(one)]
    found = [(place, replace(one, default=None)) for place, one in backwards if one.default and one.name not in read]
    found += [(place, one) for place, one in backwards if one.name in read and _is_always_default(context, one)]
    most = 1 if surroundings.is_chained(kind) else MOST_ARGUMENTS
    return dict(sorted(found[: max(len(made) - gone - most, 0)]))


def _ordered(made: Sequence[Parameter]) -> list[Parameter]:
    """Return the parameters with those that are given by name, and have no default, before the first that has one, as C# wants it."""
    needed = [one for one in made if one.named and one.default is None]
    others = [one for one in made if one not in needed]
    place = next((at for at, one in enumerate(others) if one.default is not None), len(others))
    return [*others[:place], *needed, *others[place:]]


def _is_forward(context: Context) -> bool:
    """Return whether the function runs when a module of its class is called."""
    kind = context.surroundings.kind
    return kind is not None and context.surroundings.forward_of(kind) is context.method.function


def _is_constant(found: Parameter) -> bool:
    """Return whether a parameter is one object, or None, in every call."""
    return found.type == NONE or isinstance(found.type, ConstantOf)


def _is_always_default(context: Context, found: Parameter) -> bool:
    given = [call[found.name] for call in context.method.given if found.name in call]
    value = found.default.value if isinstance(found.default, Convert) else found.default
    if isinstance(value, Literal) and value.value is None:
        set_to = of_configuration(context, found.name, found.type)
        value = value if set_to is None else set_to.value if isinstance(set_to, Convert) else set_to
    return isinstance(value, Literal) and all(type(one) is type(value.value) and one == value.value for one in given)


def _parameter(context: Context, node: ast.arg, default: Any) -> Parameter:
    given = [one[node.arg] for one in context.method.given if node.arg in one]
    origin = context.origin(node)
    if (known := _constant(given)) is not None:
        constant = Literal(known.value, type=known, origin=origin) if default is known.value else None
        return Parameter(node.arg, known, constant, origin=origin)
    if all(one is None for one in (*given, None if default is _MISSING else default)) and (
        is_foreign(context, node.annotation) or _is_no_tensor(context, node)
    ):
        nothing = None if default is _MISSING else Literal(None, type=NONE, origin=origin)
        return Parameter(node.arg, NONE, nothing, origin=origin)
    if isinstance(default, str) and given and all(isinstance(one, torch.device) for one in given):
        default = torch.device(default)  # as PyTorch takes it
    found = _type(context, node, given, default)
    value = None if default is _MISSING else literal(context, default, found)
    kept = isinstance(default, (list, dict, set)) and any(type(one) is type(default) for one in given)
    if value is None and default is not _MISSING and (kept or any(one is default for one in given)):
        context.fail(node, f"{node.arg}, whose default is {type(default).__name__}")
    return Parameter(node.arg, found, value, origin=context.origin(node))


def of_configuration(context: Context, name: str, wanted: Type) -> Expression | None:
    """Return the setting that a decorator of transformers gives to a forward where it is given nothing; None for another parameter."""
    kind = context.surroundings.kind
    if kind is None or name not in _CONFIGURED or not _is_forward(context):
        return None
    wrappers = [one for one in find_wrappers(kind.forward) if isinstance(one, types.FunctionType)]
    if not any(one.__code__.co_qualname.startswith("merge_with_config_defaults.") for one in wrappers):
        return None
    found = context.surroundings.setting(("config", name), context.origin(context.method.tree))
    known = isinstance(found, Literal) and found.value is not None and join((found.type, wanted)) == wanted
    return coerced(replace(found, name=""), wanted) if isinstance(found, Literal) and known else None


def _is_no_tensor(context: Context, node: ast.arg) -> bool:
    """Return whether a parameter without an annotation has an attribute in the source that no tensor has."""
    named = (
        one.attr
        for one in ast.walk(context.method.tree)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == node.arg
    )
    if node.annotation is not None:
        return False
    return any(not hasattr(torch.Tensor, one) for one in named) or _is_handed_on(context, node.arg)


def _is_handed_on(context: Context, name: str) -> bool:
    """Return whether a parameter is handed on to a module whose parameter of this name C# does not take."""
    for call in ast.walk(context.method.tree):
        if isinstance(call, ast.Call) and ast.unparse(ast.keyword(name, ast.Name(name))) in map(
            ast.unparse, call.keywords
        ):
            for one in context.observation(call.func).values:
                if isinstance(one, nn.Module) and context.surroundings.is_own(type(one)):
                    forward = context.surroundings.forward_of(type(one))
                    header = context.surroundings.function(forward, context.origin(call))
                    if any(fixed.name == name and fixed.type == NONE for _, fixed in header.fixed):
                        return True
    return False


def _constant(given: Sequence[Any]) -> ConstantOf | None:
    """Return the settings object or function that a parameter is given in every call; None for another parameter."""
    first = given[0] if given else None
    if not (is_settings(first) or is_function(first)) or any(one is not first for one in given):
        return None
    return ConstantOf(first)


def _type(context: Context, node: ast.arg, given: Sequence[Any], default: Any) -> Type:
    values = [*given, *([] if default is _MISSING else [default])]
    kinds = [type_of(one, context.surroundings) for one in values]
    seen, annotated = join(kinds), annotated_type(context, node.annotation)
    if seen is None and all(map(are_ints, kinds)) and _is_only_read(context, node.arg):
        return SIZES  # a list in one call, a tuple in another
    if seen is None:
        context.fail(
            node, f"{node.arg}, which is of several types: {', '.join(sorted({type(one).__name__ for one in values}))}"
        )
    if seen in (NONE, UNKNOWN):
        found = (
            required(annotated)
            if required(annotated) not in (UNKNOWN, NONE)
            else _given_on(context, node.arg)
            if seen == NONE
            else UNKNOWN
        )
        seen = optional(found) if seen == NONE else found
    else:
        seen = join((seen, annotated)) or seen
        if isinstance(annotated, OptionalOf):
            seen = optional(seen)
    if required(seen) == UNKNOWN:
        context.fail(
            node, f"{node.arg}, which is {' or '.join(sorted({type(one).__name__ for one in values})) or 'unknown'}"
        )
    return seen


def _given_on(context: Context, name: str) -> Type:
    """Return the type of a parameter that is None in all runs: that of the keyword under which it is given on, else a tensor."""
    for node in ast.walk(context.method.tree):
        given = isinstance(node, ast.keyword) and isinstance(node.value, ast.Name) and node.value.id == name
        if given and isinstance(node, ast.keyword) and node.arg in _KEYWORDS:
            return _KEYWORDS[node.arg]
    return _KEYWORDS.get(name, TENSOR)


def _is_only_read(context: Context, name: str) -> bool:
    """Return whether a function does nothing with a parameter in which a list differs from a tuple: it reads its elements."""
    tree = context.method.tree
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            around = parents[node]
            item = isinstance(around, ast.Subscript) and around.value is node and isinstance(around.ctx, ast.Load)
            walked = isinstance(around, (ast.For, ast.comprehension)) and around.iter is node
            taken_apart = isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Tuple)
            counted = isinstance(around, ast.Call) and ast.unparse(around.func) in ("len", "sum", "max", "min", "tuple")
            if not (item or walked or taken_apart or counted):
                return False
    return True


def literal(context: Context, value: Any, wanted: Type) -> Expression | None:
    """Return a default that C# can have, too; None for one that cannot be written, or that a call could change."""
    origin = context.origin(context.method.tree)
    if isinstance(value, _LITERALS):
        return coerced(Literal(value, type=type_of(value, context.surroundings), origin=origin), wanted)
    if isinstance(value, tuple):
        items = [literal(context, one, type_of(one, context.surroundings)) for one in value]
        if None not in items:
            found = tuple(one for one in items if one is not None)
            made = TupleLiteral(found, type=TupleOf(tuple(one.type for one in found)), origin=origin)
            return coerced(made, wanted)
    return None


def _keywords(context: Context) -> dict[str, Type]:
    """Return what came through ``**kwargs``, by name: the same names in all calls."""
    arguments = context.method.tree.args
    assert arguments.kwarg is not None
    calls = [one.get(arguments.kwarg.arg, {}) for one in context.method.given]
    for node in ast.walk(context.method.tree):
        if _walks_over(node, arguments.kwarg.arg):
            context.fail(node, f"**{arguments.kwarg.arg}, whose names are those that a call gives")
    found: dict[str, Type] = {}
    for name in dict.fromkeys(name for one in calls for name in one):
        if not all(name in one for one in calls):
            context.fail(arguments.kwarg, f"**{arguments.kwarg.arg}, in which {name} is given in some calls only")
        joined = _constant([one[name] for one in calls]) or join(
            type_of(one[name], context.surroundings) for one in calls
        )
        if joined in (None, UNKNOWN):
            context.fail(arguments.kwarg, f"**{arguments.kwarg.arg}, in which {name} is of no one type")
        assert joined is not None
        found[name] = OptionalOf(TENSOR) if joined == NONE else joined
    return found


def _walks_over(node: ast.AST, name: str) -> bool:
    """Return whether it walks over a dictionary of that name."""
    if isinstance(node, ast.Attribute) and node.attr in ("items", "keys", "values"):
        return ast.unparse(node.value) == name
    return isinstance(node, (ast.For, ast.comprehension)) and ast.unparse(node.iter) == name


def nested_parameters(context: Context, node: ast.FunctionDef) -> tuple[Parameter, ...]:
    """Return the parameters of a function within another, by what was read of them and by annotations."""
    arguments = node.args
    if arguments.vararg is not None or arguments.kwarg is not None or arguments.kwonlyargs:
        context.fail(node, f"{node.name}, a function within another with parameters of other kinds than plain ones")
    named = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(named) - len(arguments.defaults))
    made = []
    for one, default in zip(named, [*missing, *arguments.defaults], strict=True):
        value = None if default is None else context.expression(default)
        if value is not None and not isinstance(value, Literal):
            context.fail(one, f"{one.arg}, whose default is no literal")
        found = _nested_type(context, node, one, value)
        made.append(
            Parameter(one.arg, found, None if value is None else coerced(value, found), origin=context.origin(one))
        )
    return tuple(made)


def _nested_type(context: Context, function: ast.FunctionDef, node: ast.arg, default: Expression | None) -> Type:
    seen = type_of_name(context, node.arg, function)
    annotated = annotated_type(context, node.annotation)
    found = join((seen, annotated, UNKNOWN if default is None else default.type)) or seen
    if required(found) in (UNKNOWN, NONE):
        context.fail(node, f"the type of {node.arg}")
    return found
