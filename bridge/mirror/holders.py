"""Mirrors of .NET's collections: they are indexed and iterated as PyTorch's are.

A replacement of an item runs in its place in .NET too. Nothing can be added or removed here: .NET iterates its own collection,
and would never call what was added (so there is no ``append``, and a new key is refused).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from operator import index
from typing import Any, Final

import torch

from bridge.mirror.module import Mirror


class _Holder(Mirror):
    """The items are kept in one of the module's own dictionaries."""

    _held = "_modules"

    def _names(self) -> list[str]:
        return list(getattr(self, self._held))

    def __len__(self) -> int:
        return len(getattr(self, self._held))


class _ByIndex(_Holder):
    def __getitem__(self, key: int | slice) -> Any:
        names = self._names()
        if isinstance(key, slice):
            return self._part(names[key])
        return getattr(self, self._name(key))

    def __setitem__(self, key: int, value: Any) -> None:
        setattr(self, self._name(key), value)

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._names()])

    def __contains__(self, item: object) -> bool:
        return any(item is held for held in self)

    def _name(self, key: int) -> str:
        names = self._names()
        try:
            return names[index(key)]
        except IndexError:
            raise IndexError(f"index {key} is out of range: there are {len(names)}") from None

    def _part(self, names: list[str]) -> Any:
        raise NotImplementedError


class _ModuleList(_ByIndex):
    def _part(self, names: list[str]) -> Any:
        return torch.nn.ModuleList(getattr(self, name) for name in names)


class _ParameterList(_ByIndex):
    _held = "_parameters"

    def _part(self, names: list[str]) -> Any:
        return torch.nn.ParameterList(getattr(self, name) for name in names)


class _Sequential(_ByIndex):
    def _part(self, names: list[str]) -> Any:
        return torch.nn.Sequential(OrderedDict((name, getattr(self, name)) for name in names))


class _ModuleDict(_Holder):
    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if key not in self:
            raise KeyError(f"'{key}' is not one of {', '.join(self._names())}, and .NET would never use it")
        setattr(self, key, value)

    def __contains__(self, key: object) -> bool:
        return key in getattr(self, self._held)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def keys(self) -> list[str]:
        return self._names()

    def values(self) -> list[Any]:
        return [getattr(self, name) for name in self._names()]

    def items(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self._names()]


class _ParameterDict(_ModuleDict):
    _held = "_parameters"


#: By what .NET calls them.
HOLDERS: Final[dict[str, type[Mirror]]] = {
    "ModuleList": _ModuleList,
    "ModuleDict": _ModuleDict,
    "ParameterList": _ParameterList,
    "ParameterDict": _ParameterDict,
    "Sequential": _Sequential,
}
