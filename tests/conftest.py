"""Fixtures for every test: a process of its own for a snippet, what the machine must provide, C# compiled on the fly."""

from __future__ import annotations

import faulthandler
import functools
import gc
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from filelock import FileLock

from bridge.clr import assemblies, locate

ROOT = Path(__file__).resolve().parents[1]
#: Where the C# of tests is compiled to, for every process of a run and for the next one. It is not tracked.
_COMPILED = ROOT / "dotnet" / "artifacts" / "tests"
# What bridge builds of the tests' projects: not in the cache of whoever runs them.
os.environ.setdefault("BRIDGE_CACHE", str(_COMPILED / "projects"))
# Where Python is told not to write what it has compiled, each of some 300 processes would compile the package anew, and pytest its tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
#: Seconds after which a process of a test counts as hanging, before pytest's own ``timeout`` would. No other bound of time is in the
#: tests: a machine that is busy with other things makes none of them fail.
HANG = 600.0

#: What tells which assemblies C# for .NET 8 is compiled against.
_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
</Project>
"""
#: What the SDK adds to a project's sources.
_ADDED = (
    "".join(
        f"global using global::System{name};\n"
        for name in ("", ".Collections.Generic", ".IO", ".Linq", ".Net.Http", ".Threading", ".Threading.Tasks")
    )
    + """[assembly: System.Runtime.Versioning.TargetFramework(".NETCoreApp,Version=v8.0")]
[assembly: System.Reflection.AssemblyVersion("1.0.0.0")]
"""
)
_OPTIONS = (
    "-nostdlib+",
    "-target:library",
    "-optimize+",
    "-debug-",
    "-deterministic+",
    "-langversion:latest",
    "-nullable:enable",
    "-nologo",
    "-warn:0",
)


#: A process that forks itself where ``python`` is run (forked_python.py).
_FORKS = "import sys; sys.path.insert(0, {tests!r}); import forked_python; exec('del forked_python;' + forked_python.serve({folder!r}))"

#: The files that take longest, the longest first: workers begin with them, so that none is left for one worker at the end.
LONGEST = (
    "test_docs.py",
    "torchsharp/test_operators.py",
    "commands/test_watch.py",
    "tools/diagnosis/test_lockstep.py",
    "clr/test_building.py",
    "interop/test_start.py",
    "conformance/test_fuzzing.py",
    "interop/test_collection.py",
    "interop/test_exit.py",
    "commands/test_port.py",
    "clr/test_recompiling.py",
    "tools/diagnosis/test_diagnosis.py",
    "test_doctor.py",
    "host/test_endurance.py",
    "torchsharp/test_attributes.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; xdist deals files out in this order."""
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


