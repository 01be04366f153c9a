"""Which wrong runtimes the corpus catches: each runs the programs in a process of its own, with little time and memory."""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from bridge.program import Program
from bridge.runtimes.programs.runtime import missing

#: Seconds that one wrong runtime may take for the whole corpus, and bytes: one that takes more is caught by that.
SECONDS = 20.0
BYTES = 2 << 30
#: The model, and the interpreter of programs over it.
MODEL = "bridge.runtimes.model"
INTERPRETER = "bridge.runtimes.programs.model"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a wrong runtime fared: ``caught`` is the name of the first program that shows it wrong, or None when it survived."""

    name: str
    caught: str | None
    how: str = ""


def verdicts(
    sources: Iterable[tuple[str, str]],
    programs: Sequence[Program],
    jobs: int = 2,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Verdict]:
    """The verdict on each source of a wrong ``bridge/runtimes/model.py``, as (name, text), in no special order.

    Works by fork, so the caller should not have imported torch: a fork of it costs memory, and more than one thread.
    """
    context = multiprocessing.get_context("fork")
    running: list[tuple[str, BaseProcess, Connection, float]] = []
    waiting = iter(sources)
    done = 0
    while True:
        while len(running) < jobs and (item := next(waiting, None)) is not None:
            receive, send = context.Pipe(duplex=False)
            process: BaseProcess = context.Process(target=_judge, args=(item[1], programs, send), daemon=True)
            process.start()
            send.close()
            running.append((item[0], process, receive, time.monotonic()))
        if not running:
            return
        multiprocessing.connection.wait([receive for _, _, receive, _ in running], timeout=1.0)
        for entry in list(running):
            name, process, receive, begun = entry
            late = time.monotonic() - begun > SECONDS
            if not receive.poll() and process.is_alive() and not late:
                continue
            running.remove(entry)
            try:
                caught, how = receive.recv() if receive.poll() else ("", "no end" if late else "the process died")
            except EOFError:
                caught, how = "", "the process died"
            process.kill()
            process.join()
            receive.close()
            done += 1
            progress(done)
            yield Verdict(name, caught, how)


def _judge(source: str, programs: Sequence[Program], answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    sys.setrecursionlimit(2000)
    answer.send(first_caught(source, programs))


def first_caught(source: str, programs: Sequence[Program]) -> tuple[str | None, str]:
    """The first program whose trace on that model is not as expected, and how it differs; (None, "") when all are."""
    # Only what is called here sees the wrong model: this is a process of its own.
    module = types.ModuleType(MODEL)
    sys.modules[MODEL] = module
    sys.modules.pop(INTERPRETER, None)
    try:
        exec(compile(source, MODEL, "exec"), module.__dict__)
        runtime = importlib.import_module(INTERPRETER).RUNTIME
    except Exception as error:
        return "", f"does not even load: {type(error).__name__}"
    for program in programs:
        try:
            if missing(runtime, program) is not None:
                continue
            traces: Mapping[str, object] = runtime.run(program)
        except BaseException as error:
            return program.name, f"left by {type(error).__name__}"
        if program.expect is None or any(events != list(program.expect) for events in traces.values()):
            return program.name, "another trace"
    return None, ""
