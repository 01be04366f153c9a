"""examples/runtimes: runtimes in other languages, as a stranger writes them, conform without a ledger."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hook_contract

ROOT = Path(__file__).parents[2]
RUNTIMES = ROOT / "examples" / "runtimes"


@pytest.fixture
def javascript() -> str:
    """Return the command of the sample in JavaScript; skip without Node.js 20 or newer."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js: there is no node on the PATH")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").split(".")[0]) < 20:
        pytest.skip(f"needs Node.js 20 or newer, not {version.strip()}")
    return f'"{node}" "{RUNTIMES / "javascript" / "runtime.js"}"'


@pytest.fixture
def csharp(sdk: Any, tmp_path: Path) -> str:
    """Build the sample in C#, with warnings as errors, and return its command."""
    project = shutil.copytree(RUNTIMES / "csharp", tmp_path / "csharp", ignore=shutil.ignore_patterns("bin", "obj"))
    command = [
        sdk.command,
        "build",
        project,
        "--nologo",
        "-v",
        "quiet",
        "-o",
        tmp_path / "out",
        "-p:TreatWarningsAsErrors=true",
    ]
    done = subprocess.run(command, cwd=project, env=sdk.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return f'"{sdk.command}" "{tmp_path / "out" / "Runtime.dll"}"'


def _hook_contract(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hook_contract", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(hook_contract.__file__).parents[1])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def _check(command: str, folder: Path) -> None:
    """Check that the suite passes with 200 programs and more, and that random programs show no difference."""
    done = _hook_contract("run", "--runtime", command, "--json", "-", folder=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    states = json.loads(done.stdout)["programs"]
    assert {state for state, count in states.items() if count} == {"pass", "not applicable"}
    assert states["pass"] >= 200
    done = _hook_contract("fuzz", "--runtime", command, "--count", 200, folder=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    compared = re.search(r"(\d+) traces compared", done.stdout)
    assert compared is not None
    assert int(compared[1]) > 20


def test_javascript(javascript: str, tmp_path: Path) -> None:
    _check(javascript, tmp_path)


@pytest.mark.sdk
def test_csharp(csharp: str, tmp_path: Path) -> None:
    _check(csharp, tmp_path)


@pytest.mark.parametrize("name", ["javascript", "csharp"])
def test_a_sample_is_small(name: str) -> None:
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in (RUNTIMES / name).glob("*.*")}
    assert sum(lines.values()) <= 620
    assert max(lines.values()) <= 460
