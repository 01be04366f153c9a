"""Snippets of test_start.py."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from attack.pythonnet_user import prepare_pythonnet
from copies import loaded
from process import X, pnet, raised, reached

import bridge
from bridge import clr
from bridge.clr import DotNetNotFound, started
from bridge.clr.find import assemblies, installation
from bridge.clr.start import capi

#: What shall live as long as the process.
held: list[Any] = []


def once() -> None:
    """There is one copy of each of our assemblies, of .NET's runtime and of libtorch."""
    for name in ("Bridge.Hooks", "Bridge.Torch", "Bridge.Interop"):
        assert loaded(name) == 1, (name, loaded(name))
    if sys.platform == "linux":
        lines = Path("/proc/self/maps").read_text().splitlines()
        files = {Path(line.split(maxsplit=5)[5].strip()) for line in lines if "/" in line}
        for library in ("libcoreclr.so", "libtorch_cpu.so", "libc10.so"):
            assert sum(file.name == library for file in files) == 1, (library, files)


def from_a_thread_that_ends() -> None:
    models: list[Any] = []
    thread = threading.Thread(target=lambda: models.append(pnet()))
    thread.start()
    thread.join()
    seen: list[int] = []
    models[0].conv1.register_forward_hook(lambda *_: seen.append(1))
    assert models[0](X)[0].shape == (1, 2, 7, 7)
    assert seen == [1]
    once()


def collections_go_on() -> None:
    assert gc.isenabled()
    pnet()
    assert gc.isenabled()


def collections_stay_off() -> None:
    gc.disable()
    pnet()
    assert not gc.isenabled()


def from_eight_threads() -> None:
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
    once()


def beside_the_users_pythonnet(way: str) -> None:
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
    once()
    held.extend((mine, model, results))
    reached()
    sys.exit(3)


def forks_beside(way: str) -> None:
    """The first fork warns where .NET shares compiled code with its children, and only there."""
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
    (one,) = found
    assert "DOTNET_EnableWriteXorExecute=0" in str(one.message), one.message
    assert "spawn" in str(one.message), one.message
    assert Path(one.filename) == Path(__file__), one


def users_objects() -> None:
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
    once()
    held.extend((model, table, action, double))


def environment(root: str | None) -> None:
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


def no_runtime() -> None:
    errors = []
    for _ in range(2):
        error = raised(lambda: bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet"))
        assert isinstance(error, DotNetNotFound | bridge.StartError), error
        errors.append(str(error))
    for text in errors:
        for words in ("BRIDGE_DOTNET_ROOT is set to", "no-such-place", "unset it"):
            assert words in text, text
    assert errors[0] == errors[1]
    assert torch.ones(2).sum() == 2


def corrected(broken_root: str, folder: str) -> None:
    broken, empty, no_framework = Path(broken_root), Path(folder, "empty"), Path(folder, "no-framework")
    shutil.copytree(installation.find_dotnet().root / "host", no_framework / "host")
    framework = no_framework / "shared" / "Microsoft.NETCore.App" / "8.0.0"
    framework.mkdir(parents=True)
    (framework / "System.Private.CoreLib.dll").write_bytes(b"")
    empty.mkdir()
    for variable, value, kind, words in (
        ("BRIDGE_DOTNET_ROOT", empty / "gone", clr.DotNetNotFound, "no such folder"),
        ("BRIDGE_DOTNET_ROOT", broken, clr.StartError, f".NET at {broken} (found by BRIDGE_DOTNET_ROOT) could not be started"),
        ("BRIDGE_DOTNET_ROOT", no_framework, clr.StartError, f".NET at {no_framework} "),
        ("BRIDGE_ASSEMBLIES", empty, clr.AssembliesNotFound, "it lacks Bridge.Hooks.dll"),
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


def unknown_layout() -> None:
    """All that Python keeps is half a word away from where a field can be."""
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
