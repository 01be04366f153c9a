"""bridge/commands/schema.py; what a program does with it is the example of docs/schema.md, which test_docs.py runs."""

from __future__ import annotations

from pathlib import Path

import torch
from click.testing import CliRunner

from bridge.cli import main
from bridge.clr.start import schemas


def test_it_writes_the_operators_and_ends_with_the_path_of_their_libtorch(tmp_path: Path) -> None:
    file = tmp_path / "operators.txt"
    done = CliRunner().invoke(main, ["schema", "-o", str(file)])
    assert done.exit_code == 0, done.output
    assert file.read_text(encoding="utf-8") == schemas.every()
    first, library = done.stdout.splitlines()
    assert first.startswith(f"{file}: ")
    assert f" aten operators of torch {torch.__version__}, " in first
    assert Path(library).is_file()
    assert "torch_cpu" in Path(library).name


def test_an_unwritable_path_is_reported_and_leaves_no_file(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["schema", "-o", str(tmp_path / "no" / "operators.txt")])
    assert done.exit_code == 2
    assert "operators.txt" in done.output
    assert not list(tmp_path.iterdir())
