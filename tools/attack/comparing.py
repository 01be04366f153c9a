"""The first difference between what a .NET module and its PyTorch twin did, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch

#: The relative and absolute tolerance of float32 results: C# and PyTorch may sum in different orders.
TOLERANCE: Final = 1e-5
#: Messages of a TypeError for a value that a hook returned: C# raises it at once, PyTorch where the value is used.
TYPED: Final = ("(F-2: types in .NET are fixed)", "C# declares", "cannot pass ")
#: Messages of the errors by which TorchSharp in Python's process refuses what it cannot do.
REFUSALS: Final = (
    "TorchSharp in this process",
    "was replaced or deleted in Python",
    "C# reads '",
    "are one tensor in C#",
    "cannot be copied or pickled",
    "object does not support item",
    "the forward of a C# module cannot be replaced",
    "TorchSharp's native code keeps",
    "C# has added, replaced or removed child modules",
    "that can be set",
    "but .NET needs a tensor",
    "has no type 'Attack.",
)
#: The name of the hook that returns such values.
NONSENSE: Final = "nonsense"


class Raised:
    """An error's type and text; the error itself has a traceback, which keeps tensors alive."""

    def __init__(self, error: BaseException) -> None:
        self.type = type(error)
        # A hook that clears dictionaries replaces the call's own error, which becomes the context.
        self.typed = is_refusal(error) or any(
            isinstance(cause, TypeError) and any(text in str(cause) for text in TYPED) for cause in _chain(error)
        )
        self.text = f"{type(error).__name__}: {error}"[:300]

    def __repr__(self) -> str:
        return self.text


def is_refusal(error: BaseException) -> bool:
    """Return whether TorchSharp in Python's process refused by name what the case did."""
    return any(text in str(cause) for cause in _chain(error) for text in REFUSALS)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__context__


def until_refused(mirror: list[Any], twin: list[Any]) -> tuple[list[Any], list[Any], bool]:
    """Return both logs up to where .NET refused a type, and whether it did.

    Attempts are tuples, notes are lists. The error is the result of an attempt, but hooks of that attempt have noted more in PyTorch
    by then: both logs end at the first nonsense noted in the attempt, if there is any.
    """
    begin = 0
    for place, entry in enumerate(mirror):
        if isinstance(entry, tuple):
            if isinstance(entry[-1], Raised) and entry[-1].typed:
                nonsense = (number + 1 for number in range(begin, place) if NONSENSE in str(mirror[number][0]))
                end = next(nonsense, place)
                return mirror[:end], twin[:end], True
            begin = place + 1
    return mirror, twin, False


def difference(mirror: Any, twin: Any, where: str = "") -> str | None:
    """Describe how two results differ; None when they are equal.

    Errors are equal if an ``except`` for the twin's error catches the mirror's.
    """
    match mirror, twin:
        case Raised(), Raised():
            return None if issubclass(mirror.type, twin.type) else f"{where}: it raised {mirror}, not {twin}"
        case torch.Tensor(), torch.Tensor():
            return _of_tensors(mirror, twin, where)
        case list() | tuple(), list() | tuple():
            pairs = enumerate(zip(mirror, twin, strict=False))
            found = (difference(item, other, f"{where}[{place}]") for place, (item, other) in pairs)
            lengths = None if len(mirror) == len(twin) else f"{where}: {len(mirror)} items, not {len(twin)}"
            return next(filter(None, found), lengths)
        case dict(), dict():
            if list(mirror) != list(twin):
                return f"{where}: the keys {list(mirror)}, not {list(twin)}"
            return next(filter(None, (difference(mirror[key], twin[key], f"{where}[{key!r}]") for key in mirror)), None)
        case float(), float() if mirror != mirror and twin != twin:
            return None
    equal = type(mirror) is type(twin) and mirror == twin
    return None if equal else f"{where}: {mirror!r:.300}, not {twin!r:.300}"


def _of_tensors(mirror: torch.Tensor, twin: torch.Tensor, where: str) -> str | None:
    for name in ("shape", "dtype", "device", "layout"):
        if getattr(mirror, name) != getattr(twin, name):
            return f"{where}: {name} {getattr(mirror, name)}, not {getattr(twin, name)}"
    if mirror.device.type == "meta" or type(mirror) is not torch.Tensor:
        return None
    if mirror.is_sparse or mirror.is_nested:
        mirror, twin = mirror.to_dense(), twin.to_dense()
    close = torch.equal(mirror, twin) or torch.allclose(mirror, twin, TOLERANCE, TOLERANCE, equal_nan=True)
    return None if close else f"{where}: {mirror.flatten()[:4].tolist()} …, not {twin.flatten()[:4].tolist()} …"
