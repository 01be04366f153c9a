"""The start of .NET: once, from any thread, with one clear error where it fails, and nothing left behind."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attack.pythonnet_user import prepare_pythonnet
from bridge import clr
from bridge.clr import started
from bridge.clr.find import installation
from bridge.clr.start import capi
from tests.interop.helpers import X, loaded, pnet, raised
from tests.support.child import reached
from tests.support.fork_server import Run

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess]


#: Objects that live until the interpreter ends.
held: list[Any] = []


def check_single_copies() -> None:
    """Check that there is one copy of each of our assemblies, of .NET's runtime and of libtorch."""
    for name in ("Bridge.Hooks", "Bridge.Torch", "Bridge.Interop"):
        assert loaded(name) == 1, (name, loaded(name))
    if sys.platform == "linux":
        lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        files = {Path(line.split(maxsplit=5)[5].strip()) for line in lines if "/" in line}
        for library in ("libcoreclr.so", "libtorch_cpu.so", "libc10.so"):
            assert sum(file.name == library for file in files) == 1, (library, files)


def test_from_a_thread_that_ends() -> None:
    """The thread that started .NET is gone when others use it."""
    models: list[Any] = []
    thread = threading.Thread(target=lambda: models.append(pnet()))
    thread.start()
    thread.join()
    seen: list[int] = []
    models[0].conv1.register_forward_hook(lambda *_: seen.append(1))
    assert models[0](X)[0].shape == (1, 2, 7, 7)
    assert seen == [1]
    check_single_copies()


@pytest.mark.parametrize("enabled", [True, False])
def test_pythons_collector_is_as_before(enabled: bool) -> None:
    """It is disabled while .NET starts."""
    assert gc.isenabled()
    if not enabled:
        gc.disable()
    pnet()
    assert gc.isenabled() == enabled


def test_from_eight_threads_at_once() -> None:
    """One runtime, one copy of each of our assemblies, one libtorch."""
    barrier = threading.Barrier(8)
    hosts: list[Any] = []
    results: list[Any] = []

    def work() -> None:
        barrier.wait()
        model = pnet()
        hosts.append(started())
        results.append(model(X)[0])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert len({id(host) for host in hosts}) == 1
    assert hosts[0] is not None
    assert all(result.shape == (1, 2, 7, 7) for result in results)
    check_single_copies()


