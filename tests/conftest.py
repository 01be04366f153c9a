"""Fixtures for every test: a process of its own for a snippet, what the machine must provide, C# compiled on the fly."""

from __future__ import annotations

import faulthandler
import functools
import gc
import hashlib
import importlib.util
import os
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import csharp_compiler
import pytest

from bridge.clr.find import assemblies, installation

ROOT = Path(__file__).resolve().parents[1]
# What bridge builds of the tests' projects: not in the cache of whoever runs them.
os.environ.setdefault("BRIDGE_CACHE", str(csharp_compiler.CACHE / "projects"))
# Where Python is told not to write what it has compiled, each of some 300 processes would compile the package anew, and pytest its tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
#: Seconds after which a process of a test counts as hanging, before pytest's own ``timeout`` would. No other bound of time is in the
#: tests: a machine that is busy with other things makes none of them fail.
HANG = 600.0

#: A process that forks itself where ``python`` is run (forked_python.py).
_FORKS = "import sys; sys.path.insert(0, {tests!r}); import forked_python; exec('del forked_python;' + forked_python.serve({folder!r}))"

#: The files that take longest, the longest first: workers begin with them, so that none is left for one worker at the end.
LONGEST = (
    "test_docs.py",
    "torchsharp/test_operators.py",
    "clr/build/test_projects.py",
    "interop/test_exit.py",
    "interop/test_start.py",
    "torchsharp/test_scalars.py",
    "clr/build/test_manifest.py",
    "torchsharp/process/test_remote_module.py",
    "conformance/test_fuzzer.py",
    "interop/test_collection.py",
    "commands/test_interrupt.py",
    "tools/mutation/test_lying.py",
    "commands/test_watch.py",
    "commands/test_port.py",
    "clr/build/test_recompiler.py",
    "test_doctor.py",
    "torchsharp/process/test_endurance.py",
    "torchsharp/test_attributes.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, since xdist deals files out in this order; skip the tests marked sdk where there is none."""
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
    marked = [item for item in items if item.get_closest_marker("sdk") is not None]
    if marked and isinstance(found := _find_sdk(), str):
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=f"needs the .NET SDK: {found}"))


#: The standard error of this process itself, not what pytest captures: a copy of its descriptor.
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    # A background shell hands SIGINT down ignored, nohup SIGHUP, and what tests start must see them as a user's process does. Not by a
    # preexec_fn, whose Python may wait for ever, beside .NET's threads, for a lock that one of them held at the fork.
    for name, handler in (
        ("SIGINT", signal.default_int_handler),
        ("SIGHUP", signal.SIG_DFL),
        ("SIGTERM", signal.SIG_DFL),
    ):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
            signal.signal(getattr(signal, name), handler)
    config.stash[_stderr] = os.dup(2)


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(config.stash[_stderr])


def _whole(config: pytest.Config) -> bool:
    """Return whether all tests run but those marked slow."""
    asked: bool = getattr(config, "workerinput", {}).get("whole", config.args_source is config.ArgsSource.TESTPATHS)
    return asked and not config.option.keyword and config.option.markexpr == "not slow"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell xdist's workers, which collect what they are given, whether that is all."""
    node.workerinput["whole"] = _whole(node.config)


