"""C# exceptions of PyTorch's own classes, for errors of its operators; in a module of their own, since it imports torch."""

from __future__ import annotations

from typing import Final

import torch

from bridge.clr.errors import DotNetError


class DotNetLinAlgError(DotNetError, torch.linalg.LinAlgError):  # type: ignore[misc, name-defined]  # made in C++, mypy does not know it
    """A matrix lacks a property that an operator of linear algebra needs."""


class DotNetOutOfMemoryError(DotNetError, torch.OutOfMemoryError):
    """The memory of a device is exhausted."""


#: The further kinds of ``exports.KINDS``.
KINDS: Final[dict[str, type[DotNetError]]] = {
    "linear algebra": DotNetLinAlgError,
    "device memory": DotNetOutOfMemoryError,
}