#: The standard error of this process itself, not what pytest captures: a copy of its descriptor.
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_stderr] = os.dup(2)


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(config.stash[_stderr])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that hangs in native code, where the signal of pytest's timeout reaches no handler, ends its process and says where it stood.

    To xdist that is a worker that crashed in that test: a failure, after which another worker goes on.
    """
    marker = item.get_closest_marker("timeout")
    seconds = float(marker.args[0] if marker else item.config.getini("timeout"))
    faulthandler.dump_traceback_later(seconds + 60, exit=True, file=item.config.stash[_stderr])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@dataclass(frozen=True, slots=True)
class Run:
    """How a snippet in a process of its own ended. ``returncode`` is minus the signal's number where one ended it."""

    returncode: int
    stdout: str
    stderr: str
    timed_out: bool = False


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """Collections of tests look through what the tests of their file made.

    PyTorch's own objects, and what other files have loaded and left, do not die either, and would take most of their time.
    """
    importlib.import_module("torch._dynamo")  # many of them, and most workers import it sooner or later
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def in_process() -> Callable[..., Run]:
    """``in_process(code, timeout=HANG, env=None)``: runs Python code in a process of its own, and asserts nothing.

    The interpreter is this one, the folder the checkout; ``env`` is laid over this environment (None unsets).
    A process that outlasts ``timeout`` seconds is killed with its children, and ``timed_out`` says so.
    """

    def run(
        code: str, timeout: float = HANG, env: Mapping[str, str | None] | None = None, python: str = sys.executable
    ) -> Run:
        merged = {**os.environ, **(env or {})}
        process = subprocess.Popen(
            [python, "-c", code],
            cwd=ROOT,
            env={name: value for name, value in merged.items() if value is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            # A background shell hands down SIGINT ignored, nohup SIGHUP, and a snippet must see them as a user's process does.
            preexec_fn=_default_signals,
        )
        timed_out = False
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            _kill(process)
            stdout, stderr = process.communicate()
        except BaseException:
            _kill(process)
            raise
        return Run(process.returncode, stdout, stderr, timed_out)

    return run


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """This ``python``, forked from a process that has imported PyTorch and nothing else: half of what a start costs is that import.

    Where the kernel is not Linux's, it is started.
    """
    if sys.platform != "linux":
        yield Path(sys.executable)
        return
    folder = tmp_path_factory.mktemp("python")
    with subprocess.Popen(
        [sys.executable, "-c", _FORKS.format(tests=str(Path(__file__).parent), folder=str(folder))],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_default_signals,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield folder / "python"


@pytest.fixture(scope="session")
def forked(in_process: Callable[..., Run], python: Path) -> Callable[..., Run]:
    """``forked(code, timeout=HANG, env=None)``: as ``in_process``, by ``python``."""
    return functools.partial(in_process, python=str(python))


def _default_signals() -> None:
    for name in ("SIGINT", "SIGHUP", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.fixture
def run_snippet(
    request: pytest.FixtureRequest, in_process: Callable[..., Run], forked: Callable[..., Run]
) -> Callable[..., Run]:
    """``run_snippet("screen", "bare", *args, timeout=HANG, env=None, new=False)``: runs a function of ``snippets/screen.py``.

    As ``forked`` does, unless it is about what a ``new`` process has loaded. The folder is beside the test's file, or beside a folder above
    it. Arguments are what ``repr`` writes so that it can be read again.
    """

    def run(module: str, function: str, *arguments: object, new: bool = False, **options: Any) -> Run:
        folders = [folder / "snippets" for folder in request.path.parents]
        folder = next(folder for folder in folders if (folder / f"{module}.py").is_file())
        code = f"import sys; sys.path.insert(0, {str(folder)!r}); import {module}; {module}.{function}(*{arguments!r})"
        return (in_process if new else forked)(code, **options)

    return run


@pytest.fixture(scope="session")
def dotnet() -> locate.DotNet:
    """The .NET that the package finds; skips where there is none."""
    try:
        return locate.find_dotnet()
    except locate.DotNetNotFound as error:
        pytest.skip(f"needs a .NET runtime: {str(error).partition('. Looked')[0]}")


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


@pytest.fixture(scope="session")
def tools() -> Callable[[str], ModuleType]:
    """``tools("sdk")``: a script of tools/ as a module, loaded from its file."""

    def load(name: str) -> ModuleType:
        return _from_file(f"_tools_{name}", ROOT / "tools" / f"{name}.py")

    return load


@pytest.fixture(scope="session")
def sdk(tools: Callable[[str], ModuleType]) -> object:
    """The SDK (tools/sdk.py: ``command``, ``environ``, ``version``, ``run``); skips where none fits global.json."""
    module = tools("sdk")
    try:
        return module.Sdk()
    except module.NoSdk as error:
        pytest.skip(f"needs the .NET SDK: {error}")


@pytest.fixture(scope="session")
def build_csharp(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """``build_csharp({"Model.cs": source}, name, against=(), symbols=False, strict=False)``: compiles against Bridge.Torch, or those dlls.

    Gives the path of the dll; with ``symbols`` the lines of the sources lie beside it. With ``strict`` warnings are errors.

    The same sources are compiled once for the same assemblies, whichever process or run of the tests asks. Compiler errors fail the test
    with the compiler's text. Skips where there is no SDK, at the call, so that the rest of a test that asks only sometimes still runs.
    """

    def build(
        sources: Mapping[str, str],
        name: str,
        against: Sequence[Path] = (),
        symbols: bool = False,
        strict: bool = False,
    ) -> Path:
        sdk = request.getfixturevalue("sdk")
        folder, _ = assemblies.folder()
        libraries = against or (folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll")
        read = [(str(path), path.read_bytes()) for path in libraries]
        options = (*(one for one in _OPTIONS if one not in (symbols and "-debug-", strict and "-warn:0")),)
        options += ("-debug:portable",) * symbols + ("-warn:9999", "-warnaserror+") * strict
        key = hashlib.sha256(repr((name, sorted(sources.items()), read, sdk.version, _ADDED, options)).encode())
        place = _COMPILED / f"{name}-{key.hexdigest()[:16]}"
        library = place / "out" / f"{name}.dll"
        _COMPILED.mkdir(parents=True, exist_ok=True)
        with FileLock(place.with_suffix(".lock")):
            if not library.is_file():
                _compile(sdk, place, sources, name, libraries, options)
        os.utime(place)
        return library

    return build


def _compile(
    sdk: Any,
    place: Path,
    sources: Mapping[str, str],
    name: str,
    libraries: Sequence[Path],
    options: Sequence[str],
) -> None:
    """Runs the compiler itself: a build of a project takes five times as long."""
    for old in sorted(_COMPILED.glob(f"{name}-*/"), key=lambda path: path.stat().st_mtime)[:-6]:
        shutil.rmtree(old, ignore_errors=True)
    compiler, *framework = _compiler(sdk)
    with tempfile.TemporaryDirectory() as made:
        there = Path(made)
        (there / "out").mkdir()
        for file, text in {**sources, "Added.g.cs": _ADDED}.items():
            (there / file).write_text(text, encoding="utf-8")
        references = [f'-reference:"{path}"' for path in (*framework, *libraries)]
        arguments = [*options, f"-out:out/{name}.dll", *references, *sources, "Added.g.cs"]
        (there / "arguments.rsp").write_text("\n".join(arguments), encoding="utf-8")
        done = subprocess.run(
            [sdk.command, "exec", compiler, "-noconfig", "@arguments.rsp"],
            cwd=there,
            env=sdk.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            pytest.fail(f"the C# of {name} does not compile:\n{done.stdout}\n{done.stderr}", pytrace=False)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        shutil.move(there / "out", place / "part")
        (place / "part").rename(place / "out")  # there completely, or not at all


def _compiler(sdk: Any) -> list[str]:
    """The SDK's compiler, and the assemblies of .NET 8 to compile against: asked for once, since restoring a project takes long."""
    known = _COMPILED / f"compiler-{sdk.version}.json"
    with FileLock(known.with_suffix(".lock")):
        if known.is_file():
            found: list[str] = json.loads(known.read_text(encoding="utf-8"))
            if all(Path(path).is_file() for path in found):
                return found
        with tempfile.TemporaryDirectory() as made:
            project = Path(made) / "Probe.csproj"
            project.write_text(_PROJECT, encoding="utf-8")
            target, item, folder = (
                "FindReferenceAssembliesForReferences",
                "ReferencePathWithRefAssemblies",
                "RoslynTargetsPath",
            )
            asked = [f"-t:{target}", f"-getItem:{item}", f"-getProperty:{folder}"]
            done = subprocess.run(
                [sdk.command, "msbuild", project, "-restore", "-nologo", *asked],
                cwd=made,
                env=sdk.environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode != 0:
            pytest.fail(f"the SDK restores no project for .NET 8:\n{done.stdout}\n{done.stderr}", pytrace=False)
        said = json.loads(done.stdout)
        compiler = Path(said["Properties"][folder]).resolve() / "bincore" / "csc.dll"
        found = [str(compiler), *(entry["FullPath"] for entry in said["Items"][item])]
        known.write_text(json.dumps(found), encoding="utf-8")
        return found


@pytest.fixture(scope="session")
def reference(sdk: Any) -> Path:
    """An assembly named TorchSharp that has the signatures of TorchSharp 0.107 and no code: what users' assemblies are compiled against."""
    program = ROOT / "dotnet" / "artifacts" / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
    listed = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
    key = hashlib.sha256(program.read_bytes() + listed.read_bytes()).hexdigest()[:16]
    place = _COMPILED / f"TorchSharp.Reference-{key}" / "TorchSharp.dll"
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place.parent.with_suffix(".lock")):
        if not place.is_file():
            subprocess.run([sdk.command, program, listed, place.with_suffix(".part")], env=sdk.environ, check=True)
            place.with_suffix(".part").rename(place)
    return place


@pytest.fixture(scope="session")
def stand_in(sdk: object) -> tuple[Path, ...]:
    """What a traced program on TorchSharp has beside it: the stand-in, which is named TorchSharp, Bridge.TorchSharp, Bridge.Hooks."""
    built = ROOT / "dotnet" / "artifacts" / "bin"
    ours = built / "Bridge.TorchSharp" / "release"
    names = ("Bridge.TorchSharp.dll", "Bridge.Hooks.dll")
    return (built / "TorchSharp.Shape" / "release" / "TorchSharp.dll", *(ours / name for name in names))


@pytest.fixture(scope="session")
def bridge_torch(sdk: object) -> tuple[Path, ...]:
    """What a program on Bridge.Torch has beside it."""
    folder = ROOT / "dotnet" / "artifacts" / "bin" / "Bridge.Torch" / "release"
    return folder / "Bridge.Torch.dll", folder / "Bridge.Hooks.dll"


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A headless Chromium (tests/browser.py); skips where there is none."""
    pytest.importorskip("fcntl", reason="the browser is driven over inherited descriptors, which Windows lacks")
    module = _from_file("_tests_browser", ROOT / "tests" / "browser.py")
    if module.CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the page is not opened")
    started = module.Browser(tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PYTHONPATH under which the package is installed, as far as others can tell: its metadata have the entry points."""
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
    return os.pathsep.join([str(folder), str(ROOT)])


@pytest.fixture(autouse=True)
def _needs(request: pytest.FixtureRequest) -> None:
    """The markers cuda, dotnet and sdk: skip where the machine lacks it, and say what."""
    if request.node.get_closest_marker("cuda") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs a CUDA device: torch.cuda.is_available() is false")
    for name in ("dotnet", "sdk"):
        if request.node.get_closest_marker(name) is not None:
            request.getfixturevalue(name)


@pytest.fixture(scope="session")
def function_mode() -> Callable[[], Any]:
    """Makes function modes that note the ``names`` of PyTorch's functions that run in them."""
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    return Mode


def _from_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def _kill(process: subprocess.Popen[str]) -> None:
    """Kills a process that leads a session of its own, and its children."""
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        process.kill()
