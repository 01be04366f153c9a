"""Checks of Python, torch, pythonnet, .NET, TorchSharp, our assemblies, and what the demo and ``fuzz`` need, with a fix for each problem.

No check raises, even if torch is broken or .NET is missing. .NET is started in a separate process.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, Literal

from packaging.version import Version

from bridge.clr.find import assemblies, installation
from bridge.clr.start import libraries
from hook_contract import contract
from hook_contract.output.sentences import wrap_lines

if TYPE_CHECKING:
    from rich.text import Text

State = Literal["ok", "note", "problem"]

#: The oldest supported Python, and the newest tested one (``make matrix``).
PYTHON_FLOOR: Final = (3, 11)
PYTHON_TESTED: Final = (3, 13)
#: The newest tested .NET.
DOTNET_TESTED: Final = 10
#: The oldest supported torch: earlier releases lack C functions that .NET calls.
TORCH_FLOOR: Final = (2, 10)
#: The newest .NET that is out of support. Support of .NET 8 and 9 ended in November 2026.
UNSUPPORTED_MAJOR: Final = 9
START_TIMEOUT: Final = 60.0
#: The names of the checks that matter only for the demo.
DEMO: Final = ("weights", "picture")

#: The environment variable that names TorchSharp.dll, or its folder, for ``runtime="torchsharp"`` and ``"torchsharp-in-process"``.
TORCHSHARP: Final = "BRIDGE_TORCHSHARP"

_PIP: Final = "python -m pip install"
#: pip's option for PyTorch's builds without CUDA. On Linux, PyPI's builds download more than 5 GB of CUDA libraries.
_CPU: Final = "--index-url https://download.pytorch.org/whl/cpu"
INSTALL_TORCH: Final = f"{_PIP} torch {_CPU}"
INSTALL_HYPOTHESIS: Final = f"{_PIP} hypothesis"
REINSTALL_TORCH: Final = f"{_PIP} --force-reinstall torch {_CPU}"
_START: Final = """
import bridge.clr
bridge.clr.start()
from System import Environment
print("version", Environment.Version.ToString())
"""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check.

    Attributes:
        name: The name of the checked part.
        state: ``ok``, ``note`` or ``problem``. A report with a ``problem`` is not ready (:attr:`InstallationReport.ready`).
        text: The finding, as a text for the user.
        fix: The advice to the user; None if nothing needs to be done.
    """

    name: str
    state: State
    text: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class InstallationReport:
    """The results of the checks, in the order of display."""

    findings: tuple[CheckResult, ...]

    @property
    def ready(self) -> bool:
        """Return whether no check has found a problem."""
        return all(check.state != "problem" for check in self.findings)


def examine(environ: Mapping[str, str] = os.environ, *, start_timeout: float = START_TIMEOUT) -> InstallationReport:
    """Run the checks. Never raises.

    ``environ`` has the environment variables by which .NET, the assemblies and TorchSharp are found. ``start_timeout`` is in seconds.
    """
    found: list[CheckResult] = [_check("Python", _python)]
    torch, why = import_torch()
    found.append(_check("torch", lambda: _torch(torch)) if torch is not None else CheckResult("torch", "problem", *why))
    if torch is not None:
        found += [_check("libtorch", lambda: _libtorch(torch)), _check("CUDA", lambda: _cuda(torch))]
    found.append(_check("pythonnet", _pythonnet))
    found.append(_check(".NET", lambda: _dotnet(environ)))
    found.append(_check(".NET SDK", lambda: _sdk(environ)))
    found.append(_check("assemblies", lambda: _assemblies(environ)))
    if all(check.state != "problem" for check in found):
        found.append(_check(".NET starts", lambda: _start(environ, start_timeout)))
        found.append(_check("TorchSharp", lambda: _torchsharp(environ, start_timeout)))
    else:
        found.append(CheckResult(".NET starts", "note", "not tested, since a check above found a problem"))
    if torch is not None:
        found.append(_check("weights", _weights))
    found += [_check("picture", _picture), _check("hypothesis", _hypothesis)]
    return InstallationReport(tuple(found))


def to_json(report: InstallationReport) -> str:
    """Return the report as JSON: ``{"ready": bool, "findings": [{"name", "state", "text", "fix"}]}``."""
    return json.dumps({"ready": report.ready, "findings": [asdict(check) for check in report.findings]}, indent=2)


