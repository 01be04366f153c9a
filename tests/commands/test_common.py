"""bridge/commands/common.py: a terminal gets colours, progress and both traces; a pipe none of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bridge.clr.find.assemblies import sample
from bridge.commands import common
from bridge.compare.errors import CompareError

ROOT = Path(__file__).parents[2]


def _on_a_terminal(python: Path, args: list[str], **env: str) -> str:
    """Return the output of a command to a terminal of 100 columns."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [python, "-m", "bridge", *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100", **env},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            text += part
        os.close(ours)
        assert process.wait() == 0, text
    return text.decode()


@pytest.mark.dotnet
@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is POSIX's")
@pytest.mark.parametrize("color", [True, False])
def test_a_terminal_sees_progress_and_both_traces(python: Path, color: bool) -> None:
    """NO_COLOR takes the colours and nothing else."""
    target = f"{sample('Mtcnn.dll')}:Mtcnn.PNet"
    args = ["compare", "--all", "--python", "bridge.samples.mtcnn:PNet", "--dotnet", target, "--shape", "1,3,12,12"]
    text = _on_a_terminal(python, args, **({} if color else {"NO_COLOR": "1"}))
    assert "running pytorch" in text or "loading Mtcnn.dll" in text
    assert "softmax4_1 Softmax forward 1x2x1x1" in text
    assert "Same: 11 equal module calls" in text
    assert ("\x1b[1;32m" in text) == color
    assert ("\x1b[32m" in text) == color


def test_an_error_that_nobody_foresaw_is_not_hidden() -> None:
    """Only errors whose message is for the user are reported in one line. The code is still 2: 1 would say that something differs."""

    @click.command()
    @click.option("--kind")
    @common.handle_errors
    def fails(kind: str) -> int:
        raise CompareError("no such model") if kind == "ours" else ZeroDivisionError("a bug")

    done = CliRunner().invoke(fails, ["--kind", "ours"])
    assert (done.exit_code, done.stderr) == (2, "cannot run: no such model\n")
    done = CliRunner().invoke(fails, ["--kind", "bug"])
    assert done.exit_code == 2
    assert "Traceback (most recent call last)" in done.stderr
    assert done.stderr.endswith("cannot run: this is a bug in torchsharp-bridge: ZeroDivisionError: a bug\n")


def test_json_has_no_number_that_json_lacks() -> None:
    from bridge.compare.report.summary import json_number

    assert [json_number(value) for value in (1.5, float("inf"), float("nan"))] == [1.5, "inf", "nan"]
