"""``results``: the page of a folder of results, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hook_contract.cli import main

Command = Callable[..., Result]


@pytest.fixture
def command() -> Command:
    """Return a function that runs a command in this process, ``command("results", …)``, and fails on an exception."""

    def run(*args: object) -> Result:
        result = CliRunner().invoke(main, [str(item) for item in args])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> Path:
    """Return a folder with the model's results in a chapter."""
    found = tmp_path / "results"
    result = command("run", "--runtime", "model", "--filter", "O-*", "--results", found)
    assert result.exit_code == 0, result.output
    return found


def test_the_page_has_the_results_of_the_folder(command: Command, folder: Path, tmp_path: Path) -> None:
    (file,) = folder.iterdir()
    assert file.name.startswith("model@")
    page = tmp_path / "page.html"
    result = command("results", folder, "-o", page)
    assert (result.exit_code, result.output) == (0, f"{page}: 1 result\n")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "the model of the contract" in text


def test_the_page_is_in_the_current_folder_by_default(
    command: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("results", folder).output == "results.html: 1 result\n"
    assert (tmp_path / "results.html").is_file()


def test_an_empty_folder_cannot_run(command: Command, tmp_path: Path) -> None:
    result = command("results", tmp_path, "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert "has no results: write some with --results" in " ".join(result.output.split())
    assert not (tmp_path / "page.html").exists()


def test_a_file_that_is_no_result_cannot_run(command: Command, folder: Path, tmp_path: Path) -> None:
    (folder / "other.json").write_text("{}", encoding="utf-8")
    result = command("results", folder, "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert "other.json" in result.output
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "'nowhere' does not exist"),
        ((".", "-o", "-"), "'-' (stdout) is not possible here"),
        ((".", "-o", "nowhere/page.html"), "nowhere/page.html cannot be written"),
    ],
)
def test_invalid_arguments_exit_with_2(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = command("results", *arguments)
    assert result.exit_code == 2
    assert message.replace("/", str(Path("/"))) in " ".join(result.output.split())
