"""Copies of arguments and results, so that a module can be run on them repeatedly."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from bridge.compare.errors import NotCopiedError
from hook_contract.output.sentences import with_article

_PLAIN: Final = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice, range, torch.dtype, torch.device, torch.Size,
    torch.memory_format, torch.layout,
)  # fmt: skip
#: The elements of a view count as far apart if its storage between the first and the last has more elements than this factor times the
#: view's own number of elements, plus 64.
_MAX_SPAN: Final = 4


def map_tensors(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """Return a copy of nested tuples, lists, dictionaries and dataclasses, with ``change`` applied to their tensors.

    Numbers, strings and objects such as ``torch.dtype`` are kept. Raises NotCopiedError for other objects.
    """
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple):
        items = [map_tensors(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if not isinstance(value, (list, dict)) and (isinstance(value, type) or not dataclasses.is_dataclass(value)):
        raise NotCopiedError(with_article(type(value).__name__))
    copied: Any = copy.copy(value)
    if isinstance(value, list):
        copied[:] = [map_tensors(item, change) for item in value]
    elif isinstance(value, dict):
        attributes = getattr(value, "__dict__", {})
        for key, item in value.items():
            copied[key] = map_tensors(item, change)
            # In a ModelOutput of transformers, each entry is also an attribute.
            if key in attributes and attributes[key] is item:
                object.__setattr__(copied, key, copied[key])
    else:
        for field in dataclasses.fields(value):
            object.__setattr__(copied, field.name, map_tensors(getattr(value, field.name), change))
    return copied


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the tensors in a value, in order, up to the first object that :func:`map_tensors` does not support."""
    found: list[torch.Tensor] = []
    with contextlib.suppress(NotCopiedError):
        map_tensors(value, found.append)
    return found


def size_of(value: Any) -> int:
    """Return the number of bytes of the tensors that :func:`tensors` finds in a value."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors(value))


def duplicate(tensor: torch.Tensor) -> torch.Tensor:
    """Return a detached copy.

    The copy has the same strides if possible, unless the tensor is a view whose elements are far apart in its storage.
    """
    plain = tensor.detach()
    if plain.layout is not torch.strided or plain.device.type == "meta" or plain.is_quantized or plain.numel() == 0:
        return plain.clone()
    span = 1 + sum((size - 1) * stride for size, stride in zip(plain.shape, plain.stride(), strict=True))
    if span == plain.numel() or span > _MAX_SPAN * plain.numel() + 64 or type(plain) is not torch.Tensor:
        return plain.clone()
    if plain.is_conj() or plain.is_neg():
        return plain.clone()
    flat = plain.as_strided((span,), (1,), plain.storage_offset()).clone()
    return flat.as_strided(plain.shape, plain.stride())


def leaf_copy(value: Any, requires_grad: bool) -> Any:
    """Return a copy of a tensor as a leaf; return other values unchanged.

    With ``requires_grad``, the leaf requires a gradient if its dtype permits that.
    """
    if not isinstance(value, torch.Tensor):
        return value
    leaf = value.detach().clone()
    return leaf.requires_grad_() if requires_grad and (leaf.is_floating_point() or leaf.is_complex()) else leaf


class CopyCache:
    """A cache of copies. A tensor is copied again only if its version counter shows a write after the last copy.

    Inference tensors have no version counter and are always copied. ``size`` is the number of bytes of all copies since :meth:`clear`.
    """

    def __init__(self) -> None:
        self.size = 0
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], int, torch.Tensor]] = {}

    def copy(self, value: Any) -> Any:
        """Copy the tensors in a value. Raises NotCopiedError as :func:`map_tensors` does."""
        return map_tensors(value, self._copy)

    def clear(self) -> None:
        """Drop the references to all copies."""
        self.size = 0
        self._known.clear()

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        version = version_of(tensor)
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == version >= 0:
            return known[2]
        copied = duplicate(tensor)
        if tensor.requires_grad:
            copied.requires_grad_()
        self.size += copied.numel() * copied.element_size()
        self._known[id(tensor)] = (weakref.ref(tensor), version, copied)
        return copied


class FreshCopies:
    """Copies of recorded values for one run of a module; a tensor that occurs twice is copied once.

    With ``gradients``, the copy of a tensor that requires a gradient is computed from a leaf, since autograd forbids writes in place to
    the leaf itself. ``leaves`` maps the ``id`` of the recorded tensor to the leaf.
    """

    def __init__(self, gradients: bool) -> None:
        self.leaves: dict[int, torch.Tensor] = {}
        self.gradients = gradients
        self._copies: dict[int, torch.Tensor] = {}

    def __call__(self, value: Any) -> Any:
        """Copy the tensors in a recorded value."""
        return map_tensors(value, self._copy)

    def _copy(self, recorded: torch.Tensor) -> torch.Tensor:
        copied = self._copies.get(id(recorded))
        if copied is None:
            copied = duplicate(recorded)
            if self.gradients and recorded.requires_grad:
                leaf = self.leaves[id(recorded)] = copied.requires_grad_()
                with torch.enable_grad():
                    copied = leaf.view_as(leaf).clone() if leaf.is_contiguous() else leaf * 1
            self._copies[id(recorded)] = copied
        return copied


def version_of(tensor: torch.Tensor) -> int:
    """Return the version counter of a tensor, which each write in place increments; -1 for an inference tensor."""
    return -1 if tensor.is_inference() else tensor._version


def find_writes(values: Sequence[torch.Tensor], versions: Sequence[int]) -> tuple[int, ...]:
    """Return the indices of the tensors that were written since they had the given versions, except inference tensors."""
    pairs = enumerate(zip(values, versions, strict=True))
    return tuple(index for index, (tensor, version) in pairs if version_of(tensor) != version)


def find_aliases(arguments: Sequence[torch.Tensor], results: Sequence[torch.Tensor]) -> tuple[tuple[int, int], ...]:
    """Return the index of each result that shares its storage with an argument, paired with the index of the first such argument."""
    storages = [_storage_of(tensor) for tensor in arguments]
    pairs = ((index, _storage_of(result)) for index, result in enumerate(results))
    return tuple((index, storages.index(storage)) for index, storage in pairs if storage and storage in storages)


def _storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided else 0
