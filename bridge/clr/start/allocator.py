"""The C library's treatment of freed memory: a C# ``forward`` frees most of its memory at its end.

glibc returns free memory at the end of its heap to the system, and gets it back with page faults in the next call (up to 120 in a call of
a small convolutional net). The amount that it keeps grows to twice the largest block that was mapped and freed, so one such block is mapped
and freed here, as happens in any process that had a tensor of that size. The block is never written to, and takes no memory.
"""

from __future__ import annotations

import ctypes
import sys

#: glibc adjusts its threshold for blocks of at most 32 MB.
_BLOCK = 31 << 20


def keep_freed_memory() -> None:
    """Let glibc keep up to 62 MB; MALLOC_TRIM_THRESHOLD_ or MALLOC_MMAP_THRESHOLD_ in the environment override this."""
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    library.malloc.argtypes = [ctypes.c_size_t]
    library.malloc.restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    library.free.restype = None
    library.free(library.malloc(_BLOCK))
