"""A ``python`` that is forked from a process which has imported PyTorch: that import is most of the time of many processes.

Its client passes on the streams, the working directory, the environment and the arguments, and ends as the fork ends. The fork leads a
session, and runs and ends as an interpreter does; it is killed with its children if the client is killed.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_CLIENT = """
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({place!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(connection, [len(request).to_bytes(8, "little")], [0, 1, 2])
    connection.sendall(request)
    answer = connection.recv(8)
code = int.from_bytes(answer, "little", signed=True) if answer else 1
if code < 0:
    if -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


def serve(folder: str) -> str:
    """Fork for each run of the ``python`` in the folder, and return in the fork the code to run; exit at the end of standard input."""
    import torch  # noqa: F401  # this process exists to import it

    # A garbage collection in a fork would copy all pages of PyTorch's objects.
    gc.collect()
    gc.freeze()
    place, client, python = (Path(folder, name) for name in ("socket", "client.py", "python"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        client.write_text(_CLIENT.format(place=str(place)), encoding="utf-8")
        python.write_text(f"#!/bin/sh\nexec '{sys.executable}' -SE '{client}' \"$@\"\n", encoding="utf-8")
        python.chmod(0o755)
        os.write(1, b"ready\n")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        readable: list[Any] = [listener, 0]
        while True:
            if 0 in select.select(readable, [], [])[0]:
                sys.exit()
            connection, _ = listener.accept()
            if not os.fork():
                break
            connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with connection:
        size, streams, _, _ = socket.recv_fds(connection, 8, 3)
        with connection.makefile("rb") as request:
            arguments, where, environ = json.loads(request.read(int.from_bytes(size, "little")))
        if child := os.fork():
            _wait_for(connection, child, streams)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # The old streams have cached whether they are terminals and seekable.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.chdir(where)
    os.environ.clear()
    os.environ.update(environ)
    sys.dont_write_bytecode = bool(environ.get("PYTHONDONTWRITEBYTECODE"))
    return _enter(arguments)


def _wait_for(connection: socket.socket, child: int, streams: list[int]) -> None:
    """Send the client the exit code of the child, or kill the child if the client has ended."""
    for stream in streams:
        os.close(stream)
    readable: list[Any] = [connection, os.pidfd_open(child)]
    if connection in select.select(readable, [], [])[0]:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(BrokenPipeError):
        connection.sendall(code.to_bytes(8, "little", signed=True))
    os._exit(0)


def _enter(arguments: list[str]) -> str:
    """Set sys.path and sys.argv as Python does for a command line; return the code to run."""
    option = arguments[0]
    if option == "-c":
        first, sys.argv, code = "", ["-c", *arguments[2:]], arguments[1]
    elif option == "-m":
        first, sys.argv = str(Path.cwd()), arguments[1:]
        code = f"import runpy; runpy.run_module({arguments[1]!r}, run_name='__main__', alter_sys=True)"
    else:
        first, sys.argv = str(Path(option).absolute().parent), arguments
        code = f"import runpy; runpy.run_path({option!r}, run_name='__main__')"
    # They were this file's folder and "".
    sys.path[:2] = [first, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    del sys.modules[__name__]
    return code
