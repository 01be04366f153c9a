"""The .NET runtime inside Python: finding and starting .NET, compiling C# projects, calling C#, shutdown and forks.

Only this package uses pythonnet. .NET does not start before :func:`start` is called.
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
