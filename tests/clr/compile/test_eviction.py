"""eviction.py: builds of projects that are gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from filelock import FileLock

from bridge.clr.compile.eviction import AGE, evict, note_project


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return a cache with the build of a project that exists, and two builds of projects that do not, one of them of long ago."""
    (tmp_path / "there.csproj").touch()
    for name, project, old in (("a", "there.csproj", True), ("b", "gone.csproj", True), ("c", "gone.csproj", False)):
        folder = tmp_path / "build" / name
        folder.mkdir(parents=True)
        (folder / "own.dll").touch()
        note_project(folder, tmp_path / project)
        if old:
            os.utime(folder / "project", (0, 0))
    return tmp_path / "build"


def test_old_builds_of_projects_that_are_gone_are_removed(cache: Path) -> None:
    assert evict(cache) == [cache / "b"]
    assert sorted(folder.name for folder in cache.iterdir()) == ["a", "c"]
    assert evict(cache, age=-AGE) == [cache / "c"]


def test_a_build_that_is_in_use_stays(cache: Path) -> None:
    with FileLock(cache / "b" / "building.lock"):
        assert evict(cache) == []
    assert (cache / "b" / "own.dll").exists()


def test_folders_of_others_stay(cache: Path) -> None:
    (cache / "d").mkdir()
    evict(cache, age=-AGE)
    assert (cache / "d").exists()
