"""Assignment of arguments to the parameters of TorchSharp's members, and the choice of the best overload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.calls.faults import is_faulty
from bridge.port.csharp.calls.fitting import Fitting, is_sequence, known
from bridge.port.csharp.calls.member_table import MISSING, Member, Parameter, enumeration, plain
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir

#: TorchSharp's names for parameters that PyTorch names differently, by PyTorch's name.
_SYNONYMS: Final[dict[str, tuple[str, ...]]] = {
    "infeatures": ("inputsize",),
    "outfeatures": ("outputsize",),
    "bias": ("hasbias",),
    "embeddingdim": ("embeddingdims",),
    "embeddim": ("embeddeddim",),
    "dim": ("dims", "dimensions", "axis", "dimension"),
    "dims": ("dim", "dimensions"),
    "axis": ("dim", "dims", "dimension"),
    "self": ("input", "tensor", "x", "left"),
    "input": ("x", "self", "tensor", "left"),
    "other": ("target", "right", "tensor2", "mat2"),
    "dropoutp": ("p",),
    "iscausal": ("iscasual",),
    "stride": ("strides",),
    "dtype": ("type",),
    "value": ("val",),
    "size": ("sizes", "outputsize", "shape"),
    "shape": ("sizes", "size"),
    "repeats": ("sizes",),
    "negativeslope": ("slope",),
    "keepdims": ("keepdim",),
    "hx": ("h0", "h0c0"),
    "posweight": ("posweights",),
}
#: Defaults of PyTorch and TorchSharp that differ but mean the same: the Frobenius norm of a vector, a letter and its code.
_EQUAL: Final = {("fro", 2), ("L", ord("L"))}
#: Parameters that a call must give: without them, PyTorch uses all elements or searches for a dimension, and TorchSharp does not.
_NEEDED: Final = {("quantile", "dim"), ("nanquantile", "dim"), ("take_along_dim", "dim"), ("cross", "dim")}


@dataclass(frozen=True, slots=True)
class Found:
    """The member that accepts the arguments of a call, and the arguments in C#; the lower the ``cost``, the better they fit."""

    member: Member
    arguments: tuple[tree.Argument, ...]
    cost: int = 0


# -- Overload resolution ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call by PyTorch's names, the order of PyTorch's parameters, and their defaults.

    ``layer`` says that the call creates a layer: a number may stand for a tuple of equal numbers, and optional arguments are passed by
    name. ``whole`` says that arguments are passed even if they equal TorchSharp's defaults.
    """

    given: Mapping[str, ir.Expression]
    order: Sequence[str]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    layer: bool = False
    whole: bool = False


def resolve(emission: Emission, members: Iterable[Member], call: Call) -> Found | None:
    """Return the member that the arguments fit best, the first one if several are equally good; None if no member accepts them."""
    members = list(members)
    laid = [one for one in (_laid(emission, member, call) for member in members) if one is not None]
    found = min(laid, key=lambda one: one.cost, default=None)
    return None if found is None else replace(found, arguments=_told_apart(found, members))


def _told_apart(found: Found, members: Sequence[Member]) -> tuple[tree.Argument, ...]:
    """Return the arguments, with ``0L`` for a 0 that C# could also convert to the enumeration that another overload takes."""
    made = []
    for place, one in enumerate(found.arguments):
        number = isinstance(one.value, tree.Literal) and type(one.value.value) is int and one.value.value == 0
        others = [other.parameters[place].type.name for other in members if place < len(other.parameters)]
        mistaken = number and not one.name and any(enumeration(name) is not None for name in others)
        made.append(replace(one, value=tree.Literal(0, "L")) if mistaken else one)
    return tuple(made)


@cache
def names_for(name: str) -> tuple[str, ...]:
    """Return the plain names that a parameter of PyTorch may have in TorchSharp."""
    return (plain(name), *_SYNONYMS.get(plain(name), ()))


def _places(member: Member, call: Call) -> dict[int, ir.Expression] | None:
    """Return the arguments by the indices of their parameters; None if an argument has no parameter of its own."""
    places: dict[int, ir.Expression] = {}
    names = [plain(one.name) for one in member.parameters]
    known_names = set(map(plain, call.order))
    for name, value in call.given.items():
        at = next((names.index(one) for one in names_for(name) if one in names), None)
        # By position, unless the parameter at this position has the name of another parameter of PyTorch.
        if at is None and name in call.order:
            place = call.order.index(name)
            at = place if place < len(names) and names[place] not in known_names else None
        if at is None or at in places:
            return None
        places[at] = value
    return places


