"""Fixtures for the traps of hosting .NET: tests run functions of the files in ``snippets``, in a process of their own or a shared one.

A snippet in its own process says ``reached`` after its last check, so that a process that ends early, with whatever code, passes nothing.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

SNIPPETS = Path(__file__).with_name("snippets")
#: The files of snippets that are about what a new process has and has not loaded.
_STARTS = ("importing", "start")


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
    """The assembly of Failing.cs; skips where there is no SDK."""
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
def assemblies_of(request: pytest.FixtureRequest) -> Callable[[str, str], dict[str, str]]:
    """The C# that a snippet needs, compiled: by the names of the functions that load it: ``load``, ``extra``, ``failing``."""

    def compiled(module: str, function: str) -> dict[str, str]:
        fixtures = {"load": "models", "extra": "extra", "failing": "failing"}
        needed = sorted(fixtures.keys() & _names(module, function))
        return {name: str(request.getfixturevalue(fixtures[name])) for name in needed}

    return compiled


class Process:
    """A process that runs snippets one after the other; another one, after one that ended it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._running, self._started = folder, None, 0

    def ask(self, request: list[object]) -> None:
        """Runs a snippet; fails the test as the snippet failed, or with how the process ended."""
        if self._running is None:
            self._start()
        assert self._running is not None
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        try:
            self._running.stdin.write(json.dumps(request) + "\n")
            self._running.stdin.flush()
            for line in self._running.stdout:
                if line.startswith("\x1e"):
                    failure = json.loads(line[1:])
                    break
            else:
                code = self._running.wait()
                failure = f"the process ended with {code}: {self._log.read_text(errors='replace')[-6000:]}"
                self.end()
        except BaseException:  # pytest's timeout among them: nobody reads its answer any more
            self.end()
            raise
        if failure is not None:
            pytest.fail(failure, pytrace=False)

    def end(self) -> None:
        """Ends the process; the next snippet has another one."""
        if self._running is not None:
            self._running.kill()
            self._running.communicate()  # closes the pipes
            self._running = None

    def _start(self) -> None:
        self._started += 1
        self._log = self._folder / f"stderr-{self._started}.txt"
        with self._log.open("w") as log:
            self._running = subprocess.Popen(
                [sys.executable, str(SNIPPETS / "run.py")],
                cwd=SNIPPETS.parents[2],
                env={**os.environ, "PYTHONPATH": str(SNIPPETS.parents[2])},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                errors="replace",
            )


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

    Fails unless the function returned and the process ended by itself with ``returncode``. Snippets about the start of a process, and
    those with another environment, have a new one; the others are forked from one that has imported PyTorch.
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
        done = in_process(code, env=env) if env or module in _STARTS else forked(code)
        said = f"\nstdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-6000:]}"
        assert not done.timed_out, "it hangs" + said
        assert done.returncode == returncode, f"it ended with {done.returncode}, not {returncode}" + said
        assert "reached" in done.stdout.splitlines(), "it ended before its last line" + said
        return done

    return run
