"""``interrupted_trace.py TRIES ASSEMBLY FOLDER``: runs ``trace --dotnet`` in forked children, and sends each SIGINT at another moment.

The moments are spread over the time that an undisturbed run takes, most of which is .NET's start. Prints a line per outcome with its
number. 'ok' is exit code 130, the one word 'interrupted', and no file left; or, where the command was quicker, the complete file.
"""

from __future__ import annotations

import collections
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import torch

import bridge
import bridge.runtimes.dotnet
from bridge.cli import main

#: Seconds after which a child has hung.
LIMIT = 60


def run(assembly: str, folder: Path) -> int:
    """Fork a child that traces a model into the folder; return its process id when it is about to begin."""
    folder.mkdir()
    reads, writes = os.pipe()
    if pid := os.fork():
        os.close(writes)
        os.read(reads, 1)
        os.close(reads)
        return pid
    signal.alarm(LIMIT)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(f"{folder}.{name}", os.O_WRONLY | os.O_CREAT), number)
    arguments = ["trace", "--dotnet", f"{assembly}:Mtcnn.PNet", "--shape", "1,3,24,24", "-o", str(folder / "a.jsonl")]
    os.write(writes, b".")
    main(arguments)
    raise AssertionError("unreachable: it exits")


def outcome(pid: int, folder: Path) -> str:
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    said = Path(f"{folder}.stderr").read_text(encoding="utf-8", errors="replace")
    files = sorted(file.name for file in folder.iterdir())
    if (code, said, files) == (130, "interrupted\n", []):
        return "ok"
    # After its work the process ends, during which Python itself leaves SIGINT to the system.
    over = (code in (0, -signal.SIGINT) and said == "") or (code, said) == (130, "interrupted\n")
    if over and files == ["a.jsonl"] and len(bridge.read_trace(folder / "a.jsonl")):
        return "ok"
    return f"code {code}, files {files}, {said!r}"


def by_times(tries: int, assembly: str, folder: Path) -> list[str]:
    began = time.monotonic()
    assert outcome(run(assembly, folder / "undisturbed"), folder / "undisturbed") == "ok"
    took = time.monotonic() - began
    said = []
    for index in range(tries):
        place = folder / str(index)
        pid = run(assembly, place)
        time.sleep(took * (index + 1) / tries)
        os.kill(pid, signal.SIGINT)
        said.append(outcome(pid, place))
        shutil.rmtree(place)
    return said


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored
    torch.set_num_threads(1)
    found = by_times(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
    for words, number in collections.Counter(found).items():
        sys.stdout.write(f"{number} {words}\n")
