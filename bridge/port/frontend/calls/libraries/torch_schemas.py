"""Signatures of PyTorch's functions: from its schemas, which state types, and from ``inspect`` for functions that are written in Python."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import torch
from torch import _jit_internal

from bridge.port.frontend.values import are_ints, tuple_of
from bridge.port.ir.nodes import Expression, ListLiteral, Literal, Spread
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    PACKED,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    IteratorOf,
    ListOf,
    OptionalOf,
    TupleOf,
    Type,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter by PyTorch's name; ``kind`` is its type in the schema (``Optional[List[int]]``), empty if there is no schema."""

    name: str
    kind: str = ""
    keyword_only: bool = False
    required: bool = False
    spread: bool = False
    #: Whether one int stands for a list of that int.
    widens: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload of a function, without the receiver; ``result`` is UNKNOWN if no schema or annotation states it."""

    parameters: tuple[Parameter, ...]
    result: Type

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the parameters, in order."""
        return tuple(one.name for one in self.parameters)


#: Parameters that functions take although their schemas omit them; below, other names that PyTorch accepts, such as NumPy's.
_BESIDES: Final = ("requires_grad", "out", "names")
_ALIASES: Final = {"axis": "dim", "keepdims": "keepdim", "self": "input", "x": "input", "t": "data"}
#: Types of results that no schema states.
_RESULTS: Final[dict[str, Type]] = {
    **dict.fromkeys(("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool"), TENSOR),
    **dict.fromkeys(
        ("cuda", "cpu", "to", "new_tensor", "requires_grad_", "type_as", "new", "index_fill", "as_subclass"), TENSOR
    ),
    **dict.fromkeys(
        ("unique_consecutive", "unflatten", "as_tensor", "from_numpy", "norm", "einsum", "stft", "istft"), TENSOR
    ),
    **dict.fromkeys(("dim", "ndimension", "numel", "nelement", "element_size", "get_device"), INT),
    **dict.fromkeys(("is_grad_enabled", "is_tensor", "is_inference_mode_enabled", "is_autocast_enabled"), BOOL),
    **dict.fromkeys(("manual_seed", "backward", "set_grad_enabled"), NONE),
    **dict.fromkeys(("Tensor", *(one.__name__ for one in torch._tensor_classes)), TENSOR),
    "device": DEVICE,
    "Size": SIZES,
    "size": SIZES,
    "get_default_dtype": DTYPE,
    "result_type": DTYPE,
    "promote_types": DTYPE,
    "stride": SIZES,
    "pad_sequence": TENSOR,
    "pack_padded_sequence": PACKED,
    "pack_sequence": PACKED,
    "pad_packed_sequence": TupleOf((TENSOR, TENSOR)),
}


#: Parameters of functions whose documentation states more than ``inspect.signature``.
_DOCUMENTED: Final[dict[str, tuple[Parameter, ...]]] = {
    "device": (Parameter("type"), Parameter("index")),
    "Size": (Parameter("sizes"),),
    "einsum": (Parameter("equation"), Parameter("operands", spread=True)),
}


@cache
def schemas_of(name: str) -> tuple[Any, ...]:
    """Return PyTorch's schemas of an operator, without overloads that write to an ``out`` tensor."""
    found = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    return tuple(one for one in found if not any(argument.is_out for argument in one.arguments))


def signatures(callee: Any, method: bool) -> list[Signature]:
    """Return the overloads of a function of PyTorch's or of a method of a tensor, the most likely first."""
    name = str(getattr(callee, "__name__", ""))
    if (documented := _DOCUMENTED.get(name)) is not None:
        return [Signature(documented, result_of(callee))]
    python = _python_signature(callee, method)
    if python is not None and isinstance(callee, types.FunctionType):
        return [python]
    found = [_signature(one, method) for one in schemas_of(name) if _takes(one, method)]
    return found or ([python] if python is not None else [])


