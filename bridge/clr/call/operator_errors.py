"""C# exceptions of PyTorch's own classes, for errors of its operators. Apart from the others, which need no torch."""

from __future__ import annotations

from typing import Final

import torch

from bridge.clr.errors import DotNetError


class DotNetLinAlgError(DotNetError, torch.linalg.LinAlgError):  # type: ignore[misc, name-defined]  # made in C++, mypy does not know it
    """A matrix has not the property that an operator of linear algebra needs."""


class DotNetOutOfMemoryError(DotNetError, torch.OutOfMemoryError):
    """A device has not enough memory."""


#: As ``exports.KINDS``.
KINDS: Final[dict[str, type[DotNetError]]] = {
    "linear algebra": DotNetLinAlgError,
    "device memory": DotNetOutOfMemoryError,
}
