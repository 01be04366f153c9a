"""What the pipes and the memory of every system do alike."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.torchsharp.process.system.interface import Block, Pipes
from bridge.torchsharp.process.system.portable import NamedBlock, ThreadedPipes
from bridge.torchsharp.process.system.posix import AnonymousBlock, PolledPipes
from tests.support.processes import descriptors

PIPES = [ThreadedPipes, *([PolledPipes] if os.name == "posix" else [])]
BLOCKS = [NamedBlock, *([AnonymousBlock] if hasattr(os, "memfd_create") else [])]
PYTHON = str(getattr(sys, "_base_executable", sys.executable))
#: A program that writes what it reads, and then what its argument says.
ECHO = """
import os, sys, time
requests, answers = (int(text) for text in sys.argv[2:4])
if os.name == "nt":
    import msvcrt
    requests, answers = msvcrt.open_osfhandle(requests, os.O_RDONLY), msvcrt.open_osfhandle(answers, 0)
if sys.argv[1] == "sleep":
    time.sleep(1000)
if sys.argv[1] == "end":
    sys.exit(7)
print("begun", flush=True)
with os.fdopen(requests, "rb") as asked, os.fdopen(answers, "wb") as told:
    for line in asked:
        told.write(line)
        told.flush()
print("ended", flush=True)
"""
SECOND = 60.0


@pytest.fixture(params=PIPES)
def pipes(request: pytest.FixtureRequest) -> Iterator[Pipes]:
    before = threading.active_count()
    made: Pipes = request.param()
    yield made
    made.close()
    made.join(SECOND)
    assert threading.active_count() == before


def command(what: str) -> list[str]:
    return [PYTHON, "-I", "-S", "-c", ECHO, what]


def later(seconds: float = SECOND) -> float:
    return time.monotonic() + seconds


def test_what_is_written_comes_back_until_the_pipe_is_closed(pipes: Pipes) -> None:
    with pipes.start(command("echo"), os.environ) as process:
        for line in (b"one\n", b"x" * 5_000_000 + b"\n"):
            assert pipes.write(line, later())
            read = bytearray()
            while not read.endswith(b"\n"):
                read += pipes.read(later()) or b""
            assert read == line
        pipes.close()
        assert process.wait(SECOND) == 0
        assert process.stdout is not None
        assert process.stdout.read().split() == [b"begun", b"ended"]


def test_a_wait_ends_at_the_deadline(pipes: Pipes) -> None:
    with pipes.start(command("echo"), os.environ) as process:
        begun = time.monotonic()
        assert pipes.read(later(0.3)) is None
        assert time.monotonic() - begun >= 0.3
        assert pipes.read(0.0) is None
        assert pipes.write(b"late\n", later())
        assert pipes.read(later()) == b"late\n"
        pipes.close()
        assert process.wait(SECOND) == 0


def test_a_write_that_nobody_reads_ends_at_the_deadline(pipes: Pipes) -> None:
    with pipes.start(command("sleep"), os.environ) as process:
        assert not pipes.write(b"x" * 5_000_000, later(0.3))
        process.kill()


def test_the_end_of_a_process_is_that_of_its_pipes(pipes: Pipes) -> None:
    with pipes.start(command("end"), os.environ) as process:
        assert pipes.read(later()) == b""
        assert process.wait(SECOND) == 7
        with pytest.raises(BrokenPipeError):
            pipes.write(b"x\n", later())


@pytest.mark.parametrize("kind", PIPES)
def test_nothing_is_left_of_pipes(kind: type[Pipes]) -> None:
    for what in ("first", "second"):
        before = descriptors(), threading.active_count()
        pipes = kind()
        with pytest.raises(FileNotFoundError):
            pipes.start([f"/no/such/{what}"], os.environ)
        pipes.release()
        pipes.release()
    assert (descriptors(), threading.active_count()) == before


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_block_has_zeros_at_first_and_its_memory_outlives_it(kind: type[Block]) -> None:
    block = kind(3, 1 << 16)
    assert (block.number, block.size) == (3, 1 << 16)
    memory = block.bytes()
    assert memory.shape == (1 << 16,)
    assert not memory.any()
    memory[5] = 7
    assert block.bytes()[5] == 7
    block.close()
    del block
    assert memory[5] == 7


@pytest.mark.parametrize("kind", BLOCKS)
def test_nothing_is_left_of_blocks(kind: type[Block]) -> None:
    folder = Path("/dev/shm")
    before = descriptors(), sorted(folder.glob("*"))
    for number in range(20):
        block = kind(number, 1 << 16)
        block.bytes()[0] = 1
        block.close()
    del block
    assert (descriptors(), sorted(folder.glob("*"))) == before
