"""hook_contract/output/files.py: complete or not at all, never in place of a device; what cannot be written is reported before the work."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from hook_contract.output import files
from hook_contract.output.errors import OutputError
from hook_contract.output.files import atomic_file, check_writable, resolve_target, write_atomically


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    target.chmod(0o640)
    before = target.stat().st_mode  # Windows has the bit for writing alone
    with atomic_file(target) as temporary:
        temporary.write_text("new")
        assert target.read_text(encoding="utf-8") == "old"
    assert target.read_text(encoding="utf-8") == "new"
    assert target.stat().st_mode == before
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_new_file_gets_what_a_new_file_gets(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with atomic_file(tmp_path / "new"):
        pass
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_keeps_the_existing_file(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")

    def fails(temporary: Path) -> None:
        temporary.write_text("half", encoding="utf-8")
        raise error

    with pytest.raises(error), atomic_file(target) as temporary:
        fails(temporary)
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.usefixtures("symlinks")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with atomic_file(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"


@pytest.mark.skipif(sys.platform != "linux", reason="a lease, which a file open elsewhere refuses, is Linux's")
def test_where_there_are_no_locks_another_program_can_have_the_file_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows' rule, shown on Linux: .NET opens the file to write it, and must be the only one that has it open."""
    import fcntl

    def lease(path: Path) -> None:
        with path.open("r+b") as file:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)

    with atomic_file(tmp_path / "a") as temporary, pytest.raises(BlockingIOError):
        lease(temporary)
    monkeypatch.setattr(files, "fcntl", None)
    with atomic_file(tmp_path / "a") as temporary:
        lease(temporary)
        temporary.write_text("new")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "new"


@pytest.mark.skipif(os.name != "posix", reason="a named pipe is POSIX's")
def test_a_path_that_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    """A pipe represents all of them; root could replace ``/dev/null`` too, and every program on the machine would see it."""
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("pipe", "not a regular file"), (".", "a folder")):
        with pytest.raises(OSError, match=words), atomic_file(tmp_path / name):
            pass
    with pytest.raises(OSError, match="not a regular file"):
        resolve_target(Path("/dev/null"))
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe"]


@pytest.mark.skipif(os.name != "posix", reason="Windows removes no open file, and has no such locks")
def test_leftovers_are_removed_and_files_being_written_are_not(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    (tmp_path / ".a.json.abcdefgh.part").write_text("left")
    (tmp_path / ".b.json.abcdefgh.part").write_text("left by another file's writer")
    with atomic_file(target) as temporary:
        with atomic_file(target) as other:
            other.write_text("other")
        assert temporary.exists()
        temporary.write_text("one")
    assert target.read_text(encoding="utf-8") == "one"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".b.json.abcdefgh.part", "a.json"]


def test_text_is_utf8_and_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    write_atomically(target, "neu: ü\n")
    assert target.read_bytes() == "neu: ü\n".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_unwritable_paths(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check_writable(tmp_path / "new")
    for path, words in (
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "a", "no folder"),
        (tmp_path / "file" / "a", "no folder"),
        (Path(os.devnull), "it is not a regular file"),
    ):
        with pytest.raises(OutputError, match=words):
            check_writable(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
