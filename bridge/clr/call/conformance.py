"""Access to Bridge.Conformance, the C# interpreter of hook programs; its assembly is loaded at first use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bridge.clr.start.runtime import start

LIBRARY = "Bridge.Conformance.dll"


def library() -> Path:
    """Return the path of Bridge.Conformance.dll. Starts .NET if it does not run yet."""
    return start().assemblies / LIBRARY


@cache
def program_runner() -> Any:
    """Return the C# function that runs a complete hook program: ``(world: str, program: str, device: str) -> str``.

    ``world`` names the modules on which the program runs: ``hooks`` (modules of Bridge.Hooks, which compute with integers), ``typed``
    (modules of Bridge.Torch whose arguments are tensors) or ``object`` (modules of Bridge.Torch whose arguments have the type
    ``object``). The argument ``program`` and the result are JSON texts. The result is the trace, or an object that says why C# cannot run
    the program.
    """
    _reference()
    from Bridge.Conformance import HookPrograms

    return HookPrograms.Run


@cache
def mirrored_run() -> Any:
    """Return a function that creates a ``MirroredRun``: C#'s part in a run of a hook program that Python interprets.

    The function takes the run's device, whether the trace has ids of tensors, and a Python function that C# calls to run an action of the
    program. The Python function takes the action as JSON. It returns the number under which Python keeps the exception that the action
    raised, or 0.
    """
    _reference()
    from Bridge.Conformance.Mirrored import MirroredRun
    from System import Func, Int32, String

    return lambda device, identity, ask: MirroredRun(device, identity, Func[String, Int32](ask))


def _reference() -> None:
    path = library()  # starts .NET first: otherwise the import of clr would start pythonnet's default runtime
    import clr

    clr.AddReference(str(path))
