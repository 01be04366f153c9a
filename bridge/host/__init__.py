"""A .NET process that runs models on the user's own TorchSharp, apart from Python's: ``dotnet/src/Bridge.Host``.

Lines of JSON cross by pipes (``bridge/contract/host.schema.json``), the elements of tensors by shared memory. What ends that process (some
errors of TorchSharp do) ends nothing else: the call that was under way raises, and the next one starts the process anew.

:class:`Host` is one such process, and all that is needed to ask it something::

    with Host() as host:
        host.ask("ping")                       # a dictionary, the answer's `result`
        host.ask("describe", files=[path])     # members by name; what C# throws is raised as DotNetError

A method is added in C# as a line in ``Methods.All`` (``dotnet/src/Bridge.Host/Methods.cs``), ``["name"] = Class.Function``, where the
function takes the request's members, the session (what the process keeps: the model library, models, shared memory) and a writer for the
members of the result; it throws what goes wrong. ``session.Progress(…)`` says something meanwhile. Python asks for it by that name at once;
there is no list of methods here. A method that has to run before others in every new process is asked for by ``prepare``::

    def prepare(host):                         # runs in each new process, before what was asked for
        host.ask("use_torchsharp", path=path, libraries=[])

    host = Host(prepare=prepare)

What raises: HostStartError, HostDied, HostTimeout and HostProtocolError (:mod:`bridge.host.host_errors`), each with the last lines that the
process wrote to its standard error, and within the deadline ``timeout``. ``generation`` counts the processes: what one of them kept is gone
when the number is another. The process ends with :meth:`Host.close`, with Python however that ends, and when a call is interrupted.
"""

from __future__ import annotations

from bridge.host.host_errors import HostDied, HostError, HostProtocolError, HostStartError, HostTimeout
from bridge.host.requests import Host

__all__ = ["Host", "HostDied", "HostError", "HostProtocolError", "HostStartError", "HostTimeout"]
