"""A runtime behind a command: another process, in any language, that answers requests in lines of JSON (``lines.schema.json``)."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

from hook_contract.output.plain import to_printable
from hook_contract.output.sentences import plural
from hook_contract.program import Json, Program
from hook_contract.program.validation import reason
from hook_contract.runtimes.errors import AdapterError
from hook_contract.runtimes.runtime import Events

#: The version of ``lines.schema.json``. Within a version, fields may be added, but not removed or changed.
FORMAT: Final = 1
#: Seconds until the answer to the first request: imports and virtual machines are slow.
START_LIMIT: Final = 120.0
#: After so many failures of the command in succession, it is not started again.
_PATIENCE: Final = 3
#: The number of lines of standard error, and of characters of an answer and of an error, that messages quote.
_LINES, _QUOTED, _TOLD = 4, 200, 500
#: The maximum length of an answer in characters, and how many lines are read ahead. A command that writes without end fills neither.
_LONGEST, _AHEAD = 1 << 26, 16


class CommandRuntime:
    """A runtime in a process of its own. The process is started again after a crash, an answer that is not valid, or a time limit.

    The process ends with :meth:`close`, with the runtime, or with Python. Raises AdapterError if the process does not answer the first
    request.
    """

    def __init__(self, command: Sequence[str], title: str, limit: float) -> None:
        self._command, self._title, self._limit = list(command), title, limit
        self._process: _Process | None = None
        self._failures = 0
        about = self._start()
        self.name: str = about["name"]
        self.variants: tuple[str, ...] = tuple(about.get("variants", ("",)))
        self.lacks: Mapping[str, str] = about.get("lacks", {})
        self.devices: tuple[str, ...] = tuple(about.get("devices", ("cpu",)))
        self._version: str = about["version"]

    def version(self) -> str:
        return self._version

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        """Run a program in the process, without the program's expected trace. Raises AdapterError."""
        if self._failures >= _PATIENCE:
            raise AdapterError(f"not run: {self._title} failed {_PATIENCE} times in succession")
        asked = {name: part for name, part in program.to_json().items() if name != "expect"}
        try:
            if self._process is None:
                self._start()
            answer = self._ask({"do": "run", "program": asked, "device": device}, "ran", self._limit)
        except AdapterError:
            self._failures += 1
            raise
        self._failures = 0
        if "error" in answer:
            raise AdapterError(f"the adapter failed: {_join_lines(answer['error'])}")
        traces: Mapping[str, Events] = answer["traces"]
        if unknown := sorted(traces.keys() - {*self.variants}):
            raise AdapterError(
                f"a trace of the variant '{unknown[0]}', which is not one of {', '.join(map(repr, self.variants))}"
            )
        return traces

    def close(self) -> None:
        """End the process: close its standard input, and kill it if it does not end."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _start(self) -> dict[str, Json]:
        self._process = _Process(self._command, self._title)
        try:
            answer = self._ask({"do": "start", "format": FORMAT}, "started", START_LIMIT)
        except AdapterError as error:
            raise AdapterError(f"{self._title}: {error}") from None
        if "error" in answer:
            self.close()
            raise AdapterError(f"{self._title}: {_join_lines(answer['error'])}")
        return answer

    def _ask(self, request: dict[str, Json], answer: str, limit: float) -> dict[str, Json]:
        assert self._process is not None
        try:
            return self._process.ask(request, answer, limit)
        except BaseException:  # also Ctrl-C, which would leave a process that hangs
            self._process.kill()  # the next answer could belong to this request
            self._process = None
            raise


class _Process:
    """A started command. A thread reads its answers, so that waiting for one has a limit on every system.

    On POSIX the command and the processes that it starts are a group of their own, and end together: a command may be a script that
    starts the runtime.
    """

    def __init__(self, command: Sequence[str], title: str) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process; closed in kill
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise AdapterError(f"the command '{title}' cannot be started: {error.strerror or error}") from None
        self._asked = False
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        stdout = self._process.stdout
        assert stdout is not None
        self._reader = threading.Thread(
            target=_read, args=(stdout, self._answers), daemon=True, name="hook-contract-answers"
        )
        self._reader.start()
        # Python's exit runs this while the thread can still be joined. It is too late in __del__.
        self.end = weakref.finalize(self, _end, self._process, self._reader, self._errors)

    def ask(self, request: dict[str, Json], kind: str, limit: float) -> dict[str, Json]:
        """Send a request and return its answer. Raises AdapterError for an answer that is late, missing or not valid."""
        assert self._process.stdin is not None
        # Before the first request, a line may come or not: it is then the answer to that request, which is refused.
        if self._asked and not self._answers.empty():
            line = self._answers.get()
            raise AdapterError(f"the line {_quote(line)} answers no request" if line else self._death())
        self._asked = True
        with suppress(OSError):  # it has ended: its last line or the end is among the answers
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        try:
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            raise AdapterError(f"no answer within {limit:g} s: the process was ended{self._last_words()}") from None
        if len(line) >= _LONGEST:
            raise AdapterError(f"the answer {_quote(line)} is longer than {_LONGEST:,} characters")
        if not line.endswith("\n"):  # a process that died may have begun an answer
            raise AdapterError(self._death())
        return _parse(line, kind)

    def _death(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return f"the process closed its standard output without an answer{self._last_words()}"
        how = f"signal {-code} ({_signal_name(-code)})" if code < 0 else f"exit code {code}"
        return f"the process ended with {how} instead of an answer{self._last_words()}"

    def _last_words(self) -> str:
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 10_000))
        lines = self._errors.read().decode("utf-8", errors="replace").split("\n")
        last = [to_printable(line.strip(), _QUOTED) for line in lines if line.strip()][-_LINES:]
        return f". Its last {plural(len(last), 'line')} of standard error: {' | '.join(last)}" if last else ""

    def kill(self) -> None:
        self.end.detach()
        _kill(self._process, self._reader, self._errors)


def _read(stdout: IO[str], answers: queue.SimpleQueue[str]) -> None:
    """Put each line into ``answers``, and "" at the end."""
    with suppress(OSError, ValueError):  # closed
        while answers.qsize() < _AHEAD and (line := stdout.readline(_LONGEST)):
            answers.put(line)
    answers.put("")


def _end(process: subprocess.Popen[str], reader: threading.Thread, errors: IO[bytes]) -> None:
    """End a process: close its standard input, and kill it if it does not end."""
    assert process.stdin is not None
    with suppress(OSError, subprocess.TimeoutExpired):
        process.stdin.close()
        process.wait(5)
    _kill(process, reader, errors)


def _kill(process: subprocess.Popen[str], reader: threading.Thread, errors: IO[bytes]) -> None:
    if sys.platform != "win32":
        with suppress(OSError):  # the group has ended
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    reader.join(1)
    # Closing standard output waits for the thread, which reads on while a process that has left the group holds it.
    for stream in (process.stdin, errors, None if reader.is_alive() else process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _join_lines(text: str) -> str:
    return to_printable(" ".join(text.split()), _TOLD)


def _quote(line: str) -> str:
    return repr(to_printable(line.rstrip(), _QUOTED))


def _parse(line: str, kind: str) -> dict[str, Json]:
    """Return an answer. Raises AdapterError if it is not JSON, or not an answer of this kind in the schema."""
    quoted = f"the answer {_quote(line)}"
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise AdapterError(f"{quoted} is not a line of JSON") from None
    import jsonschema

    error = jsonschema.exceptions.best_match(_validator(kind).iter_errors(answer))
    if error is not None:
        place = error.json_path.removeprefix("$").removeprefix(".") or "the top"
        raise AdapterError(f"{quoted} is not valid: at {place}: {reason(error)}")
    found: dict[str, Json] = answer
    return found


@cache
def _validator(kind: str) -> Any:
    import jsonschema

    schema = json.loads(Path(__file__).with_name("lines.schema.json").read_bytes())
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{kind}"})
