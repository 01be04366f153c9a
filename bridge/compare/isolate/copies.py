"""Values copied so that one module can be run on them as often as is asked: what they hold, and how it lies in memory, stays the same."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from bridge.output.sentences import indefinite

_PLAIN: Final = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice, range, torch.dtype, torch.device, torch.Size,
    torch.memory_format, torch.layout,
)  # fmt: skip
#: A view of more memory than so many times its own elements is copied as what it shows.
_SPARSE: Final = 4


class NotCopiedError(Exception):
    """A value holds an object of which no copy is known to be the same; the message names its type."""


def mapped(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """The value with each tensor changed: tuples, lists, dictionaries and dataclasses are made anew.

    Raises NotCopiedError for what else it holds.
    """
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple):
        items = [mapped(item, change) for item in value]
        if type(value) is tuple:
            return tuple(items)
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    made: Any
    if isinstance(value, list):
        made = copy.copy(value)
        made[:] = [mapped(item, change) for item in value]
        return made
    if isinstance(value, dict):
        made = copy.copy(value)
        attributes = getattr(value, "__dict__", {})
        for key, item in value.items():
            made[key] = mapped(item, change)
            # A dictionary whose entries are attributes too, such as a ModelOutput.
            if key in attributes and attributes[key] is item:
                object.__setattr__(made, key, made[key])
        return made
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        made = copy.copy(value)
        for field in dataclasses.fields(value):
            object.__setattr__(made, field.name, mapped(getattr(value, field.name), change))
        return made
    raise NotCopiedError(indefinite(type(value).__name__))


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in a value, in order; nothing for what :func:`mapped` does not open."""
    found: list[torch.Tensor] = []
    with contextlib.suppress(NotCopiedError):
        mapped(value, found.append)
    return found


def duplicate(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of the elements, with the same strides where they are not far apart; no graph."""
    plain = tensor.detach()
    if plain.layout is not torch.strided or plain.device.type == "meta" or plain.is_quantized or plain.numel() == 0:
        return plain.clone()
    span = 1 + sum((size - 1) * stride for size, stride in zip(plain.shape, plain.stride(), strict=True))
    if span == plain.numel() or span > _SPARSE * plain.numel() + 64 or type(plain) is not torch.Tensor:
        return plain.clone()
    if plain.is_conj() or plain.is_neg():
        return plain.clone()
    flat = plain.as_strided((span,), (1,), plain.storage_offset()).clone()
    return flat.as_strided(plain.shape, plain.stride())


class Keeper:
    """Copies of tensors as they are now; one that has not been written since is copied once. ``bytes`` is what the copies take."""

    def __init__(self) -> None:
        self.bytes = 0
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], int, torch.Tensor]] = {}

    def keep(self, value: Any) -> Any:
        """A copy of all tensors in a value. Raises NotCopiedError."""
        return mapped(value, self._kept)

    def forget(self) -> None:
        """The copies that were made are no longer held here."""
        self.bytes = 0
        self._known.clear()

    def _kept(self, tensor: torch.Tensor) -> torch.Tensor:
        version = version_of(tensor)
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == version >= 0:
            return known[2]
        made = duplicate(tensor)
        if tensor.requires_grad:
            made.requires_grad_()
        self.bytes += made.numel() * made.element_size()
        self._known[id(tensor)] = (weakref.ref(tensor), version, made)
        return made


class Fresh:
    """Copies of what was kept, for one run: a tensor that was one at two places is one again.

    With ``gradients`` what requires a gradient is a result of a leaf, as it is in a model: in-place operators may write it. ``leaves``
    are these leaves, by what was kept.
    """

    def __init__(self, gradients: bool) -> None:
        self.leaves: dict[int, torch.Tensor] = {}
        self.gradients = gradients
        self._made: dict[int, torch.Tensor] = {}

    def __call__(self, value: Any) -> Any:
        return mapped(value, self._fresh)

    def _fresh(self, kept: torch.Tensor) -> torch.Tensor:
        made = self._made.get(id(kept))
        if made is None:
            made = duplicate(kept)
            if self.gradients and kept.requires_grad:
                leaf = self.leaves[id(kept)] = made.requires_grad_()
                with torch.enable_grad():
                    made = leaf.view_as(leaf).clone() if leaf.is_contiguous() else leaf * 1
            self._made[id(kept)] = made
        return made


def version_of(tensor: torch.Tensor) -> int:
    """How often a tensor was written in place; -1 where it is not counted."""
    return -1 if tensor.is_inference() else tensor._version


def shares(given: Sequence[torch.Tensor], results: Sequence[torch.Tensor]) -> tuple[tuple[int, int], ...]:
    """The places of results, each with that of the argument whose memory it shares."""
    places = [_memory(tensor) for tensor in given]
    pairs = ((number, _memory(result)) for number, result in enumerate(results))
    return tuple((number, places.index(where)) for number, where in pairs if where and where in places)


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided else 0
