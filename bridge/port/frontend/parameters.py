"""The parameters of a function: their types come from all calls, their defaults from the source."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls import functions_as_values, keyword_sets
from bridge.port.frontend.calls.callees import is_function, is_maker
from bridge.port.frontend.calls.functions_as_values import lambda_of
from bridge.port.frontend.classes.settings import is_settings
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import annotated_type, is_foreign, observed_type, type_of, type_of_name
from bridge.port.frontend.scope import coerced
from bridge.port.frontend.targets import stored_names
from bridge.port.frontend.values import are_ints
from bridge.port.ir.nodes import MOST_ARGUMENTS, Convert, Expression, ListLiteral, Literal, Parameter, TupleLiteral
from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    DEVICE,
    DTYPE,
    NONE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    FunctionOf,
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
    """The parameters of a function; ``keywords`` are the names that ``**kwargs`` stands for.

    ``absent`` are those of ``keywords`` that some calls do not give, which are None in C# then; the value says whether any call gave None.
    ``no_others`` is the name of ``*args`` if no call gave it anything. ``fixed`` are the parameters that C# does not take, by index.
    """

    parameters: tuple[Parameter, ...]
    keywords: tuple[str, ...] = ()
    absent: Mapping[str, bool] = field(default_factory=dict)
    no_others: str = ""
    fixed: tuple[tuple[int, Parameter], ...] = ()


def header(context: Context) -> Header:
    """Return the parameters of a function, with types from all observed calls and without the module itself."""
    method, arguments = context.method, context.method.tree.args
    named = [
        one for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if one.arg != context.receiver
    ]
    signature = inspect.signature(method.function, follow_wrapped=False).parameters
    made = [_parameter(context, one, signature[one.arg].default if one.arg in signature else _MISSING) for one in named]
    alone = {one.arg for one in arguments.kwonlyargs}
    made = [replace(one, named=one.name in alone) for one in made]
    keywords = _keywords(context) if arguments.kwarg is not None else {}
    absent = _absent(context, keywords)
    for name, found in keywords.items():
        default = of_configuration(context, name, found)
        if name in absent:
            default = coerced(Literal(None, type=NONE, origin=context.origin(method.tree)), found)
        made.append(Parameter(name, found, default, named=True, origin=context.origin(method.tree)))
    if not _is_forward(context):  # calls of a module give all arguments by position
        made = _ordered(made)
    no_others = ""
    if arguments.vararg is not None:
        given = [one for call in method.given for one in call.get(arguments.vararg.arg, ())]
        taken = join(type_of(one, context.surroundings) for one in given)
        if given and taken != TENSOR and not isinstance(taken, FunctionOf):
            context.fail(
                arguments.vararg, f"*{arguments.vararg.arg}, which takes other things than tensors or functions"
            )
        if given and taken is not None:
            origin = context.origin(arguments.vararg)
            made.append(Parameter(arguments.vararg.arg, ListOf(taken), None, True, origin=origin))
        else:
            no_others = arguments.vararg.arg
    fixed = {place: one for place, one in enumerate(made) if _is_constant(one)}
    fixed |= _fixed(context, made, keywords, len(fixed))
    return Header(
        tuple(one for place, one in enumerate(made) if place not in fixed),
        tuple(keywords),
        absent,
        no_others,
        tuple(sorted(fixed.items())),
    )


def _fixed(context: Context, made: Sequence[Parameter], keywords: Collection[str], gone: int) -> dict[int, Parameter]:
    """Return the parameters, by index, that a forward has beyond those that C# takes; ``gone`` parameters are left out already.

    A child of nn.Sequential takes one argument, another module six.

    Parameters that nothing reads are left out first, and lose their default, since their value does not matter; then those that
    ``**kwargs`` stands for (``keywords``) and whose argument is the same literal in every call; then the last parameters whose
    argument is the default in every call.
    """
    surroundings = context.surroundings
    kind = surroundings.kind
    if kind is None or surroundings.forward_of(kind) is not context.method.function:
        return {}
    body = ast.Module(context.method.tree.body, [])
    read = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
    kwarg = context.method.tree.args.kwarg
    if kwarg is not None and kwarg.arg in read:
        read |= set(keywords)
    backwards = [(place, one) for place, one in reversed(list(enumerate(made))) if not _is_constant(one)]
    found = [(place, replace(one, default=None)) for place, one in backwards if one.default and one.name not in read]
    always = [(place, _always(context, one)) for place, one in backwards if one.name in keywords and one.name in read]
    found += [(place, one) for place, one in always if one is not None]
    known = {one.name for _, one in found}
    others = (one for one in backwards if one[1].name in read - known)
    found += [(place, one) for place, one in others if _is_always_default(context, one)]
    most = 1 if surroundings.is_chained(kind) else MOST_ARGUMENTS
    return dict(sorted(found[: max(len(made) - gone - most, 0)]))


def _ordered(made: Sequence[Parameter]) -> list[Parameter]:
    """Return the parameters, with required keyword-only parameters moved before the first parameter with a default, as C# requires."""
    needed = [one for one in made if one.named and one.default is None]
    others = [one for one in made if one not in needed]
    place = next((at for at, one in enumerate(others) if one.default is not None), len(others))
    return [*others[:place], *needed, *others[place:]]


