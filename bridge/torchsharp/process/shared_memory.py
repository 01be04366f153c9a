"""Memory that Python and the process of TorchSharp share: blocks without a name, used again, gone with the last process that has them."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from collections import deque
from typing import Any, Final

import numpy as np
import torch

#: Where a tensor begins in a block is a multiple of this.
ALIGNMENT: Final = 64
#: Blocks that nobody uses are kept for the next call up to so many bytes.
_KEPT: Final = 1 << 28
_SMALLEST: Final = 1 << 16


class Block:
    """Memory of a file without a name. ``number`` is what the other process knows it by."""

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
        """Its memory, as a new array each time."""
        return np.frombuffer(self._memory, dtype=np.uint8)

    def close(self) -> None:
        """Closes the file. The memory stays as long as an array of it."""
        os.close(self.descriptor)


class SharedMemory:
    """The blocks of one host: which are free, and what the other process has not been told of them yet."""

    def __init__(self) -> None:
        self._numbers = 0
        self._free: list[Block] = []
        self._told: dict[int, Block] = {}
        self._handed: dict[int, Block] = {}
        self._closed: list[int] = []
        # Tensors die on any thread, and in collections: what they held is only noted there.
        self._returned: deque[Block] = deque()
        self._lock = threading.Lock()

    def take(self, size: int) -> Block:
        """A block of ``size`` bytes or more, to be given back."""
        with self._lock:
            self._collect()
            fitting = [block for block in self._free if block.size >= size]
            if fitting:
                block = min(fitting, key=lambda free: free.size)
                self._free.remove(block)
                return block
            self._numbers += 1
            # A quarter more: what grows a little from call to call finds room.
            wanted = max(_SMALLEST, size + size // 4)
            return Block(self._numbers, -(-wanted // mmap.PAGESIZE) * mmap.PAGESIZE)

    def give_back(self, block: Block) -> None:
        """The block is free; from any thread."""
        self._returned.append(block)

    def hand_over(self, block: Block) -> None:
        """The block has arguments, which are tensors of the other process: it is free when that says so (:meth:`freed`), or is gone."""
        with self._lock:
            self._handed[block.number] = block

    def freed(self, numbers: list[int]) -> None:
        """Nothing in the other process uses these blocks any more."""
        with self._lock:
            self._free += [block for number in numbers if (block := self._handed.pop(number, None)) is not None]

    def taken_back(self, number: int) -> Block:
        """A block that was handed over, with the result in it that the other process left there and uses no more."""
        with self._lock:
            return self._handed.pop(number)

    def lend(self, block: Block) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The memory of a block that is given back when nothing refers to it any more."""
        memory = block.bytes()
        weakref.finalize(memory, self._returned.append, block).atexit = False
        return memory

    def members(self, *blocks: Block) -> dict[str, Any]:
        """What a request says of blocks: those among ``blocks`` that are new to the other process, and those that are gone."""
        with self._lock:
            said: dict[str, Any] = {}
            new = [block for block in blocks if block.number not in self._told]
            if new:
                self._told.update((block.number, block) for block in new)
                said["map"] = [[block.number, block.descriptor, block.size] for block in new]
            if self._closed:
                said["unmap"], self._closed = self._closed, []
            return said

    def forget(self) -> None:
        """The other process is another one, which knows no block."""
        with self._lock:
            self._told.clear()
            self._closed.clear()
            self._free += self._handed.values()
            self._handed.clear()

    def _collect(self) -> None:
        """Takes back what was given back; the largest blocks beyond what is kept are closed."""
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
    """A tensor on memory, which lives as long as it."""
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(memory, dtype=dtype, count=count, offset=offset).view(shape)
