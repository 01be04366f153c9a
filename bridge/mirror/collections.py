"""Mirrors of .NET's Sequential and ModuleList: their items, as PyTorch gives them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch

from bridge.mirror.module import Mirror


class _Items(Mirror):
    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: int | slice) -> Any:
        """An item; of a slice a PyTorch module with the same items under the same names (I-15)."""
        if isinstance(index, slice):
            return self._sliced(list(self._modules.items())[index])
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"index {index} is out of range")
        return next(islice(self, at, None))

    def _sliced(self, items: list[tuple[str, Any]]) -> torch.nn.Module:
        raise NotImplementedError


class SequentialMirror(_Items):
    """The mirror of a Sequential."""

    def _sliced(self, items: list[tuple[str, Any]]) -> torch.nn.Module:
        return torch.nn.Sequential(OrderedDict(items))


class ModuleListMirror(_Items):
    """The mirror of a ModuleList."""

    def _sliced(self, items: list[tuple[str, Any]]) -> torch.nn.Module:
        return torch.nn.ModuleList([module for _, module in items])


#: The base of a mirror's class by the full name of its .NET type, without type arguments.
BASES: dict[str, type[Mirror]] = {
    "TorchSharp.Modules.Sequential": SequentialMirror,
    "TorchSharp.Modules.ModuleList": ModuleListMirror,
}
