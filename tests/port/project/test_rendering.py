"""rendering.py: the templates of a project's files."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

import bridge.port.project
from bridge.port.project.rendering import render


def test_values_are_plain_text() -> None:
    text = render("PORT.md", title="a<b & 'c'", summary="1 file", methods=[], ways={}, reasons={}, said=[])
    assert text.startswith("# a<b & 'c'\n\n1 file.\n")
    assert text.endswith("| --- |\n")


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render("PORT.md", summary="", methods=[], ways={}, reasons={})


def test_every_template_is_there_by_its_own_name() -> None:
    folder = Path(bridge.port.project.__path__[0]) / "templates"
    assert {file.name for file in folder.iterdir()} == {
        f"{name}.j2" for name in ("project.csproj", "Program.cs", "test.py", "PORT.md")
    }
