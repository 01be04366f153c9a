"""A runtime behind a command: another process, in any language, that answers requests in lines of JSON (``lines.schema.json``)."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
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
#: The number of lines of standard error, and of characters of an answer, that messages quote.
_LINES, _QUOTED = 4, 200


class CommandRuntime:
    """A runtime in a process of its own. The process is started again after a crash, an answer that is not valid, or a time limit.

    Raises AdapterError if the process does not answer the first request.
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
        if "error" in answer:
            raise AdapterError(f"the adapter raised {answer['error']}")
        self._failures = 0
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

    __del__ = close

    def _start(self) -> dict[str, Json]:
        self._process = _Process(self._command, self._title)
        answer = self._ask({"do": "start", "format": FORMAT}, "started", START_LIMIT)
        if "error" in answer:
            self.close()
            raise AdapterError(f"{self._title}: {answer['error']}")
        return answer

    def _ask(self, request: dict[str, Json], answer: str, limit: float) -> dict[str, Json]:
        assert self._process is not None
        try:
            return self._process.ask(request, answer, limit)
        except AdapterError:
            self._process.kill()  # the next answer could belong to this request
            self._process = None
            raise


class _Process:
    """A started command. A thread reads its answers, so that waiting for one has a limit on every system."""

    def __init__(self, command: Sequence[str], title: str) -> None:
        self._title = title
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process; closed in _close
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            self._errors.close()
            raise AdapterError(f"the command '{title}' cannot be started: {error.strerror or error}") from None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True, name="hook-contract-answers").start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def ask(self, request: dict[str, Json], kind: str, limit: float) -> dict[str, Json]:
        """Send a request and return its answer. Raises AdapterError for an answer that is late, missing or not valid."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            raise AdapterError(f"no answer within {limit:g} s: the process was ended") from None
        except OSError:
            line = ""
        if not line:
            raise AdapterError(self._death())
        return _parse(line, kind)

    def _death(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return f"the process closed its standard output without an answer{self._last_words()}"
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"the process ended with {how} instead of an answer{self._last_words()}"

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read()[-10_000:].decode("utf-8", errors="replace").split("\n")
        last = [to_printable(line.strip(), _QUOTED) for line in lines if line.strip()][-_LINES:]
        return f". Its last {plural(len(last), 'line')} of standard error: {' | '.join(last)}" if last else ""

    def end(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            try:
                assert stream is not None
                stream.close()
            except OSError:
                pass


def _parse(line: str, kind: str) -> dict[str, Json]:
    """Return an answer. Raises AdapterError if it is not JSON, or not an answer of this kind in the schema."""
    quoted = f"the answer {to_printable(line.rstrip(), _QUOTED)!r}"
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
