"""C# models written for TorchSharp, as ``torch.nn.Module`` objects whose hooks fire in PyTorch's order.

Importing this package does not start .NET.

The public API consists of the names in ``__all__``, :mod:`bridge.testing` and the commands (``python -m bridge``). Everything else,
including the names of modules, may change in any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bridge.clr.errors import DotNetError, StartError
    from bridge.clr.find.assemblies import sample
    from bridge.errors import BridgeError
    from bridge.exporting import Exported, ExportError, export
    from bridge.loading import ModelInfo, list_models, load, new
    from bridge.mirror import Mirror, load_hook
    from bridge.mirror.crossing.objects import DotNetObject
    from bridge.runtimes import record
    from bridge.torchsharp.process import HostError
    from bridge.trace import Event, Header, Trace, Value
    from bridge.trace.diff import diff
    from bridge.trace.file import diff_files, read_trace, write_trace
    from bridge.version import __version__
    from bridge.weight_file import read_weights, write_weights

__all__ = [
    "BridgeError",
    "DotNetError",
    "DotNetObject",
    "Event",
    "ExportError",
    "Exported",
    "Header",
    "HostError",
    "Mirror",
    "ModelInfo",
    "StartError",
    "Trace",
    "Value",
    "__version__",
    "diff",
    "diff_files",
    "export",
    "list_models",
    "load",
    "load_hook",
    "new",
    "read_trace",
    "read_weights",
    "record",
    "sample",
    "write_trace",
    "write_weights",
]

# The module of each public name, imported when the name is first used: an import of torch takes seconds, and pytest imports this package
# as a plugin.
_MODULES = {
    "BridgeError": "bridge.errors",
    "DotNetError": "bridge.clr.errors",
    "StartError": "bridge.clr.errors",
    "HostError": "bridge.torchsharp.process",
    "Mirror": "bridge.mirror",
    "DotNetObject": "bridge.mirror.crossing.objects",
    "ModelInfo": "bridge.loading",
    "list_models": "bridge.loading",
    "load": "bridge.loading",
    "new": "bridge.loading",
    "load_hook": "bridge.mirror",
    "record": "bridge.runtimes",
    "sample": "bridge.clr.find.assemblies",
    "diff": "bridge.trace.diff",
    "__version__": "bridge.version",
    "diff_files": "bridge.trace.file",
    "read_trace": "bridge.trace.file",
    "write_trace": "bridge.trace.file",
    "read_weights": "bridge.weight_file",
    "write_weights": "bridge.weight_file",
    "Event": "bridge.trace",
    "ExportError": "bridge.exporting",
    "Exported": "bridge.exporting",
    "export": "bridge.exporting",
    "Header": "bridge.trace",
    "Trace": "bridge.trace",
    "Value": "bridge.trace",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'bridge' has no attribute '{name}'")
        import importlib

        value = getattr(importlib.import_module(_MODULES[name]), name)
        globals()[name] = value
        return value
