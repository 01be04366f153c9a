"""A .NET process that runs models on the user's own TorchSharp, apart from Python's: ``dotnet/src/Bridge.Host``.

Lines of JSON cross by pipes (``bridge/contract/host.schema.json``), the elements of tensors by shared memory. What ends that process (some
errors of TorchSharp do) ends nothing else: the call that was under way raises, and the next one starts the process anew.

:class:`TorchSharpProcess` is one such process, and all that is needed to ask it something::

    with TorchSharpProcess() as host:
        host.ask("ping")                       # a dictionary, the answer's `result`
        host.ask("describe", files=[path])     # members by name; what C# throws is raised as DotNetError

A method is added in C# as a line in ``Methods.All`` (``dotnet/src/Bridge.Host/Methods.cs``), ``["name"] = Class.Function``, where the
function takes the request's members, the session (what the process keeps: the model library, models, shared memory) and a writer for the
members of the result; it throws what goes wrong. ``session.Progress(…)`` says something meanwhile. Python asks for it by that name at once;
there is no list of methods here. A method that has to run before others in every new process is asked for by ``prepare``::

    def prepare(host):                         # runs in each new process, before what was asked for
        host.ask("use_torchsharp", path=path, libraries=[])

    host = TorchSharpProcess(prepare=prepare)

A request raises HostStartError, HostDied, HostTimeout or HostProtocolError (:mod:`bridge.torchsharp.process.errors`), each with
the last lines of the process's standard error, within the deadline ``timeout``. ``generation`` counts the processes: state that one of
them kept is lost when the number changes. The process ends with :meth:`TorchSharpProcess.close`, with Python however that ends, and when
a call is interrupted.
"""

from __future__ import annotations

from bridge.torchsharp.process.errors import HostDied, HostError, HostProtocolError, HostStartError, HostTimeout
from bridge.torchsharp.process.requests import TorchSharpProcess

__all__ = ["HostDied", "HostError", "HostProtocolError", "HostStartError", "HostTimeout", "TorchSharpProcess"]
