"""Requests with tensors: into shared memory, out of it, and where an answer's tensors find no room, asked for again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import torch

from bridge.clr.errors import DotNetFailure
from bridge.torchsharp.process.errors import HostError
from bridge.torchsharp.process.requests import TorchSharpProcess
from bridge.torchsharp.process.shared_memory import SharedMemory
from bridge.torchsharp.process.values import Packing, Unpacking

T = TypeVar("T")


class Exchange:
    """A host with memory that it shares."""

    def __init__(self, host: TorchSharpProcess) -> None:
        self.host = host
        self._memory = SharedMemory()
        self._generation = 0
        self._rooms: dict[tuple[int, str], int] = {}
        #: The state of the generator there; None where it is not known.
        self._random: torch.Tensor | None = None
        # Models end on any thread, and in collections, also within a request: which ones is only noted there.
        self._dropped: deque[int] = deque()

    def drop(self, number: int) -> None:
        """Let the process forget a model with the next request; from any thread."""
        self._dropped.append(number)

    def ask(
        self,
        method: str,
        write: Callable[[Packing], dict[str, Any]],
        read: Callable[[dict[str, Any], Callable[[Any], Any]], T],
        *,
        kind: tuple[int, str],
        draws: bool = True,
    ) -> T:
        """Asks a method of C# that takes and gives tensors.

        ``write`` makes its members; ``read`` gets the result and what turns a value of it into Python's, and gives what this gives.
        ``kind``, a model's number and a word, names requests whose answers are of about one size. Raises what
        :meth:`TorchSharpProcess.ask` raises, and what ``write`` and ``read`` raise.

        What is drawn there is drawn from Python's generator of the CPU, which goes on where C# left it, unless ``draws`` is false.
        """
        host, memory = self.host, self._memory
        with host.turn():
            packing = Packing()
            members = write(packing)
            if dropped := [self._dropped.popleft() for _ in range(len(self._dropped))]:
                members["drop"] = dropped
                self._rooms = {kind: size for kind, size in self._rooms.items() if kind[0] not in dropped}
            # What is written may have begun a new process.
            host.start()
            if host.generation != self._generation:
                self._generation = host.generation
                memory.forget()
                self._random = None
            random = torch.get_rng_state()
            if self._random is None or not torch.equal(self._random, random):
                members["random"] = packing.pack(random)
            self._random = None  # what the process has is not known before it has answered
            room = memory.take(self._rooms.get(kind, 0))
            block = memory.take(packing.length) if packing.length else None
            shared = False
            try:
                if block is not None:
                    packing.copy_to(block)
                    members["block"] = block.number
                    members["bytes"] = packing.length
                members["room"] = [room.number, room.size]
                members |= memory.members(*([room] if block is None else [block, room]))
                if block is not None:
                    memory.hand_over(block)
                    block = None
                result = host.ask(method, **members)
                memory.freed(result["free"])
                need = self._rooms[kind] = result["need"]
                start = 0
                if "inside" in result:
                    # The result is where its argument was.
                    memory.give_back(room)
                    number, start = result["inside"]
                    room = memory.taken_back(number)
                elif not result["there"]:
                    memory.give_back(room)
                    room = memory.take(need)
                    took = host.ask("take", room=[room.number, room.size], **memory.members(room))
                    memory.freed(took["free"])
                unpacking = Unpacking(memory, room, need, start)
                shared = unpacking.shared
                self._random = random
                if "random" in result:
                    self._random = unpacking.unpack(result["random"]).clone()
                    # What another thread has drawn meanwhile is not drawn again.
                    if draws and torch.equal(torch.get_rng_state(), random):
                        torch.set_rng_state(self._random)
                return read(result, unpacking.unpack)
            except DotNetFailure:
                # Its answer does not say what became of the arguments' block.
                with suppress(DotNetFailure, HostError):
                    memory.freed(host.ask("free")["free"])
                raise
            finally:
                if block is not None:
                    memory.give_back(block)
                if not shared:
                    memory.give_back(room)
