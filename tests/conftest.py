"""Settings and small fixtures of all tests; the plugins in ``tests/support`` have the rest."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import csharp_compiler

pytest_plugins = [
    f"tests.support.{name}"
    for name in (
        "schedule",
        "summary",
        "hangs",
        "machine",
        "sdk",
        "torchsharp",
        "runtime",
        "fork_server",
        "subprocess_marker",
        "browser",
    )
]

ROOT = Path(__file__).resolve().parents[1]
# Projects that tests build stay out of the user's cache.
os.environ.setdefault("BRIDGE_CACHE", str(csharp_compiler.CACHE / "projects"))
# Without compiled files, each of some 300 processes would compile the package, and pytest its tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """Exclude the objects of PyTorch and of earlier test files from garbage collections, which they would slow down."""
    importlib.import_module("torch._dynamo")  # has many of them, and most workers import it at some time
    gc.collect()
    gc.freeze()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Limit PyTorch to one thread: several may sum in another order, and results are compared bitwise."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget which warnings of models were given: each is given once in a process, and another test may have loaded the model."""
    from bridge.mirror import loading

    monkeypatch.setattr(loading, "_warned", set())


@pytest.fixture
def broken_root(tmp_path: Path) -> Path:
    """Make the folders of a .NET installation whose hostfxr is no library."""
    root = tmp_path / "dotnet"
    framework = root / "shared" / "Microsoft.NETCore.App" / "8.0.0"
    framework.mkdir(parents=True)
    (framework / "System.Private.CoreLib.dll").write_bytes(b"not an assembly")
    fxr = root / "host" / "fxr" / "8.0.0"
    fxr.mkdir(parents=True)
    (fxr / "libhostfxr.so").write_bytes(b"not a library")
    return root


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a PYTHONPATH on which the package has the metadata of an installed one, entry points included."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "torchsharp_bridge-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torchsharp-bridge\nVersion: 0.1\n", encoding="utf-8")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in points.items())
        for group, points in groups.items()
    ]
    (info / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    return os.pathsep.join([str(folder), str(ROOT), str(ROOT / "hook-contract")])


@pytest.fixture(scope="session")
def live_counts() -> Callable[[], dict[str, int]]:
    """Return a function that counts C#'s living objects by kind, after both collectors have freed what other tests left.

    An object that one collector frees may hold one of the other's: it ends when a whole round frees nothing.
    """

    def count() -> dict[str, int]:
        from bridge.clr import start

        exports = start().exports
        from System import GC

        found: dict[str, int] = {}
        while True:
            gc.collect()
            GC.Collect()
            GC.WaitForPendingFinalizers()
            last, found = found, exports.live_counts()
            if found == last:
                return found

    return count


@pytest.fixture(scope="session")
def function_mode() -> Callable[[], Any]:
    """Return a TorchFunctionMode that records the ``names`` of the functions that run in it."""
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    return Mode