def _is_forward(context: Context) -> bool:
    """Return whether the function runs when a module of its class is called."""
    kind = context.surroundings.kind
    return kind is not None and context.surroundings.forward_of(kind) is context.method.function


def _is_constant(found: Parameter) -> bool:
    """Return whether a parameter is the same object, or None, in every call."""
    return found.type == NONE or isinstance(found.type, ConstantOf)


def _always(context: Context, found: Parameter) -> Parameter | None:
    """Return a parameter that ``**kwargs`` stands for with the literal that it is in every call as its default; None for another one."""
    kwarg = context.method.tree.args.kwarg
    calls = [call[kwarg.arg] for call in context.method.given] if kwarg is not None else []
    given = [call[found.name] for call in calls if found.name in call]
    kinds = (type(None), bool, int, str)
    if (
        not given
        or len(given) < len(calls)
        or any(type(one) not in kinds or type(one) is not type(given[0]) or one != given[0] for one in given)
    ):
        return None
    value = Literal(given[0], type=type_of(given[0], context.surroundings), origin=found.origin)
    return replace(found, default=coerced(value, found.type), needed=True)


def _is_always_default(context: Context, found: Parameter) -> bool:
    kwarg = context.method.tree.args.kwarg
    calls = [{**call, **(call.get(kwarg.arg, {}) if kwarg is not None else {})} for call in context.method.given]
    given = [call[found.name] for call in calls if found.name in call]
    value = found.default.value if isinstance(found.default, Convert) else found.default
    if isinstance(value, Literal) and value.value is None:
        set_to = of_configuration(context, found.name, found.type)
        value = value if set_to is None else set_to.value if isinstance(set_to, Convert) else set_to
    return isinstance(value, Literal) and all(type(one) is type(value.value) and one == value.value for one in given)


