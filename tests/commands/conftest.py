"""What the commands' tests run: the ports of tests/compare, and the command line itself."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

from bridge.cli import main

COMPARE = Path(__file__).parents[1] / "compare"
SNIPPETS = Path(__file__).with_name("snippets")


@pytest.fixture(scope="session")
def ports(build_csharp: Callable[..., Path]) -> Path:
    """Build the assembly of Ports.cs; skip without an SDK."""
    return build_csharp([COMPARE / "Ports.cs"], "Ports")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put ``ports.py`` and the files in ``snippets`` on the import path."""
    monkeypatch.syspath_prepend(str(COMPARE))
    monkeypatch.syspath_prepend(str(SNIPPETS))


@pytest.fixture
def command() -> Callable[..., Result]:
    """Return a function that runs a command in this process, ``command("compare", …)``, and fails on an exception."""

    def run(*args: object) -> Result:
        threads = torch.get_num_threads()
        result = CliRunner().invoke(main, [str(item) for item in args])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert torch.get_num_threads() == threads
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def compare(command: Callable[..., Result], ports: Path) -> Callable[..., Result]:
    """Return a function that compares a class of ports.py with a type of Ports.cs, on [2, 3, 8, 8]: ``compare("Net", "Net(0.2)", …)``."""

    def run(python: str, dotnet: str, *args: object, shape: str = "2,3,8,8") -> Result:
        inputs = () if any(item in ("--input", "--shape") for item in args) else ("--shape", shape)
        return command("compare", "--python", f"ports:{python}", "--dotnet", f"{ports}:Ports.{dotnet}", *inputs, *args)

    return run


@pytest.fixture
def process(tmp_path: Path, python: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a command in a process of its own, in the test's folder: ``process("compare", …)``."""

    def run(*args: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([*map(str, (COMPARE, SNIPPETS, COMPARE.parents[1])), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [python, "-m", "bridge", *map(str, args)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def without_cuda() -> None:
    """Skip the test on a machine with a CUDA device."""
    if torch.cuda.is_available():
        pytest.skip("needs a machine without CUDA")


@pytest.fixture
def refused() -> Callable[..., None]:
    """Return a function that checks that a command could not run, printed nothing, and reported these words."""

    def check(done: Result, *words: str) -> None:
        assert done.exit_code == 2, done.output
        assert done.stdout == ""
        for word in words:
            assert word in done.stderr

    return check
