"""Dynamic dimensions: their names, the inputs that have them, and other inputs of other sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.utils import _pytree

from bridge.exporting.errors import ExportError

_SPECIFICATION: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:=(?:(?P<input>[^:]+):)?(?P<dim>\d+))?")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dynamic dimension.

    Attributes:
        name: The name, such as ``batch``.
        size: The size in the given inputs.
        places: The index of each tensor that has the dimension, among all tensors of the inputs, and the position in its shape.
    """

    name: str
    size: int
    places: tuple[tuple[int, int], ...]


def parse(texts: Sequence[str], arguments: Mapping[str, Any]) -> list[Dimension]:
    """Return the dimensions of ``--dynamic`` for inputs by parameter name.

    ``batch`` is dimension 0 of all tensors, ``width=3`` dimension 3 of all tensors that have one, ``length=tokens:1`` dimension 1 of the
    input ``tokens``. A name that occurs several times is a single dimension. Raises ExportError.
    """
    owners = [name for name, value in arguments.items() for leaf in _pytree.tree_leaves(value) if _is_tensor(leaf)]
    tensors = find_tensors(arguments)
    found: dict[str, list[tuple[int, int]]] = {}
    for text in texts:
        match = _SPECIFICATION.fullmatch(text)
        if match is None:
            raise ExportError(f"a dynamic dimension is NAME, NAME=DIM or NAME=INPUT:DIM, not '{text}'.")
        name, owner, dim = match["name"], match["input"], int(match["dim"] or 0)
        if owner is not None and owner not in owners:
            raise ExportError(
                f"the dynamic dimension '{text}': no input is named {owner}. Inputs: {', '.join(arguments)}."
            )
        places = [
            (index, dim)
            for index, tensor in enumerate(tensors)
            if owner in (None, owners[index]) and dim < tensor.dim()
        ]
        if not places:
            raise ExportError(f"the dynamic dimension '{text}': no input has a dimension {dim}.")
        found.setdefault(name, []).extend(place for place in places if place not in found.get(name, ()))
    _check_unique(found)
    return [Dimension(name, _common_size(name, places, tensors), tuple(places)) for name, places in found.items()]


def _check_unique(found: Mapping[str, Sequence[tuple[int, int]]]) -> None:
    names: dict[tuple[int, int], str] = {}
    for name, places in found.items():
        for place in places:
            if place in names:
                raise ExportError(f"{names[place]} and {name} are the same dimension of an input: use one name.")
            names[place] = name


def _common_size(name: str, places: Sequence[tuple[int, int]], tensors: Sequence[torch.Tensor]) -> int:
    sizes = {tensors[index].shape[dim] for index, dim in places}
    if len(sizes) > 1:
        raise ExportError(
            f"the dynamic dimension {name} has several sizes in the inputs: {', '.join(map(str, sorted(sizes)))}. Name the input: "
            f"{name}=INPUT:DIM."
        )
    if 0 in sizes:
        raise ExportError(f"the dynamic dimension {name} has size 0: use inputs that are not empty.")
    return sizes.pop()


def find_tensors(values: Any) -> list[torch.Tensor]:
    """Return the tensors in nested containers, in order."""
    return [leaf for leaf in _pytree.tree_leaves(values) if _is_tensor(leaf)]


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def dynamic_shapes(values: Any, dimensions: Sequence[Dimension], *, conditions: bool = False) -> Any:
    """Return what ``torch.export`` takes as ``dynamic_shapes`` for ``values``; None if there are no dynamic dimensions.

    With ``conditions``, ``torch.export`` may add conditions for the sizes, such as a smallest size; else it must trace for all sizes.
    """
    if not dimensions:
        return None
    by_name = {d.name: torch.export.Dim.DYNAMIC if conditions else torch.export.Dim(d.name) for d in dimensions}
    by_tensor: dict[int, dict[int, Any]] = {}
    for dimension in dimensions:
        for index, dim in dimension.places:
            by_tensor.setdefault(index, {})[dim] = by_name[dimension.name]
    numbers = iter(range(len(find_tensors(values))))
    return _pytree.tree_map(lambda leaf: by_tensor.get(next(numbers)) if _is_tensor(leaf) else None, values)


def draw(values: Any, dimensions: Sequence[Dimension], sizes: Mapping[str, int], seed: int) -> Any:
    """Return other inputs, in which the dynamic dimensions have the given sizes.

    Elements are drawn from the elements of the given tensors, so that they stay in their range; half of the floating-point numbers are
    then multiplied by random numbers between 0.5 and 1.
    """
    generator = torch.Generator().manual_seed(seed)
    resized: dict[int, dict[int, int]] = {}
    for dimension in dimensions:
        for index, dim in dimension.places:
            resized.setdefault(index, {})[dim] = sizes.get(dimension.name, dimension.size)
    numbers = iter(range(len(find_tensors(values))))

    def change(leaf: Any) -> Any:
        if not _is_tensor(leaf):
            return leaf
        new = resized.get(next(numbers), {})
        shape = [new.get(dim, size) for dim, size in enumerate(leaf.shape)]
        return _draw_tensor(leaf, shape, generator)

    return _pytree.tree_map(change, values)


def _draw_tensor(tensor: torch.Tensor, shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    elements = tensor.detach().cpu().reshape(-1)
    if not elements.numel():
        return torch.empty(shape, dtype=tensor.dtype, device=tensor.device)
    drawn = elements[torch.randint(elements.numel(), tuple(shape), generator=generator)]
    if drawn.is_floating_point() or drawn.is_complex():
        factors = torch.rand(tuple(shape), generator=generator).clamp(min=0.5).to(drawn.dtype)
        drawn = drawn * factors
    return drawn.to(tensor.device)


def candidates(size: int) -> Iterator[int]:
    """Yield sizes to try besides ``size``, in order: 1, sizes near, small ones, and sizes far."""
    tried = {size, 0}
    for other in (1, size + 1, 2 * size, size + 3, size - 1, size // 2, 3 * size, *range(2, 9), size + 32, size - 32):
        if other > 0 and other not in tried:
            tried.add(other)
            yield other
