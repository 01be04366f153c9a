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

ONCE = """
def loaded(name):
    "How many assemblies of that name .NET has loaded."
    from System import AppDomain
    return [str(a.GetName().Name) for a in AppDomain.CurrentDomain.GetAssemblies()].count(name)
def once():
    for name in ("Bridge.Hooks", "Bridge.Torch", "Bridge.Interop"):
        assert loaded(name) == 1, (name, loaded(name))
    if sys.platform == "linux":
        with open("/proc/self/maps") as file:
            files = {line.split(maxsplit=5)[5].strip() for line in file if line.count("/")}
        for library in ("libcoreclr.so", "libtorch_cpu.so", "libc10.so"):
            assert sum(os.path.basename(file) == library for file in files) == 1, (library, files)
"""


def test_import_starts_nothing_and_costs_nothing(in_process: Callable[..., Any]) -> None:
    """Beyond torch it loads a dozen modules, all of them ours and small: no pythonnet, no runtime, no thread."""
    code = """
import sys
import torch
before = set(sys.modules)
import bridge
print(*sorted(set(sys.modules) - before))
assert not {"clr", "pythonnet", "clr_loader", "bridge.mirror"} & set(sys.modules)
if sys.platform == "linux":
    assert "coreclr" not in open("/proc/self/maps").read()
import threading
assert threading.active_count() == 1
"""
    done = in_process(code)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert {name.partition(".")[0] for name in loaded} == {"bridge"}
    assert len(loaded) < 30, loaded


def test_from_a_thread_that_ends(snippet: Callable[..., Any]) -> None:
    """6: the thread that started .NET is gone when others use it."""
    snippet(
        ONCE
        + """
models = []
thread = threading.Thread(target=lambda: models.append(pnet()))
thread.start()
thread.join()
seen = []
models[0].conv1.register_forward_hook(lambda *_: seen.append(1))
assert models[0](X)[0].shape == (1, 2, 7, 7) and seen == [1]
once()
leaving()
"""
    )


def test_from_eight_threads_at_once(snippet: Callable[..., Any]) -> None:
    """6: one runtime, one copy of each of our assemblies, one libtorch."""
    snippet(
        ONCE
        + """
barrier = threading.Barrier(8)
hosts, results = [], []
def work():
    barrier.wait()
    model = pnet()
    hosts.append(started())
    results.append(model(X)[0])
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(results) == 8 and len({id(host) for host in hosts}) == 1 and hosts[0] is not None
assert all(result.shape == (1, 2, 7, 7) for result in results)
once()
leaving()
"""
    )


@pytest.mark.parametrize("way", ["load", "import clr"])
def test_beside_a_pythonnet_that_the_user_loaded(snippet: Callable[..., Any], way: str) -> None:
    """2: its runtime is ours too; hooks work, and the process leaves promptly (1)."""
    load = 'pythonnet.load("coreclr")' if way == "load" else 'os.environ["PYTHONNET_RUNTIME"] = "coreclr"; import clr'
    done = snippet(
        ONCE
        + f"""
import pythonnet
prepare_pythonnet()
{load}
from System.Collections.Generic import List
mine = List[int]()
mine.Add(7)
model = pnet()
seen = []
model.conv1.register_forward_hook(lambda *_: seen.append(1))
held = [model(X.clone().requires_grad_()) for _ in range(20)]
assert len(seen) == 20 and mine[0] == 7
once()
sys.stdout.flush()
leaving()
sys.exit(3)
""",
        3,
    )
    assert done.stderr == ""


def test_pythonnet_works_beside_us(snippet: Callable[..., Any]) -> None:
    """2: the user imports .NET's namespaces after bridge.load; their objects may live to the end."""
    done = snippet(
        ONCE
        + """
model = pnet()
import clr
from System import Action, Func, Int32, String
from System.Collections.Generic import Dictionary
table = Dictionary[String, Int32]()
table["a"] = 1
called = []
action = Action(lambda: called.append(1))
action()
double = Func[Int32, Int32](lambda x: 2 * x)
assert (table["a"], called, double(4)) == (1, [1], 8)
model(X)
once()
leaving()
"""
    )
    assert done.stderr == ""


