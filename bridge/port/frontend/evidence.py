"""Types of values in the runs and types of annotations, for expressions whose type cannot be inferred."""

from __future__ import annotations

import ast
import types
import typing
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, Final

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from bridge.port.frontend.context import Context
from bridge.port.frontend.surroundings import Surroundings
from bridge.port.ir.nodes import Convert, Expression
from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    OBJECT,
    PACKED,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    FunctionOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    SetOf,
    TupleOf,
    Type,
    join,
    optional,
    required,
)
from bridge.port.observe.observations import Method, Observation
from bridge.port.observe.sources import unwrap

_PLAIN: Final[tuple[tuple[type, Type], ...]] = (  # bool before int, its base class
    (torch.Tensor, TENSOR),
    (bool, BOOL),
    (int, INT),
    (float, FLOAT),
    (str, STR),
    (torch.dtype, DTYPE),
    (torch.device, DEVICE),
    (PackedSequence, PACKED),
    (torch.Size, SIZES),
    (range, IteratorOf(INT)),
)


def type_of(value: Any, surroundings: Surroundings) -> Type:
    """Return the type of a value; UNKNOWN if the IR has no type for it."""
    if value is None:
        return NONE
    for kind, found in _PLAIN:
        if isinstance(value, kind):
            return found
    if isinstance(value, nn.Module):
        return surroundings.module_type(value)
    if isinstance(value, types.MethodType):
        return _type_of_method(surroundings.methods.get(unwrap(value)), surroundings)
    if isinstance(value, types.FunctionType):
        return _type_of_function(value, surroundings)
    return _type_of_container(value, surroundings)


def _type_of_method(method: Method | None, surroundings: Surroundings) -> Type:
    """Return the type of a method that is a value, from its observed calls and returns; UNKNOWN if their values have no common type."""
    if method is None or not method.given or any(call.keys() != method.given[0].keys() for call in method.given):
        return UNKNOWN
    parameters = [join(type_of(call[name], surroundings) for call in method.given) for name in method.given[0]]
    return _function_of(parameters, method, method.tree, surroundings)


def _type_of_function(value: types.FunctionType, surroundings: Surroundings) -> Type:
    """Return the type of a function that is a value: of the source, or within one; UNKNOWN if runs do not tell it."""
    if value in surroundings.methods:
        return _type_of_method(surroundings.methods[value], surroundings)
    for method in surroundings.methods.values():
        if (node := method.nested.get(value.__code__)) is not None:
            named = (*node.args.posonlyargs, *node.args.args)
            parameters = [type_of_observation(method.seen.get(one, Observation()), surroundings) for one in named]
            return _function_of(parameters, method, node, surroundings)
    return UNKNOWN


def _function_of(
    parameters: Sequence[Type | None], method: Method, node: ast.FunctionDef, surroundings: Surroundings
) -> Type:
    """Return the type of the function at a node of a method, with the observed result; UNKNOWN if a type is not known."""
    seen = [method.seen[one.value] for one in returns_of(node) if one.value in method.seen]
    result = join(type_of_observation(one, surroundings) for one in seen)
    known = [one for one in parameters if one not in (None, UNKNOWN)]
    if len(known) < len(parameters) or result in (None, UNKNOWN):
        return UNKNOWN
    return FunctionOf(tuple(one for one in known if one is not None), result or UNKNOWN)


def returns_of(tree: ast.FunctionDef) -> list[ast.Return]:
    """Return the ``return`` statements of a function, without those of nested functions."""
    found, waiting = [], list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += [one for one in ast.iter_child_nodes(node) if isinstance(one, (ast.stmt, ast.excepthandler))]  # type: ignore[misc]  # a handler has statements
    return found


def _type_of_container(value: Any, surroundings: Surroundings) -> Type:
    if (parts := parts_of(value)) is not None:
        return TupleOf(tuple(type_of(one, surroundings) for one in parts.values()), tuple(parts))
    if isinstance(value, tuple):
        return TupleOf(tuple(type_of(one, surroundings) for one in value))
    if isinstance(value, list):
        return ListOf(_common(value, surroundings))
    if isinstance(value, (set, frozenset)):
        return SetOf(_common(value, surroundings))
    if type(value) in (dict, OrderedDict):
        return DictOf(_common(value.keys(), surroundings), _common(value.values(), surroundings))
    return UNKNOWN


def _common(values: Collection[Any], surroundings: Surroundings) -> Type:
    plain = {type(one): one for one in values}
    if plain.keys() <= {bool, int, float, str}:  # a list may have millions of numbers
        values = plain.values()
    return join(type_of(one, surroundings) for one in values) or UNKNOWN


def parts_of(value: Any) -> dict[str, Any] | None:
    """Return the parts by name of a named tuple, a dataclass with tensors, or a result of transformers; None for other values."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    if is_dataclass(value) and not isinstance(value, (type, Mapping, nn.Module)):
        parts = {one.name: getattr(value, one.name, None) for one in fields(value)}
        return parts if any(isinstance(one, torch.Tensor) for one in parts.values()) else None
    if not isinstance(value, Mapping) or type(value) in (dict, OrderedDict) or not value:
        return None
    there = {str(name): one for name, one in value.items() if one is not None}
    return there if all(isinstance(one, torch.Tensor) for one in there.values()) else None


def observed_type(context: Context, node: ast.AST) -> Type:
    """Return the type that an expression had in the runs; UNKNOWN if no run reached it, or if its values have no common type."""
    return type_of_observation(context.observation(node), context.surroundings)


def as_seen(context: Context, node: ast.expr, value: Expression) -> Expression:
    """Return a value that may have several types, cast to the type that it had in the runs; C# throws if it has another type."""
    found = observed_type(context, node) if required(value.type) == OBJECT else UNKNOWN
    return value if found == UNKNOWN else Convert(value, type=found, origin=value.origin)


