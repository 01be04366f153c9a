"""bridge/commands/terminal/stdio.py and console.py: what a command prints, wherever it goes and whatever is in it."""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from rich.style import Style
from rich.table import Table
from rich.text import Text

import bridge
from bridge.clr.find import assemblies
from hook_contract.commands.terminal import stdio
from hook_contract.commands.terminal.console import Screen

TITLE = "a\x1b]0;owned\x07b\x9b2J\x7f\u202ec\n\td"
Command = Callable[..., Result]


@pytest.fixture
def traces(command: Command, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that traces a model of snippets/names.py: ``traces("escape")``."""

    def record(factory: str) -> Path:
        path = tmp_path / f"{factory}.jsonl"
        done = command("trace", "--python", f"names:{factory}", "--shape", "2", "-o", path)
        assert done.exit_code == 0, done.output
        return path

    return record


def test_control_characters_are_written_out() -> None:
    assert stdio.escape_controls(TITLE) == r"a\x1b]0;owned\x07b\u009b2J\u007f\u202ec" + "\n\td"


def test_json_stays_the_same_json() -> None:
    text = json.dumps({"path": TITLE}, ensure_ascii=False)
    assert json.loads(stdio.escape_controls(text)) == {"path": TITLE}


def test_json_in_another_encoding_is_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="cp1252"))
    text = json.dumps({"path": "\u0441\u00e9\U0001f600"}, ensure_ascii=False)
    stdio.say_json(text)
    assert json.loads(written.getvalue().decode("ascii")) == json.loads(text)


def test_a_screen_writes_colours_of_its_own_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a cell of a table that is narrower than the text."""
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Screen()
    table = Table(width=20)
    table.add_row(Text(TITLE), TITLE)
    screen.print(table)
    screen.print(Text(TITLE, style=Style(color="red")), soft_wrap=True)
    screen.print(TITLE, markup=False, soft_wrap=True)
    said = written.getvalue()
    assert "\x1b[31m" in said
    assert "\x1b]" not in said
    assert not {"\x9b", "\x7f", "\u202e", "\x07"} & set(said)


def test_nothing_else_in_the_package_prints() -> None:
    """``click.echo``, ``print`` and rich's Console are used behind stdio.py, and to write into a text."""
    package = Path(bridge.__file__).parent
    allowed = {"commands/terminal/stdio.py": {"echo"}, "testing.py": {"Console"}}
    found = {}
    for path in package.rglob("*.py"):
        name = path.relative_to(package).as_posix()
        calls = [node.func for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call)]
        used = {call.attr for call in calls if isinstance(call, ast.Attribute)} & {"echo", "secho"}
        used |= {call.id for call in calls if isinstance(call, ast.Name)} & {"print", "echo", "secho", "Console"}
        if used - allowed.get(name, set()):
            found[name] = used
    assert found == {}


def test_module_paths_and_messages_cannot_reach_the_terminal(command: Command, traces: Callable[[str], Path]) -> None:
    done = command("diff", traces("escape"), traces("cyrillic"))
    assert done.exit_code == 1
    assert r"evil\x1b]0;owned" in done.stdout
    refused = command("trace", "--python", "names:raising", "--shape", "2", "-o", "unused.jsonl")
    assert refused.exit_code == 2
    assert r"evil\x1b]0;owned" in refused.stderr
    assert "\x1b" not in done.output + refused.output


def test_a_terminal_of_another_encoding(traces: Callable[[str], Path]) -> None:
    """Windows-1252: what it lacks is escaped."""
    a, b = traces("cyrillic"), traces("escape")
    done = run("diff", a, b, stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "cp1252"})
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"\u0441\u043b\u043e\u0439" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_full_disk(traces: Callable[[str], Path], python: Path) -> None:
    a = traces("escape")
    for args in (["diff", a, a], ["diff", a, a, "--json", "-"], ["--help"]):
        with Path("/dev/full").open("wb") as full:
            done = run(*args, python=python, stdout=full)
        said = b"cannot run: stdout cannot be written to: No space left on device." + os.linesep.encode()
        assert (done.returncode, done.stderr) == (2, said), args
    with Path("/dev/full").open("wb") as full:
        assert run("diff", a, a.with_name("gone.jsonl"), python=python, stderr=full).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="a pipe without a reader is POSIX's")
def test_a_pipe_whose_reader_has_gone(traces: Callable[[str], Path], python: Path) -> None:
    """The exit code still says what was found."""
    a, b = traces("escape"), traces("cyrillic")
    for args, code in (((a, a), 0), ((a, b), 1), ((a, b, "--json", "-"), 1)):
        reads, writes = os.pipe()
        os.close(reads)
        try:
            done = run("diff", *args, python=python, stdout=writes)
        finally:
            os.close(writes)
        assert (done.returncode, done.stderr) == (code, b""), args


@pytest.mark.dotnet
@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
def test_closed_streams(tmp_path: Path) -> None:
    """Without stdin and stdout a trace of a C# model is recorded; it hung, since what was opened next took their descriptors."""
    target = f"{assemblies.sample('Mtcnn.dll')}:Mtcnn.PNet"
    words = ["trace", "--dotnet", target, "--shape", "1,3,12,12", "-o", str(tmp_path / "a.jsonl")]
    command = [sys.executable, "-m", "bridge", *words]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&-', "sh", *command],
        env={**os.environ, "PYTHONPATH": str(Path(bridge.__file__).parents[1])},
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "a.jsonl").stat().st_size > 0


def run(*args: object, python: str | Path = sys.executable, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    root = str(Path(bridge.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": root, **options.pop("env", {})}
    streams: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.PIPE,
        **options,
    }
    return subprocess.run([python, "-m", "bridge", *map(str, args)], env=env, check=False, **streams)