@pytest.mark.parametrize("before", [None, "elsewhere"])
def test_the_environment_is_left_alone(snippet: Callable[..., Any], before: str | None, tmp_path: Path) -> None:
    """2: hostfxr needs DOTNET_ROOT while it starts; afterwards neither this process nor its children see a change."""
    set_ = (
        f"os.environ['DOTNET_ROOT'] = {str(tmp_path / before)!r}" if before else "os.environ.pop('DOTNET_ROOT', None)"
    )
    snippet(
        f"""
        import subprocess
        {set_}
        os.environ.pop("DOTNET_GCgen0size", None)
        def inherited():
            code = "import os; print(sorted((n, v) for n, v in os.environ.items() if not n.startswith('_')))"
            return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        here, there = dict(os.environ), inherited()
        pnet()(X)
        assert dict(os.environ) == here
        assert inherited() == there
        leaving()
        """,
        env={"DOTNET_ROOT": None} if before is None else None,
    )


def test_no_runtime_is_one_message(in_process: Callable[..., Any], tmp_path: Path) -> None:
    """7: an exception of ours that names the place and the fix; tried again it says the same, and the process goes on."""
    done = in_process(
        """
import torch, bridge
from bridge.clr import DotNetNotFound, assemblies
errors = []
for _ in range(2):
    try:
        bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet")
    except (DotNetNotFound, bridge.StartError) as error:
        errors.append(str(error))
assert len(errors) == 2
for text in errors:
    assert "BRIDGE_DOTNET_ROOT is set to" in text and "no-such-place" in text and "unset it" in text, text
assert torch.ones(2).sum() == 2
print("reached")
""",
        env={"BRIDGE_DOTNET_ROOT": str(tmp_path / "no-such-place")},
    )
    assert (done.returncode, done.stdout) == (0, "reached\n"), done.stderr


def test_a_broken_root_ends_the_demo_without_a_traceback(tmp_path: Path) -> None:
    """The command says in its last lines what is wrong and what to do; its exit code is the documented 2."""
    done = subprocess.run(
        [sys.executable, "-m", "bridge", "demo", "--html", str(tmp_path / "demo.html")],
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


@pytest.fixture
def broken_root(tmp_path: Path) -> Path:
    """The folders of an installation whose hostfxr is no library."""
    root = tmp_path / "dotnet"
    framework = root / "shared" / "Microsoft.NETCore.App" / "8.0.0"
    framework.mkdir(parents=True)
    (framework / "System.Private.CoreLib.dll").write_bytes(b"not an assembly")
    fxr = root / "host" / "fxr" / "8.0.0"
    fxr.mkdir(parents=True)
    (fxr / "libhostfxr.so").write_bytes(b"not a library")
    return root


def test_a_failed_start_is_tried_again_once_it_is_corrected(
    snippet: Callable[..., Any], broken_root: Path, tmp_path: Path
) -> None:
    """7: no such folder, a broken hostfxr, a hostfxr that finds no framework, a folder without our assemblies: each is one message
    that comes again, and correcting the variable is enough."""
    snippet(
        f"""
        import shutil
        from pathlib import Path
        from bridge import clr
        from bridge.clr import locate
        broken, empty = Path({str(broken_root)!r}), Path({str(tmp_path / "empty")!r})
        no_framework = Path({str(tmp_path / "no-framework")!r})
        shutil.copytree(locate.find_dotnet().root / "host", no_framework / "host")
        (no_framework / "shared/Microsoft.NETCore.App/8.0.0").mkdir(parents=True)
        (no_framework / "shared/Microsoft.NETCore.App/8.0.0/System.Private.CoreLib.dll").write_bytes(b"")
        empty.mkdir()
        for variable, value, kind, words in (
            ("BRIDGE_DOTNET_ROOT", empty / "gone", clr.DotNetNotFound, "no such folder"),
            ("BRIDGE_DOTNET_ROOT", broken, clr.StartError, f".NET at {{broken}} (found by BRIDGE_DOTNET_ROOT) could not be started"),
            ("BRIDGE_DOTNET_ROOT", no_framework, clr.StartError, f".NET at {{no_framework}} "),
            ("BRIDGE_ASSEMBLIES", empty, clr.AssembliesNotFound, "it lacks Bridge.Hooks.dll"),
        ):
            before = os.environ.get(variable)
            os.environ[variable] = str(value)
            first, second = raised(clr.start), raised(clr.start)
            assert type(first) is kind and words in str(first), first
            assert type(second) is kind and str(second) == str(first), second
            os.environ.pop(variable)
            if before is not None:
                os.environ[variable] = before
        assert pnet()(X)[0].shape == (1, 2, 7, 7)
        reached()
        """
    )
