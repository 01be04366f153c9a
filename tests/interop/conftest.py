"""Fixtures for the traps of hosting .NET: tests run functions of the files in ``snippets``, in a process of their own or a shared one.

A snippet in its own process says ``reached`` after its last check, so that a process that ends early, with whatever code, passes nothing.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

SNIPPETS = Path(__file__).with_name("snippets")
#: The file of snippets that is about what a new process has and has not loaded, and that about how a process ends.
_NEW, _END = "importing", "exit"


@pytest.fixture(scope="session")
def models(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of the C# files in tests/mirror; skips where there is no SDK."""
    files = sorted((Path(__file__).parents[1] / "mirror").glob("*.cs"))
    return build_csharp({file.name: file.read_text(encoding="utf-8") for file in files}, "Models")


@pytest.fixture(scope="session")
def extra(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of Extra.cs; skips where there is no SDK."""
    return build_csharp({"Extra.cs": Path(__file__).with_name("Extra.cs").read_text(encoding="utf-8")}, "Extra")


@pytest.fixture(scope="session")
def failing(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of Failing.cs."""
    source = Path(__file__).with_name("Failing.cs").read_text(encoding="utf-8")
    return build_csharp({"Failing.cs": source}, "Failing")


def _names(module: str, function: str) -> set[str]:
    """The names that a snippet uses, and that the functions of its module use which it calls."""
    tree = ast.parse((SNIPPETS / f"{module}.py").read_text(encoding="utf-8"))
    used = {
        item.name: {node.id for node in ast.walk(item) if isinstance(node, ast.Name)}
        for item in tree.body
        if isinstance(item, ast.FunctionDef)
    }
    assert function in used, f"snippets/{module}.py has no function {function}"
    found, todo = set[str](), {function}
    while todo:
        found |= todo
        todo = set().union(*(used.get(name, set()) for name in todo)) - found
    return found


@pytest.fixture
def assemblies_of(models: Path, extra: Path, failing: Path) -> Callable[[str, str], dict[str, str]]:
    """The C# that a snippet needs, compiled: by the names of the functions that load it: ``load``, ``extra``, ``failing``."""

    def compiled(module: str, function: str) -> dict[str, str]:
        libraries = {"load": models, "extra": extra, "failing": failing}
        return {name: str(libraries[name]) for name in sorted(libraries.keys() & _names(module, function))}

    return compiled


class Process:
    """A process that runs snippets one after the other; another one, after one that ended it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._started = folder, 0
        self._running: subprocess.Popen[str] | None = None

    def ask(self, request: list[object]) -> None:
        """Runs a snippet; fails the test as the snippet failed, or with how the process ended."""
        running = self._running = self._running or self._start()
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            running.stdin.write(json.dumps(request) + "\n")
            running.stdin.flush()
            for line in running.stdout:
                if line.startswith("\x1e"):
                    failure = json.loads(line[1:])
                    break
            else:
                code = running.wait()
                failure = f"the process ended with {code}: {self._said()}"
                self.end()
        except BaseException:  # pytest's timeout among them: nobody reads its answer any more
            self._show(running)
            self.end()
            raise
        if failure is not None:
            pytest.fail(failure, pytrace=False)

    def end(self) -> None:
        """Ends the process and what it has forked; the next snippet has another one.

        Nothing is read to its end: a child that left the session may hold the pipe for ever.
        """
        if (running := self._running) is not None:
            self._running = None
            if os.name == "posix":
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
            running.kill()
            running.wait()
            for pipe in (running.stdout, running.stdin):
                assert pipe is not None
                with suppress(OSError):
                    pipe.close()

    def _said(self) -> str:
        return self._log.read_text(errors="replace")[-6000:]

    def _show(self, running: subprocess.Popen[str]) -> None:
        """Where its threads stand, for pytest to show with the failure."""
        if os.name == "posix":
            running.send_signal(signal.SIGUSR1)
        with suppress(subprocess.TimeoutExpired):
            running.wait(2)
        sys.stderr.write(self._said())

    def _start(self) -> subprocess.Popen[str]:
        self._started += 1
        self._log = self._folder / f"stderr-{self._started}.txt"
        with self._log.open("w") as log:
            return subprocess.Popen(
                [sys.executable, str(SNIPPETS / "run.py")],
                cwd=SNIPPETS.parents[2],
                env={**os.environ, "PYTHONPATH": str(SNIPPETS.parents[2])},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                errors="replace",
                start_new_session=True,
            )


@pytest.fixture
def snippets(tmp_path: Path) -> Iterator[Process]:
    """Such a process for one test alone."""
    process = Process(tmp_path)
    yield process
    process.end()


@pytest.fixture(scope="session")
def _together(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    process = Process(tmp_path_factory.mktemp("snippets"))
    yield process
    process.end()


@pytest.fixture
def together(
    _together: Process, assemblies_of: Callable[[str, str], dict[str, str]], dotnet: object
) -> Callable[..., None]:
    """``together("modes", "autocast", *args)``: runs a function of snippets/modes.py in the process that all such snippets share.

    It is not pytest's: a snippet that ends it fails its own test alone. Arguments are what JSON has.
    """

    def run(module: str, function: str, *arguments: object) -> None:
        _together.ask([module, function, arguments, assemblies_of(module, function)])

    return run


@pytest.fixture
def alone(bare: Callable[..., Any], dotnet: object) -> Callable[..., Any]:
    """``alone("exceptions", "…", *args, returncode=0, env=None)``: as ``bare``; skips where there is no .NET."""
    return bare


@pytest.fixture
def bare(
    in_process: Callable[..., Any], forked: Callable[..., Any], assemblies_of: Callable[[str, str], dict[str, str]]
) -> Callable[..., Any]:
    """``bare("start", "…", *args, returncode=0, env=None)``: a function of a file of snippets in a process of its own; gives the Run.

    Fails unless the function returned and the process ended by itself with ``returncode``. What is about imports has a new process, the
    other snippets one that is forked from a process that has imported PyTorch and has not started .NET.
    """

    def run(
        module: str,
        function: str,
        *arguments: object,
        returncode: int = 0,
        env: Mapping[str, str | None] | None = None,
    ) -> Any:
        request = (module, function, list(arguments), assemblies_of(module, function))
        code = f"import sys; sys.path.insert(0, {str(SNIPPETS)!r}); import run; run.alone(*{request!r})"
        if module == _END:  # the last collections look at all that there is, as they do in any process
            code = f"import gc; gc.unfreeze(); {code}"
        done = (in_process if module == _NEW else forked)(code, env=env)
        said = f"\nstdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-6000:]}"
        assert not done.timed_out, "it hangs" + said
        assert done.returncode == returncode, f"it ended with {done.returncode}, not {returncode}" + said
        assert "reached" in done.stdout.splitlines(), "it ended before its last line" + said
        return done

    return run
