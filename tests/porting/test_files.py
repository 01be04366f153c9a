"""bridge/porting/files.py: what cannot be written is told before the work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridge.porting.errors import OutputError
from bridge.porting.files import check_writable, write_at_once


def test_text_is_utf8_and_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    write_at_once(target, "neu: ü\n")
    assert target.read_bytes() == "neu: ü\n".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check_writable(tmp_path / "new")
    for path, words in (
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "a", "no folder"),
        (tmp_path / "file" / "a", "no folder"),
        (Path(os.devnull), "it is no regular file"),
    ):
        with pytest.raises(OutputError, match=words):
            check_writable(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
