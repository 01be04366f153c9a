"""bridge/commands/terminal/interrupt.py: Ctrl-C ends a command with 130, while what is running would take hours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result

from bridge.clr.find.assemblies import sample
from hook_contract.commands.terminal import stdio
from hook_contract.commands.terminal.interrupt import Interrupt

#: Distinct from the sleep of any other run of these tests.
_LONG = f"9000.{os.getpid()}"
ROOT = Path(__file__).parents[3]
COMPARE = ROOT / "tests" / "compare"
SNIPPETS = Path(__file__).parents[1] / "snippets"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGINT to another process is POSIX's")


@pytest.fixture
def interrupted(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Return a function that sends SIGINT to a command ``after`` seconds from a line; it returns the exit code and stderr."""

    def run(args: Sequence[object], line: str, after: float = 0.2) -> tuple[int, str]:
        path = os.pathsep.join(map(str, (COMPARE, SNIPPETS, COMPARE.parents[1])))
        with subprocess.Popen(
            [sys.executable, "-m", "bridge", *map(str, args)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == line
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            try:
                _, stderr = process.communicate()
            finally:
                process.kill()
            return process.returncode, stderr

    return run


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("call", ("compare", "--python", "ports:Slow", "--json", "a.json", "--html", "a.html")),
        ("spin", ("compare", "--python", "ports:Block", "--json", "a.json", "--html", "a.html")),
        ("spin", ("trace", "-o", "a.jsonl")),
    ],
    ids=["a Python forward", "a C# forward", "a trace"],
)
def test_in_a_forward(
    interrupted: Callable[..., tuple[int, str]], ports: Path, tmp_path: Path, kind: str, arguments: tuple[str, ...]
) -> None:
    """The main thread may be in C# for hours, where no KeyboardInterrupt reaches it."""
    target = f'{ports}:Ports.Block("{kind}")'
    code, stderr = interrupted([*arguments, "--dotnet", target, "--shape", "1,4,2,2"], "spinning\n")
    assert (code, stderr) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_while_files_are_compared(command: Callable[..., Result], tmp_path: Path) -> None:
    """The second file is a pipe that nothing writes to: the reader waits in the system."""
    recorded = tmp_path / "a.jsonl"
    assert command("trace", "--python", "torch.nn:ReLU", "--shape", "1", "-o", recorded).exit_code == 0
    environ = {**os.environ, "PYTHONPATH": str(COMPARE.parents[1])}
    os.mkfifo(tmp_path / "b.jsonl")
    with (
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "bridge",
                "diff",
                str(recorded),
                str(tmp_path / "b.jsonl"),
                "--html",
                str(tmp_path / "d.html"),
            ],
            env=environ,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        (tmp_path / "b.jsonl").open("w"),
    ):  # waits until it is opened for reading
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate()
    assert (process.returncode, stderr) == (130, "interrupted\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


@pytest.mark.sdk
def test_while_a_project_is_built(interrupted: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    """The build is a process of its own: it is ended too, with all that it started."""
    project = tmp_path / "Slow.csproj"
    project.write_text(
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>'
        '<Target Name="Wait" BeforeTargets="CollectPackageReferences;Restore;Build">'
        f'<Touch Files="{tmp_path / "building"}" AlwaysCreate="true" /><Exec Command="sleep {_LONG}" /></Target></Project>',
        encoding="utf-8",
    )
    args = ["compare", "--python", "announce:ReLU", "--dotnet", f"{project}:A.B", "--shape", "1"]
    code, stderr = interrupted(args, "building\n")
    assert (code, stderr) == (130, "interrupted\n")
    left = [
        path for path in Path("/proc").glob("[0-9]*/cmdline") if _reads(path) == b"sleep\0" + _LONG.encode() + b"\0"
    ]
    assert left == []


@pytest.mark.parametrize("factory", ["helped", "interrupted"])
def test_a_model_that_forks(
    process: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, factory: str
) -> None:
    """The child has the descriptors that tell of Ctrl-C: the command ends without it, and its Ctrl-C is not the command's."""
    helper = tmp_path / "helper"
    try:
        done = process("trace", "--python", f"forking:{factory}", "--shape", "2", "-o", "a.jsonl")
        assert (done.returncode, done.stderr) == (0, "")
    finally:
        if helper.exists():
            os.kill(int(helper.read_text(encoding="utf-8")), signal.SIGKILL)


def _reads(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
@pytest.mark.dotnet
def test_at_any_time_of_a_trace(tmp_path: Path) -> None:
    """SIGINT at 60 times from the command's first line to its end, most of it .NET's start: 130 and no file, or the complete file."""
    script = Path(__file__).with_name("interrupted_trace.py")
    done = subprocess.run(
        [sys.executable, str(script), "60", str(sample("Mtcnn.dll")), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "60 ok\n"


@pytest.mark.parametrize("moment", ["arguments", "parsed"])
def test_before_the_command_begins(moment: str) -> None:
    """The interrupt comes while the command line is read: one word and 130, not click's 'Aborted!' and 1."""
    code = (
        "import os, signal, sys, click\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from bridge.cli import main\n"
        "def interrupt(*_, **__): os.kill(os.getpid(), signal.SIGINT)\n"
        "if sys.argv[1] == 'arguments': main.parse_args = interrupt\n"
        "else: click.Context.__init__ = interrupt\n"
        "main(['doctor'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, moment], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_the_output_is_flushed_before_the_waiting_thread_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt = Interrupt(130)
    interrupt.received.set()
    events: list[object] = []
    monkeypatch.setattr(stdio, "flush", lambda: events.append(interrupt.handled.is_set()))
    monkeypatch.setattr(os, "_exit", events.append)
    interrupt.exit()
    assert events == [False, 130]
    assert interrupt.handled.is_set()
