"""bridge/compare/watch/changes.py: events of folders, and the files that were saved."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bridge.compare.watch.changes import changed_files, folder_events, marks


def edit(file: Path) -> None:
    file.write_text("edited", encoding="utf-8")


def replace(file: Path) -> None:
    part = file.with_suffix(".part")
    part.write_text("old", encoding="utf-8")
    part.replace(file)


def delete(file: Path) -> None:
    file.unlink()


def create(file: Path) -> None:
    edit(file.with_name("new.py"))


@pytest.mark.parametrize("change", [edit, replace, delete, create])
def test_a_save_is_an_event_and_changes_the_marks(tmp_path: Path, change: Callable[[Path], None]) -> None:
    file, new = tmp_path / "net.py", tmp_path / "new.py"
    file.write_text("old", encoding="utf-8")
    before = marks((file, new))
    with closing(folder_events([tmp_path])) as events:
        assert not next(events)
        change(file)
        while not next(events):
            pass  # the test's own limit is the limit
    assert changed_files(before, marks((file, new))) == [new if change is create else file]


def test_a_missing_folder_is_an_event_of_the_nearest_above(tmp_path: Path) -> None:
    with closing(folder_events([tmp_path / "package" / "inner"])) as events:
        assert not next(events)
        (tmp_path / "package").mkdir()
        while not next(events):
            pass
