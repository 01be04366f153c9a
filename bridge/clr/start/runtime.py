"""Starts .NET in this process, once, from any thread."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.version import Version

from bridge.clr.call import boundary
from bridge.clr.call.exports import UNFORKED, Exports
from bridge.clr.errors import StartError, few_files
from bridge.clr.find.assemblies import folder
from bridge.clr.find.installation import DotNet, find_dotnet, without_diagnostics
from bridge.clr.leave import forks, shutdown
from bridge.clr.start import allocator


@dataclass(frozen=True, slots=True)
class DotNetRuntime:
    """The .NET of this process: its exports, where it came from and where our assemblies came from."""

    exports: Exports
    dotnet: DotNet | None
    assemblies: Path
    version: str


#: Any .NET from 8 on, no ICU, no background collector. The budget of the first generation follows the L3 cache otherwise, and grows a
#: process by 75 MB.
_CONFIGURATION: Final = Path(__file__).with_name("runtimeconfig.json")
#: Files that .NET opens for a small model: each assembly twice, and keeps them open.
_FILES: Final = 72

_lock = threading.Lock()
_host: DotNetRuntime | None = None
#: What each later call raises once the runtime itself failed to initialize, for it cannot be initialized a second time.
_refusal: StartError | None = None
#: What environment variables were before the start changed them, while it runs.
_replaced: dict[str, str | None] = {}
# Python collected garbage before the start that is under way.
_collects = False


def started() -> DotNetRuntime | None:
    """The host if .NET runs in this process already."""
    return _host


def start() -> DotNetRuntime:
    """Starts .NET, binds the libtorch that torch has loaded, and returns the host; later calls return the same one.

    Raises DotNetNotFound, AssembliesNotFound or StartError with one message that says what is wrong and what to do. Once that is
    corrected the next call tries again, unless .NET's runtime itself failed to initialize: then each later call raises StartError.
    Ctrl-C raises KeyboardInterrupt at once; the start finishes in the background, and the next call gives its result.
    """
    if _host is not None:
        return _host
    # Python runs signal handlers on the main thread only. On another thread nothing can raise in the middle of the start, where an
    # exception would unwind the frames of .NET's loader and leave a runtime that is half initialized.
    errors: list[BaseException] = []
    thread = threading.Thread(target=_start_once, args=(errors,), name="bridge-start")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    host = started()
    assert host is not None
    return host


def _start_once(errors: list[BaseException]) -> None:
    """Starts .NET unless another thread has; what it raises goes to ``errors``."""
    global _host
    try:
        with _lock:
            if _host is None:
                if _refusal is not None:
                    raise StartError(str(_refusal)) from _refusal.__cause__
                with _without_collections():
                    _host = _start()
    except BaseException as error:
        errors.append(error)


def _start() -> DotNetRuntime:
    import torch

    if Version(torch.__version__) < Version("2.10.dev0"):
        raise StartError(
            f"torch {torch.__version__} is too old: its C functions came with 2.10. For the build without CUDA: "
            "python -m pip install -U 'torch>=2.10' --index-url https://download.pytorch.org/whl/cpu"
        )
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise StartError("Free-threaded Python is not supported yet; use the default build of this version.")
    assemblies, _ = folder()
    dotnet = _host_runtime()
    exports = Exports(_addresses(assemblies))
    _bind(exports, Path(torch.__file__).parent / "lib")
    shutdown.settle_pythonnet(exports)
    forks.guard(exports)
    shutdown.stop_threads(exports)
    allocator.keep_freed_memory()
    return DotNetRuntime(exports, dotnet, assemblies, exports.version())


def _host_runtime() -> DotNet | None:
    global _refusal
    import pythonnet

    running = pythonnet.get_runtime_info()
    if running is not None:
        if running.kind != "CoreCLR":
            raise StartError(
                f"This process already runs {running.kind}, and a process can host only one .NET. "
                "Call bridge.load before pythonnet.load, or load 'coreclr'."
            )
        # Its exit handler would wait for .NET's finalizers just the same.
        shutdown.not_at_exit()
        shutdown.default_sigterm()
        return None
    import clr_loader

    dotnet = find_dotnet()
    _check_files()
    with (
        shutdown.signals_kept(),
        # Without W^X the code that .NET compiles is in private memory. With it a forked child shares that memory with its parent, and
        # pythonnet's objects, whose deallocators are managed code, crash the child when it ends.
        _environment(
            DOTNET_ROOT=str(dotnet.root),
            DOTNET_GCgen0size="0x400000",
            DOTNET_EnableWriteXorExecute="0",
            **without_diagnostics(os.environ),
        ),
    ):
        try:
            # hostfxr alone: if this fails, no runtime was loaded and another installation may be tried.
            runtime = clr_loader.get_coreclr(runtime_config=str(_CONFIGURATION), dotnet_root=dotnet.root)
        except Exception as error:
            raise _not_started(dotnet, error) from error
        try:
            pythonnet.load(runtime)
        except Exception as error:
            failure = _not_started(dotnet, error)
            _refusal = StartError(
                f"{failure} (.NET failed to start earlier in this process and cannot be started again)"
            )
            _refusal.__cause__ = failure
            raise failure from error
    shutdown.not_at_exit()
    shutdown.closed_at_exit(runtime)
    return dotnet


def _check_files() -> None:
    """Raises StartError where so few files may be open that .NET would say of one of its own that it is not there."""
    try:
        opened = len([*Path("/dev/fd").iterdir()])
    except OSError:
        return
    if words := few_files(".NET", opened + _FILES):
        raise StartError(f"{words} {opened} are open already.")


def _not_started(dotnet: DotNet, error: Exception) -> StartError:
    return StartError(
        f".NET at {dotnet.root} (found by {dotnet.source}) could not be started: {error}. Run `python -m bridge doctor` for details."
    )


def _forked() -> None:
    """In a child that was forked while another thread started .NET: that thread is gone, its lock is held forever, and its changes stay."""
    global _lock, _refusal
    if _lock.locked():
        _lock = threading.Lock()
        _refusal = StartError(
            f"This process was forked while .NET was starting, and .NET cannot be used in the child. {UNFORKED}"
        )
        shutdown.not_at_exit()
        _restore_environment()
        _collect_again()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _addresses(assemblies: Path):  # type: ignore[no-untyped-def]  # what .NET gives has no type
    import clr

    for name in ("Bridge.Hooks.dll", "Bridge.Torch.dll", "Bridge.Interop.dll"):
        clr.AddReference(str(assemblies / name))
    from Bridge.Interop import Exports as Surface

    if str(Surface.Digest) != boundary.digest():
        raise StartError(
            f"The assemblies in {assemblies} and this Python package are of different versions: "
            "run `make refresh` in a checkout, or reinstall the package."
        )
    return Surface.Address


def _bind(exports: Exports, library_folder: Path) -> None:
    from bridge.clr.start import capi, scalar_operators, schemas

    exports.set(capi.numbers())
    exports.give(capi.objects())
    scalar_operators.keep_error = exports.keep_error
    scalar_operators.run_operator = exports.run_operator
    operators = exports.bind_torch(str(libtorch(library_folder))).splitlines()
    exports.read_schemas(schemas.text([*operators, *scalar_operators.define(operators)]))


def libtorch(library_folder: Path) -> Path:
    """The libtorch_cpu that ``import torch`` has loaded. Raises StartError if it is not in torch's folder."""
    for name in ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll"):
        if (library_folder / name).exists():
            return library_folder / name
    try:
        for line in os.fsdecode(Path("/proc/self/maps").read_bytes()).splitlines():
            if "libtorch_cpu" in line:
                return Path(line.split(maxsplit=5)[5])
    except OSError:
        pass
    raise StartError(f"No libtorch_cpu was found in {library_folder} nor among the loaded libraries.")


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Variables that hostfxr reads while it starts; a child process inherits none of them."""
    _replaced.update({name: os.environ.get(name) for name in values if name == "DOTNET_ROOT" or name not in os.environ})
    os.environ.update({name: values[name] for name in _replaced})
    try:
        yield
    finally:
        _restore_environment()


@contextmanager
def _without_collections() -> Iterator[None]:
    """The parser of clr_loader's C declarations makes so many objects that Python would visit all of PyTorch's (75 ms) for nothing."""
    global _collects
    _collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _collect_again()


def _collect_again() -> None:
    global _collects
    if _collects:
        gc.enable()
    _collects = False


def _restore_environment() -> None:
    for name, value in _replaced.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _replaced.clear()
