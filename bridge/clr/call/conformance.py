"""Bridge.Conformance, where C# runs hook programs: loaded only when a program is run."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bridge.clr.start.runtime import start

LIBRARY = "Bridge.Conformance.dll"


def library() -> Path:
    """Where the assembly is."""
    return start().assemblies / LIBRARY


@cache
def standalone() -> Any:
    """Runs a complete program in C#: ``(world, program, device)``, all texts, gives a text (``HookPrograms.Run``)."""
    _reference()
    from Bridge.Conformance import HookPrograms

    return HookPrograms.Run


@cache
def runs() -> Any:
    """Begins a run of a program that Python interprets: ``(device, identity, ask)`` (Bridge.Conformance's ``Mirrored.MirroredRun``)."""
    _reference()
    from Bridge.Conformance.Mirrored import MirroredRun
    from System import Func, Int32, String

    return lambda device, identity, ask: MirroredRun(device, identity, Func[String, Int32](ask))


def _reference() -> None:
    path = library()  # starts .NET: importing clr without it would start Mono
    import clr

    clr.AddReference(str(path))
