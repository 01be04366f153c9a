"""The location of the running code in the user's source file."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch

from bridge.clr import DotNetRuntime
from bridge.compare.isolate import replay

_PACKAGE: Final = Path(__file__).parents[2]
_LIBRARY: Final = (
    f"{Path(torch.__file__).parent}",
    *(f"{_PACKAGE / folder}" for folder in ("clr", "compare", "mirror", "runtimes")),
)


class SourceLocation(NamedTuple):
    """A location in source code. Fields are empty if unknown."""

    #: The file and the line number, such as ``file.py:12``; in C#, ``in Block.forward`` if only the method is known.
    source: str = ""
    #: The text of the line.
    line: str = ""
    #: The name of the method, such as ``forward``; in C#, with the class, such as ``Block.forward``.
    method: str = ""


NOWHERE: Final = SourceLocation()


def locate_python() -> SourceLocation:
    """Return the location of the innermost frame of user code inside the replayed ``forward``; NOWHERE if there is none."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code is not replay.call_forward.__code__:
        file = frame.f_code.co_filename
        if not file.startswith((*_LIBRARY, "<")):
            line = linecache.getline(file, frame.f_lineno).strip()
            return SourceLocation(f"{Path(file).name}:{frame.f_lineno}", line, frame.f_code.co_name)
        frame = frame.f_back
    return NOWHERE


class CSharpLocator:
    """A locator of the innermost frame of the user's C# code, by the assembly's debug symbols."""

    def __init__(self, runtime: DotNetRuntime) -> None:
        self._caller = runtime.exports.caller_location

    def __call__(self) -> SourceLocation:
        """Return the current location."""
        file, _, rest = self._caller().partition("\t")
        line, _, method = rest.partition("\t")
        if not file:
            return SourceLocation(f"in {method}" if method else "", "", method)
        # An assembly that was built on Windows has backslashes.
        name = file.replace("\\", "/").rpartition("/")[2]
        return SourceLocation(f"{name}:{line}", linecache.getline(file, int(line)).strip(), method)
