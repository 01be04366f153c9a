"""The pipes and the shared memory of a child process, which need other calls on each system.

Linux and macOS have PolledPipes, and Linux has AnonymousBlock. ThreadedPipes and NamedBlock run on every system: Windows has no others.
"""

from __future__ import annotations

import os

from bridge.torchsharp.process.system.interface import Block, Pipes
from bridge.torchsharp.process.system.portable import NamedBlock, ThreadedPipes
from bridge.torchsharp.process.system.posix import AnonymousBlock, PolledPipes

__all__ = ["Block", "Pipes", "new_block", "new_pipes"]

#: The class of the pipes of new processes.
new_pipes: type[Pipes] = PolledPipes if os.name == "posix" else ThreadedPipes
#: The class of new blocks of shared memory.
new_block: type[Block] = AnonymousBlock if hasattr(os, "memfd_create") else NamedBlock
