"""Judge wrong runtimes by the corpus: each runs the programs in a process of its own, with limited time and memory."""

from __future__ import annotations

import gc
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
from pathlib import Path
from typing import Final

import hook_contract
from hook_contract.conformance.runs import name_device
from hook_contract.program import Program
from hook_contract.program.events import first_difference
from hook_contract.runtimes.runtime import Runtime, unsupported_reason

#: The limits of a wrong runtime for the entire corpus: seconds of processor time, seconds of the clock, and bytes above the process's
#: memory at its start. A runtime that exceeds a limit counts as caught. The right runtime takes half a second.
PROCESSOR, SECONDS, BYTES = 20, 120.0, 2 << 30
#: The model, its modules, the nodes of a program's tree, and the interpreter of programs.
HANDLE = "hook_contract.runtimes.model.handle"
AUTOGRAD = "hook_contract.runtimes.model.autograd"
DISPATCHER = "hook_contract.runtimes.model.dispatcher"
WORLD = "hook_contract.runtimes.model.world"
NODES = "hook_contract.runtimes.nodes"
INTERPRETER = "hook_contract.runtimes.interpreter"
MODEL: Final = (HANDLE, AUTOGRAD, DISPATCHER)
_RUNTIME = "hook_contract.runtimes.model.programs"
#: The modules that a mistake may change, and those that import them; each imports only modules before it.
SOURCES: Final = (*MODEL, NODES, WORLD, INTERPRETER, _RUNTIME)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a wrong runtime: ``caught`` is the name of a program that shows it wrong, or None when it survived."""

    name: str
    caught: str | None
    how: str = ""


def verdicts(
    wrongs: Iterable[tuple[str, Mapping[str, str]]],
    programs: Sequence[Program],
    jobs: int = 2,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Verdict]:
    """Yield the verdict on each wrong runtime, given by its name and its mutated sources, in no order.

    The program that caught a runtime runs first on the next ones, since mutants of neighboring code are mostly caught by the same program.
    The caller should not have imported torch, which starts threads, since this forks.
    """
    load_runtime({})  # so that each process inherits the imports of these modules
    gc.freeze()
    context = multiprocessing.get_context("fork")
    running: list[tuple[str, BaseProcess, Connection, float]] = []
    waiting = iter(wrongs)
    order = {program.name: program for program in programs}
    done = 0
    while True:
        while len(running) < jobs and (item := next(waiting, None)) is not None:
            receive, send = context.Pipe(duplex=False)
            process: BaseProcess = context.Process(
                target=_judge, args=(item[1], tuple(order.values()), send), daemon=True
            )
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
            if caught:
                order = {caught: order[caught], **order}
            done += 1
            progress(done)
            yield Verdict(name, caught, how)


def _judge(sources: Mapping[str, str], programs: Sequence[Program], answer: Connection) -> None:
    limit_process()
    answer.send(first_caught(sources, programs))


def limit_process() -> None:
    """Limit the memory, the processor time and the stack of this process."""
    bound = _mapped() + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    sys.setrecursionlimit(2000)


def _mapped() -> int:
    # A forked process with CUDA libraries maps some gigabytes at its start.
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def first_caught(sources: Mapping[str, str], programs: Sequence[Program]) -> tuple[str | None, str]:
    """Return the first program whose trace is unexpected with these sources, and the difference; (None, "") if all pass."""
    try:
        runtime = load_runtime(sources)
    except Exception as error:  # a mutant may raise anything
        return "", f"does not even load: {type(error).__name__}"
    for program in programs:
        try:
            if unsupported_reason(runtime, program) is not None:
                continue
            traces = runtime.run(program)
        except BaseException as error:
            return program.name, f"left by {type(error).__name__}"
        if program.expect is None or any(
            first_difference(program.expect, name_device(events, "cpu")) for events in traces.values()
        ):
            return program.name, "another trace"
    return None, ""


def source_of(module: str) -> str:
    """Return the right source of a module of hook_contract."""
    return Path(hook_contract.__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")


def load_runtime(sources: Mapping[str, str]) -> Runtime:
    """Replace modules by mutated sources, for this process alone, and return the runtime ``model`` of these modules."""
    for name in SOURCES:
        package, _, last = name.rpartition(".")
        if sys.modules.pop(name, None) is not None:
            vars(sys.modules[package]).pop(last, None)
    for name in SOURCES:
        if name in sources:
            module = sys.modules[name] = types.ModuleType(name)
            exec(compile(sources[name], name, "exec"), module.__dict__)
    runtime: Runtime = importlib.import_module(_RUNTIME).RUNTIME
    return runtime
