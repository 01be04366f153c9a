"""A separate .NET process, the host, that runs models on TorchSharp or Bridge.Torch: ``dotnet/src/Bridge.Host``.

Requests and answers are lines of JSON in pipes (``host.schema.json``); elements of tensors are in shared memory. If the
process ends, as after some errors of TorchSharp, the current or next request raises HostDied, and the one after it starts a new process.

:class:`TorchSharpProcess` starts the process and sends requests::

    with TorchSharpProcess() as host:
        host.ask("ping")                       # returns a dictionary: the answer's `result`
        host.ask("describe", files=[path])     # sends parameters by name; raises DotNetError for a C# exception

To add a method, add a line ``["name"] = Class.Function`` to ``Methods.All`` in ``dotnet/src/Bridge.Host/Methods.cs``. The function takes
the request's parameters, the session (the process's state: the model library, models, shared memory) and a writer for the result. The
function reports errors by exceptions. Python needs no declaration of the method.

``prepare`` is called for each new process, before other requests::

    def prepare(host):
        host.ask("use_torchsharp", path=path, libraries=[])

    host = TorchSharpProcess(prepare=prepare)

A request that gets no valid answer within ``timeout`` seconds raises HostStartError, HostDied, HostTimeout or HostProtocolError.
``generation`` is incremented for each new process, which has no state of the previous one. The process ends when
:meth:`TorchSharpProcess.close` is called, when Python ends in any way, and when a request is interrupted or raises a HostError.
"""

from __future__ import annotations

from bridge.torchsharp.process.errors import HostDied, HostError, HostProtocolError, HostStartError, HostTimeout
from bridge.torchsharp.process.requests import TorchSharpProcess

__all__ = ["HostDied", "HostError", "HostProtocolError", "HostStartError", "HostTimeout", "TorchSharpProcess"]
