"""Errors of a comparison, and how an exception of either language is described in a line or two."""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path
from typing import Final

from bridge.clr.errors import DotNetError, own_frames

#: Lines of a C# stack that are worth showing: the user's own, innermost first.
FRAMES = 3
#: What an error of an operator begins with, and where the user's own code is by a C# stack.
_OPERATOR: Final = re.compile(r"^aten::(\w+)(?:\.\w+)?: ")
_FRAME: Final = re.compile(r" in (?P<file>.+):line (?P<line>\d+)$")
#: Operators that are written as a sign.
_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/", "remainder": "%", "neg": "-"}


class CompareError(RuntimeError):
    """The request cannot be run. The message names the thing and says what to do."""


class TargetError(CompareError):
    """A model cannot be found or made by its name."""


class InputsError(CompareError):
    """The inputs cannot be read, or do not fit the model's ``forward``."""


class WeightsError(CompareError):
    """The weights cannot be read, or do not fit; the first misfits are listed and nothing was loaded."""


class RunError(CompareError):
    """A model raised, or returned what cannot be compared."""


class NotCopiedError(CompareError):
    """A value contains an object that cannot be copied; the message names its type."""


class NoCounterpartError(CompareError):
    """An argument of a PyTorch call cannot be passed to the C# module; the message names it."""


class CounterfactualError(CompareError):
    """A replacement value does not fit the results of the operator that it replaces."""


def describe(error: BaseException) -> str:
    """An exception in words: type, message, and where in the user's own code it comes from."""
    if isinstance(error, DotNetError):
        own = [f"  {frame}" for frame in own_frames(error.dotnet_stack)[:FRAMES]]
        message = _as_written(error.dotnet_message, own[0] if own else "")
        # Without a line of user code, the message is our own and says everything.
        return "\n".join([f"{error.dotnet_type}: {message}", *own]) if own else message
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({Path(error.filename).name}, line {error.lineno})"
    text = str(error)
    return f"{type(error).__name__}{': ' * bool(text)}{text}{_place(error)}"


def _as_written(message: str, frame: str) -> str:
    """An operator's error under the name that stands in the user's line: ``+`` or ``add``, not ``aten::add.Tensor``."""
    found = _OPERATOR.match(message)
    if found is None:
        return message
    name, place = found[1], _FRAME.search(frame)
    line = linecache.getline(place["file"], int(place["line"])) if place is not None else ""
    sign = _SIGNS.get(name, "")
    written = sign if sign and sign in line and f"{name}(" not in line else name
    return f"{written}: {message[found.end() :]}"


def _place(error: BaseException) -> str:
    """The innermost line of the user's own Python, in brackets; nothing where only libraries were running."""
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
