"""The .NET runtime inside Python: finding and starting .NET, compiling C# projects, calling C#, shutdown and forks.

An import of this package does not start .NET: :func:`start` does.
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