def _takes(schema: Any, method: bool) -> bool:
    """Return whether a schema is for tensors, not one that TorchScript has for Python's ints, strings or lists."""
    first = schema.arguments[0] if schema.arguments else None
    if first is None or first.name in ("a", "list", "l") or "complex" in str(first.type):
        return not method and first is None
    return (
        str(first.type) == "Tensor"
        if method
        else str(first.type) not in ("List[float]", "List[str]", "List[bool]", "str")
    )


def _signature(schema: Any, method: bool) -> Signature:
    parameters = tuple(
        Parameter(
            one.name if one.name not in ("self", "t") else _ALIASES[one.name],
            str(one.type),
            one.kwarg_only,
            not one.has_default_value(),
            widens=one.N is not None,
        )
        for one in schema.arguments[1 if method else 0 :]
    )
    name = schema.name.partition("::")[2]
    return Signature(parameters, _RESULTS[name] if name in ("stride", "size") else _result(schema.returns))


def _result(returns: Sequence[Any]) -> Type:
    kinds = [_type(str(one.type)) for one in returns]
    if len(kinds) == 1:
        return kinds[0]
    if not kinds:
        return NONE
    names = tuple(one.name for one in returns)
    return TupleOf(tuple(kinds), names if all(names) else ())


def _type(text: str) -> Type:
    known: dict[str, Type] = {
        "Tensor": TENSOR,
        "int": INT,
        "float": FLOAT,
        "bool": BOOL,
        "str": STR,
        "Device": DEVICE,
        "List[Tensor]": ListOf(TENSOR),
        "List[int]": ListOf(INT),
        "List[float]": ListOf(FLOAT),
        "Optional[Tensor]": OptionalOf(TENSOR),
    }
    return known.get(text, UNKNOWN)


def _python_signature(callee: Any, method: bool) -> Signature | None:
    """Return the signature that ``inspect`` finds for a function, or for PyTorch's testing override of it; None if there is neither."""
    if isinstance(callee, types.FunctionType) and (choice := _jit_internal.boolean_dispatched.get(callee)) is not None:
        callee = choice["if_false"]  # the other choice also returns indices
    kinds = inspect.Parameter
    for one in (callee, _testing().get(callee)):
        with suppress(TypeError, ValueError):
            found = inspect.signature(one)  # type: ignore[arg-type]  # None raises a TypeError
            parameters = [
                Parameter(each.name, "", each.kind is kinds.KEYWORD_ONLY, False, each.kind is kinds.VAR_POSITIONAL)
                for each in found.parameters.values()
                if each.kind is not kinds.VAR_KEYWORD
            ]
            return Signature(tuple(parameters[1 if method else 0 :]), result_of(callee))
    return None


@cache
def _testing() -> dict[Any, Any]:
    return torch.overrides.get_testing_overrides()


def result_of(callee: Any) -> Type:
    """Return the type of a function's result for any arguments: by its annotation, or by its schemas if they agree; else UNKNOWN."""
    name = str(getattr(callee, "__name__", ""))
    if (known := _RESULTS.get(name)) is not None:
        return known
    annotated = _annotation(callee)
    if annotated != UNKNOWN:
        return annotated
    found = {_result(one.returns) for one in schemas_of(name) if _takes(one, method=False)}
    return found.pop() if len(found) == 1 else UNKNOWN


def _annotation(callee: Any) -> Type:
    with suppress(Exception):  # some annotations can be read by type checkers only
        named = typing.get_type_hints(callee).get("return")
        if named is torch.Tensor:
            return TENSOR
        if typing.get_origin(named) in (tuple, list) and typing.get_args(named)[0] is torch.Tensor:
            arguments = typing.get_args(named)
            return (
                ListOf(TENSOR) if Ellipsis in arguments or len(arguments) == 1 else TupleOf((TENSOR,) * len(arguments))
            )
        if named is bool:
            return BOOL
    return UNKNOWN


# -- Binding ---------------------------------------------------------------------------------------------------------------


