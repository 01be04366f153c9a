"""PyTorch's own modules as C# makes them: ``Conv2d(3, 64, 7, stride: 2, padding: 3, bias: false)``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.building import is_plain, path, refused
from bridge.port.csharp.calls.fitting import is_sequence, known
from bridge.port.csharp.calls.member_table import overloads
from bridge.port.csharp.calls.members import Call, resolve
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.observe.modules import arguments, parameters

_EMPTY: Final = inspect.Parameter.empty
#: Arguments that say how the module is made, not what it is.
_LEFT_OUT: Final = frozenset({"device", "dtype", "_weight", "_freeze"})
#: Arguments that TorchSharp lacks and that change no value.
_WITHOUT_EFFECT: Final = frozenset({"inplace", "init"})
#: Shapes, in which equal numbers do not stand for one.
_SHAPES: Final = frozenset({"normalized_shape", "unflattened_size"})


def class_name(kind: type) -> str:
    """Return the name of a module's class in TorchSharp."""
    return "Linear" if kind.__name__ == "NonDynamicallyQuantizableLinear" else kind.__name__


def layer(
    emission: Emission, module: nn.Module, replaced: Mapping[str, ir.Expression], rank: int = 0
) -> tree.Expression | None:
    """Return the expression that makes such a module; ``replaced`` are arguments that are no constants, ``rank`` as in Construct.

    None where TorchSharp has no such module.
    """
    given = {**{name: known(value) for name, value in arguments(module).items()}, **replaced}
    return _made(emission, type(module), given, rank)


def lower(emission: Emission, node: ir.Construct) -> tree.Expression:
    """Return the expression that makes a module or a parameter. Raises Untranslatable."""
    if node.kind in emission.classes:
        words = tuple(
            tree.Argument(emission.expression(one.value), "" if one.positional else one.name) for one in node.arguments
        )
        return tree.New(tree.Type(emission.class_name(node.kind)), words)
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
    """Return a shape of one number as that number, another as a list, whose numbers stand for themselves."""
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
    """Return a number as one for each of so many dimensions."""
    if count < 1 or not types.is_number(types.required(value.type)) or not is_plain(value):
        return value
    return ir.TupleLiteral((value,) * count, type=types.TupleOf((value.type,) * count), origin=value.origin)