def _laid(emission: Emission, member: Member, call: Call) -> Found | None:
    places = _places(member, call)
    if places is None or any(one.direction for one in member.parameters):
        return None
    fitting = Fitting(emission, call.layer, _dimensions(member))
    arguments: list[tree.Argument] = []
    said: dict[str, ir.Expression] = {}
    cost, named = 0, False
    for place, parameter in enumerate(member.parameters):
        value = places.get(place)
        if value is None:
            value = _unsaid(parameter, call)
            cost += value is not None
        if value is None and (parameter.required or (member.name, parameter.name) in _NEEDED):
            return None
        if value is not None and _is_number(member, parameter):
            value = _alone(value)
        if value is None or (not call.whole and _is_default(value, parameter)):
            named = named or not parameter.spread
            continue
        found = (
            _several_arguments(fitting, parameter, value)
            if parameter.count > 1 or (parameter.spread and not named)
            else None
        )
        if found is None and parameter.count == 1:
            word = fitting.fit(value, parameter.type)
            found = (
                None if word is None or _splits_otherwise(member, parameter, value) else ((word.expression,), word.cost)
            )
        if found is None:
            return None
        named = named or (call.layer and not parameter.required)
        cost += found[1]
        said[parameter.name] = value
        arguments += [tree.Argument(one, parameter.name if named else "") for one in found[0]]
    return None if is_faulty(member, said) else Found(member, tuple(arguments), cost)


def _is_number(member: Member, parameter: Parameter) -> bool:
    """Return whether TorchSharp takes a number where PyTorch takes a list of one number: for ``size``, or in functions like ``conv1d``."""
    if parameter.type.name != "long":
        return False
    return parameter.name == "size" or (member.holder == "functional" and member.name.endswith("1d"))


def _alone(value: ir.Expression) -> ir.Expression:
    """Return the item of a list of one item, and any other value as it is."""
    items = is_sequence(value) or ()
    return items[0] if len(items) == 1 and isinstance(items[0], ir.Expression) else value


def _several_arguments(
    fitting: Fitting, parameter: Parameter, value: ir.Expression
) -> tuple[tuple[tree.Expression, ...], int] | None:
    """Return the elements of a list as separate arguments, and their cost; None if the list is not written out, or does not fit."""
    items = is_sequence(value)
    if items is None or (parameter.count > 1 and len(items) != parameter.count):
        return None
    element = parameter.type.arguments[0] if parameter.spread else parameter.type
    found = [fitting.fit(item, element) if isinstance(item, ir.Expression) else None for item in items]
    words = [one for one in found if one is not None]
    if len(words) != len(items) or any(one.cost > 1 for one in words):
        return None
    return tuple(one.expression for one in words), sum(one.cost for one in words)


def _splits_otherwise(member: Member, parameter: Parameter, value: ir.Expression) -> bool:
    """Return whether an int would become a list of one int in ``split``, where a list has another meaning."""
    array = isinstance(parameter.type, tree.ArrayType)
    return member.name == "split" and array and str(value.type) == "int"


def _unsaid(parameter: Parameter, call: Call) -> ir.Expression | None:
    """Return PyTorch's default of a parameter without an argument, if TorchSharp requires it or has another default; else None.

    Also returns None if TorchSharp's default is null, which means PyTorch's default, and for a dtype, which both infer from the inputs.
    """
    wanted = plain(parameter.name)
    for name, default in call.defaults.items():
        if wanted not in names_for(name) or name in call.given or name == "dtype":
            continue
        differs = None not in (default, parameter.default) and not _same(default, parameter.default)
        return known(default) if parameter.required or differs else None
    return None


def _is_default(value: ir.Expression, parameter: Parameter) -> bool:
    """Return whether a value is written as TorchSharp's default, so that it may be left out."""
    if parameter.default is MISSING:
        return False
    items = is_sequence(value)
    if items is not None:
        return bool(items) and all(isinstance(one, ir.Literal) and _same(one.value, parameter.default) for one in items)
    return isinstance(value, ir.Literal) and not value.name and _same(value.value, parameter.default)


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all(_same(one, default) for one in value)
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    if callable(value):
        return _same(value.__name__, default)
    if isinstance(value, str):
        return plain(value) == plain(default) if isinstance(default, str) else (value, default) in _EQUAL
    return isinstance(value, (int, float, type(None))) and bool(value == default)


def _dimensions(member: Member) -> int:
    """Return the number of dimensions in a name such as ``max_pool2d`` or ``Conv2d``; 1 for other members."""
    name = member.name.removesuffix("_with_indices")
    digit = name[-2:-1]
    return int(digit) if member.holder in ("nn", "functional") and digit in ("2", "3") and name[-1] == "d" else 1
