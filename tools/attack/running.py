"""Hands cases out to processes and watches over them: crashes, hangs, growth."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from attack.kind import Kind, chosen, kind_of

ROOT: Final = Path(__file__).resolve().parents[2]
#: Seconds after which a case hangs, on a machine that is busy with other things too.
HANG: Final = 120.0
#: Cases of one worker, those that it runs before its figures count, and by how many MiB it may grow after these.
BLOCK, WARM, GROWTH = 400, 100, 64.0
#: How many tensors, modules, hooks and functions .NET may hold between two cases; models of both languages have gone then.
HELD: Final = 16
#: MiB by which a round of a kind's cases may make a process grow, each time.
ROUND: Final = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case; ``problem`` is "wrong", "crash", "hang", "growth" or None."""

    index: int
    kind: str
    seconds: float
    problem: str | None = None
    text: str = ""

    def written(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        return asdict(self)


def _given() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


class Process:
    """A worker, or a nursery: takes numbers of cases and answers."""

    def __init__(self, module: str, seed: int, assembly: Path, names: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115  # closed by end()
        self._reads, writes = os.pipe()
        self._running = subprocess.Popen(
            [sys.executable, "-m", f"attack.{module}", str(seed), str(writes), str(assembly), *names],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "tools"), str(ROOT), *_given()))},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=(writes,),
            start_new_session=True,
            text=True,
        )
        os.close(writes)
        self._answers = os.fdopen(self._reads)
        self.pid = self._running.pid
        self._ready = module == "memory"

    def ask(self, index: int, hang: float) -> tuple[dict[str, Any] | None, str, str]:
        """Return the answer for a case; or None, "crash" or "hang", and the last output."""
        assert self._running.stdin is not None
        if not self._ready:
            # Importing PyTorch is no case's time.
            answer, problem, text = self.answer(HANG)
            if answer is None:
                return None, problem, text
            self._ready = True
        try:
            self._running.stdin.write(f"{index}\n")
            self._running.stdin.flush()
        except BrokenPipeError:
            return None, *self._dead()
        return self.answer(hang)

    def answer(self, hang: float) -> tuple[dict[str, Any] | None, str, str]:
        """Return the next answer, as :meth:`ask` does."""
        ready, _, _ = select.select([self._reads], [], [], hang)
        if not ready:
            self._running.send_signal(signal.SIGUSR1)  # the stacks of all threads
            time.sleep(2)
            text = f"no answer in {hang:.0f} s\n{self._tail()}"
            self.end()
            return None, "hang", text
        line = self._answers.readline()
        if not line:
            return None, *self._dead()
        answer: dict[str, Any] = json.loads(line)
        return answer, "", ""

    def end(self) -> None:
        """End the process and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._running.wait()
        if self._running.stdin is not None:
            with suppress(BrokenPipeError):
                self._running.stdin.close()
        self._answers.close()
        self._errors.close()

    def _dead(self) -> tuple[str, str]:
        code = self._running.wait()
        ended = signal.Signals(-code).name if code < 0 else str(code)
        text = f"the process ended by {ended}\n{self._tail()}"
        self.end()
        return "crash", text

    def _tail(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-4000:]


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
        self.kinds: tuple[Kind, ...] = chosen(names)
        self.outcomes: list[Outcome] = []
        self._report, self._lock = report, threading.Lock()

    def run(self, indices: Iterable[int], memory: bool = True) -> list[Outcome]:
        """Run the cases of these numbers and the memory rounds, and return the outcomes."""
        together: list[int] = []
        alone: list[int] = []
        for index in indices:
            (alone if kind_of(self.seed, index, self.kinds).alone else together).append(index)
        work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        for module, numbers, size in (("nursery", alone, BLOCK // 4), ("worker", together, BLOCK)):
            for begin in range(0, len(numbers), size):
                work.put(lambda module=module, block=numbers[begin : begin + size]: self._block(module, block))  # type: ignore[misc]  # mypy knows no defaults of lambdas
        for kind in self.kinds if memory else ():
            if not kind.alone:
                work.put(lambda kind=kind: self._rounds(kind))  # type: ignore[misc]  # the same
        failures: list[BaseException] = []

        def job() -> None:
            try:
                while True:
                    work.get_nowait()()
            except queue.Empty:
                return
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=job, daemon=True) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return self.outcomes

    def _block(self, module: str, indices: Sequence[int]) -> None:
        process: Process | None = None
        figures: list[tuple[int, dict[str, Any]]] = []
        try:
            for index in indices:
                if process is None:
                    process, figures = Process(module, self.seed, self.assembly, self.names), []
                kind = kind_of(self.seed, index, self.kinds).name
                answer, problem, text = process.ask(index, self.hang)
                if answer is None:
                    process = None
                    self._tell(Outcome(index, kind, self.hang if problem == "hang" else 0.0, problem, text))
                    continue
                if answer["failure"] is not None:
                    word = answer["failure"].partition(":")[0]
                    problem = {"HANG": "hang", "CRASH": "crash"}.get(word, "wrong")
                self._tell(Outcome(index, kind, answer["seconds"], problem or None, answer["failure"] or ""))
                if "held" in answer:
                    figures.append((index, answer))
            self._weighed(figures)
        finally:
            if process is not None:
                process.end()

    def _weighed(self, figures: Sequence[tuple[int, dict[str, Any]]]) -> None:
        """Return whether a worker's memory grew between its cases."""
        counted = [(index, answer) for index, answer in figures if answer["done"] >= WARM]
        if not counted:
            return
        (first, before), (last, after) = counted[0], counted[-1]
        grown = after["resident"] - before["resident"]
        if grown > GROWTH:
            self._tell(
                Outcome(last, "memory", 0.0, "growth", f"a worker grew by {grown:.0f} MiB from case {first} to {last}")
            )
        for index, answer in counted:
            if sum(answer["held"]) > HELD:
                text = f".NET holds {answer['held']} (tensors, modules, hooks, functions) after case {index}"
                self._tell(Outcome(index, "memory", 0.0, "growth", text))
                return

    def _rounds(self, kind: Kind) -> None:
        """Run the same cases again and again."""
        process = Process("memory", self.seed, self.assembly, [kind.name])
        begun = time.monotonic()
        answer, problem, text = process.answer(10 * self.hang)
        if answer is None:
            self._tell(Outcome(0, f"memory of {kind.name}", 0.0, problem, text))
            return
        process.end()
        seconds = time.monotonic() - begun
        if answer["failures"]:
            self._tell(Outcome(0, "memory", seconds, "wrong", f"{kind.name}: {answer['failures'][0]}"))
            return
        grew = answer["grown"] > ROUND or answer["held"] > 0
        text = (
            f"every round of {kind.name} grows by {answer['grown']:.2f} MiB and {answer['held']} objects"
            if grew
            else ""
        )
        self._tell(Outcome(0, "memory", seconds, "growth" if grew else None, text))

    def _tell(self, outcome: Outcome) -> None:
        with self._lock:
            self.outcomes.append(outcome)
            self._report(outcome)
