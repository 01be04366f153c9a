"""A ``python`` in a folder of its own that is forked from a process which has imported PyTorch: the import is most of what many runs take.

Who runs it hands over the streams, the folder, the environment and the arguments, and ends as the fork does. The fork goes on as ``python``
does, to the ordinary end of an interpreter; it is the leader of a session, and is killed with its children if who ran it is.
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
    """Forks for each run of the ``python`` in the folder; gives, in the fork, the code to go on with. Ends when its standard input does."""
    import torch  # noqa: F401  # what this process is for

    # PyTorch's objects stay as they are: a collection in a fork, and the one at its end, would copy every page that they are in.
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
        while True:
            if 0 in select.select([listener, 0], [], [])[0]:
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
            _attend(connection, child, streams)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Those of before know whether they are terminals, and whether one can seek in them.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.chdir(where)
    os.environ.clear()
    os.environ.update(environ)
    sys.dont_write_bytecode = bool(environ.get("PYTHONDONTWRITEBYTECODE"))
    return _entered(arguments)


def _attend(connection: socket.socket, child: int, streams: list[int]) -> None:
    """Tells who asked how the child ended, or kills it if nobody asks any more."""
    for stream in streams:
        os.close(stream)
    if connection in select.select([connection, os.pidfd_open(child)], [], [])[0]:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(BrokenPipeError):
        connection.sendall(code.to_bytes(8, "little", signed=True))
    os._exit(0)


def _entered(arguments: list[str]) -> str:
    """Has the path and the arguments that Python has after such a command line; gives the code."""
    what = arguments[0]
    if what == "-c":
        first, sys.argv, code = "", ["-c", *arguments[2:]], arguments[1]
    elif what == "-m":
        first, sys.argv = str(Path.cwd()), arguments[1:]
        code = f"import runpy; runpy.run_module({arguments[1]!r}, run_name='__main__', alter_sys=True)"
    else:
        first, sys.argv = str(Path(what).absolute().parent), arguments
        code = f"import runpy; runpy.run_path({what!r}, run_name='__main__')"
    # The first was this file's folder, the second "".
    sys.path[:2] = [first, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    del sys.modules[__name__]
    return code
