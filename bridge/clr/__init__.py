"""The .NET runtime inside Python: find it, compile projects, start it, call it, leave it; a folder for each.

Only this package uses pythonnet, ctypes addresses and the exports of Bridge.Interop. Nothing starts before :func:`start`.
"""

from bridge.clr.errors import (
    DotNetError,
    DotNetFailure,
    DotNetInterrupt,
    DotNetRecursionError,
    DotNetTypeError,
    StartError,
)
from bridge.clr.find.assemblies import AssembliesNotFound
from bridge.clr.find.installation import DotNetNotFound
from bridge.clr.start.runtime import DotNetRuntime, start, started

__all__ = [
    "AssembliesNotFound",
    "DotNetError",
    "DotNetFailure",
    "DotNetInterrupt",
    "DotNetNotFound",
    "DotNetRecursionError",
    "DotNetRuntime",
    "DotNetTypeError",
    "StartError",
    "start",
    "started",
]