def render(report: InstallationReport, width: int) -> Text:
    """Return the report with its lines wrapped to ``width`` columns. The caller must print the result with rich's ``soft_wrap``."""
    from rich.text import Text

    marks = {"ok": ("ok", "green"), "note": ("note", "yellow"), "problem": ("PROBLEM", "bold red")}
    names = max(len(check.name) for check in report.findings)
    indent = len("PROBLEM") + names + 4
    shown = Text()
    for check in report.findings:
        word, style = marks[check.state]
        shown.append(f"{word:<7}", style=style).append(f"  {check.name:<{names}}  ")
        shown.append(wrap_lines(check.text, width, start=indent)).append("\n")
        if check.fix:
            fix = wrap_lines(f"fix: {check.fix}", width, start=indent)
            shown.append(" " * indent).append(fix, style="bold").append("\n")
    if not report.ready:
        verdict = "Not ready: fix each PROBLEM above."
    elif lacking := [item.name for item in report.findings if item.name in DEMO and item.state != "ok"]:
        notes = f"notes on {' and '.join(lacking)}" if len(lacking) > 1 else f"note on {lacking[0]}"
        verdict = f"Ready, but not for the demo: see the {notes}."
    else:
        verdict = "Ready: python -m bridge demo"
    return shown.append("\n").append(verdict, style="bold green" if report.ready else "bold red")


def _check(name: str, look: Callable[[], CheckResult]) -> CheckResult:
    """Run a check, and return an unexpected exception as a problem."""
    try:
        return look()
    except Exception as error:
        text = f"cannot be checked: {type(error).__name__}: {error}"
        return CheckResult(name, "problem", text, "Report this as a bug, with this text.")


def _python() -> CheckResult:
    text = f"{platform.python_version()} ({platform.python_implementation()}, {platform.machine()}) in {sys.prefix}"
    floor, tested = (".".join(map(str, version)) for version in (PYTHON_FLOOR, PYTHON_TESTED))
    if sys.version_info[:2] < PYTHON_FLOOR:
        return CheckResult("Python", "problem", text, f"Use Python {floor} or later.")
    if platform.python_implementation() != "CPython":
        return CheckResult("Python", "problem", text, "Use CPython: calling .NET requires its C API.")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return CheckResult("Python", "problem", f"{text}, free-threaded", "Use the default build of this version.")
    if sys.version_info[:2] > PYTHON_TESTED:
        return CheckResult("Python", "note", f"{text}, newer than {tested}, the newest release that was tested")
    return CheckResult("Python", "ok", text)


def import_torch() -> tuple[ModuleType | None, tuple[str, str]]:
    """Import and return torch; if this fails, return None with the reason and the fix."""
    try:
        return importlib.import_module("torch"), ("", "")
    except ModuleNotFoundError as error:
        if error.name == "torch":
            return None, ("not installed", INSTALL_TORCH)
        return None, (f"installed, but the package {error.name} that it needs is not", f"{_PIP} {error.name}")
    except Exception as error:  # a broken install raises ImportError, OSError, AttributeError …
        return None, (f"installed, but cannot be imported: {type(error).__name__}: {error}", REINSTALL_TORCH)


def _torch(torch: ModuleType) -> CheckResult:
    version = str(torch.__version__)
    if Version(version).release[:2] < TORCH_FLOOR:
        # The index has CPU builds only, so it is left out if this is a CUDA build.
        fix = f"{_PIP} -U 'torch>=2.10'" + ("" if getattr(torch.version, "cuda", None) else f" {_CPU}")
        return CheckResult("torch", "problem", f"{version} is older than 2.10", fix)
    known = contract.load()
    if known.newer(version):
        return CheckResult(
            "torch", "note", f"{version} is newer than {known.tested}, the newest release that was tested"
        )
    return CheckResult("torch", "ok", version)


def _libtorch(torch: ModuleType) -> CheckResult:
    folder = Path(str(torch.__file__)).parent / "lib"
    library = libraries.path("torch_cpu", folder)
    if library is None:
        return CheckResult(
            "libtorch", "problem", f"{folder / libraries.file_name('torch_cpu')} is missing", REINSTALL_TORCH
        )
    function = ctypes.CDLL(str(library)).aoti_torch_abi_version
    function.restype, function.argtypes = ctypes.c_uint64, []
    number = int(function())
    version = tuple((number >> shift) & 0xFF for shift in (56, 48, 40))
    text = f"ABI version {'.'.join(map(str, version))} (0x{number:016x}), {library}"
    if version != Version(str(torch.__version__)).release[:3]:
        fix = "Two copies of libtorch are mixed: remove any folder with libtorch from LD_LIBRARY_PATH, or install torch again."
        return CheckResult("libtorch", "note", f"{text}; torch says {torch.__version__}", fix)
    return CheckResult("libtorch", "ok", text)