def _parameter(context: Context, node: ast.arg, default: Any) -> Parameter:
    given = [one[node.arg] for one in context.method.given if node.arg in one]
    origin = context.origin(node)
    if (known := _constant(given, context.surroundings.constructs)) is not None and not _is_changed(
        context, node, known
    ):
        constant = Literal(known.value, type=known, origin=origin) if default is known.value else None
        return Parameter(node.arg, known, constant, origin=origin)
    if context.surroundings.constructs and (chosen := _chosen(given, default)) is not None:
        there = Literal(default is not None, type=BOOL, origin=origin)
        return Parameter(node.arg, chosen, None if default is _MISSING else Convert(there, type=chosen), origin=origin)
    if all(one is None for one in (*given, None if default is _MISSING else default)) and (
        is_foreign(context, node.annotation) or _is_no_tensor(context, node) or _is_only_none(context, node)
    ):
        nothing = None if default is _MISSING else Literal(None, type=NONE, origin=origin)
        return Parameter(node.arg, NONE, nothing, origin=origin)
    if context.surroundings.constructs and _of_any_module(context, given, default):
        return Parameter(node.arg, ANY_MODULE, origin=origin)
    if context.surroundings.constructs and (function := _of_function(context, node, given, default)) is not None:
        return function
    if isinstance(default, str) and given and all(isinstance(one, torch.device) for one in given):
        default = torch.device(default)  # PyTorch accepts the name of a device as the device
    if context.surroundings.constructs and _is_of_another_type(context, given, default):
        default = _MISSING  # every call gives an argument, so C# requires it
    found = _type(context, node, given, default)
    value = None if default is _MISSING else literal(context, default, found)
    if isinstance(found, FunctionOf) and is_function(default):
        made = functions_as_values.lower(context, node, default)
        value = made if made.type == found else None  # a default that no call took may have other types
    if isinstance(default, list) and context.surroundings.constructs and _is_kept(context, node.arg):
        value = _listed(context, default, found)
    kept = isinstance(default, (list, dict, set)) and any(type(one) is type(default) for one in given)
    if value is None and default is not _MISSING and (kept or any(one is default for one in given)):
        context.fail(node, f"{node.arg}, whose default is {type(default).__name__}")
    return Parameter(node.arg, found, value, origin=context.origin(node))


def _is_of_another_type(context: Context, given: Sequence[Any], default: Any) -> bool:
    """Return whether each call gives an argument, and these arguments have no common type with the default."""
    if default is _MISSING or not given or any(one is default for one in given):
        return False
    kinds = [join(type_of(one, context.surroundings) for one in values) for values in (given, [default])]
    return None not in kinds and join([one for one in kinds if one is not None]) is None