@pytest.mark.parametrize("way", ["load", "import clr"])
@pytest.mark.subprocess(returncode=3, stderr="")
def test_beside_a_pythonnet_that_the_user_loaded(way: str) -> None:
    """Its runtime is ours too; hooks work, and the process ends promptly."""
    import pythonnet

    prepare_pythonnet()
    if way == "load":
        pythonnet.load("coreclr")
    else:
        os.environ["PYTHONNET_RUNTIME"] = "coreclr"
        import clr  # noqa: F401  # makes .NET's namespaces importable
    from System.Collections.Generic import List

    mine = List[int]()
    mine.Add(7)
    model = pnet()
    seen: list[int] = []
    model.conv1.register_forward_hook(lambda *_: seen.append(1))
    results = [model(X.clone().requires_grad_()) for _ in range(20)]
    assert len(seen) == 20
    assert mine[0] == 7
    check_single_copies()
    held.extend((mine, model, results))
    reached()
    sys.exit(3)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=pytest.mark.subprocess(env={"DOTNET_EnableWriteXorExecute": wx}))
        for way, wx in (("bridge", None), ("bridge, hardened", "1"), ("pythonnet", None))
    ],
)
def test_the_first_fork_warns_where_children_may_crash(way: str) -> None:
    """Only a .NET with W^X, which the user's pythonnet has, shares compiled code with forked children."""
    if way == "pythonnet":
        import pythonnet

        prepare_pythonnet()
        pythonnet.load("coreclr")
    model = pnet()
    model(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            if (child := os.fork()) == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    found = [item for item in caught if item.category is RuntimeWarning]
    if way == "bridge":
        assert found == []
        return
    (warning,) = found
    assert "DOTNET_EnableWriteXorExecute=0" in str(warning.message), warning.message
    assert "spawn" in str(warning.message), warning.message
    assert Path(warning.filename) == Path(__file__), warning


@pytest.mark.subprocess(stderr="")
def test_pythonnet_works_beside_us() -> None:
    """The user imports .NET's namespaces after bridge.load; their objects may live to the end."""
    model = pnet()
    import clr  # noqa: F401  # makes .NET's namespaces importable
    from System import Action, Func, Int32, String
    from System.Collections.Generic import Dictionary

    table = Dictionary[String, Int32]()
    table["a"] = 1
    called: list[int] = []
    action = Action(lambda: called.append(1))
    action()
    double = Func[Int32, Int32](lambda x: 2 * x)
    assert (table["a"], called, double(4)) == (1, [1], 8)
    model(X)
    check_single_copies()
    held.extend((model, table, action, double))


@pytest.mark.parametrize(
    "root", [pytest.param(None, marks=pytest.mark.subprocess(env={"DOTNET_ROOT": None})), "elsewhere"]
)
def test_the_environment_is_left_alone(root: str | None) -> None:
    """Hostfxr needs DOTNET_ROOT while it starts; afterwards neither this process nor its children see a change."""
    if root is None:
        os.environ.pop("DOTNET_ROOT", None)
    else:
        os.environ["DOTNET_ROOT"] = root
    for name in ("DOTNET_GCgen0size", "DOTNET_EnableWriteXorExecute"):
        os.environ.pop(name, None)

    def inherited() -> str:
        code = "import os; print(sorted((n, v) for n, v in os.environ.items() if not n.startswith('_')))"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    here, there = dict(os.environ), inherited()
    pnet()(X)
    assert dict(os.environ) == here
    assert inherited() == there


def test_a_failed_start_is_tried_again_once_it_is_corrected(broken_root: Path, tmp_path: Path) -> None:
    """Raise the same error each time until the variable is corrected.

    The faults: a folder that does not exist, a broken hostfxr, no framework, a folder without our assemblies.
    """
    empty, no_framework = tmp_path / "empty", tmp_path / "no-framework"
    shutil.copytree(installation.find_dotnet().root / "host", no_framework / "host")
    framework = no_framework / "shared" / "Microsoft.NETCore.App" / "8.0.0"
    framework.mkdir(parents=True)
    (framework / "System.Private.CoreLib.dll").write_bytes(b"")
    empty.mkdir()
    for variable, value, kind, words in (
        ("BRIDGE_DOTNET_ROOT", empty / "gone", clr.DotNetNotFound, "the folder does not exist"),
        ("BRIDGE_DOTNET_ROOT", broken_root, clr.StartError, f".NET at {broken_root} (found by BRIDGE_DOTNET_ROOT) could not be started"),
        ("BRIDGE_DOTNET_ROOT", no_framework, clr.StartError, f".NET at {no_framework} "),
        ("BRIDGE_ASSEMBLIES", empty, clr.AssembliesNotFound, "the folder lacks Bridge.Hooks.dll"),
    ):  # fmt: skip
        before = os.environ.get(variable)
        os.environ[variable] = str(value)
        first, second = raised(clr.start), raised(clr.start)
        assert type(first) is type(second) is kind, (first, second)
        assert words in str(first), first
        assert str(second) == str(first), second
        os.environ.pop(variable)
        if before is not None:
            os.environ[variable] = before
    assert pnet()(X)[0].shape == (1, 2, 7, 7)


def test_an_unknown_layout_is_refused_before_anything_is_read() -> None:
    """StartError each time; where the layout is known the next start works."""
    shifted = SimpleNamespace(**vars(ctypes))
    shifted.c_int64 = SimpleNamespace(from_address=lambda address: ctypes.c_int64.from_address(address + 4))
    patch = pytest.MonkeyPatch()
    patch.setattr(capi, "ctypes", shifted)
    for _ in range(2):
        error = raised(clr.start)
        assert isinstance(error, clr.StartError), error
        assert "has an unknown tensor layout and is not supported" in str(error), error
    patch.undo()
    assert pnet()(X)[0].shape == (1, 2, 7, 7)


def check_pipes(run: Run, tmp_path: Path, diagnostics: str | None) -> None:
    """Check that the killed process has left the pipes of a debugger only if they were enabled."""
    assert run.returncode == -9, str(run)
    (folder,) = tmp_path.iterdir()
    assert any(path.name.startswith("clr-debug-pipe") for path in folder.iterdir()) == (diagnostics == "1")
    if diagnostics is None:
        assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the pipes are files")
@pytest.mark.parametrize("diagnostics", [None, "1"])
@pytest.mark.subprocess(env={"DOTNET_EnableDiagnostics": None}, check=check_pipes)
def test_a_killed_process_leaves_pipes_only_for_a_debugger(tmp_path: Path, diagnostics: str | None) -> None:
    """With pipes in a folder whose name has a ``%``, .NET would end the process at once."""
    folder = tmp_path / ("a%41b" if diagnostics is None else "a")
    folder.mkdir()
    os.environ["TMPDIR"] = str(folder)
    if diagnostics is not None:
        os.environ["DOTNET_EnableDiagnostics"] = diagnostics  # noqa: SIM112  # the name is .NET's
    clr.start()
    reached()
    os.kill(os.getpid(), signal.SIGKILL)
