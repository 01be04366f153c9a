"""Bridge.Conformance, where C# runs hook programs; loaded when the first program runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bridge.clr.start.runtime import start

LIBRARY = "Bridge.Conformance.dll"


def library() -> Path:
    """Return the path of the assembly."""
    return start().assemblies / LIBRARY


@cache
def standalone() -> Any:
    """Return the C# function that runs a complete program: ``(world, program, device)``, all texts, returns a text."""
    _reference()
    from Bridge.Conformance import HookPrograms

    return HookPrograms.Run


@cache
def runs() -> Any:
    """Return a function that begins a run of a program which Python interprets: ``(device, identity, ask)``, as ``MirroredRun`` takes."""
    _reference()
    from Bridge.Conformance.Mirrored import MirroredRun
    from System import Func, Int32, String

    return lambda device, identity, ask: MirroredRun(device, identity, Func[String, Int32](ask))


def _reference() -> None:
    path = library()  # starts .NET: importing clr without it would start Mono
    import clr

    clr.AddReference(str(path))
