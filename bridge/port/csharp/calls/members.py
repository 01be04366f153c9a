"""How arguments are laid over the parameters of TorchSharp's members, and which member takes them best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.calls.fitting import Fitting, is_sequence, known
from bridge.port.csharp.calls.member_table import MISSING, Member, Parameter, plain
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import LONG
from bridge.port.ir import nodes as ir

#: Parameters that TorchSharp calls otherwise than PyTorch, by PyTorch's name.
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
#: Defaults that are other values and mean the same: the Frobenius norm of a vector, a letter by its number.
_EQUAL: Final = {("fro", 2), ("L", ord("L"))}
#: Parameters that must be given, for without them PyTorch takes the whole tensor, or looks for a dimension, and TorchSharp does not.
_NEEDED: Final = {("quantile", "dim"), ("nanquantile", "dim"), ("take_along_dim", "dim"), ("cross", "dim")}


@dataclass(frozen=True, slots=True)
class Found:
    """The member that takes the arguments of a call, and these in C#; the lower the ``cost``, the better they fit."""

    member: Member
    arguments: tuple[tree.Argument, ...]
    cost: int = 0


# -- Overload resolution ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments by PyTorch's names, the order of its parameters, and the defaults that it has for them.

    ``layer`` where a module is made: one number stands for equal ones, and what may be left out has its name. ``whole`` where none of the
    arguments given may be left out.
    """

    given: Mapping[str, ir.Expression]
    order: Sequence[str]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    layer: bool = False
    whole: bool = False


def resolve(emission: Emission, members: Iterable[Member], call: Call) -> Found | None:
    """Return the member that takes the arguments best, the first of several; None where none takes them."""
    laid = [one for one in (_laid(emission, member, call) for member in members) if one is not None]
    return min(laid, key=lambda one: one.cost, default=None)


@cache
def names_for(name: str) -> tuple[str, ...]:
    """Return the plain names by which TorchSharp may know a parameter of PyTorch's."""
    return (plain(name), *_SYNONYMS.get(plain(name), ()))


def _places(member: Member, call: Call) -> dict[int, ir.Expression] | None:
    """Return the arguments by the places of their parameters; None where one has none."""
    places: dict[int, ir.Expression] = {}
    names = [plain(one.name) for one in member.parameters]
    known_names = set(map(plain, call.order))
    for name, value in call.given.items():
        at = next((names.index(one) for one in names_for(name) if one in names), None)
        # By its place, unless the parameter there has the name of another of PyTorch's.
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
    cost, named = 0, False
    for place, parameter in enumerate(member.parameters):
        value = places.get(place)
        if value is None:
            value = _unsaid(parameter, call)
            cost += value is not None
        if value is None and (parameter.required or (member.name, parameter.name) in _NEEDED):
            return None
        if parameter.name == "size" and parameter.type == LONG and value is not None:
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
        arguments += [tree.Argument(one, parameter.name if named else "") for one in found[0]]
    return Found(member, tuple(arguments), cost)


def _alone(value: ir.Expression) -> ir.Expression:
    """Return the number of a list of one, else the list."""
    items = is_sequence(value) or ()
    return items[0] if len(items) == 1 and isinstance(items[0], ir.Expression) else value


def _several_arguments(
    fitting: Fitting, parameter: Parameter, value: ir.Expression
) -> tuple[tuple[tree.Expression, ...], int] | None:
    """Return the elements of a list as arguments of their own; None where it is no list whose length is known."""
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
    """Return whether a number would become a list of one, which splits a tensor otherwise."""
    array = isinstance(parameter.type, tree.ArrayType)
    return member.name == "split" and array and str(value.type) == "int"


def _unsaid(parameter: Parameter, call: Call) -> ir.Expression | None:
    """Return what PyTorch takes where the call says nothing, if TorchSharp demands it or takes another value.

    TorchSharp's null stands for PyTorch's default, and data types follow from the inputs in both.
    """
    wanted = plain(parameter.name)
    for name, default in call.defaults.items():
        if wanted not in names_for(name) or name in call.given or name == "dtype":
            continue
        differs = None not in (default, parameter.default) and not _same(default, parameter.default)
        return known(default) if parameter.required or differs else None
    return None


def _is_default(value: ir.Expression, parameter: Parameter) -> bool:
    """Return whether a literal is what TorchSharp takes without it."""
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
    """Return how many numbers a list of ``max_pool2d`` or ``Conv2d`` has, by its name; 1 for others."""
    name = member.name.removesuffix("_with_indices")
    digit = name[-2:-1]
    return int(digit) if member.holder in ("nn", "functional") and digit in ("2", "3") and name[-1] == "d" else 1
