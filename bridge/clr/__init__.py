""".NET inside Python: find it (``locate``), start it (``host``), call it (``exports``), shut down (``shutdown``).

The only package that knows pythonnet, ctypes addresses and the exports of Bridge.Interop. Nothing starts before :func:`start`.
"""

from bridge.clr.assemblies import AssembliesNotFound
from bridge.clr.errors import (
    DotNetError,
    DotNetFailure,
    DotNetInterrupt,
    DotNetRecursionError,
    DotNetTypeError,
    StartError,
)
from bridge.clr.host import Host, start, started
from bridge.clr.locate import DotNetNotFound

__all__ = [
    "AssembliesNotFound",
    "DotNetError",
    "DotNetFailure",
    "DotNetInterrupt",
    "DotNetNotFound",
    "DotNetRecursionError",
    "DotNetTypeError",
    "Host",
    "StartError",
    "start",
    "started",
]
