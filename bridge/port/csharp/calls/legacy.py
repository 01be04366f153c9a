"""Old constructors of tensors (``torch.FloatTensor(2, 3)``, ``x.new(2, 3)``) as ``torch.empty`` and ``torch.tensor``."""

from __future__ import annotations

from typing import Final

import torch

from bridge.port.csharp.building import refused
from bridge.port.csharp.calls.fitting import is_sequence, known
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

#: The names of the constructors: ``Tensor`` gives PyTorch's default dtype, the others the dtype in their names.
NAMES: Final = ("Tensor", *sorted(one.__name__ for one in torch._tensor_classes if one.__module__ == "torch"))


def constructed(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``torch.Tensor(2, 3)`` as ``torch.empty((2, 3))``, and ``torch.Tensor([0.5, 1])`` as ``torch.tensor([0.5, 1])``."""
    name = str(node.function.__name__)
    values = [one.value for one in node.arguments]
    if node.function is not getattr(torch, name) or any(not one.positional for one in node.arguments):
        raise refused(node, f"a {name} on another device, or with arguments by name")
    dtype = known(torch.get_default_dtype() if name == "Tensor" else node.function.dtype)
    if (size := size_of(values)) is not None:
        return _call(node, torch.empty, {"size": size, **({} if name == "Tensor" else {"dtype": dtype})})
    if len(values) == 1 and (is_sequence(values[0]) is not None or isinstance(values[0].type, types.ListOf)):
        return _call(node, torch.tensor, {"data": values[0], "dtype": dtype})
    raise refused(
        node, f"{name} of a {', '.join(str(one.type) for one in values)}, which may be its shape or its values"
    )


def size_of(values: list[ir.Expression]) -> ir.Expression | None:
    """Return the shape in a constructor's arguments, given as ints or as the shape of a tensor; None if the arguments are elements."""
    if all(one.type == types.INT for one in values):
        return ir.TupleLiteral(tuple(values), type=types.SIZES) if values else known((0,))
    return values[0] if len(values) == 1 and _is_shape(values[0]) else None


def _is_shape(value: ir.Expression) -> bool:
    """Return whether a value is a ``torch.Size``: a list of the same ints would be the values of a tensor."""
    if isinstance(value, ir.Slice):
        return _is_shape(value.value)
    return isinstance(value, ir.Property) and value.name == "shape"


def _call(node: ir.TorchCall, function: object, given: dict[str, ir.Expression]) -> ir.TorchCall:
    arguments = tuple(ir.Argument(name, one, positional=name != "dtype") for name, one in given.items())
    return ir.TorchCall(function, None, arguments, tuple(given), type=types.TENSOR, origin=node.origin)