def bind(
    signature: Signature, places: Sequence[Expression | Spread], named: Mapping[str, Expression]
) -> dict[str, Expression] | None:
    """Return the arguments by PyTorch's names, ints in a row as one list if the function takes a list; None if the arguments do not fit."""
    positional = [one for one in signature.parameters if not one.keyword_only]
    given: dict[str, Expression] = {}
    rest = list(places)
    for place, parameter in enumerate(positional):
        if not rest:
            break
        if parameter.spread or _takes_many(positional, place, rest):
            given[parameter.name] = _many(rest)
            rest = []
            break
        first = rest.pop(0)
        if isinstance(first, Spread):
            return None
        given[parameter.name] = first
    if rest:
        return None
    known = {one.name for one in signature.parameters}
    for name, value in named.items():
        alias = name if name in known or name in _BESIDES else _ALIASES.get(name, name)
        if alias in given or (alias not in known and alias not in _BESIDES):
            return None
        given[alias] = value
    return given


def _takes_many(positional: Sequence[Parameter], place: int, rest: Sequence[Expression | Spread]) -> bool:
    """Return whether the arguments in ``rest`` are the items of one list of ints, the only positional parameter of the function."""
    if len(positional) != 1 or place or (positional[0].kind and "List[int]" not in positional[0].kind):
        return False
    if any(isinstance(one, Spread) for one in rest):
        return True
    ints = all(isinstance(one, Expression) and one.type in (INT, BOOL) for one in rest)
    return ints and (len(rest) > 1 or "List[int]" in positional[0].kind)


def _many(items: Sequence[Expression | Spread]) -> Expression:
    """Return several arguments as one: ints as sizes, tensors as a list."""
    first = items[0]
    if len(items) == 1:
        if isinstance(first, Spread):
            return first.value
        if first.type not in (INT, BOOL, TENSOR):
            return first
    types_ = [one.value.type if isinstance(one, Spread) else one.type for one in items]
    if any(one == TENSOR or (isinstance(one, ListOf) and one.element == TENSOR) for one in types_):
        return ListLiteral(tuple(items), type=ListOf(TENSOR), origin=first.origin)
    made = tuple_of((), first.origin, SIZES)
    return type(made)(tuple(items), type=SIZES, origin=first.origin)


def fits(signature: Signature, given: Mapping[str, Expression]) -> bool:
    """Return whether the arguments are of the types in the schema, and no required argument is missing."""
    for parameter in signature.parameters:
        value = given.get(parameter.name)
        if value is None:
            if parameter.required:
                return False
        elif parameter.kind and not _fits(value, parameter):
            return False
    return True


_ACCEPTED: Final[dict[str, tuple[Type, ...]]] = {
    "Tensor": (TENSOR,),
    "int": (INT, BOOL, DTYPE),
    "float": (INT, FLOAT, BOOL),
    "number": (INT, FLOAT, BOOL),
    "bool": (BOOL,),
    "str": (STR,),
    "Device": (STR, DEVICE, INT),
}


def _fits(value: Expression, parameter: Parameter) -> bool:
    kind, found = parameter.kind, value.type
    optional = kind.startswith("Optional[")
    kind = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
    kind = f"{kind}]" if kind.startswith("List[") and not kind.endswith("]") else kind
    if isinstance(found, OptionalOf):
        found = found.inner
    if found == UNKNOWN or (found == NONE and optional):
        return True
    if kind == "List[int]":
        return are_ints(found) or (found == INT and parameter.widens)
    if kind == "List[Tensor]":
        return _holds_tensors(found)
    if kind.startswith("List["):
        return isinstance(found, (ListOf, TupleOf)) or found == SIZES
    return found in _ACCEPTED.get(kind, (found,))


def _holds_tensors(found: Type) -> bool:
    parts = (
        found.items
        if isinstance(found, TupleOf)
        else (found.element,)
        if isinstance(found, (ListOf, IteratorOf))
        else (NONE,)
    )
    return all(one in (TENSOR, OptionalOf(TENSOR), UNKNOWN) for one in parts)


def is_flag(value: Expression | None) -> bool:
    """Return whether an argument is the literal True."""
    return isinstance(value, Literal) and value.value is True
