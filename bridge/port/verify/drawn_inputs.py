"""Inputs of a model beside the given ones: other sizes, values, modes, and None for optional parameters."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import torch
from torch import nn

from bridge.compare.io.inputs import signature_of

#: A resized draw has at most this many times the elements of the given inputs, or :data:`_SMALL` elements if that is more.
_GROWTH: Final = 4
_SMALL: Final = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """The arguments of one call by parameter name, and the mode of the model."""

    arguments: Mapping[str, Any]
    train: bool = False

    def __str__(self) -> str:
        items = [f"{name} = {_text(value)}" for name, value in self.arguments.items()]
        return ", ".join(items) + (", in train mode" if self.train else "")


def draws(model: nn.Module, given: Mapping[str, Any], seed: int) -> Iterator[Draw]:
    """Yield draws without end: new values in train mode, then each change of the given inputs alone, then up to three together.

    A size changes in all dimensions that have it, such as the batch size of two arguments, and in each of them alone. Values become
    negative, zero, large or equal to each other; integers are drawn from the range of the given integers and from beyond it.
    """
    generator, chooser = torch.Generator().manual_seed(seed), random.Random(seed)
    single = [*_values(given, generator), *_absent(model, given), *_sizes(given, generator)]
    yield Draw(_redrawn(given, generator), train=True)
    for change in single:
        yield Draw(change(given))
    while True:
        changed = given
        for change in chooser.sample(single, min(len(single), chooser.randint(1, 3))):
            changed = change(changed)
        yield Draw(_redrawn(changed, generator) if chooser.random() < 0.3 else changed, train=chooser.random() < 0.25)


Change = Callable[[Mapping[str, Any]], dict[str, Any]]


def _sizes(given: Mapping[str, Any], generator: torch.Generator) -> Iterator[Change]:
    """Yield changes of sizes: of all equal sizes together, then of each size alone."""
    tensors = {name: value for name, value in given.items() if isinstance(value, torch.Tensor)}
    places = [(name, dim, size) for name, value in tensors.items() for dim, size in enumerate(value.shape)]
    limit = max(_SMALL, _GROWTH * sum(value.numel() for value in tensors.values()))
    for size in dict.fromkeys(size for *_, size in places):
        together = [(name, dim) for name, dim, other in places if other == size]
        for dims in (together, *([place] for place in together if len(together) > 1)):
            for other in dict.fromkeys((1, 2, size - 1, size + 1, 2 * size, size + 32)):
                if other >= 1 and other != size:
                    yield partial(_resized, dims, other, limit, generator)


def _resized(
    dims: list[tuple[str, int]], size: int, limit: int, generator: torch.Generator, given: Mapping[str, Any]
) -> dict[str, Any]:
    shapes = {name: list(value.shape) for name, value in given.items() if isinstance(value, torch.Tensor)}
    for name, dim in dims:
        if name in shapes:
            shapes[name][dim] = size
    if sum(torch.Size(shape).numel() for shape in shapes.values()) > limit:
        return dict(given)
    return {
        name: draw_like(value, generator, shapes[name])
        if name in shapes and shapes[name] != list(value.shape)
        else value
        for name, value in given.items()
    }


def _values(given: Mapping[str, Any], generator: torch.Generator) -> Iterator[Change]:
    """Yield the changes of the values of all tensors, then of each, if there are several."""
    names = [name for name, value in given.items() if isinstance(value, torch.Tensor)]
    for chosen in (names, *([name] for name in names if len(names) > 1)):
        for change in (_negative, torch.zeros_like, _large, _ties, _beyond):
            yield partial(_changed, chosen, change, generator)


def _changed(
    names: list[str], change: Callable[..., torch.Tensor], generator: torch.Generator, given: Mapping[str, Any]
) -> dict[str, Any]:
    def new(name: str, value: Any) -> Any:
        if name not in names or not isinstance(value, torch.Tensor):
            return value
        return change(value) if change is torch.zeros_like else change(value, generator)

    return {name: new(name, value) for name, value in given.items()}


def _negative(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return -value.abs() if value.is_floating_point() else draw_like(value, generator)


def _large(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return a tensor with large values: floats times 10,000, the largest of the integers everywhere, or True everywhere."""
    if value.dtype == torch.bool or not value.numel():
        return torch.ones_like(value)
    return value * 10_000 if value.is_floating_point() else torch.full_like(value, int(value.max()))


def _ties(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return numbers of which many are equal."""
    return value.round() if value.is_floating_point() else torch.full_like(value, int(value.flatten()[:1].sum()))


def _beyond(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return integers from -m to about 2m, where m is the largest magnitude in ``value``; for other dtypes, call :func:`draw_like`."""
    if value.is_floating_point() or value.dtype == torch.bool or not value.numel():
        return draw_like(value, generator)
    high = max(abs(int(value.max())), abs(int(value.min())))
    return torch.randint(-high, 2 * high + 2, value.shape, generator=generator).to(value.dtype)


def draw_like(value: torch.Tensor, generator: torch.Generator, shape: list[int] | None = None) -> torch.Tensor:
    """Return a tensor of the dtype of ``value``, with integers in the range of ``value``, or with normally distributed floats.

    The floats are negative only if ``value`` has negative floats.
    """
    shape = list(value.shape) if shape is None else shape
    if value.is_complex() or value.is_floating_point():
        drawn = torch.randn(shape, generator=generator, dtype=value.dtype)
        return drawn.abs() if not value.is_complex() and value.numel() and bool((value >= 0).all()) else drawn
    low, high = (int(value.min()), int(value.max())) if value.numel() else (0, 1)
    return torch.randint(low, high + 1, shape, generator=generator).to(value.dtype)


def _redrawn(given: Mapping[str, Any], generator: torch.Generator) -> dict[str, Any]:
    return {
        name: draw_like(value, generator) if isinstance(value, torch.Tensor) else value for name, value in given.items()
    }


def _absent(model: nn.Module, given: Mapping[str, Any]) -> Iterator[Change]:
    """Yield, for each optional parameter that has an argument, the change to None."""
    for name, parameter in signature_of(model).parameters.items():
        if parameter.default is None and given.get(name) is not None:
            yield partial(_without, name)


def _without(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {**given, name: None}


def _text(value: Any) -> str:
    """Return the Python expression of a value; for a large tensor, its dtype, shape and range."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    kind = f"{str(value.dtype)[6:]}{list(value.shape)}"
    if value.numel() <= 8:
        return f"torch.tensor({value.tolist()}, dtype={value.dtype})"
    low, high = value.min(), value.max()
    return f"{kind}, all {low.item():g}" if low == high else f"{kind} from {low.item():g} to {high.item():g}"
