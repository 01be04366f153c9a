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
from types import ModuleType
from typing import Final

from packaging.version import Version

from bridge.clr.call.exports import FORK_ADVICE, Exports
from bridge.clr.errors import StartError, file_limit_advice
from bridge.clr.find.assemblies import LOADED, folder, images
from bridge.clr.find.installation import DotNet, find_dotnet, without_diagnostics
from bridge.clr.leave import forks, shutdown
from bridge.clr.start import allocator, libraries
from bridge.clr.start.host import Host, HostError
from bridge.clr.start.pythonnet_import import PythonnetFinder


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
#: The host that has started .NET in this process, and its installation.
_host: tuple[Host, DotNet] | None = None
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
    pythonnet = _users_pythonnet()
    if pythonnet is None:
        host, dotnet = _start_host()
        entry = _load_assemblies(host, dotnet, assemblies)
    else:
        dotnet, entry = None, _load_by_pythonnet(assemblies)
    exports = Exports(entry)
    _bind(exports, Path(torch.__file__).parent / "lib", assemblies)
    if dotnet is None:
        shutdown.remove_pythonnet_handler(exports)
    else:
        PythonnetFinder(_CONFIGURATION, dotnet.root, exports).install()
    forks.disable_children(exports)
    shutdown.stop_threads_at_exit(exports)
    allocator.keep_freed_memory()
    return DotNetRuntime(exports, dotnet, assemblies, exports.version())


def _users_pythonnet() -> ModuleType | None:
    """Return pythonnet's module if the user has started .NET by it. Raises StartError if it runs another .NET than CoreCLR."""
    pythonnet = sys.modules.get("pythonnet")
    running = pythonnet.get_runtime_info() if pythonnet is not None and _host is None else None
    if running is None:
        return None
    if running.kind != "CoreCLR":
        raise StartError(
            f"This process already runs {running.kind}, and a process can host only one .NET. "
            "Call bridge.load before pythonnet.load, or load 'coreclr'."
        )
    shutdown.unregister_unload()
    shutdown.restore_sigterm()
    return pythonnet


def _start_host() -> tuple[Host, DotNet]:
    """Start .NET's runtime, unless an earlier start that failed later has started it."""
    global _host, _refusal
    if _host is not None:
        return _host
    dotnet = find_dotnet()
    _check_files()
    library = dotnet.hostfxr
    if library is None:
        raise _start_error(dotnet, "hostfxr was deleted")
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
            host = Host(library, dotnet.root, _CONFIGURATION)
        except HostError as error:
            raise _start_error(dotnet, error) from error
        try:
            host.start()
        except HostError as error:
            failure = _start_error(dotnet, error)
            _refusal = StartError(
                f"{failure} (.NET failed to start earlier in this process and cannot be started again)"
            )
            _refusal.__cause__ = failure
            raise failure from error
    _host = host, dotnet
    return _host


def _check_files() -> None:
    """Raise StartError if the limit of open files is too low for .NET, which would report one of its own files as missing."""
    try:
        opened = len([*Path("/dev/fd").iterdir()])
    except OSError:
        return
    if advice := file_limit_advice(".NET", opened + _FILES):
        raise StartError(f"{advice} {opened} files are open already.")


def _start_error(dotnet: DotNet, error: Exception | str) -> StartError:
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


def _load_assemblies(host: Host, dotnet: DotNet, assemblies: Path) -> int:
    """Load our assemblies, and return the address of Bridge.Interop's function that writes the addresses of the exports."""
    place = images(assemblies, dotnet.runtimes[-1])
    try:
        for name in LOADED:
            host.load(place / name)
        return host.function("Bridge.Interop.Exports, Bridge.Interop", "WriteAddresses")
    except HostError as error:
        raise StartError(
            f"Our assemblies in {place} could not be loaded: {error}. Reinstall the package, or run `make refresh` in a checkout."
        ) from error


def _load_by_pythonnet(assemblies: Path) -> int:
    """Do the same as :func:`_load_assemblies` in a .NET that the user has started by pythonnet."""
    import clr
    from System import Environment

    place = images(assemblies, str(Environment.Version))
    for name in LOADED:
        clr.AddReference(str(place / name))
    from Bridge.Interop import Exports as DotNetExports

    return int(DotNetExports.Entry)


def _bind(exports: Exports, library_folder: Path, assemblies: Path) -> None:
    from bridge.clr.start import capi, scalar_operators, schemas

    exports.set(capi.numbers())
    exports.give(capi.objects())
    scalar_operators.keep_error = exports.keep_error
    scalar_operators.run_operator = exports.run_operator
    operators = exports.bind_torch(str(libtorch(library_folder)), str(assemblies)).splitlines()
    exports.read_schemas(schemas.text([*operators, *scalar_operators.define(operators)]))


def libtorch(library_folder: Path) -> Path:
    """Return the path of libtorch_cpu: in ``library_folder``, or where it was loaded from. Raises StartError if it is not found."""
    found = libraries.path("torch_cpu", library_folder)
    if found is None:
        raise StartError(f"No libtorch_cpu was found in {library_folder} or among the loaded libraries.")
    return found


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
    """Disable Python's garbage collector in the block: the start creates many objects, which could cause a full collection (75 ms)."""
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
