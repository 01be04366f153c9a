"""Named shared memory: no name is left, however a process ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.torchsharp.process.system import portable
from bridge.torchsharp.process.system.portable import PREFIX, NamedBlock

POSIX = pytest.mark.skipif(os.name != "posix", reason="on Windows a name is no file, and ends with its processes")
_MAKE = """
import os
from bridge.torchsharp.process.system.portable import NamedBlock
block = NamedBlock(1, 1 << 16)
print(block.place, flush=True)
"""


def left() -> list[Path]:
    return list(Path("/dev/shm").glob(f"{PREFIX}*"))


@POSIX
def test_the_name_of_a_block_is_a_file_of_this_user_until_it_is_closed() -> None:
    block = NamedBlock(1, 1 << 16)
    file = Path(block.place)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_size == 1 << 16
    block.close()
    assert not file.exists()
    block.close()


def test_each_block_has_a_name_of_its_own() -> None:
    blocks = [NamedBlock(1, 1 << 16) for _ in range(10)]
    assert len({block.place for block in blocks}) == 10
    for block in blocks:
        block.close()


@POSIX
@pytest.mark.parametrize(
    "end", ["", "raise SystemExit(3)", "del block", "child = os.fork()\nif child: os.waitpid(child, 0)"]
)
def test_the_end_of_python_deletes_the_file(in_process: Callable[..., Any], end: str) -> None:
    done = in_process(_MAKE + end)
    assert PREFIX in done.stdout, done
    assert not Path(done.stdout.split()[0]).exists()


@POSIX
def test_a_forked_child_deletes_no_file_of_its_parent(in_process: Callable[..., Any]) -> None:
    done = in_process(
        f"{_MAKE}child = os.fork()\n"
        "if child: print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.path.exists(block.place))\n"
        "else: block.close()\n"
    )
    assert done.stdout.endswith("0 True\n"), done
    assert not Path(done.stdout.split()[0]).exists()


@POSIX
def test_what_a_killed_process_has_left_is_deleted_by_the_next(
    in_process: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not if it is new, or if its process lives: a mapping keeps the lock."""
    done = in_process(f"{_MAKE}os.kill(os.getpid(), 9)")
    dead = Path(done.stdout.strip())
    alive = NamedBlock(1, 1 << 16)
    assert dead.exists()
    old = time.time() - 3600
    for age, rest in ((time.time(), True), (old, False)):
        for file in (dead, Path(alive.place)):
            os.utime(file, (age, age))
        monkeypatch.setattr(portable, "_swept", False)
        NamedBlock(2, 1 << 16).close()
        assert dead.exists() == rest
        assert Path(alive.place).exists()
    alive.close()
