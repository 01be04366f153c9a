"""The classes that TorchSharp's modules have in Python."""

from __future__ import annotations

from typing import Final

from bridge.torchsharp.in_process.module import InProcessModule
from bridge.torchsharp.process.remote_module import RemoteModule

#: The class for modules in a separate process, and the class for modules in this process.
ON_TORCHSHARP: Final = (RemoteModule, InProcessModule)
