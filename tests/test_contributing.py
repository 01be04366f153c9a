"""CONTRIBUTING.md: what it names is there, and no folder is left out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_PATH = re.compile(r"`((?:bridge|dotnet|tests|tools|docs|benchmarks)/[^`\s]*)`")


def test_every_path_is_there() -> None:
    named = {path for path in _PATH.findall(TEXT) if "NAME" not in path}
    assert len(named) > 30
    assert [path for path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []


def test_the_layout_has_every_folder() -> None:
    table = TEXT.partition("## Layout")[2].partition("##")[0]
    folders = [path.parent.name for path in (ROOT / "bridge").glob("*/__init__.py")]
    assert folders
    assert [name for name in folders if not re.search(rf"\b{re.escape(name)}/`", table)] == []


def test_the_readme_of_dotnet_has_every_project() -> None:
    text = (ROOT / "dotnet" / "README.md").read_text(encoding="utf-8")
    projects = [path.stem for path in (ROOT / "dotnet" / "src").glob("*/*.csproj")]
    assert projects
    assert [name for name in projects if f"`src/{name}`" not in text] == []


def test_every_target_and_script_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)`", TEXT)) <= targets
    scripts = re.findall(r"`python (tools/\w+\.py)", TEXT)
    assert scripts
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


def test_the_examples_are_there() -> None:
    example = re.search(r"^`grep -rn (\w+) ([^`]+)` prints its lines", TEXT, re.MULTILINE)
    assert example
    for folder in example[2].split():
        files = [path for kind in ("cs", "py", "tsv") for path in (ROOT / folder).rglob(f"*.{kind}")]
        assert any(example[1] in path.read_text(encoding="utf-8") for path in files), folder


def test_the_commands_of_pytest_find_the_tests_that_they_name() -> None:
    """The word of ``-k`` is in an id of a test in the files; all of the commands are collected at once."""
    commands = [command.split() for command in re.findall(r"`python -m pytest -n 0 ([^`]+)`", TEXT)]
    assert len(commands) >= 2
    files = dict.fromkeys(word for command in commands for word in command if word.endswith(".py"))
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "--collect-only", "-q", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    for command in commands:
        named, word = [name for name in command if name.endswith(".py")], command[command.index("-k") + 1]
        assert any(line.startswith(tuple(named)) and word in line for line in listed), command


def test_the_commands_for_an_operator_find_a_case_in_either_place() -> None:
    section = TEXT.partition("## Add an operator")[2].partition("\n## ")[0]
    (command,) = re.findall(r"`python -m pytest ([^`]+)`", section)
    for data in re.findall(r"`tests/torchsharp/(rows|surface)/", section):
        test = {"rows": "tests/torchsharp/test_operators.py", "surface": "tests/torchsharp/test_surface.py"}[data]
        assert test in command, data