def _is_kept(context: Context, name: str) -> bool:
    """Return whether a function never changes the list in a parameter, so that its default is the same in each call."""
    parents = {child: node for node in ast.walk(context.method.tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(context.method.tree):
        if isinstance(node, ast.Name) and node.id == name:
            around = parents[node]
            changes = isinstance(around, ast.Attribute) or not isinstance(node.ctx, ast.Load)
            item = isinstance(around, ast.Subscript) and not isinstance(around.ctx, ast.Load)
            if changes or item or isinstance(around, ast.AugAssign):
                return False
    return True


def _listed(context: Context, value: list[Any], found: Type) -> Expression | None:
    """Return a list of constants as a literal; None for another list."""
    element = found.element if isinstance(found, ListOf) else UNKNOWN
    items = [literal(context, one, element) for one in value]
    there = tuple(one for one in items if one is not None)
    origin = context.origin(context.method.tree)
    return ListLiteral(there, type=found, origin=origin) if len(there) == len(items) else None


def _of_any_module(context: Context, given: Sequence[Any], default: Any) -> bool:
    """Return whether a parameter without a default, of a function other than a constructor, gets modules of several classes."""
    several = len({type(one) for one in given}) > 1 and all(isinstance(one, nn.Module) for one in given)
    return several and default is _MISSING and context.method.function.__name__ != "__init__"


def _of_function(context: Context, node: ast.arg, given: Sequence[Any], default: Any) -> Parameter | None:
    """Return a parameter whose arguments are functions of one tensor that differ between calls; None for another parameter."""
    origin = context.origin(node)
    whole = [*given, *([] if default is _MISSING else [default])]
    if not whole or not all(callable(one) and not isinstance(one, (type, nn.Module)) for one in whole):
        return None
    if not all(lambda_of(one, origin) is not None for one in whole):
        return None
    value = None if default is _MISSING else lambda_of(default, origin)
    return Parameter(node.arg, FunctionOf((TENSOR,), TENSOR), value, origin=origin)


def of_configuration(context: Context, name: str, wanted: Type) -> Expression | None:
    """Return the setting that a decorator of transformers gives a forward's parameter if the call does not; None for another parameter."""
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
    """Return whether an attribute or a call in the source shows that a parameter without an annotation is no tensor."""
    named = (
        one.attr
        for one in ast.walk(context.method.tree)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == node.arg
    )
    if node.annotation is not None:
        return False
    return any(not hasattr(torch.Tensor, one) for one in named) or _is_handed_on(context, node.arg)


def _is_handed_on(context: Context, name: str) -> bool:
    """Return whether a parameter is passed on to a module whose parameter of the same name is always None, so that C# does not take it."""
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


def _is_only_none(context: Context, node: ast.arg) -> bool:
    """Return whether this is a constructor's parameter whose annotation names no known type but None."""
    return context.surroundings.constructs and required(annotated_type(context, node.annotation)) in (UNKNOWN, NONE)


def _constant(given: Sequence[Any], constructs: bool = False) -> ConstantOf | None:
    """Return the settings object or function that a parameter is in every call, as a constant; None for another parameter.

    For a constructor (``constructs``), any callable but a module counts, such as a class or a partial.
    """
    first = given[0] if given else None
    made = constructs and callable(first) and not isinstance(first, nn.Module)
    if not (is_settings(first) or is_function(first) or made):
        return None
    return ConstantOf(first) if all(ConstantOf(one) == ConstantOf(first) for one in given) else None


def _is_changed(context: Context, node: ast.arg, found: ConstantOf) -> bool:
    """Return whether the body assigns the parameter another function than the ``found`` one, of a type that the runs tell."""
    body = ast.Module(context.method.tree.body, [])
    ran = [one for one in ast.walk(body) if isinstance(one, ast.Assign) and context.ran(one)]
    stored = any(node.arg in stored_names(ast.Module([one], [])) for one in ran)
    return stored and isinstance(type_of(found.value, context.surroundings), FunctionOf)


def _chosen(given: Sequence[Any], default: Any) -> OptionalOf | None:
    """Return the type of a parameter that is the same class or partial in some calls and None in others; None for another parameter."""
    whole = [*given, *([] if default is _MISSING else [default])]
    kinds = [one for one in whole if one is not None]
    if not kinds or all(one is not None for one in given):
        return None
    same = all(ConstantOf(one) == ConstantOf(kinds[0]) for one in kinds)
    return OptionalOf(ConstantOf(kinds[0])) if is_maker(kinds[0]) and same else None


def _of_calls(context: Context, node: ast.arg, given: Sequence[Any]) -> FunctionOf | None:
    """Return the type of a parameter that is a function in all runs, by its calls, which are all that is done with it; else None."""
    if not given or not all(isinstance(one, types.FunctionType) for one in given):
        return None
    every = [one for one in ast.walk(context.method.tree) if isinstance(one, ast.Name) and one.id == node.arg]
    calls = [one for one in ast.walk(context.method.tree) if isinstance(one, ast.Call) and one.func in every]
    plain = all(not one.keywords and not any(isinstance(part, ast.Starred) for part in one.args) for one in calls)
    if not calls or len(calls) != len(every) or not plain or len({len(one.args) for one in calls}) > 1:
        return None
    columns = zip(*([observed_type(context, part) for part in one.args] for one in calls), strict=True)
    kinds = [join(one) for one in columns]
    result = join(observed_type(context, one) for one in calls)
    known = [one for one in (*kinds, result) if one is not None and one != UNKNOWN]
    return FunctionOf(tuple(known[:-1]), known[-1]) if len(known) == len(kinds) + 1 else None


def _type(context: Context, node: ast.arg, given: Sequence[Any], default: Any) -> Type:
    if default is _MISSING and (function := _of_calls(context, node, given)) is not None:
        return function
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
    """Return the type of a parameter that is None in all runs: by its name or a keyword that it is passed to, if known, else a tensor."""
    for node in ast.walk(context.method.tree):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == name:
            beside = [part for one in node.comparators for part in getattr(one, "elts", [one])]
            if any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in beside):
                return STR
        given = isinstance(node, ast.keyword) and isinstance(node.value, ast.Name) and node.value.id == name
        if given and isinstance(node, ast.keyword) and node.arg in _KEYWORDS:
            return _KEYWORDS[node.arg]
    return _KEYWORDS.get(name, TENSOR)


def _is_only_read(context: Context, name: str) -> bool:
    """Return whether a function uses a parameter only as lists and tuples alike can be used: its items, loops, unpacking, ``len``."""
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
    """Return a default as a literal; None for a default that is no literal, or that a call could change."""
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
    """Return the types of the arguments in ``**kwargs``, by name; for those that some calls do not give, optional types."""
    arguments = context.method.tree.args
    assert arguments.kwarg is not None
    calls = [one.get(arguments.kwarg.arg, {}) for one in context.method.given]
    for node in ast.walk(context.method.tree):
        if _walks_over(node, arguments.kwarg.arg):
            context.fail(node, f"**{arguments.kwarg.arg}, whose names are those that a call gives")
    found: dict[str, Type] = {}
    for name in dict.fromkeys(name for one in calls for name in one):
        given = [one[name] for one in calls if name in one]
        joined = _constant(given) or join(type_of(one, context.surroundings) for one in given)
        if joined in (None, UNKNOWN):
            context.fail(arguments.kwarg, f"**{arguments.kwarg.arg}, in which {name} is of no one type")
        assert joined is not None
        found[name] = OptionalOf(TENSOR) if joined == NONE else joined
        if len(given) < len(calls):
            if isinstance(joined, ConstantOf) or not _is_passed_on(context, arguments.kwarg.arg, name):
                context.fail(arguments.kwarg, f"**{arguments.kwarg.arg}, in which {name} is given in some calls only")
            found[name] = optional(found[name])
    return found


def _absent(context: Context, keywords: Collection[str]) -> dict[str, bool]:
    """Return the arguments in ``**kwargs`` that some calls do not give, each with whether another call gives None."""
    kwarg = context.method.tree.args.kwarg
    calls = [one.get(kwarg.arg, {}) for one in context.method.given] if kwarg is not None else []
    return {
        name: any(name in one and one[name] is None for one in calls)
        for name in keywords
        if not all(name in one for one in calls)
    }


def _is_passed_on(context: Context, kwarg: str, name: str) -> bool:
    """Return whether a function computes the same with None for an argument in ``**kwargs`` that is not given, in the code that ran."""
    tree = context.method.tree
    passed = keyword_sets.passed_on(tree, kwarg, name)
    names = [one for one in ast.walk(tree) if isinstance(one, ast.Name)]
    stored = any(one.id == name and not isinstance(one.ctx, ast.Load) for one in names)
    return not stored and all(one in passed or not context.ran(one) for one in names if one.id == kwarg)


def _walks_over(node: ast.AST, name: str) -> bool:
    """Return whether a node iterates over the dictionary ``name``."""
    if isinstance(node, ast.Attribute) and node.attr in ("items", "keys", "values"):
        return ast.unparse(node.value) == name
    return isinstance(node, (ast.For, ast.comprehension)) and ast.unparse(node.iter) == name


def nested_parameters(context: Context, node: ast.FunctionDef) -> tuple[Parameter, ...]:
    """Return the parameters of a nested function, with types from the runs' reads of them and from annotations."""
    arguments = node.args
    if arguments.vararg is not None and ast.unparse(arguments) == f"*{arguments.vararg.arg}":
        return (Parameter(arguments.vararg.arg, ListOf(TENSOR), None, True, origin=context.origin(arguments.vararg)),)
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
    seen = join((observed_type(context, node), type_of_name(context, node.arg, function))) or UNKNOWN
    annotated = annotated_type(context, node.annotation)
    found = join((seen, annotated, UNKNOWN if default is None else default.type)) or seen
    if required(found) in (UNKNOWN, NONE):
        context.fail(node, f"the type of {node.arg}")
    return found
