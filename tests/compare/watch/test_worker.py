"""bridge/compare/watch/worker.py: the process of a comparison, forked and started anew."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.compare.watch import worker
from bridge.compare.watch.rounds import _ending
from bridge.compare.watch.worker import Worker, WorkerResult
from tests.support.processes import is_running

FORKS = [False, pytest.param(True, marks=pytest.mark.skipif(sys.platform != "linux", reason="needs a safe fork"))]


def compares(assembly: Path | None) -> int:
    import wave  # noqa: F401  # of the standard library, and imported by nothing else

    return 3 if assembly == Path("some.dll") else 4


def exits(assembly: Path | None) -> int:
    os._exit(9)


def hangs(assembly: Path | None) -> int:
    assert assembly is not None
    assembly.write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(1000)
    return 0


@pytest.fixture(params=FORKS, ids=["spawned", "forked"])
def start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Worker]:
    monkeypatch.setattr(worker, "FORKS", request.param)
    return Worker


def _result(process: Worker) -> WorkerResult:
    while (report := process.report(0.1)) is None:
        pass  # the test's own limit is the limit
    return report


def test_the_result_and_what_was_imported_come_back(start: Callable[..., Worker]) -> None:
    process = start(compares, ("json",), dotnet=False)
    assert process.report(0) is None
    process.begin(Path("some.dll"))
    found = _result(process)
    assert (found.code, found.complete) == (3, True)
    assert "wave" in found.modules


def test_a_process_that_ends_itself_gives_its_exit_code(start: Callable[..., Worker]) -> None:
    process = start(exits, (), dotnet=False)
    process.begin(None)
    assert _result(process) == WorkerResult(9, complete=False)


def test_a_process_that_hangs_can_be_ended(start: Callable[..., Worker], tmp_path: Path) -> None:
    process, file = start(hangs, (), dotnet=False), tmp_path / "process"
    process.begin(file)
    while not (file.exists() and file.read_text(encoding="utf-8")):
        assert process.report(0.05) is None
    process.end()
    assert not is_running(int(file.read_text(encoding="utf-8")))


def test_an_ending_is_a_signal_or_a_code() -> None:
    """0xC00000FD is Windows' code for an overflow of the stack."""
    assert _ending(-15) == "SIGTERM"
    assert _ending(9) == "exit code 9"
    assert _ending(0xC00000FD) == "exit code 0xC00000FD"
