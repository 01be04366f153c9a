"""Python exceptions for errors of PyTorch operators that C# calls. They derive from PyTorch's exceptions. This module imports torch."""

from __future__ import annotations

from typing import Final

import torch

from bridge.clr.errors import DotNetError


class DotNetLinAlgError(DotNetError, torch.linalg.LinAlgError):  # type: ignore[misc, name-defined]  # made in C++, mypy does not know it
    """An operator of linear algebra failed, for example because a matrix is singular."""


class DotNetOutOfMemoryError(DotNetError, torch.OutOfMemoryError):
    """The memory of a device is exhausted."""


#: The classes that ``exports.exception_classes()`` adds to ``exports.EXCEPTION_CLASSES``.
EXCEPTION_CLASSES: Final[dict[str, type[DotNetError]]] = {
    "linear algebra": DotNetLinAlgError,
    "device memory": DotNetOutOfMemoryError,
}
