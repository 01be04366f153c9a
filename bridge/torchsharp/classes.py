"""The classes that TorchSharp's modules have in Python."""

from __future__ import annotations

from typing import Final

from bridge.torchsharp.in_process.module import InProcessModule
from bridge.torchsharp.process.remote_module import RemoteModule

#: The classes of modules in TorchSharp's own process, and of modules in this process.
ON_TORCHSHARP: Final = (RemoteModule, InProcessModule)
