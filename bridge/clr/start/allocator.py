"""What the C library does with freed memory: a C# ``forward`` frees much at once, at its end.

glibc gives what lies free at the end of its heap back to the system, and takes it again with page faults at the next call (up to 120
a call of a small convolutional net). How much may lie there grows by itself to twice the largest block that was mapped and freed, so
one such block is mapped and freed, as in any process in which PyTorch has had a tensor of that size. It is never written to, and takes
no memory.
"""

from __future__ import annotations

import ctypes
import sys

#: glibc learns from blocks of at most 32 MB.
_BLOCK = 31 << 20


def keep_freed_memory() -> None:
    """Lets glibc keep up to 62 MB free; MALLOC_TRIM_THRESHOLD_ or MALLOC_MMAP_THRESHOLD_ in the environment say otherwise."""
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    library.malloc.argtypes = [ctypes.c_size_t]
    library.malloc.restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    library.free.restype = None
    library.free(library.malloc(_BLOCK))