@pytest.fixture(scope="session")
def all_tests(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """Every test but those marked slow; skips where not all are collected."""
    if not _whole(request.config):
        pytest.skip("only some of the tests are run")
    return request.session.items


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Of a run of all tests, print the seconds, the files that took longest, and the ids: they are the same with an SDK and without."""
    if not _whole(config):
        return
    reports = [report for kind in terminalreporter.stats.values() for report in kind if hasattr(report, "duration")]
    files = Counter[str]()
    for report in reports:
        files[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("seconds by file")
    terminalreporter.write_line(f"{sum(files.values()):7.1f} all {len(files)} files")
    for file, seconds in files.most_common(10):
        terminalreporter.write_line(f"{seconds:7.1f} {file}")
    ids = sorted({report.nodeid for report in reports})
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]
    terminalreporter.write_line(f"test ids: {len(ids)}, digest {digest}")


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
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield folder / "python"


@pytest.fixture(scope="session")
def forked(in_process: Callable[..., Run], python: Path) -> Callable[..., Run]:
    """``forked(code, timeout=HANG, env=None)``: as ``in_process``, by ``python``."""
    return functools.partial(in_process, python=str(python))


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
def dotnet() -> installation.DotNet:
    """The .NET that the package finds; skips where there is none."""
    try:
        return installation.find_dotnet()
    except installation.DotNetNotFound as error:
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


@functools.cache
def _find_sdk() -> Any:
    """Return the SDK (tools/sdk.py: ``Sdk``), or the reason where none fits global.json."""
    module = _from_file("_tools_sdk", ROOT / "tools" / "sdk.py")
    try:
        return module.Sdk()
    except module.NoSdk as error:
        return str(error)


@pytest.fixture(scope="session")
def sdk() -> Any:
    """The SDK (``command``, ``environ``, ``version``, ``run``), for tests that are marked so: the others run without one, too."""
    found = _find_sdk()
    if isinstance(found, str):
        pytest.fail(f"this test needs an SDK and is not marked sdk: {found}", pytrace=False)
    return found


@pytest.fixture(scope="session")
def build_csharp() -> Callable[..., Path]:
    """``build_csharp({"Model.cs": source}, name, against=(), symbols=False, strict=False)``: compiles against Bridge.Torch, or those dlls.

    Gives the path of the dll; with ``symbols`` the lines of the sources lie beside it. With ``strict`` warnings are errors.

    The same sources are compiled once for the same assemblies, whichever process or run of the tests asks. Compiler errors fail the test
    with the compiler's text. Without an SDK it gives what ``make refresh`` compiled from these sources, and fails where that is not there.
    """

    def build(
        sources: Mapping[str, str],
        name: str,
        against: Sequence[Path] = (),
        symbols: bool = False,
        strict: bool = False,
    ) -> Path:
        folder, _ = assemblies.folder()
        libraries = against or (folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll")
        wanted = csharp_compiler.Compilation(name, sources, libraries, symbols, strict)
        try:
            found = _find_sdk()
            return (
                csharp_compiler.stored(wanted)
                if isinstance(found, str)
                else csharp_compiler.compile_sources(found, wanted)
            )
        except (csharp_compiler.CompileError, csharp_compiler.NotCompiled) as error:
            pytest.fail(str(error), pytrace=False)

    return build


@pytest.fixture(scope="session")
def reference() -> Path:
    """An assembly named TorchSharp that has the signatures of TorchSharp 0.107 and no code: what users' assemblies are compiled against."""
    if isinstance(found := _find_sdk(), str):
        return csharp_compiler.STORE / "TorchSharp.Reference" / "TorchSharp.dll"
    return csharp_compiler.torchsharp_signatures(found)


@pytest.fixture(scope="session")
def torchsharp() -> Path:
    """Return TorchSharp's own assembly, with its libraries below it, in the folder of an xunit project: an app's folder as any.

    The SDK restores it, so without one this skips; with one, that it is not there is a failure.
    """
    library = ROOT / "dotnet" / "artifacts" / "bin" / "Bridge.TorchSharp.Tests" / "release" / "TorchSharp.dll"
    if not isinstance(found := _find_sdk(), str):
        if not library.is_file():
            pytest.fail("there is no TorchSharp, though there is an SDK: `make setup` restores it", pytrace=False)
    elif not library.is_file():
        pytest.skip(f"needs TorchSharp itself, which an SDK restores: {found}")
    return library


@pytest.fixture(scope="session")
def nuget_cache() -> Path:
    """Return the user's cache of NuGet's packages, which tests restore from and add nothing to."""
    return Path(os.environ.get("NUGET_PACKAGES", "").strip() or Path.home() / ".nuget" / "packages")


@pytest.fixture(scope="session")
def recorder(torchsharp: Path) -> tuple[Path, ...]:
    """Return what a traced program on TorchSharp refers to: TorchSharp, Bridge.TorchSharp, Bridge.Hooks."""
    folder, _ = assemblies.folder()
    return torchsharp, folder / "Bridge.TorchSharp.dll", folder / "Bridge.Hooks.dll"


@pytest.fixture(scope="session")
def bridge_torch() -> tuple[Path, ...]:
    """What a program on Bridge.Torch has beside it."""
    folder, _ = assemblies.folder()
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
    """The markers cuda and dotnet: skip where the machine lacks it, and say so."""
    if request.node.get_closest_marker("cuda") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs a CUDA device: torch.cuda.is_available() is false")
    if request.node.get_closest_marker("dotnet") is not None:
        request.getfixturevalue("dotnet")


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
