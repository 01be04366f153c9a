"""Run the tests of TorchSharp in Python's process, on each torch that it was tested with.

    python tools/inprocess.py [2.10 2.11 2.12] [--folder FOLDER] [--python PROGRAM] [--pytest OPTIONS]

Each torch is in an environment of its own, with the builds of PyPI, which come with CUDA (3 GB to download). The environments are kept in
~/.cache/torchsharp-bridge/in-process (XDG_CACHE_HOME), or in FOLDER: delete them at any time. With ``--python`` the tests run in that
Python's environment instead. The tests are those marked ``inprocess``, and those of mirrors with ``--torchsharp``, whose models run on
TorchSharp. Prints the counts of each test file, and the skipped tests by reason. Exits with 1 where a test fails, or none runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from filelock import FileLock
from rich.console import Console
from rich.table import Table
from rich.text import Text

from matrix import ROOT, MatrixError, Outcome, Row, cache, outcomes, prepare, run_pytest

#: The release of each version of torch that is run.
RELEASES: Final = {"2.10": "2.10.0", "2.11": "2.11.0", "2.12": "2.12.1"}
#: The options of pytest that select the tests of each section.
SECTIONS: Final = {
    "tests marked inprocess": ("-m", "inprocess"),
    "tests of mirrors on TorchSharp": ("tests/mirror", "--torchsharp", "-m", "not slow"),
}
_STATES: Final = ("passed", "failed", "skipped")


def make_environment(version: str, folder: Path) -> Path:
    """Make the environment of a version of torch, unless it is there, and return its Python. Raises MatrixError."""
    if version not in RELEASES:
        raise MatrixError(
            f"'{version}' is not {', '.join(RELEASES)}: TorchSharp was tested with these versions of torch."
        )
    row = Row("{}.{}".format(*sys.version_info), Path(sys.executable), RELEASES[version])
    return prepare(row, folder / row.name, index="")


def run(python: Path, section: str, options: Sequence[str], root: Path = ROOT) -> tuple[list[Outcome], str]:
    """Run the tests of a section in an environment. Return how each ended, and what else went wrong ("")."""
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "results.xml"
        code = run_pytest(python, (*SECTIONS[section], *options), report, _environ(os.environ, root), root)
        found = outcomes(report) if report.is_file() else []
    states = {outcome.state for outcome in found}
    if code > 1 or (code == 1 and "failed" not in states):
        return found, f"pytest ended with {code}"
    return found, "" if states & {"passed", "failed"} else "no test ran"


def _environ(environ: Mapping[str, str], root: Path) -> dict[str, str]:
    """Return an environment in which this checkout's package is found first."""
    return {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(root), environ.get("PYTHONPATH"))))}


def show(title: str, found: Sequence[Outcome], problem: str, console: Console) -> None:
    """Print a row for each test file, the skipped tests by reason, and what failed."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("section", no_wrap=True)
    for state in _STATES:
        table.add_column(state, justify="right")
    for file in sorted({outcome.file for outcome in found}):
        table.add_row(file, *_counts([outcome for outcome in found if outcome.file == file]))
    table.add_row("all", *_counts(found))
    console.print(table)
    skipped = [outcome for outcome in found if outcome.state == "skipped"]
    for reason in sorted({outcome.reason for outcome in skipped}):
        names = [outcome.name for outcome in skipped if outcome.reason == reason]
        console.print(Text(f"skipped, {len(names):,}: {reason}", style="yellow"), soft_wrap=True)
        for name in dict.fromkeys(name.partition("[")[0] for name in names):
            console.print(Text(f"    {name}"), soft_wrap=True)
    for line in (*(outcome.name for outcome in found if outcome.state == "failed"), *filter(None, [problem])):
        console.print(Text(f"failed: {line}", style="red"), soft_wrap=True)


def _counts(found: Sequence[Outcome]) -> list[str]:
    states = [outcome.state for outcome in found]
    return [f"{states.count(state):,}" for state in _STATES]


def torch_of(python: Path) -> str:
    """Return the version of torch that a Python has, for a title. Raises MatrixError if it has none."""
    code = "import importlib.metadata as m; print('torch', m.version('torch'))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise MatrixError(f"{python} has no torch: {error}") from error
    return done.stdout.strip()


def run_version(version: str, folder: Path, options: Sequence[str]) -> bool:
    """Run the tests with a version of torch. Return whether all is well. Raises MatrixError."""
    folder.mkdir(parents=True, exist_ok=True)
    # Until its tests have ended, since another checkout would install itself there.
    with FileLock(folder / f"{version}.lock"):
        return run_and_show(make_environment(version, folder), options)


def run_and_show(python: Path, options: Sequence[str]) -> bool:
    """Run the tests in an environment, and print how they ended. Return whether all is well. Raises MatrixError."""
    torch, green = torch_of(python), True
    for section in SECTIONS:
        found, problem = run(python, section, options)
        show(f"{torch}: {section}", found, problem, Console(width=shutil.get_terminal_size().columns))
        green &= not problem and all(outcome.state != "failed" for outcome in found)
    return green


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests as the command line says. Return 0 if all passed, 1 if not, and 2 if an environment cannot be made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"default: {' '.join(RELEASES)}")
    parser.add_argument("--folder", type=Path, default=cache("in-process"), help="the folder of the environments")
    parser.add_argument("--python", type=Path, help="run in the environment of this program instead")
    parser.add_argument("--pytest", default="", metavar="OPTIONS", help="options and paths for pytest")
    given = parser.parse_args(arguments)
    try:
        options = given.pytest.split()
        if given.python is not None:
            green = [run_and_show(given.python, options)]
        else:
            green = [run_version(version, given.folder, options) for version in given.versions or RELEASES]
    except MatrixError as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if all(green) else 1


if __name__ == "__main__":
    sys.exit(main())
