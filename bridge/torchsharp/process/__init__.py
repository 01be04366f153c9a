"""A .NET process that runs models on the user's own TorchSharp: ``dotnet/src/Bridge.Host``.

Requests and answers are lines of JSON in pipes (``bridge/contract/host.schema.json``); elements of tensors are in shared memory. If the
process ends, as after some errors of TorchSharp, the pending call raises, and the next call starts a new process.

:class:`TorchSharpProcess` is such a process::

    with TorchSharpProcess() as host:
        host.ask("ping")                       # a dictionary, the answer's `result`
        host.ask("describe", files=[path])     # members by name; C# exceptions are raised as DotNetError

A method is added in C# by a line in ``Methods.All`` (``dotnet/src/Bridge.Host/Methods.cs``), ``["name"] = Class.Function``. The function
takes the request's members, the session (the process's state: the model library, models, shared memory) and a writer for the members of
the result; it reports errors by exceptions, and progress by ``session.Progress(…)``. Python needs no declaration of the method.
``prepare`` calls methods that must run first in every new process::

    def prepare(host):                         # runs in each new process, before other requests
        host.ask("use_torchsharp", path=path, libraries=[])

    host = TorchSharpProcess(prepare=prepare)

A request raises HostStartError, HostDied, HostTimeout or HostProtocolError (:mod:`bridge.torchsharp.process.errors`), each with the last
lines of the process's standard error, within ``timeout``. ``generation`` counts the processes: when it changes, state of the previous
process is lost. The process ends with :meth:`TorchSharpProcess.close`, when Python ends in any way, and when a call is interrupted.
"""

from __future__ import annotations

from bridge.torchsharp.process.errors import HostDied, HostError, HostProtocolError, HostStartError, HostTimeout
from bridge.torchsharp.process.requests import TorchSharpProcess

__all__ = ["HostDied", "HostError", "HostProtocolError", "HostStartError", "HostTimeout", "TorchSharpProcess"]
