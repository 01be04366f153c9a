"""bridge/porting/files.py: whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.porting.errors import OutputError
from bridge.porting.files import check_writable, write_at_once


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    target.chmod(0o640)
    write_at_once(target, "neu: ü\n")
    assert target.read_bytes() == "neu: ü\n".encode()
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check_writable(tmp_path / "new")
    for path, words in (
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "a", "no folder"),
        (tmp_path / "file" / "a", "no folder"),
    ):
        with pytest.raises(OutputError, match=words):
            check_writable(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
