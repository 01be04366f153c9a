"""Errors of an export, and the module in which one occurred."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

import torch

from bridge.clr.errors import DotNetError, own_frames
from bridge.errors import BridgeError


class ExportError(BridgeError, RuntimeError):
    """A model cannot be exported, or the file differs from the model. No file was written.

    Attributes:
        module_path: The path of the module that is the cause; "" for the root module, None if the cause is not in a module.
    """

    def __init__(self, message: str, module_path: str | None = None) -> None:
        super().__init__(message)
        self.module_path = module_path


class FixedSizeError(ExportError):
    """The model reads the size of a dynamic dimension as a number, or works at some sizes only."""


def name_module(path: str) -> str:
    """Return how a message names a module: ``module 'block.fc'``."""
    return f"module '{path}'" if path else "the root module"


def find_module(error: BaseException, model: torch.nn.Module) -> str | None:
    """Return the path of the innermost module of ``model`` that ran when ``error`` was raised; None if no module ran."""
    paths: dict[int, str] = {id(module): path for path, module in model.named_modules()}
    for one in _chain(error):
        frames = reversed([frame for frame, _ in traceback.walk_tb(one.__traceback__)])
        in_python = next(
            (path for frame in frames if (path := paths.get(id(frame.f_locals.get("self")))) is not None), None
        )
        in_csharp = one.module_path if isinstance(one, DotNetError) else None
        # C# may have called modules below the innermost one that Python called.
        if in_csharp is not None and (in_python is None or in_csharp.startswith(f"{in_python}." if in_python else "")):
            return in_csharp
        if in_python is not None:
            return in_python
    return None


def find_line(error: BaseException) -> str:
    """Return the innermost line of the user's C# that ran when ``error`` was raised, as `` (at …)``; empty if it is unknown."""
    for one in _chain(error):
        if isinstance(one, DotNetError) and (frames := own_frames(one.dotnet_stack)):
            return f" ({frames[0]})"
    return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, its cause, the cause's cause, and so on."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__
