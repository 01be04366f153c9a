"""Whether a mirror did what its counterpart did: the first difference, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch

#: How far two float32 results may be apart: the two languages may order a sum differently.
RELATIVE, ABSOLUTE = 1e-5, 1e-5


#: C# is typed: what a hook puts in a tensor's place is refused at once, where PyTorch goes on until somebody uses it.
TYPED: Final = ("(F-2: types in .NET are fixed)", "C# declares", "cannot pass ")


class Raised:
    """An error, by its type; not the object, whose traceback keeps tensors alive."""

    def __init__(self, error: BaseException) -> None:
        self.type = type(error)
        self.typed = any(_is_typed(one) for one in _with_contexts(error))
        self.text = f"{type(error).__name__}: {error}"[:300]

    def __repr__(self) -> str:
        return self.text


def _is_typed(error: BaseException) -> bool:
    return isinstance(error, TypeError) and any(text in str(error) for text in TYPED)


def _with_contexts(error: BaseException | None) -> Iterator[BaseException]:
    # A hook that clears dictionaries in the recovery replaces the call's own error.
    while error is not None:
        yield error
        error = error.__context__


#: What a note says of a hook that gives such a thing.
NONSENSE: Final = "_nonsense"


def until_refused(mirror: list[Any], twin: list[Any]) -> tuple[list[Any], list[Any], bool]:
    """Cut both logs where .NET refuses a type, and return them with whether it did.

    The error is recorded when it arrives, after other hooks' notes: PyTorch has continued by then. So both logs end at the first
    note of a hook that returned nonsense in that call, if there is one.
    """
    for place, entry in enumerate(mirror):
        if isinstance(entry, (list, tuple)) and any(isinstance(item, Raised) and item.typed for item in entry):
            # Attempts are tuples, notes are lists.
            begun = max((number for number in range(place) if isinstance(mirror[number], tuple)), default=-1) + 1
            given = [number + 1 for number in range(begun, place) if NONSENSE in str(mirror[number][0])]
            end = min(given, default=place)
            return mirror[:end], twin[:end], True
    return mirror, twin, False


def difference(mirror: Any, twin: Any, where: str = "") -> str | None:
    """Describe how two notes differ; None when they are equal.

    An error is equal if an ``except`` for the counterpart's error catches the mirror's.
    """
    if isinstance(mirror, Raised) and isinstance(twin, Raised):
        return None if issubclass(mirror.type, twin.type) else f"{where}: it raised {mirror}, not {twin}"
    if isinstance(mirror, torch.Tensor) and isinstance(twin, torch.Tensor):
        return _of_tensors(mirror, twin, where)
    if isinstance(mirror, (list, tuple)) and isinstance(twin, (list, tuple)):
        for place, (one, other) in enumerate(zip(mirror, twin, strict=False)):
            if (found := difference(one, other, f"{where}[{place}]")) is not None:
                return found
        return None if len(mirror) == len(twin) else f"{where}: {len(mirror)} items, not {len(twin)}"
    if isinstance(mirror, dict) and isinstance(twin, dict):
        if list(mirror) != list(twin):
            return f"{where}: the keys {list(mirror)}, not {list(twin)}"
        for key, value in mirror.items():
            if (found := difference(value, twin[key], f"{where}[{key!r}]")) is not None:
                return found
        return None
    if isinstance(mirror, float) and mirror != mirror and isinstance(twin, float) and twin != twin:
        return None
    if type(mirror) is not type(twin) or mirror != twin:
        return f"{where}: {mirror!r:.300}, not {twin!r:.300}"
    return None


def _of_tensors(mirror: torch.Tensor, twin: torch.Tensor, where: str) -> str | None:
    for name in ("shape", "dtype", "device", "layout"):
        if getattr(mirror, name) != getattr(twin, name):
            return f"{where}: {name} {getattr(mirror, name)}, not {getattr(twin, name)}"
    if mirror.device.type == "meta" or type(mirror) is not torch.Tensor:
        return None
    if mirror.is_sparse or mirror.is_nested:
        mirror, twin = mirror.to_dense(), twin.to_dense()
    close = torch.equal(mirror, twin) or torch.allclose(mirror, twin, RELATIVE, ABSOLUTE, equal_nan=True)
    return None if close else f"{where}: {mirror.flatten()[:4].tolist()} …, not {twin.flatten()[:4].tolist()} …"
