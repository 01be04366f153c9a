"""Starting .NET (field notes 2, 6, 7): once, from any thread, with one clear message where it cannot, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_import_starts_nothing_and_costs_nothing(bare: Callable[..., Any]) -> None:
    """Beyond torch it loads a dozen modules, all of them ours and small: no pythonnet, no runtime, no thread."""
    *loaded, reached = bare("importing", "names").stdout.split()
    assert reached == "reached"
    assert {name.partition(".")[0] for name in loaded} == {"bridge"}
    assert len(loaded) < 30, loaded


def test_from_a_thread_that_ends(alone: Callable[..., Any]) -> None:
    """6: the thread that started .NET is gone when others use it."""
    alone("start", "from_a_thread_that_ends")


@pytest.mark.parametrize("before", ["collections_go_on", "collections_stay_off"])
def test_pythons_collector_is_as_before(alone: Callable[..., Any], before: str) -> None:
    """It is off while .NET starts."""
    alone("start", before)


def test_from_eight_threads_at_once(alone: Callable[..., Any]) -> None:
    """6: one runtime, one copy of each of our assemblies, one libtorch."""
    alone("start", "from_eight_threads")


@pytest.mark.parametrize("way", ["load", "import clr"])
def test_beside_a_pythonnet_that_the_user_loaded(alone: Callable[..., Any], way: str) -> None:
    """2: its runtime is ours too; hooks work, and the process leaves promptly (1)."""
    assert alone("start", "beside_the_users_pythonnet", way, returncode=3).stderr == ""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
@pytest.mark.parametrize(("way", "wx"), [("bridge", None), ("bridge, hardened", "1"), ("pythonnet", None)])
def test_the_first_fork_warns_where_children_may_crash(alone: Callable[..., Any], way: str, wx: str | None) -> None:
    """8: only a .NET with W^X, which the user's pythonnet has, shares compiled code with forked children."""
    alone("start", "forks_beside", way, env={"DOTNET_EnableWriteXorExecute": wx})


def test_pythonnet_works_beside_us(alone: Callable[..., Any]) -> None:
    """2: the user imports .NET's namespaces after bridge.load; their objects may live to the end."""
    assert alone("start", "users_objects").stderr == ""


@pytest.mark.parametrize("before", [None, "elsewhere"])
def test_the_environment_is_left_alone(alone: Callable[..., Any], before: str | None, tmp_path: Path) -> None:
    """2: hostfxr needs DOTNET_ROOT while it starts; afterwards neither this process nor its children see a change."""
    if before is None:
        alone("start", "environment", None, env={"DOTNET_ROOT": None})
    else:
        alone("start", "environment", str(tmp_path / before))


@pytest.mark.skipif(sys.platform != "linux", reason="the pipes are files")
@pytest.mark.parametrize("asked", [None, "1"])
def test_a_process_that_is_killed_leaves_no_pipes_unless_a_debugger_is_wanted(
    forked: Callable[..., Any], tmp_path: Path, asked: str | None
) -> None:
    """Check the folder in which a debugger would find it. .NET's pipes in a folder with a ``%`` end a process at once."""
    folder = tmp_path / ("a%41b" if asked is None else "a")
    folder.mkdir()
    code = "import os, bridge.clr; bridge.clr.start(); os.kill(os.getpid(), 9)"
    done = forked(code, env={"TMPDIR": str(folder), "DOTNET_EnableDiagnostics": asked})
    assert done.returncode == -9, done.stderr
    assert any(path.name.startswith("clr-debug-pipe") for path in folder.iterdir()) == (asked == "1")
    if asked is None:
        assert list(folder.iterdir()) == []


def test_no_runtime_is_one_message(bare: Callable[..., Any], tmp_path: Path) -> None:
    """7: an exception of ours that names the place and the fix; tried again it says the same, and the process goes on."""
    bare("start", "no_runtime", env={"BRIDGE_DOTNET_ROOT": str(tmp_path / "no-such-place")})


def test_a_broken_root_ends_the_demo_without_a_traceback(tmp_path: Path, python: Path) -> None:
    """The command says in its last lines what is wrong and what to do; its exit code is the documented 2."""
    done = subprocess.run(
        [python, "-m", "bridge", "demo", "--html", str(tmp_path / "demo.html")],
        cwd=ROOT,
        env={**os.environ, "BRIDGE_DOTNET_ROOT": str(tmp_path / "no-such-place"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 2, said
    assert "Traceback" not in said
    assert said.count("BRIDGE_DOTNET_ROOT is set to") == 1, said
    assert "no-such-place" in said


def test_a_failed_start_is_tried_again_once_it_is_corrected(
    alone: Callable[..., Any], broken_root: Path, tmp_path: Path
) -> None:
    """7: no such folder, a broken hostfxr, a hostfxr that finds no framework, a folder without our assemblies: each is one message
    that comes again, and correcting the variable is enough."""
    alone("start", "corrected", str(broken_root), str(tmp_path))


def test_an_unknown_layout_is_refused_before_anything_is_read(alone: Callable[..., Any]) -> None:
    """6: StartError each time; where the layout is known the next start works."""
    alone("start", "unknown_layout")
