"""Runs the judgement of mutants in processes, two at a time; one that ends takes only its mutant with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, Final

from diagnosis.planted import Mutant
from diagnosis.subjects import ROOT

#: Mutants of one process, and seconds after which one of them hangs: many, since beside other work each takes a share of a core.
CHUNK: Final = 40
HANG: Final = 900.0


def results(chosen: Sequence[Mutant], jobs: int, told: Callable[[int], None]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the result of each mutant by model and id; ``told`` is called with the number done."""
    work: SimpleQueue[list[Mutant]] = SimpleQueue()
    for chunk in _chunks(chosen):
        work.put(chunk)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    broken: list[BaseException] = []

    def judge() -> None:
        try:
            while not work.empty() and not broken:
                left = work.get()
                while left:
                    done = _judged(left)
                    found.update(((left[0].subject, one["id"]), one) for one in done)
                    told(len(found))
                    left = left[len(done) :]
        except BaseException as error:
            broken.append(error)

    threads = [threading.Thread(target=judge) for _ in range(jobs)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if broken:
        raise broken[0]
    return found


def environment() -> dict[str, str]:
    """Return the results of a process that hosts .NET."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tools"))),
        "OMP_NUM_THREADS": "1",
    }


def _chunks(chosen: Sequence[Mutant]) -> Iterator[list[Mutant]]:
    for subject in dict.fromkeys(one.subject for one in chosen):
        own = [one for one in chosen if one.subject == subject]
        yield from (own[start : start + CHUNK] for start in range(0, len(own), CHUNK))


def _judged(chunk: Sequence[Mutant]) -> list[dict[str, Any]]:
    """Return the results of a chunk's first mutants, at least one, up to one that ended the process."""
    command = [sys.executable, "-m", "diagnosis.worker", chunk[0].subject, *(one.id for one in chunk)]
    done: list[dict[str, Any]] = []
    begun = ""
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        watch = _watch(process)
        for line in process.stdout:
            watch.cancel()
            watch = _watch(process)
            said = json.loads(line) if line.startswith("{") else {}
            begun = said.get("begun", begun)
            if "id" in said:
                done.append(said)
        watch.cancel()
        code = process.wait()
        errors.seek(0)
        words = errors.read().strip()
    if code == 0 or len(done) == len(chunk):
        return done
    if not begun or any(one["id"] == begun for one in done):
        raise RuntimeError(f"the judge of {chunk[0].subject} ended with {code}:\n{words[-2000:]}")
    last = words.splitlines()[-1:] or [""]
    ended = {"id": begun, "lives": "ended the process", "noticed": False, "located": False, "explained": False}
    return [*done, {**ended, "wrong": [], "said": [f"the process ended with {code}: {last[0]}"]}]


def _watch(process: subprocess.Popen[str]) -> threading.Timer:
    timer = threading.Timer(HANG, process.kill)
    timer.daemon = True
    timer.start()
    return timer
