"""Memory shared with the process of TorchSharp: anonymous blocks that are reused, and freed with the last process that has them."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from collections import deque
from typing import Any, Final

import numpy as np
import torch

#: The alignment of tensors in a block.
ALIGNMENT: Final = 64
#: The number of bytes of free blocks that are kept for later calls.
_KEPT: Final = 1 << 28
_SMALLEST: Final = 1 << 16


class Block:
    """The memory of an anonymous file. ``number`` identifies it in the other process."""

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.size = size
        self.descriptor = os.memfd_create("torchsharp-bridge", os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.descriptor, size)
            self._memory = mmap.mmap(self.descriptor, size)
        except BaseException:
            os.close(self.descriptor)
            raise

    def bytes(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return its memory as a new array."""
        return np.frombuffer(self._memory, dtype=np.uint8)

    def close(self) -> None:
        """Close the file. The memory lives as long as an array of it."""
        os.close(self.descriptor)


class SharedMemory:
    """The blocks of a process: which are free, and which changes the other process has not received yet."""

    def __init__(self) -> None:
        self._numbers = 0
        self._free: list[Block] = []
        self._told: dict[int, Block] = {}
        self._handed: dict[int, Block] = {}
        self._closed: list[int] = []
        # Finalizers run on any thread, so they only append a block here.
        self._returned: deque[Block] = deque()
        self._lock = threading.Lock()

    def take(self, size: int) -> Block:
        """Return a block of at least ``size`` bytes, to be given back."""
        with self._lock:
            self._collect()
            fitting = [block for block in self._free if block.size >= size]
            if fitting:
                block = min(fitting, key=lambda free: free.size)
                self._free.remove(block)
                return block
            self._numbers += 1
            # A quarter more, so that slowly growing requests reuse the block.
            wanted = max(_SMALLEST, size + size // 4)
            return Block(self._numbers, -(-wanted // mmap.PAGESIZE) * mmap.PAGESIZE)

    def give_back(self, block: Block) -> None:
        """Mark a block as free; callable on any thread."""
        self._returned.append(block)

    def hand_over(self, block: Block) -> None:
        """Lend a block with arguments to the other process until that reports it as free (:meth:`mark_free`), or ends."""
        with self._lock:
            self._handed[block.number] = block

    def mark_free(self, numbers: list[int]) -> None:
        """Mark blocks as free that the other process reported as unused."""
        with self._lock:
            self._free += [block for number in numbers if (block := self._handed.pop(number, None)) is not None]

    def take_back(self, number: int) -> Block:
        """Take back a block that was handed over and now contains the result, which the other process no longer uses."""
        with self._lock:
            return self._handed.pop(number)

    def lend(self, block: Block) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the memory of a block, which is given back when nothing refers to the memory any more."""
        memory = block.bytes()
        weakref.finalize(memory, self._returned.append, block).atexit = False
        return memory

    def members(self, *blocks: Block) -> dict[str, Any]:
        """Return a request's members about blocks: those of ``blocks`` that are new to the other process, and those that were closed."""
        with self._lock:
            found: dict[str, Any] = {}
            new = [block for block in blocks if block.number not in self._told]
            if new:
                self._told.update((block.number, block) for block in new)
                found["map"] = [[block.number, block.descriptor, block.size] for block in new]
            if self._closed:
                found["unmap"], self._closed = self._closed, []
            return found

    def forget(self) -> None:
        """Reset the state after a new process has started, which has no blocks."""
        with self._lock:
            self._told.clear()
            self._closed.clear()
            self._free += self._handed.values()
            self._handed.clear()

    def _collect(self) -> None:
        """Make returned blocks free, and close the largest ones beyond the limit."""
        while self._returned:
            self._free.append(self._returned.popleft())
        while sum(block.size for block in self._free) > _KEPT and len(self._free) > 2:
            block = max(self._free, key=lambda free: free.size)
            self._free.remove(block)
            if self._told.pop(block.number, None) is not None:
                self._closed.append(block.number)
            block.close()


def view(
    memory: np.ndarray[Any, np.dtype[np.uint8]] | bytearray, dtype: torch.dtype, shape: list[int], offset: int
) -> torch.Tensor:
    """Return a tensor on memory, which it keeps alive."""
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(memory, dtype=dtype, count=count, offset=offset).view(shape)
