"""Hands cases to workers and watches these for crashes, hangs and memory growth."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any, Final

from attack.kind import Kind, chosen, kind_of

ROOT: Final = Path(__file__).resolve().parents[2]
#: Seconds after which a case hangs, on a busy machine too.
HANG: Final = 120.0
#: Cases of one worker; cases between two measurements, the first of which do not count; MiB by which a worker may grow after these.
BLOCK, MEASURED, WARM, GROWTH = 400, 25, 100, 64.0
#: Tensors, modules, hooks and functions that .NET may hold between two cases.
HELD: Final = 16
#: Rounds of a kind's cases, cases in each, and MiB by which each round may make a process grow.
ROUNDS, ROUND, ROUND_GROWTH = 5, 6, 1.0


@dataclass(frozen=True)
class Outcome:
    """The result of a case; ``problem`` is "wrong", "crash", "hang", "growth" or None."""

    index: int
    kind: str
    seconds: float
    problem: str | None = None
    text: str = ""


class ProcessError(Exception):
    """A worker crashed, or hung and was ended."""

    def __init__(self, problem: str, text: str) -> None:
        super().__init__(text)
        self.outcome = problem, text


class Process:
    """A worker."""

    def __init__(self, seed: int, assembly: Path, names: Sequence[str], **environment: str) -> None:
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  # closed by end()
        reads, writes = os.pipe()
        paths = str(ROOT / "tools"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])
        self._running = subprocess.Popen(
            [sys.executable, "-m", "attack.worker", str(seed), str(writes), str(assembly), *names],
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=(writes,),
            start_new_session=True,
            text=True,
        )
        os.close(writes)
        self._answers = os.fdopen(reads)
        self._answer(HANG)

    def ask(self, request: int | str, hang: float = HANG) -> dict[str, Any]:
        """Return the answer of the worker. Raises ProcessError if it ends or gives none."""
        with suppress(BrokenPipeError):
            print(request, file=self._running.stdin, flush=True)
        return self._answer(hang)

    def _answer(self, hang: float) -> dict[str, Any]:
        if not select.select([self._answers], [], [], hang)[0]:
            self._running.send_signal(signal.SIGUSR1)  # writes the stacks of all threads
            time.sleep(2)
            self._fail("hang", f"no answer in {hang:.0f} s")
        line = self._answers.readline()
        if not line:
            code = self._running.wait()
            self._fail("crash", f"the process ended by {signal.Signals(-code).name if code < 0 else code}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _fail(self, problem: str, text: str) -> None:
        self._errors.seek(0)
        written = self._errors.read()[-4000:]
        self.end()
        raise ProcessError(problem, f"{text}\n{written}")

    def end(self) -> None:
        """End the process and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait()
        for file in (self._running.stdin, self._answers, self._errors):
            with suppress(BrokenPipeError):
                file.close()  # type: ignore[union-attr]  # there is a pipe


class Attack:
    """Runs cases; each outcome goes to ``report``, from several threads, one at a time."""

    def __init__(
        self,
        seed: int,
        assembly: Path,
        names: Sequence[str] = (),
        jobs: int = 2,
        hang: float = HANG,
        report: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self.seed, self.assembly, self.names, self.jobs, self.hang = seed, assembly, names, jobs, hang
        self.kinds = chosen(names)
        self.outcomes: list[Outcome] = []
        self._report, self._lock = report, threading.Lock()

    def run(self, indices: Iterable[int], memory: bool = True) -> list[Outcome]:
        """Run the cases of these numbers and the rounds of each kind, and return the outcomes."""
        groups: dict[bool, list[int]] = {True: [], False: []}
        for index in indices:
            groups[self._kind(index).alone].append(index)
        work: list[Callable[[], None]] = []
        for alone, group in groups.items():
            size = BLOCK // 4 if alone else BLOCK
            work += [partial(self._run_block, group[begin : begin + size]) for begin in range(0, len(group), size)]
        work += [partial(self._run_rounds, kind) for kind in self.kinds if memory and not kind.alone]
        with ThreadPool(self.jobs) as threads:
            threads.map(lambda item: item(), work, chunksize=1)
        return self.outcomes

    def _kind(self, index: int) -> Kind:
        return kind_of(self.seed, index, self.kinds)

    def _run_block(self, indices: Sequence[int]) -> None:
        """Run cases in one worker, and in another one after a crash or a hang."""
        while indices:
            process = Process(self.seed, self.assembly, self.names)
            done, figures = 0, list[tuple[int, dict[str, Any]]]()
            try:
                for done, index in enumerate(indices, 1):
                    self._tell(index, self._kind(index).name, **process.ask(index, self.hang))
                    if done % MEASURED == 0 and done >= WARM:
                        figures.append((index, process.ask("measure")))
                self._check_growth(figures)
                process.end()
            except ProcessError as error:
                self._tell(index, self._kind(index).name, 0.0, *error.outcome)
            indices = indices[done:]

    def _check_growth(self, figures: Sequence[tuple[int, dict[str, Any]]]) -> None:
        """Report a worker that grew between its cases, or in which .NET held objects after one."""
        if figures:
            (first, before), (last, after) = figures[0], figures[-1]
            grown = after["resident"] - before["resident"]
            if grown > GROWTH:
                self._tell(
                    last, "memory", 0.0, "growth", f"a worker grew by {grown:.0f} MiB from case {first} to {last}"
                )
        for index, figure in figures:
            if figure["held"] > HELD:
                text = f".NET holds {figure['held']} tensors, modules, hooks and functions after case {index}"
                return self._tell(index, "memory", 0.0, "growth", text)
        return None

    def _run_rounds(self, kind: Kind) -> None:
        """Run the first cases of a kind in rounds, and report a round that fails or growth in every round.

        The least growth counts, since heaps grow now and then. .NET compiles each method once here: compiling a frequent method
        again would take up to 12 MiB for ten rounds.
        """
        begun, index, figures = time.monotonic(), 0, []
        try:
            process = Process(self.seed, self.assembly, [kind.name], DOTNET_TieredCompilation="0")
            for number in range(ROUNDS):
                for index in range(ROUND):
                    answer = process.ask(index, self.hang)
                    if answer["problem"]:
                        answer["text"] = f"in round {number} of the kind alone: {answer['text']}"
                        process.end()
                        return self._tell(index, kind.name, **answer)
                figures.append(process.ask("measure"))
            process.end()
        except ProcessError as error:
            return self._tell(index, kind.name, 0.0, *error.outcome)
        # The first round warms up.
        grown, held = (
            min(after[name] - before[name] for before, after in pairwise(figures[1:])) for name in ("resident", "held")
        )
        grew = grown > ROUND_GROWTH or held > 0
        text = f"every round of {kind.name} grows by {grown:.2f} MiB and {held} objects" if grew else ""
        return self._tell(0, "memory", time.monotonic() - begun, "growth" if grew else None, text)

    def _tell(self, index: int, kind: str, seconds: float, problem: str | None, text: str) -> None:
        with self._lock:
            outcome = Outcome(index, kind, seconds, problem, text)
            self.outcomes.append(outcome)
            self._report(outcome)
