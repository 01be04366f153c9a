"""Start .NET in this process, once, from any thread."""

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
from bridge.clr.call.exports import FORK_ADVICE, Exports
from bridge.clr.errors import StartError, file_limit_advice
from bridge.clr.find.assemblies import folder
from bridge.clr.find.installation import DotNet, find_dotnet, without_diagnostics
from bridge.clr.leave import forks, shutdown
from bridge.clr.start import allocator


@dataclass(frozen=True, slots=True)
class DotNetRuntime:
    """The .NET of this process: its exports, its installation (None if other code started it), our assemblies, and the version."""

    exports: Exports
    dotnet: DotNet | None
    assemblies: Path
    version: str


#: Any .NET from 8 on, without ICU and background collections. By default the size of generation 0 depends on the L3 cache, and a process
#: grows by 75 MB.
_CONFIGURATION: Final = Path(__file__).with_name("runtimeconfig.json")
#: The number of files that .NET keeps open for a small model: each assembly twice.
_FILES: Final = 72

_lock = threading.Lock()
_runtime: DotNetRuntime | None = None
#: The error of each later start once the runtime failed to initialize: it cannot be initialized a second time.
_refusal: StartError | None = None
#: The values of environment variables before the start changed them, while it runs.
_previous_values: dict[str, str | None] = {}
# Python's garbage collector was enabled before the start in progress.
_collector_was_enabled = False


def started() -> DotNetRuntime | None:
    """Return the .NET of this process if it has started."""
    return _runtime


def start() -> DotNetRuntime:
    """Start .NET, bind the libtorch that torch has loaded, and return the runtime; later calls return the same object.

    Raises DotNetNotFound, AssembliesNotFound or StartError; the message says what is wrong and what to do. Once that is
    corrected the next call tries again, unless .NET's runtime itself failed to initialize: then each later call raises StartError.
    Ctrl-C raises KeyboardInterrupt at once; the start finishes in the background, and the next call returns its result.
    """
    if _runtime is not None:
        return _runtime
    # Python runs signal handlers on the main thread only, so on another thread no exception can interrupt the start, unwind the frames of
    # .NET's loader and leave a runtime that is half initialized.
    errors: list[BaseException] = []
    thread = threading.Thread(target=_start_once, args=(errors,), name="bridge-start")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    runtime = started()
    assert runtime is not None
    return runtime


def _start_once(errors: list[BaseException]) -> None:
    """Start .NET unless another thread has; an exception is appended to ``errors``."""
    global _runtime
    try:
        with _lock:
            if _runtime is None:
                if _refusal is not None:
                    raise StartError(str(_refusal)) from _refusal.__cause__
                with _without_collector():
                    _runtime = _start()
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
    dotnet = _load_runtime()
    exports = Exports(_addresses(assemblies))
    _bind(exports, Path(torch.__file__).parent / "lib")
    shutdown.remove_pythonnet_handler(exports)
    forks.disable_children(exports)
    shutdown.stop_threads_at_exit(exports)
    allocator.keep_freed_memory()
    return DotNetRuntime(exports, dotnet, assemblies, exports.version())


def _load_runtime() -> DotNet | None:
    global _refusal
    import pythonnet

    running = pythonnet.get_runtime_info()
    if running is not None:
        if running.kind != "CoreCLR":
            raise StartError(
                f"This process already runs {running.kind}, and a process can host only one .NET. "
                "Call bridge.load before pythonnet.load, or load 'coreclr'."
            )
        # pythonnet's exit handler would wait for .NET's finalizers.
        shutdown.unregister_unload()
        shutdown.restore_sigterm()
        return None
    import clr_loader

    dotnet = find_dotnet()
    _check_files()
    with (
        shutdown.preserve_signal_handlers(),
        # Without W^X, compiled code is in private memory. With it, a forked child shares that memory with its parent, and pythonnet's
        # objects, whose deallocators are managed code, crash the child when it ends.
        _environment(
            DOTNET_ROOT=str(dotnet.root),
            DOTNET_GCgen0size="0x400000",
            DOTNET_EnableWriteXorExecute="0",
            **without_diagnostics(os.environ),
        ),
    ):
        try:
            # This loads hostfxr only: if it fails, another installation may be tried.
            runtime = clr_loader.get_coreclr(runtime_config=str(_CONFIGURATION), dotnet_root=dotnet.root)
        except Exception as error:
            raise _start_error(dotnet, error) from error
        try:
            pythonnet.load(runtime)
        except Exception as error:
            failure = _start_error(dotnet, error)
            _refusal = StartError(
                f"{failure} (.NET failed to start earlier in this process and cannot be started again)"
            )
            _refusal.__cause__ = failure
            raise failure from error
    shutdown.unregister_unload()
    shutdown.close_at_exit(runtime)
    return dotnet


def _check_files() -> None:
    """Raise StartError where the limit of open files is so low that .NET would report one of its own files as missing."""
    try:
        opened = len([*Path("/dev/fd").iterdir()])
    except OSError:
        return
    if advice := file_limit_advice(".NET", opened + _FILES):
        raise StartError(f"{advice} {opened} are open already.")


def _start_error(dotnet: DotNet, error: Exception) -> StartError:
    return StartError(
        f".NET at {dotnet.root} (found by {dotnet.source}) could not be started: {error}. Run `python -m bridge doctor` for details."
    )


def _reset_in_child() -> None:
    """Reset the state in a child that was forked while another thread started .NET.

    In the child that thread does not exist, its lock is never released, and its changes were not undone.
    """
    global _lock, _refusal
    if _lock.locked():
        _lock = threading.Lock()
        _refusal = StartError(
            f"This process was forked while .NET was starting, and .NET cannot be used in the child. {FORK_ADVICE}"
        )
        shutdown.unregister_unload()
        _restore_environment()
        _enable_collector()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


def _addresses(assemblies: Path):  # type: ignore[no-untyped-def]  # .NET's objects are untyped
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
    """Return the path of the libtorch_cpu that ``import torch`` has loaded. Raises StartError if it is not in torch's folder."""
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
    """Set variables that hostfxr reads while it starts, and restore them, so that child processes do not inherit them."""
    _previous_values.update(
        {name: os.environ.get(name) for name in values if name == "DOTNET_ROOT" or name not in os.environ}
    )
    os.environ.update({name: values[name] for name in _previous_values})
    try:
        yield
    finally:
        _restore_environment()


@contextmanager
def _without_collector() -> Iterator[None]:
    """Disable Python's garbage collector in the block.

    The parser of clr_loader's C declarations creates so many objects that a collection would visit all of PyTorch's (75 ms).
    """
    global _collector_was_enabled
    _collector_was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _enable_collector()


def _enable_collector() -> None:
    global _collector_was_enabled
    if _collector_was_enabled:
        gc.enable()
    _collector_was_enabled = False


def _restore_environment() -> None:
    for name, value in _previous_values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _previous_values.clear()