def _cuda(torch: ModuleType) -> CheckResult:
    if torch.cuda.is_available():
        devices = ", ".join(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))
        return CheckResult("CUDA", "ok", f"{torch.version.cuda}: {devices}")
    built = f"torch is built for CUDA {torch.version.cuda}" if torch.version.cuda else "torch is built without CUDA"
    return CheckResult("CUDA", "note", f"none ({built}); the CPU is enough")


def _pythonnet() -> CheckResult:
    fix = f"{_PIP} 'pythonnet>=3.1'"
    try:
        version = importlib.metadata.version("pythonnet")
    except importlib.metadata.PackageNotFoundError:
        return CheckResult("pythonnet", "problem", "not installed", fix)
    if importlib.util.find_spec("clr_loader") is None:
        return CheckResult("pythonnet", "problem", f"{version}, but clr_loader is missing", f"{_PIP} clr_loader")
    if Version(version).release[:2] < (3, 1):
        return CheckResult("pythonnet", "problem", f"{version} is older than 3.1", fix)
    return CheckResult("pythonnet", "ok", version)


def _dotnet(environ: Mapping[str, str]) -> CheckResult:
    try:
        dotnet = installation.find_dotnet(environ)
    except installation.DotNetNotFound as error:
        return _from_error(".NET", error)
    text = f"runtime {', '.join(dotnet.runtimes)}, {dotnet.root} (by {dotnet.source})"
    newest = installation.version_key(dotnet.runtimes[-1])[0]
    if newest <= UNSUPPORTED_MAJOR:
        fix = f"Install .NET 10. If {installation.BRIDGE_VARIABLE} or DOTNET_ROOT is set, set it to the folder of .NET 10."
        text += f". .NET {newest} has been out of support since November 2026: it works, but gets no fixes"
        return CheckResult(".NET", "note", text, fix)
    if newest > DOTNET_TESTED:
        return CheckResult(
            ".NET", "note", f"{text}, newer than .NET {DOTNET_TESTED}, the newest release that was tested"
        )
    return CheckResult(".NET", "ok", text)


def _sdk(environ: Mapping[str, str]) -> CheckResult:
    try:
        dotnet = installation.find_dotnet(environ, sdk=True)
    except installation.DotNetNotFound:
        fix = "To run C# projects (.csproj) and C# files (.cs), install the .NET 10 SDK: https://dotnet.microsoft.com/download"
        return CheckResult(".NET SDK", "note", "none; compiled models (.dll) run without it", fix)
    return CheckResult(".NET SDK", "ok", f"{', '.join(dotnet.sdks)}, {dotnet.root} (by {dotnet.source})")


def _from_error(name: str, error: RuntimeError) -> CheckResult:
    """Return the result for an exception whose last line is the fix."""
    text, _, fix = str(error).rpartition("\n")
    return CheckResult(name, "problem", text, fix)


def _assemblies(environ: Mapping[str, str]) -> CheckResult:
    try:
        folder, source = assemblies.folder(environ)
    except assemblies.AssembliesNotFound as error:
        return _from_error("assemblies", error)
    size = sum(entry.stat().st_size for entry in folder.glob("*.dll"))
    return CheckResult("assemblies", "ok", f"complete, {size / 1024:.0f} KB, {folder} ({source})")


def _start(environ: Mapping[str, str], timeout: float) -> CheckResult:
    """Check that .NET starts in a new process, and that the process exits with code 0."""
    fix = "See the whole error with: python -c 'import bridge.clr; bridge.clr.start()'"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _START],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env={**environ},
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return CheckResult(".NET starts", "problem", f".NET did not start and exit within {timeout:.0f} s", fix)
    if done.returncode != 0:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        return CheckResult(".NET starts", "problem", f"exit code {done.returncode}: {last}", fix)
    version = done.stdout.rpartition("version ")[2].strip()
    return CheckResult(".NET starts", "ok", f"runtime {version} ran our assemblies and exited with code 0")


def check_torchsharp(assembly: Path) -> CheckResult:
    """Check which TorchSharp.dll the models of an assembly would run on with ``runtime="torchsharp"``. Never raises."""
    return _check("TorchSharp", lambda: _torchsharp(os.environ, START_TIMEOUT, assembly))


