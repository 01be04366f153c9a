"""The examples in the commands' --help run as they are written, on a sample model, and each is a line that fits a narrow terminal."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from bridge.cli import main
from bridge.clr.find import assemblies
from bridge.port.verify import comparisons

ROOT = Path(__file__).parents[2]


def examples(name: str) -> list[list[str]]:
    """Return the arguments of each example in the help of a command."""
    shown = CliRunner().invoke(main, [name, "--help"]).output
    block = re.search(r"^  Examples?:\n((?:    .*\n)+)", shown, re.MULTILINE)
    assert block is not None, shown
    lines = block[1].replace("\\\n", " ").splitlines()
    assert all(line.startswith("    python -m bridge ") for line in lines)
    return [shlex.split(line)[3:] for line in lines]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with the sample of the examples: the PyTorch original, and the compiled C#."""
    shutil.copy(ROOT / "bridge" / "samples" / "lenet.py", tmp_path)
    if (vision := assemblies.folder()[0] / "Vision.dll").is_file():
        shutil.copy(vision, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["schema", "port"])
def test_the_example_runs(
    command: Callable[..., Result], folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an SDK: a project is then written and not built, which is exit code 1."""
    monkeypatch.setattr(comparisons, "can_build", lambda: False)
    for arguments in examples(name):
        done = command(*arguments)
        assert done.exit_code == (1 if name == "port" else 0), done.output


@pytest.mark.dotnet
@pytest.mark.parametrize("names", [("compare",), ("trace", "diff"), ("doctor",)], ids="-".join)
def test_the_example_runs_with_dotnet(command: Callable[..., Result], folder: Path, names: tuple[str, ...]) -> None:
    """That of diff on what those of trace wrote; one seed gives both models the same weights."""
    for name in names:
        for arguments in examples(name):
            if _on_a_page(name, arguments):
                continue
            done = command(*arguments)
            assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", ["conformance", "export", "fuzz", "demo", "doctor"])
def test_an_example_that_takes_long_is_run_with_its_page(name: str) -> None:
    assert _on_a_page(name, examples(name)[0])


def _on_a_page(name: str, arguments: list[str]) -> bool:
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    return f"$ python -m bridge {shlex.join(arguments)}\n" in page


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", ["", *main.commands])
def test_help_fits_a_narrow_terminal_and_breaks_no_word(name: str, columns: int) -> None:
    """Of a terminal's columns click leaves two free."""
    shown = CliRunner().invoke(main, [name, "--help"] if name else ["--help"], terminal_width=columns - 2).output
    assert all(len(line) <= columns for line in shown.splitlines()), shown
    of = main.commands[name] if name else main
    words = set((of.help or "").replace("\b", " ").split())
    for parameter in filter(lambda item: isinstance(item, click.Option), of.params):
        words |= {*parameter.opts, *str(parameter.help).replace("\b", " ").split(), parameter.metavar or "--help"}
    assert not {word for word in words if word not in shown}
