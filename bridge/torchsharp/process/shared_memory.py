"""Memory shared with the process of TorchSharp, in blocks that are reused when they are free."""

from __future__ import annotations

import mmap
import threading
import weakref
from collections import deque
from typing import Any, Final

import numpy as np
import torch

from bridge.torchsharp.process import system
from bridge.torchsharp.process.system import Block

#: The alignment of tensors in a block.
ALIGNMENT: Final = 64
#: The maximum total size in bytes of the free blocks that are kept for later calls. Two blocks are kept whatever their size.
_MAX_FREE: Final = 1 << 28
#: The minimum size of a block in bytes.
_MIN_SIZE: Final = 1 << 16


class SharedMemory:
    """The blocks that Python shares with a process."""

    def __init__(self) -> None:
        self._numbers = 0
        #: The blocks up to this number are those of an earlier process.
        self._outdated = 0
        self._free: list[Block] = []
        #: The blocks that the other process has mapped, by number.
        self._announced: dict[int, Block] = {}
        #: The blocks with arguments, which the other process may still use, by number.
        self._handed_over: dict[int, Block] = {}
        #: The numbers of closed blocks that the other process must unmap.
        self._closed: list[int] = []
        # Blocks that became free. Finalizers run on any thread, so they only append here.
        self._returned: deque[Block] = deque()
        self._lock = threading.Lock()

    def take(self, size: int) -> Block:
        """Return a free or new block of at least ``size`` bytes, to be passed to :meth:`give_back`, :meth:`hand_over` or :meth:`lend`."""
        with self._lock:
            self._collect()
            fitting = [block for block in self._free if block.size >= size]
            if fitting:
                block = min(fitting, key=lambda free: free.size)
                self._free.remove(block)
                return block
            self._numbers += 1
            # A quarter larger than necessary, so that later requests that are slightly larger can use the block.
            wanted = max(_MIN_SIZE, size + size // 4)
            return system.new_block(self._numbers, -(-wanted // mmap.PAGESIZE) * mmap.PAGESIZE)

    def give_back(self, block: Block) -> None:
        """Mark a block as free. May be called on any thread."""
        self._returned.append(block)

    def hand_over(self, block: Block) -> None:
        """Let the other process use a block, until :meth:`mark_free`, :meth:`take_back` or the end of that process."""
        with self._lock:
            self._handed_over[block.number] = block

    def mark_free(self, numbers: list[int]) -> None:
        """Mark the blocks of these numbers, which the other process no longer uses, as free."""
        with self._lock:
            self._free += [block for number in numbers if (block := self._handed_over.pop(number, None)) is not None]

    def take_back(self, number: int) -> Block:
        """Take back a block that was handed over, and that contains the other process's result."""
        with self._lock:
            return self._handed_over.pop(number)

    def lend(self, block: Block) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return an array of a block's memory; the block is given back when the array is freed."""
        memory = block.bytes()
        weakref.finalize(memory, self._returned.append, block).atexit = False
        return memory

    def members(self, *blocks: Block) -> dict[str, Any]:
        """Return the parameters of a request that tell which of ``blocks`` the process must map, and which closed blocks it must unmap."""
        with self._lock:
            found: dict[str, Any] = {}
            new = [block for block in blocks if block.number not in self._announced]
            if new:
                self._announced.update((block.number, block) for block in new)
                found["map"] = [[block.number, block.place, block.size] for block in new]
            if self._closed:
                found["unmap"], self._closed = self._closed, []
            return found

    def forget(self) -> None:
        """Reset the state for a new process, which gets new blocks: the name of a block may be gone, since one process has opened it."""
        with self._lock:
            self._announced.clear()
            self._closed.clear()
            self._outdated = self._numbers
            self._returned += [*self._free, *self._handed_over.values()]
            self._free.clear()
            self._handed_over.clear()

    def _collect(self) -> None:
        """Add returned blocks to the free ones. While the free blocks are too large in total, close the largest, but keep two."""
        while self._returned:
            block = self._returned.popleft()
            if block.number > self._outdated:
                self._free.append(block)
            else:
                block.close()
        while sum(block.size for block in self._free) > _MAX_FREE and len(self._free) > 2:
            block = max(self._free, key=lambda free: free.size)
            self._free.remove(block)
            if self._announced.pop(block.number, None) is not None:
                self._closed.append(block.number)
            block.close()


def view(
    memory: np.ndarray[Any, np.dtype[np.uint8]] | bytearray, dtype: torch.dtype, shape: list[int], offset: int
) -> torch.Tensor:
    """Return a tensor that uses ``memory`` from ``offset`` on, and keeps it alive."""
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(memory, dtype=dtype, count=count, offset=offset).view(shape)
