"""The place in the user's code that calls what runs now."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch

from bridge.clr import DotNetRuntime

_OURS: Final = Path(__file__).parents[2]
_REPLAY: Final = str(Path(__file__).with_name("replay.py"))
_LIBRARY: Final = (
    f"{Path(torch.__file__).parent}",
    *(f"{_OURS / part}" for part in ("clr", "compare", "mirror", "runtimes")),
)


class Place(NamedTuple):
    """``file.py:12``, what is written there, and the method, in C# with its class: ``Block.forward``. Empty where that is not known."""

    source: str = ""
    line: str = ""
    method: str = ""


def in_python() -> Place:
    """The innermost frame that is neither PyTorch's nor ours."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file == _REPLAY and frame.f_code.co_name == "forward":
            break  # what calls the module: that is one of PyTorch's own
        if not file.startswith((*_LIBRARY, "<")):
            line = linecache.getline(file, frame.f_lineno).strip()
            return Place(f"{Path(file).name}:{frame.f_lineno}", line, frame.f_code.co_name)
        frame = frame.f_back
    return Place()


class InCSharp:
    """The same of C#, by the symbols beside the model's assembly."""

    def __init__(self, host: DotNetRuntime) -> None:
        self._caller = host.exports.caller

    def __call__(self) -> Place:
        file, _, rest = self._caller().partition("\t")
        line, _, method = rest.partition("\t")
        if not file:
            return Place(f"in {method}" if method else "", "", method)
        # A path of Windows too, of an assembly that was built there.
        name = file.replace("\\", "/").rpartition("/")[2]
        return Place(f"{name}:{line}", linecache.getline(file, int(line)).strip(), method)
