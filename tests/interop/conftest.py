"""Fixtures for the traps of hosting .NET: each test runs its snippet in a process of its own.

A snippet begins with :data:`PRELUDE`. It says ``reached()`` after its last check, so that a process that ends early, with whatever
code, passes nothing; ``leaving()`` is the same where it is the exit that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

PRELUDE = """
import atexit, ctypes, gc, os, signal, sys, threading, time
import torch
import bridge
from bridge.clr import assemblies, started

torch.set_num_threads(1)
X = torch.linspace(0, 1, 3 * 24 * 24).reshape(1, 3, 24, 24)
MODELS, EXTRA = {models!r}, {extra!r}

def reached():
    print("reached", flush=True)

leaving = reached

def pnet():
    torch.manual_seed(0)
    return bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet").eval()

def load(name, *args):
    return bridge.load(MODELS, "Models." + name, *args)

def extra(name, *args):
    return bridge.load(EXTRA, "Extra." + name, *args)

def collect():
    "Both collectors; what .NET's finalizers enqueued is freed."
    gc.collect()
    from System import GC
    GC.Collect()
    GC.WaitForPendingFinalizers()
    gc.collect()

def live():
    "(tensors' handles, mirrored modules, C# hooks in Python's dictionaries) that .NET holds."
    counts = (ctypes.c_int64 * 3)()
    started().exports.live(counts)
    return tuple(counts)

def resident():
    "Resident memory in MiB."
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

def prepare_pythonnet():
    "What a user of pythonnet sets before loading it: where .NET is, and which."
    import json, tempfile
    from bridge.clr import locate
    found = locate.find_dotnet()
    framework = dict(name="Microsoft.NETCore.App", version=found.runtimes[-1])
    invariant = dict([("System.Globalization.Invariant", True)])
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(dict(runtimeOptions=dict(tfm="net8.0", framework=framework, configProperties=invariant)), file)
    os.environ["DOTNET_ROOT"] = os.environ["PYTHONNET_CORECLR_DOTNET_ROOT"] = str(found.root)
    os.environ["PYTHONNET_CORECLR_RUNTIME_CONFIG"] = file.name
    atexit.register(os.unlink, file.name)

def raised(call):
    "The exception that a call raises."
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")
"""


@pytest.fixture(scope="session")
def models(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of the C# files in tests/mirror; skips where there is no SDK."""
    files = sorted((Path(__file__).parents[1] / "mirror").glob("*.cs"))
    return build_csharp({file.name: file.read_text(encoding="utf-8") for file in files}, "Models")


@pytest.fixture(scope="session")
def extra(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of Extra.cs; skips where there is no SDK."""
    return build_csharp({"Extra.cs": Path(__file__).with_name("Extra.cs").read_text(encoding="utf-8")}, "Extra")


@pytest.fixture
def snippet(request: pytest.FixtureRequest, in_process: Callable[..., Any], dotnet: object) -> Callable[..., Any]:
    """``snippet(code, returncode=0, timeout=None, env=None)``: runs code after the prelude; gives the Run.

    Fails unless the snippet said ``reached()`` and the process ended by itself with ``returncode``. Code that uses ``load`` or ``extra``
    has the C# of Models.cs and Extra.cs compiled for it.
    """

    def run(
        code: str, returncode: int = 0, timeout: float | None = None, env: Mapping[str, str | None] | None = None
    ) -> Any:
        needs = {name: f"{name}(" in code for name in ("load", "extra")}
        prelude = PRELUDE.format(
            models=str(request.getfixturevalue("models")) if needs["load"] else "",
            extra=str(request.getfixturevalue("extra")) if needs["extra"] else "",
        )
        done = in_process(prelude + dedent(code), env=env, **({} if timeout is None else {"timeout": timeout}))
        said = f"\nstdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-6000:]}"
        assert not done.timed_out, "it hangs" + said
        assert done.returncode == returncode, f"it ended with {done.returncode}, not {returncode}" + said
        assert "reached" in done.stdout.splitlines(), "it ended before its last line" + said
        return done

    return run
