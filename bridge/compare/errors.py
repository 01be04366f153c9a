"""Errors of a comparison, and the description of an exception of either language."""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path
from typing import Final

from bridge.clr.errors import DotNetError, own_frames
from bridge.errors import BridgeError

#: The largest number of stack frames of the user's own C# that a description lists, innermost first.
FRAMES = 3
_OPERATOR_PREFIX: Final = re.compile(r"^aten::(\w+)(?:\.\w+)?: ")
_FRAME_LOCATION: Final = re.compile(r" in (?P<file>.+):line (?P<line>\d+)$")
#: C#'s operator for each of these ATen functions.
_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/", "remainder": "%", "neg": "-"}


class CompareError(BridgeError, RuntimeError):
    """A comparison cannot run."""


class TargetError(CompareError):
    """A model or function cannot be found, or a model cannot be constructed."""


class InputsError(CompareError):
    """The inputs or options cannot be used, or do not fit the model."""


class WeightsError(CompareError):
    """The weights or the file of ``--map`` cannot be read, or do not fit the models. No weight was loaded."""


class RunError(CompareError):
    """A model raised or cannot be recorded, or its result or gradients cannot be compared."""


class NotCopiedError(CompareError):
    """A value contains an object that cannot be copied; the message names the object's type."""


class NoCounterpartError(CompareError):
    """An argument of a PyTorch call cannot be passed to the C# module; the message names the argument."""


class CounterfactualError(CompareError):
    """A replacement value does not fit the result of an operator."""


def describe(error: BaseException) -> str:
    """Describe an exception by its type, its message, and the innermost line of Python user code or up to :data:`FRAMES` C# frames.

    A C# exception without frames of user code is described by its message alone.
    """
    if isinstance(error, DotNetError):
        own = [f"  {frame}" for frame in own_frames(error.dotnet_stack)[:FRAMES]]
        message = _as_written(error.dotnet_message, own[0] if own else "")
        # An exception without a frame of user code most likely comes from this package, whose messages need no type name.
        return "\n".join([f"{error.dotnet_type}: {message}", *own]) if own else message
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({Path(error.filename).name}, line {error.lineno})"
    text = str(error)
    return f"{type(error).__name__}{': ' * bool(text)}{text}{_python_line(error)}"


def _as_written(message: str, frame: str) -> str:
    """Replace the operator's name at the start of a message by the name in the user's code: ``aten::add.Tensor`` by ``+`` or ``add``."""
    found = _OPERATOR_PREFIX.match(message)
    if found is None:
        return message
    name, place = found[1], _FRAME_LOCATION.search(frame)
    line = linecache.getline(place["file"], int(place["line"])) if place is not None else ""
    sign = _SIGNS.get(name, "")
    written = sign if sign and sign in line and f"{name}(" not in line else name
    return f"{written}: {message[found.end() :]}"


def _python_line(error: BaseException) -> str:
    """Return the file and line number of the innermost user code, in parentheses; empty if the traceback has only library code."""
    library = (
        "site-packages",
        "<frozen",
        f"{Path(__file__).parents[1]}",
        traceback.__file__.rpartition("traceback")[0],
    )
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not any(part and part in frame.filename for part in library)
    ]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
