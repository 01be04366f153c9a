"""What a process runs that has imported PyTorch and forks itself for each snippet (tests/conftest.py, ``Preloaded``).

A fork goes on as ``python -c code`` does: leader of a session, to the ordinary end of an interpreter.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys

#: Lengths, process ids and statuses, as they cross.
NUMBER = struct.Struct("=q")


def serve(end: int) -> str:
    """Forks for each request that comes through a descriptor; gives the code, in the fork. Exits once nobody asks any more."""
    import torch  # noqa: F401  # what this process is for

    connection = socket.socket(fileno=end)
    while True:
        head, streams, _, _ = socket.recv_fds(connection, NUMBER.size, 3)
        if not head:
            sys.exit()
        request = exactly(connection, NUMBER.unpack(head)[0])
        child = os.fork()
        if not child:
            connection.close()
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return str(json.loads(request))
        for stream in streams:
            os.close(stream)
        connection.sendall(NUMBER.pack(child))
        connection.sendall(NUMBER.pack(os.waitpid(child, 0)[1]))


def number(connection: socket.socket) -> int:
    """The next number; EOFError where the other process has ended."""
    return int(NUMBER.unpack(exactly(connection, NUMBER.size))[0])


def exactly(connection: socket.socket, size: int) -> bytes:
    """The next ``size`` bytes; EOFError where the other process has ended."""
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise EOFError("the other process has ended")
        found += part
    return found