def as_observed(context: Context, node: ast.AST, value: Expression) -> Expression:
    """Return a module of any class, cast to the class that it had in all runs; C# throws if it has another class."""
    found = observed_type(context, node)
    general = value.type in (ANY_MODULE, ModuleOf(nn.Module))
    if not general or found == value.type or not isinstance(found, (ModuleOf, ModulesOf)):
        return value
    return Convert(value, type=found, origin=value.origin)


def type_of_observation(seen: Observation, surroundings: Surroundings) -> Type:
    """Return the common type of all values of an observation; UNKNOWN if they have none."""
    values = [*seen.values, *([] if seen.sample is None else [seen.sample])]
    found = [type_of(one, surroundings) for one in values]
    found += [kind for name, kind in (("NoneType", NONE), ("Tensor", TENSOR), ("float", FLOAT)) if name in seen.types]
    return join(found) or UNKNOWN


def type_of_name(context: Context, name: str, inside: ast.AST | None = None) -> Type:
    """Return the common type of all values that a variable had when it was read in the runs; UNKNOWN if they have none.

    This type includes the type of the elements of a container that is empty at first. ``inside`` is the node to search, by default the
    function.
    """
    reads = [
        type_of_observation(context.method.seen[node], context.surroundings)
        for node in ast.walk(inside or context.method.tree)
        if isinstance(node, ast.Name) and node.id == name and node in context.method.seen
    ]
    return join(reads) or UNKNOWN


# -- Annotations -----------------------------------------------------------------------------------------------------------

#: Stands for the object of an annotation that is missing or cannot be evaluated.
_UNNAMED: Final = object()
_ANNOTATED: Final[dict[Any, Type]] = {
    torch.Tensor: TENSOR,
    **dict.fromkeys(
        (torch.FloatTensor, torch.DoubleTensor, torch.HalfTensor, torch.LongTensor, torch.IntTensor, torch.BoolTensor),
        TENSOR,
    ),
    nn.Parameter: TENSOR,
    bool: BOOL,
    int: INT,
    float: FLOAT,
    str: STR,
    torch.dtype: DTYPE,
    torch.device: DEVICE,
    torch.Size: SIZES,
    PackedSequence: PACKED,
    None: NONE,
    type(None): NONE,
}


def annotated_type(context: Context, annotation: ast.expr | None) -> Type:
    """Return the type that an annotation names; UNKNOWN if it names no type of the IR."""
    named = _named(context, annotation)
    with suppress(Exception):  # the annotation may contain a string
        return UNKNOWN if named is _UNNAMED else _annotated(named)
    return UNKNOWN


def is_foreign(context: Context, annotation: ast.expr | None) -> bool:
    """Return whether an annotation names, besides None, only functions, classes that C# does not have, and containers of these."""
    named = _named(context, annotation)
    kinds = typing.get_args(named) if typing.get_origin(named) in (typing.Union, types.UnionType) else (named,)
    others = [one for one in kinds if one is not type(None)]
    return bool(others) and all(map(_is_foreign, others))


def _is_foreign(named: Any) -> bool:
    if typing.get_origin(named) is Callable or named is Callable:
        return True
    if typing.get_origin(named) in (list, dict, tuple):
        return any(map(_is_foreign, typing.get_args(named)))
    general = not isinstance(named, type) or named.__module__ in ("builtins", "typing", "collections.abc")
    return not general and not issubclass(named, nn.Module) and _annotated(named) == UNKNOWN


def _named(context: Context, annotation: ast.expr | None) -> Any:
    """Return the object that an annotation names; ``_UNNAMED`` if it names no object."""
    if annotation is None:
        return _UNNAMED
    with suppress(Exception):  # the name may be imported for type checkers only
        space = dict(context.method.function.__globals__)
        code = ast.Expression(annotation)
        named = eval(compile(ast.fix_missing_locations(code), "<annotation>", "eval"), space)  # the model's own code
        if isinstance(named, str):
            named = eval(named, space)
        return named
    return _UNNAMED


def _annotated(named: Any) -> Type:
    with suppress(TypeError):  # an object without a hash
        if named in _ANNOTATED:
            return _ANNOTATED[named]
    origin, arguments = typing.get_origin(named), typing.get_args(named)
    if origin in (typing.Union, types.UnionType):
        inner = [_annotated(one) for one in arguments]
        return _without_unknown(inner)
    if origin is list:
        return ListOf(_annotated(arguments[0]))
    if origin is dict:
        return DictOf(*map(_annotated, arguments))
    if origin is tuple and Ellipsis not in arguments:
        return TupleOf(tuple(map(_annotated, arguments)))
    if origin is tuple and arguments[0] is int:
        return SIZES
    return UNKNOWN


def _without_unknown(found: list[Type]) -> Type:
    """Return the union of types; if one of them is UNKNOWN, the union is UNKNOWN, or an optional of it if NONE is among them."""
    kinds = [one for one in found if one != NONE]
    inner = UNKNOWN if UNKNOWN in kinds else join(kinds) or UNKNOWN
    return optional(inner) if NONE in found else inner
