"""bridge/cli.py: the commands' arguments and exit codes, and that nothing heavy is imported for --help."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from bridge import __version__
from bridge.cli import main


def test_help_lists_the_commands() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    assert {"demo", "doctor"} <= {line.split()[0] for line in result.output.splitlines() if line.startswith("  ")}


_HELP = """
import sys
from bridge.cli import main
main(["--help"], standalone_mode=False)
print({"torch", "clr", "pythonnet", "rich", "jinja2"} & set(sys.modules))
"""


def test_help_imports_nothing_heavy(in_process: Callable[..., Any]) -> None:
    done = in_process(_HELP)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "set()"


def test_python_dash_m_runs_the_commands() -> None:
    done = subprocess.run([sys.executable, "-m", "bridge", "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: python -m bridge")


def test_an_unknown_command_is_exit_code_2() -> None:
    result = CliRunner().invoke(main, ["dance"])
    assert result.exit_code == 2
    assert "dance" in result.output


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"torchsharp-bridge, version {__version__}\n"


def test_ctrl_c_is_exit_code_130() -> None:
    @main.command("hang")
    def hang() -> None:
        raise KeyboardInterrupt

    try:
        result = CliRunner().invoke(main, ["hang"])
    finally:
        del main.commands["hang"]
    assert isinstance(hang, click.Command)
    assert result.exit_code == 130


@pytest.mark.skipif(os.name != "posix", reason="SIGINT to another process is POSIX's")
def test_a_real_ctrl_c_ends_a_command_at_once_and_without_a_traceback() -> None:
    command = [sys.executable, str(Path(__file__).with_name("snippets") / "cli.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert (process.returncode, output) == (130, "interrupted\n")