def _torchsharp(environ: Mapping[str, str], timeout: float, model: Path | None = None) -> CheckResult:
    """Check which TorchSharp.dll a model would run on with ``runtime="torchsharp"``, and list the other files of this name.

    ``model`` is the model's assembly; None if there is no particular model. If BRIDGE_TORCHSHARP is set, only that place is searched.
    Otherwise the assembly's folder is searched, then NuGet's cache, in which the version that the assembly references is preferred.
    """
    from bridge.torchsharp.process import HostError, TorchSharpProcess
    from bridge.torchsharp.process.errors import TorchSharpNotFound
    from bridge.torchsharp.process.library_search import choose_library, references, search

    needed_by = 'Only runtime="torchsharp" and runtime="torchsharp-in-process" need it'
    fix = f"{needed_by}: set {TORCHSHARP} to a folder with TorchSharp.dll."
    with TorchSharpProcess(environ=environ, timeout=timeout, on_output=lambda _: None) as host:
        try:
            needed = {} if model is None else references(host, model)
            if "TorchSharp" not in needed and "Bridge.Torch" in needed:
                return CheckResult(
                    "TorchSharp", "ok", "not needed: the assembly refers to Bridge.Torch, and runs on that"
                )
            found = search(host, model, None, environ, needed.get("TorchSharp", ""))
            used = choose_library(found, model)
        except TorchSharpNotFound as error:
            text = str(error).replace(" to run the model on", "")
            before, _, files = text.partition(" Set ")
            return CheckResult("TorchSharp", "note", "\n".join([before, *files.splitlines()[1:]]), fix)
        except HostError as error:
            return CheckResult("TorchSharp", "note", str(error), fix)
    facade = assemblies.folder(environ)[0] / "TorchSharp.dll"
    others = "".join(
        f"\n  {file.path} ({file.place}), {file.title}, {'is not used' if file.runs else 'is not usable'}"
        for file in found
        if file is not used
    )
    others = f". Also found:{others}" if others else ""
    named = f"{used.title}, {used.path} (by {used.place})"
    if why := _start_failure(used.path, environ, timeout):
        return CheckResult("TorchSharp", "note", f"{named}, does not start: {why}{others}", f"{needed_by}.")
    where = (
        'starts in a separate process, for runtime="torchsharp"; models loaded without the argument runtime run in Python\'s process on '
        f"Bridge.Torch, through {facade}"
    )
    return CheckResult("TorchSharp", "ok", f"{named}, {where}{others}")


def _start_failure(torchsharp: Path, environ: Mapping[str, str], timeout: float) -> str:
    """Return why a TorchSharp.dll does not start with its native libraries and libtorch; "" if it starts."""
    from bridge.torchsharp.process import HostError, TorchSharpProcess
    from bridge.torchsharp.process.library_search import loader_path
    from bridge.torchsharp.process.loader import prepare_torchsharp

    variables = {**environ, **loader_path(torchsharp, environ)}
    try:
        with TorchSharpProcess(
            prepare=prepare_torchsharp(torchsharp), environ=variables, timeout=timeout, on_output=lambda _: None
        ) as host:
            host.start()
    except HostError as error:
        return str(error).partition(f"{torchsharp} does not start: ")[2] or str(error)
    return ""


def _weights() -> CheckResult:
    from bridge.samples import weights
    from bridge.samples.errors import WeightsNotFound

    try:
        for name in weights.NAMES:
            weights.locate(name)
    except WeightsNotFound as error:
        text = f"only the demo needs them: {str(error).partition(' Install it with')[0]}"
        return CheckResult("weights", "note", text, f"{_PIP} --no-deps {weights.DISTRIBUTION}=={weights.VERSION}")
    return CheckResult("weights", "ok", f"{', '.join(weights.NAMES)} of {weights.DISTRIBUTION} {weights.VERSION}")


def _picture() -> CheckResult:
    fix = f"{_PIP} scikit-image pillow"
    skimage, pillow = importlib.util.find_spec("skimage"), importlib.util.find_spec("PIL")
    if skimage is None or skimage.origin is None or pillow is None:
        absent = " and ".join(name for name, spec in (("scikit-image", skimage), ("Pillow", pillow)) if spec is None)
        return CheckResult("picture", "note", f"not installed: {absent}; only the demo needs a picture", fix)
    picture = Path(skimage.origin).parent / "data" / "astronaut.png"
    if not picture.is_file():
        fix = f"{_PIP} --force-reinstall --no-deps scikit-image"
        return CheckResult("picture", "note", f"{picture} is missing, which only the demo needs", fix)
    return CheckResult("picture", "ok", f"astronaut of scikit-image {importlib.metadata.version('scikit-image')}")


def _hypothesis() -> CheckResult:
    if importlib.util.find_spec("hypothesis") is None:
        return CheckResult("hypothesis", "note", "not installed; only fuzz needs it", INSTALL_HYPOTHESIS)
    return CheckResult("hypothesis", "ok", importlib.metadata.version("hypothesis"))
