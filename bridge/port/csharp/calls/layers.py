"""Construction of PyTorch's own modules in C#: ``Conv2d(3, 64, 7, stride: 2, padding: 3, bias: false)``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.bodies.rows import shorten
from bridge.port.csharp.building import is_plain, path, refused
from bridge.port.csharp.calls.fitting import is_sequence, known
from bridge.port.csharp.calls.member_table import overloads
from bridge.port.csharp.calls.members import Call, resolve
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.values import einops
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.observe.modules import arguments, is_einops, parameters

_EMPTY: Final = inspect.Parameter.empty
#: Arguments that do not change the layer itself, only how it is created.
_LEFT_OUT: Final = frozenset({"device", "dtype", "_weight", "_freeze"})
#: Arguments that TorchSharp lacks, and that do not change a result.
_WITHOUT_EFFECT: Final = frozenset({"inplace", "init"})
#: Arguments that are shapes: one number does not stand for a list of equal numbers.
_SHAPES: Final = frozenset({"normalized_shape", "unflattened_size"})


def class_name(kind: type) -> str:
    """Return the name of a module's class in TorchSharp."""
    return "Linear" if kind.__name__ == "NonDynamicallyQuantizableLinear" else kind.__name__


def layer(
    emission: Emission, module: nn.Module, replaced: Mapping[str, ir.Expression], rank: int = 0
) -> tree.Expression | None:
    """Return the expression that creates a layer like ``module``; None if TorchSharp has no layer with these arguments.

    ``replaced`` are the arguments that are no constants; ``rank`` is as in :class:`bridge.port.ir.nodes.Construct`.
    """
    given = {**{name: known(value) for name, value in arguments(module).items()}, **replaced}
    return _made(emission, type(module), given, rank)


def lower(emission: Emission, node: ir.Construct) -> tree.Expression:
    """Return the expression that creates a module or a parameter. Raises Untranslatable."""
    if node.kind in emission.classes:
        names = emission.parameters.get(node.kind, {})
        words = tuple(
            tree.Argument(_argument(emission, one.value), "" if one.positional else names.get(one.name, one.name))
            for one in (*node.arguments, *_demanded(emission, node))
        )
        return tree.New(tree.Type(emission.class_name(node.kind)), _entries(emission, words))
    given = {one.name: one.value for one in node.arguments}
    if issubclass(node.kind, nn.Parameter):
        return _parameter(emission, node, given)
    defaults = parameters(node.kind)
    stated = {
        name: value
        for name, value in given.items()
        if name not in _LEFT_OUT
        and not (isinstance(value, ir.Literal) and name in defaults and _equal(value.value, defaults[name]))
    }
    made = _made(emission, node.kind, stated, node.rank)
    if made is None:
        listed = ", ".join(f"{name}: {value.type}" for name, value in given.items()) or "none"
        raise refused(node, f"TorchSharp has no {class_name(node.kind)} with these arguments: {listed}")
    return made


def _entries(emission: Emission, words: tuple[tree.Argument, ...]) -> tuple[tree.Argument, ...]:
    """Return the arguments of a constructor; children with names, for ``params``, are one collection if ``Select`` creates some of them."""
    first = len(words)
    while first and not words[first - 1].name and _is_entry(words[first - 1].value):
        first -= 1
    items = shorten(emission, [one.value for one in words[first:]])
    if not any(isinstance(item, tree.Spread) for item in items):
        return words
    return (*words[:first], tree.Argument(tree.Collection(items)))


def _is_entry(value: tree.Expression) -> bool:
    """Return whether an argument is ``("name", child)``."""
    return (
        isinstance(value, tree.Tuple)
        and isinstance(value.items[0], tree.Literal)
        and isinstance(value.items[0].value, str)
    )


def _demanded(emission: Emission, node: ir.Construct) -> list[ir.Argument]:
    """Return the defaults that a call must pass, since in C# a parameter before a required one cannot be optional."""
    known = emission.constructors.get(node.kind, ())
    needed = [place for place, one in enumerate(known) if one.default is None and not one.spread]
    given = {one.name for one in node.arguments}
    return [
        ir.Argument(one.name, one.default, False)
        for one in known[: max(needed, default=0)]
        if one.default is not None and one.name not in given
    ]


def _argument(emission: Emission, value: ir.Expression) -> tree.Expression:
    """Return an argument of a constructor; a list is written as ``[1, 2]``, since the constructor declares its type."""
    made = emission.expression(value)
    if (
        isinstance(value, (ir.ListLiteral, ir.TupleLiteral))
        and isinstance(made, tree.New)
        and all(isinstance(one, ir.Expression) for one in value.items)
    ):
        return tree.Collection(tuple(_argument(emission, one) for one in value.items if isinstance(one, ir.Expression)))
    return made


def _equal(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _parameter(emission: Emission, node: ir.Construct, given: Mapping[str, ir.Expression]) -> tree.Expression:
    """Return ``new Parameter(data)``."""
    data = given.get("data")
    if data is None:
        raise refused(node, "a parameter without data")
    words = [tree.Argument(emission.expression(data))]
    if "requires_grad" in given:
        words.append(tree.Argument(emission.expression(given["requires_grad"])))
    return tree.New(tree.Type("Parameter"), tuple(words))


def _made(emission: Emission, kind: type, given: Mapping[str, ir.Expression], rank: int) -> tree.Expression | None:
    if is_einops(kind):
        return einops.lower_layer(emission, kind, given)
    name = class_name(kind)
    defaults = {key: value for key, value in parameters(kind).items() if value is not _EMPTY}
    if name == "Identity":
        return tree.Call(tree.Name(name))
    stated = {key: _shaped(key, value) for key, value in given.items()}
    if issubclass(kind, nn.Upsample):
        stated = {
            key: _for_each(value, rank - 2) if key in ("size", "scale_factor") else value
            for key, value in stated.items()
        }
    for left in (stated, {key: value for key, value in stated.items() if key not in _WITHOUT_EFFECT}):
        unsaid = {key: value for key, value in defaults.items() if key not in _WITHOUT_EFFECT}
        found = resolve(emission, overloads("nn", name), Call(left, tuple(parameters(kind)), unsaid, layer=True))
        if found is not None:
            return tree.Call(path(name), found.arguments)
    return None


def _shaped(name: str, value: ir.Expression) -> ir.Expression:
    """Return an argument; a shape of one number becomes that number, any other shape a list, which no single number replaces."""
    items = is_sequence(value) if name in _SHAPES else None
    if items is None:
        return value
    first = items[0]
    return (
        first
        if len(items) == 1 and isinstance(first, ir.Expression)
        else ir.ListLiteral(items, type=types.ListOf(types.INT))
    )


def _for_each(value: ir.Expression, count: int) -> ir.Expression:
    """Return a number as a tuple of ``count`` equal numbers, one for each dimension; any other value as it is."""
    if count < 1 or not types.is_number(types.required(value.type)) or not is_plain(value):
        return value
    return ir.TupleLiteral((value,) * count, type=types.TupleOf((value.type,) * count), origin=value.origin)
