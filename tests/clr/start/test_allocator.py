"""bridge/clr/start/allocator.py: memory that was freed at once is there for the next call, without page faults."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

from bridge.clr.start import allocator

PIECES, BYTES = 48, 100_000  # each is in the heap, where together they are more than glibc leaves free at first


@pytest.mark.skipif(sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="glibc's way")
def test_freed_memory_stays_with_the_process() -> None:
    """In processes that have freed nothing large before: without it each round has its page faults again."""
    pages = PIECES * BYTES // 4096
    assert _fewest_faults("give back") > pages // 2
    assert _fewest_faults("keep") < pages // 10


def _fewest_faults(what: str) -> int:
    return int(subprocess.run([sys.executable, __file__, what], capture_output=True, text=True, check=True).stdout)


def _rounds() -> int:
    """Return the page faults of allocating, writing and freeing the pieces: the fewest of all rounds but the first."""
    import resource

    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        pieces = [library.malloc(ctypes.c_size_t(BYTES)) for _ in range(PIECES)]
        for piece in pieces:
            ctypes.memset(piece, 1, BYTES)
        for piece in reversed(pieces):
            library.free(piece)
        found.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return min(found[1:])


if __name__ == "__main__":
    if sys.argv[1] == "keep":
        allocator.keep_freed_memory()
    sys.stdout.write(str(_rounds()))
