"""C# modules of Bridge.Torch as a runtime.

In Python, each C# module is represented by a *mirror*, a ``torch.nn.Module``. .NET records the calls of C# modules. Hook programs run in
several variants, with hooks in Python or in C#.
"""

from __future__ import annotations

from bridge.runtimes.dotnet.recorder import NAME, record

__all__ = ["NAME", "record"]
