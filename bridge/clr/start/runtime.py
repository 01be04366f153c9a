"""The start of .NET in this process: once, from any thread."""

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
    """The .NET runtime of this process.

    Attributes:
        exports: The C# functions that Python calls.
        dotnet: The .NET installation; None if .NET ran already: other code started it, or an earlier call of ``start`` that failed later.
        assemblies: The folder of our assemblies.
        version: The version of .NET.
    """

    exports: Exports
    dotnet: DotNet | None
    assemblies: Path
    version: str


#: The file with .NET's settings: version 8 or newer, no ICU, no background collections, and 4 MB for generation 0.
_CONFIGURATION: Final = Path(__file__).with_name("runtimeconfig.json")
#: The number of files that .NET opens for a small model.
_FILES: Final = 72

_lock = threading.Lock()
_runtime: DotNetRuntime | None = None
#: The error that every later start raises; set if the runtime failed to initialize, or in a child that was forked during a start. A runtime
#: cannot be initialized twice.
_refusal: StartError | None = None
#: The previous values of the environment variables that the start in progress has changed; None for a variable that was not set.
_previous_values: dict[str, str | None] = {}
# Whether Python's garbage collector was enabled before the start in progress.
_collector_was_enabled = False


def started() -> DotNetRuntime | None:
    """Return the .NET runtime of this process; None if it has not started."""
    return _runtime


def start() -> DotNetRuntime:
    """Start .NET, bind the libtorch that torch has loaded, and return the runtime; later calls return the same object.

    Raises DotNetNotFound, AssembliesNotFound or StartError. The next call tries again, unless .NET's runtime itself failed to initialize,
    or this process was forked during a start: then every later call raises StartError. Ctrl-C raises KeyboardInterrupt at once. The start
    then continues in the background, and the next call waits for its end.
    """
    if _runtime is not None:
        return _runtime
    # On the main thread, a signal handler could raise an exception and leave the runtime half initialized. So another thread starts it.
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
    """Start .NET unless another thread has started it. An exception is appended to ``errors``."""
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
            f"torch {torch.__version__} is too old: .NET calls C functions that came with 2.10. For the build without CUDA: "
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
        shutdown.unregister_unload()
        shutdown.restore_sigterm()
        return None
    import clr_loader

    dotnet = find_dotnet()
    _check_files()
    with (
        shutdown.preserve_signal_handlers(),
        # With W^X, a forked child shares the memory of .NET's compiled code with its parent. The child may then crash when it ends, in the
        # deallocators of pythonnet's objects. The default size of generation 0 depends on the L3 cache, and makes a process grow by 75 MB.
        _environment(
            DOTNET_ROOT=str(dotnet.root),
            DOTNET_GCgen0size="0x400000",
            DOTNET_EnableWriteXorExecute="0",
            **without_diagnostics(os.environ),
        ),
    ):
        try:
            # Loads only hostfxr, so a later start can try another installation if this fails.
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
    """Raise StartError if the limit of open files is too low for .NET, which would report one of its own files as missing."""
    try:
        opened = len([*Path("/dev/fd").iterdir()])
    except OSError:
        return
    if advice := file_limit_advice(".NET", opened + _FILES):
        raise StartError(f"{advice} {opened} files are open already.")


def _start_error(dotnet: DotNet, error: Exception) -> StartError:
    return StartError(
        f".NET at {dotnet.root} (found by {dotnet.source}) could not be started: {error}. Run `python -m bridge doctor` for details."
    )


def _reset_in_child() -> None:
    """Reset the state in a child that was forked while another thread was starting .NET. The child does not have that thread."""
    global _lock, _refusal
    if _lock.locked():
        _lock = threading.Lock()
        _refusal = StartError(
            f"This process was forked while its parent was starting .NET, and cannot use .NET. {FORK_ADVICE}"
        )
        shutdown.unregister_unload()
        _restore_environment()
        _enable_collector()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


def _addresses(assemblies: Path):  # type: ignore[no-untyped-def]  # .NET's objects are untyped
    """Load our assemblies, and return the C# function that gives the address of an export by name."""
    import clr

    for name in ("Bridge.Hooks.dll", "Bridge.Torch.dll", "Bridge.Interop.dll"):
        clr.AddReference(str(assemblies / name))
    from Bridge.Interop import Exports as DotNetExports

    if str(DotNetExports.Digest) != boundary.digest():
        raise StartError(
            f"The assemblies in {assemblies} and this Python package are of different versions: "
            "run `make refresh` in a checkout, or reinstall the package."
        )
    return DotNetExports.Address


def _bind(exports: Exports, library_folder: Path) -> None:
    from bridge.clr.start import capi, scalar_operators, schemas

    exports.set(capi.numbers())
    exports.give(capi.objects())
    scalar_operators.keep_error = exports.keep_error
    scalar_operators.run_operator = exports.run_operator
    operators = exports.bind_torch(str(libtorch(library_folder))).splitlines()
    exports.read_schemas(schemas.text([*operators, *scalar_operators.define(operators)]))


def libtorch(library_folder: Path) -> Path:
    """Return the path of libtorch_cpu: in ``library_folder`` or, on Linux, where it was loaded from. Raises StartError if not found."""
    for name in ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll"):
        if (library_folder / name).exists():
            return library_folder / name
    try:
        for line in os.fsdecode(Path("/proc/self/maps").read_bytes()).splitlines():
            if "libtorch_cpu" in line:
                return Path(line.split(maxsplit=5)[5])
    except OSError:
        pass
    raise StartError(f"No libtorch_cpu was found in {library_folder} or among the loaded libraries.")


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set environment variables in the block; only DOTNET_ROOT replaces a value that the user has set."""
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
    """Disable Python's garbage collector in the block: clr_loader creates many objects, which would cause a full collection (75 ms)."""
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
