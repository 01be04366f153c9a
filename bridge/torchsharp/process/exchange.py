"""Requests with tensors in shared memory.

The arguments' tensors are in one block of memory. If the result's only tensor is in that block, it stays there, unless it is smaller than
half the block or another C# tensor uses the block. Otherwise C# copies the result's tensors to another block, the ``room``. If the room is
too small, a second request, ``take``, gives C# a larger room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import torch

from bridge.clr.errors import DotNetFailure
from bridge.torchsharp.process.errors import HostError
from bridge.torchsharp.process.objects import RemoteObjects
from bridge.torchsharp.process.requests import TorchSharpProcess
from bridge.torchsharp.process.shared_memory import SharedMemory
from bridge.torchsharp.process.values import Packing, Unpacking

T = TypeVar("T")


class Exchange:
    """A process of TorchSharp, and the memory that it shares with Python."""

    def __init__(self, host: TorchSharpProcess) -> None:
        self.host = host
        self.objects = RemoteObjects(self.ask)
        #: The RemoteModel of each model in the process, by number.
        self.models: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self._memory = SharedMemory()
        self._generation = 0
        #: The size in bytes of the tensors in the last answer, by ``kind`` (:meth:`ask`).
        self._answer_sizes: dict[tuple[int, str], int] = {}
        #: The state of the process's random generator; None if unknown.
        self._random: torch.Tensor | None = None
        # The numbers of models to release. Finalizers run on any thread and during requests, so they only append here.
        self._dropped: deque[int] = deque()

    def drop(self, number: int) -> None:
        """Make the next request release a model in the process. May be called on any thread."""
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
        """Call a C# method that takes and returns tensors.

        ``write`` returns the request's parameters. ``read`` gets the method's result and a function that unpacks values; the result of
        ``read`` is returned. ``kind`` groups requests with answers of similar size. For a model, it is the model's number with a module
        path or ``/load``; for an object, it is 0 with an operation. Raises the exceptions of :meth:`TorchSharpProcess.ask`, ``write`` and
        ``read``.

        The process's random generator gets the state of Python's CPU generator before the method runs. With ``draws``, Python's generator
        gets the process's state afterwards, unless another thread has drawn random numbers meanwhile.
        """
        host, memory = self.host, self._memory
        with host.exclusive():
            packing = Packing(self.objects)
            members = write(packing)
            self._release_dropped(members)
            host.start()
            self._reset_after_restart()
            random = self._send_random(members, packing)
            room = memory.take(self._answer_sizes.get(kind, 0))
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
                memory.mark_free(result["free"])
                need = self._answer_sizes[kind] = result["need"]
                start = 0
                if "inside" in result:
                    # The result is in the arguments' block.
                    memory.give_back(room)
                    number, start = result["inside"]
                    room = memory.take_back(number)
                elif not result["there"]:
                    memory.give_back(room)
                    room = memory.take(need)
                    answer = host.ask("take", room=[room.number, room.size], **memory.members(room))
                    memory.mark_free(answer["free"])
                unpacking = Unpacking(memory, room, need, start, self._find)
                shared = unpacking.shared
                self._random = random
                if "random" in result:
                    self._random = unpacking.unpack(result["random"]).clone()
                    if draws and torch.equal(torch.get_rng_state(), random):
                        torch.set_rng_state(self._random)
                return read(result, unpacking.unpack)
            except DotNetFailure:
                # The answer is a C# exception, which does not tell whether the arguments' block is free.
                with suppress(DotNetFailure, HostError):
                    memory.mark_free(host.ask("free")["free"])
                raise
            finally:
                if block is not None:
                    memory.give_back(block)
                if not shared:
                    memory.give_back(room)

    @property
    def _find(self) -> dict[str, Callable[..., Any]]:
        return {"object": self.objects.wrap, "module": lambda number, path: self.models[number].python_module(path)}

    def _release_dropped(self, members: dict[str, Any]) -> None:
        """Add to a request's parameters the models and objects that the process must release."""
        if released := self.objects.take_released():
            members["release"] = released
        if dropped := [self._dropped.popleft() for _ in range(len(self._dropped))]:
            members["drop"] = dropped
            self._answer_sizes = {kind: size for kind, size in self._answer_sizes.items() if kind[0] not in dropped}

    def _reset_after_restart(self) -> None:
        """Discard the state of the previous process if a new process has started."""
        if self.host.generation != self._generation:
            self._generation = self.host.generation
            self._memory.forget()
            self._random = None

    def _send_random(self, members: dict[str, Any], packing: Packing) -> torch.Tensor:
        """Return the state of Python's CPU generator, and add it to a request's parameters if the process has another state."""
        random = torch.get_rng_state()
        if self._random is None or not torch.equal(self._random, random):
            members["random"] = packing.pack(random)
        self._random = None  # unknown until the process answers
        return random
