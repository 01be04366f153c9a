"""Inputs for the checker: changes of sizes and values of the arguments given, drawn from a seed.

Nothing of ``bridge.port`` is used here: a fault in its own draws must not hide the same fault in these.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

import torch
from torch import nn

#: Most elements of the tensors of one input, relative to the arguments given; small inputs may grow up to _SMALL elements.
_GROWTH: Final = 4
_SMALL: Final = 50_000
#: Probabilities: of other sizes, of a change that concerns one tensor and not all, of another layout in memory, of train mode.
_RESIZE: Final = 0.6
_ONE: Final = 0.3
_STRIDED: Final = 0.25
_TRAIN: Final = 0.25

#: A dimension of a tensor: the path of the tensor in the arguments, and the number of the dimension.
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Resizing:
    """Another size for dimensions of one size."""

    places: tuple[Place, ...]
    size: int

    def __str__(self) -> str:
        return f"{', '.join(f'{path}.shape[{dim}]' for path, dim in self.places)} = {self.size}"


@dataclass(frozen=True, slots=True)
class Input:
    """The arguments of one call by parameter name, the mode, the seed of the call, and how they came from the arguments given."""

    arguments: Mapping[str, Any]
    train: bool
    seed: int
    resizing: Resizing | None
    words: str

    def __str__(self) -> str:
        return f"{self.words}: {', '.join(f'{name}={shown(value)}' for name, value in self.arguments.items())}"


class Drawer:
    """A source of inputs for a model, made from arguments that it accepts.

    A resizing that the model once refused is not drawn again: :meth:`refuse`. For a port that runs ``apart`` there is no train mode, and no
    views, for tensors cross to its process as copies.
    """

    def __init__(self, model: nn.Module, given: Mapping[str, Any], seed: int, apart: bool = False) -> None:
        self.chooser = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.apart = apart
        self.given = dict(given)
        self.optional = _add_defaults(model, self.given)
        self.tensors = dict(tensors_in(self.given))
        self.limit = max(_SMALL, _GROWTH * sum(value.numel() for value in self.tensors.values()))
        self.resizings = [one for one in _resizings(self.tensors) if self._fits(one)]
        self.drawn = 0

    def refuse(self, one: Input) -> None:
        """Draw the resizing of ``one`` no more, which the model did not accept."""
        if one.resizing in self.resizings:
            self.resizings.remove(one.resizing)

    def draw(self) -> Input:
        """Draw the next input; the first are the arguments given, in eval mode and in train mode."""
        self.drawn += 1
        number = self.drawn - 1
        if number < 2:
            train = number == 1 and not self.apart
            return Input(self.given, train, number, None, f"as given, {_mode(train)}")
        resizing = self._choose(self.resizings) if self._happens(_RESIZE) else None
        kind = self.chooser.choice(("fresh", "fresh", "kept", "negative", "zero", "large", "ties", "beyond", "special"))
        chosen = {self._choose(list(self.tensors))} if self._happens(_ONE) else set(self.tensors)
        strided, train = (self._happens(one) and not self.apart for one in (_STRIDED, _TRAIN))
        absent = {name for name in self.optional if self._happens(0.3)}
        arguments = {
            name: self.optional[name] if name in absent else self._changed(value, name, kind, chosen, resizing, strided)
            for name, value in self.given.items()
        }
        words = [kind, *([str(resizing)] if resizing else []), *(["strided"] if strided else []), _mode(train)]
        return Input(arguments, train, number, resizing, ", ".join(words))

    def _happens(self, probability: float) -> bool:
        return self.chooser.random() < probability

    def _choose(self, among: Sequence[Any]) -> Any:
        return self.chooser.choice(among) if among else None

    def _fits(self, resizing: Resizing) -> bool:
        shapes = ([*_resized(path, value, resizing)] for path, value in self.tensors.items())
        return sum(math.prod(shape) for shape in shapes) <= self.limit

    def _changed(
        self, value: Any, path: str, kind: str, chosen: set[str], resizing: Resizing | None, strided: bool
    ) -> Any:
        """Return a value of the same type, changed at all places below ``path``."""
        if isinstance(value, torch.Tensor):
            shape = _resized(path, value, resizing)
            same = kind if path in chosen else "kept"
            made = self._tensor(value, shape, "fresh" if same == "kept" and shape != list(value.shape) else same)
            return _strided(made) if strided else made
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)(
                self._changed(one, f"{path}[{at}]", kind, chosen, resizing, strided) for at, one in enumerate(value)
            )
        if isinstance(value, dict):
            return {
                key: self._changed(one, f"{path}[{key!r}]", kind, chosen, resizing, strided)
                for key, one in value.items()
            }
        return value if kind == "kept" else self._number(value, kind)

    def _number(self, value: Any, kind: str) -> Any:
        if isinstance(value, bool):
            return self.chooser.choice((value, not value))
        if isinstance(value, int):
            near = {value, value + 1, max(value - 1, 0), 1, 2}
            return self.chooser.choice(sorted(near | ({0, -1, -value, 2 * value + 1} if kind != "fresh" else set())))
        if isinstance(value, float):
            return self.chooser.choice((value, value / 2, -value, 0.0, 1.0, value * 1000))
        return value

    def _tensor(self, like: torch.Tensor, shape: list[int], kind: str) -> torch.Tensor:
        if kind == "kept":
            return like.clone()
        if like.dtype == torch.bool:
            return self._bools(like, shape, kind)
        if like.is_floating_point() or like.is_complex():
            return self._floats(like, shape, kind)
        return self._integers(like, shape, kind)

    def _bools(self, like: torch.Tensor, shape: list[int], kind: str) -> torch.Tensor:
        if kind == "negative" and shape == list(like.shape):
            return ~like
        if kind in ("zero", "large"):
            return torch.full(shape, kind == "large")
        return torch.rand(shape, generator=self.generator) < 0.5

    def _floats(self, like: torch.Tensor, shape: list[int], kind: str) -> torch.Tensor:
        drawn = torch.randn(shape, generator=self.generator, dtype=like.dtype)
        if kind == "fresh" and not like.is_complex() and bool((like >= 0).all()) and self._happens(0.5):
            return torch.rand(shape, generator=self.generator, dtype=like.dtype)
        if kind == "negative":
            return -drawn.abs().to(like.dtype)
        if kind == "zero":
            return torch.zeros(shape, dtype=like.dtype)
        if kind == "ties" and not like.is_complex():
            return drawn.round()
        if kind == "special" and drawn.numel() and not like.is_complex():
            place = self.chooser.randrange(drawn.numel())
            drawn.view(-1)[place] = self.chooser.choice((math.nan, math.inf, -math.inf, -0.0))
        return drawn * {"large": 10_000.0, "beyond": 100.0}.get(kind, 1.0)

    def _integers(self, like: torch.Tensor, shape: list[int], kind: str) -> torch.Tensor:
        low, high = (int(like.min()), int(like.max())) if like.numel() else (0, 1)
        if kind in ("zero", "large", "ties"):
            value = {"zero": 0, "large": high, "ties": self.chooser.randint(low, high)}[kind]
            return torch.full(shape, value, dtype=like.dtype)
        if kind in ("beyond", "negative"):
            span = max(high - low, 1)
            low, high = (low - span if kind == "negative" else low), high + span
            low = max(low, torch.iinfo(like.dtype).min)
            high = min(high, torch.iinfo(like.dtype).max)
        return torch.randint(low, high + 1, shape, generator=self.generator).to(like.dtype)


def tensors_in(value: Any, path: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors in a value, by path."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from tensors_in(one, f"{path}[{key!r}]" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from tensors_in(one, f"{path}[{at}]")
    elif is_dataclass(value):
        for field in fields(value):
            yield from tensors_in(getattr(value, field.name), f"{path}.{field.name}")


def shown(value: Any) -> str:
    """Return a short text of a value: of large tensors, dtype, shape and range."""
    if isinstance(value, torch.Tensor):
        if value.numel() <= 6:
            return f"torch.tensor({value.tolist()}, dtype={value.dtype})"
        kind = f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        if value.is_complex():
            return kind
        return f"{kind} from {value.min().item():g} to {value.max().item():g}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {shown(one)}' for key, one in value.items())}}}"
    return repr(value)


def _mode(train: bool) -> str:
    return "train mode" if train else "eval mode"


def _add_defaults(model: nn.Module, given: dict[str, Any]) -> dict[str, Any]:
    """Return the defaults of the optional parameters given, which stand for no argument."""
    parameters = inspect.signature(model.forward).parameters
    return {
        name: parameters[name].default
        for name in given
        if name in parameters and parameters[name].default is not inspect.Parameter.empty
    }


def _resizings(tensors: Mapping[str, torch.Tensor]) -> Iterator[Resizing]:
    """Yield other sizes for all dimensions of one size together, then for those at one position, then for each alone."""
    places = [((path, dim), size) for path, value in tensors.items() for dim, size in enumerate(value.shape)]
    seen = set[Resizing]()
    for size in dict.fromkeys(size for _, size in places):
        equal = [place for place, other in places if other == size]
        positions = [[place for place in equal if place[1] == dim] for dim in {dim for _, dim in equal}]
        for group in (equal, *positions, *([place] for place in equal)):
            for other in (0, 1, 2, 3, size - 1, size + 1, 2 * size, size // 2, size + 32):
                one = Resizing(tuple(group), other)
                if other >= 0 and other != size and one not in seen:
                    seen.add(one)
                    yield one


def _resized(path: str, value: torch.Tensor, resizing: Resizing | None) -> list[int]:
    shape = list(value.shape)
    for place, dim in resizing.places if resizing else ():
        if place == path:
            shape[dim] = resizing.size  # type: ignore[union-attr]  # without a resizing there are no places
    return shape


def _strided(value: torch.Tensor) -> torch.Tensor:
    """Return an equal view of a tensor with twice the elements in each row, its last two dimensions swapped in memory."""
    if not value.dim():
        return value
    wide = torch.stack([value, value], dim=-1)
    if value.dim() > 1:
        wide = wide.transpose(0, 1).contiguous().transpose(0, 1)
    return wide[..., 0]
