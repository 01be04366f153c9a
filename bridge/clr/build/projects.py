"""Builds a user's C# project: on TorchSharp where it is for that and that is on this machine, else against Bridge.Torch."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from filelock import FileLock

from bridge.clr.build import manifest
from bridge.clr.errors import few_files
from bridge.clr.find.installation import DotNet, find_dotnet, in_home, without_diagnostics
from bridge.clr.build.orphans import ending_with


class BuildError(RuntimeError):
    """A C# project does not restore or compile; the message has the compiler's own lines."""


# A build server that stays behind would hold our pipe open for ever; ICU is not needed.
_ENVIRONMENT = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
    "MSBUILDDISABLENODEREUSE": "1",
    "MSBUILDLOGIMPORTS": "1",
    "UseSharedCompilation": "false",
}
_REPORT = """
  <!-- Documentation, unless the project says where: Python shows it. What the compiler finds wrong in it is no error. -->
  <PropertyGroup Condition="'$(DocumentationFile)' == ''">
    <DocumentationFile>$(IntermediateOutputPath)$(AssemblyName).xml</DocumentationFile>
    <_DocumentationFileProduced>true</_DocumentationFileProduced>
    <NoWarn>$(NoWarn);CS0419;CS1570;CS1571;CS1572;CS1573;CS1574;CS1580;CS1581;CS1584;CS1587;CS1589;CS1590;CS1591;CS1592;CS1598;CS1658;CS1710;CS1711;CS1712;CS1723;CS1734</NoWarn>
  </PropertyGroup>
  <Target Name="TellBridge" AfterTargets="Build">
    <WriteLinesToFile File="{reported}" Lines="$(TargetPath)" Overwrite="true" />
  </Target>
"""
#: Leaves what the compiler was called with, one argument a line, of each project that was built, under its path.
_RECORD = """
  <PropertyGroup>
    <ProvideCommandLineArgs>true</ProvideCommandLineArgs>
    <!-- So that the compiler is called even where nothing has changed. -->
    <NonExistentFile>$(IntermediateOutputPath)never/made</NonExistentFile>
  </PropertyGroup>
  <Target Name="RecordForBridge" AfterTargets="CoreCompile">
    <WriteLinesToFile File="{folder}/$(MSBuildProjectName).rsp" Lines="@(CscCommandLineArgs)" Overwrite="true" />
    <WriteLinesToFile File="{folder}/$(MSBuildProjectName).project" Overwrite="true"
                      Lines="$(MSBuildProjectFullPath);$(RoslynTargetsPath)" />
  </Target>
"""
#: Replaces the project's TorchSharp by Bridge.Torch, which has its names: the sources stay as they are. Bridge.Torch's own package is
#: replaced too: what runs is this assembly. Our own projects, which a project may refer to, stay as they are.
_SWAP = r"""
  <PropertyGroup>
    <_IsBridge>$([System.Text.RegularExpressions.Regex]::IsMatch('$(MSBuildProjectName)', '^Bridge\.(Torch|Hooks|Generator)$'))</_IsBridge>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Remove="TorchSharp;TorchSharp-cpu;TorchSharp-cuda-linux;TorchSharp-cuda-windows;Bridge.Torch;Bridge.Hooks" />
  </ItemGroup>
  <ItemGroup Condition="'$(_IsBridge)' != 'True' And '@(ProjectReference->AnyHaveMetadataValue('Filename', 'Bridge.Torch'))' != 'true'
                        And '@(Reference->AnyHaveMetadataValue('Identity', 'Bridge.Torch'))' != 'true'">
    <Reference Include="Bridge.Torch" HintPath="{assemblies}/Bridge.Torch.dll" />
    <Reference Include="Bridge.Hooks" HintPath="{assemblies}/Bridge.Hooks.dll" />
  </ItemGroup>
"""
#: Lists what each restored project refers to directly, in a file of its own.
_LIST_REFERENCES = """<Project>
  <Target Name="ListReferencesForBridge" AfterTargets="CollectPackageReferences"
          Condition="'$(MSBuildProjectName)' != 'Bridge.TorchSharp'">
    <WriteLinesToFile File="{folder}/$([MSBuild]::StableStringHash('$(MSBuildProjectFullPath)'))$(TargetFramework).txt" Overwrite="true"
                      Lines="@(PackageReference);@(Reference);@(ProjectReference->'%(Filename)')" />
  </Target>
</Project>
"""
#: A C# file given by itself.
_SINGLE = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <RollForward>Major</RollForward>
    <LangVersion>latest</LangVersion>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>
    <Compile Include="{file}" />
  </ItemGroup>
</Project>
"""
_ANOTHER: Final = "Set BRIDGE_CACHE to another folder."
#: As many files must the SDK be able to open: with half of it, MSBuild hangs.
_FILES: Final = 256
#: A program is loaded as a library is: the native file that starts one is not needed, nor the package that it would come from.
_NO_HOST: Final = "-p:UseAppHost=false"
#: What the compiler says where a name, a member, an overload or a parameter is not there.
_ABSENT: Final = re.compile(r"error CS(0103|0117|0234|0246|1061|1501|1503|1729|1739|7036): ")
#: What it says of a source that uses Bridge.Torch or Bridge.Hooks where neither is referred to.
_OURS_ABSENT: Final = re.compile(r"error CS(?:0103|0234|0246): .*'Bridge(?:\.\w+)*'")
#: What MSBuild reads as something else in the path of a project, and in the name of its file: separators, patterns, escapes.
_ODD_PATH, _ODD_NAME = re.compile(r'["\\\n]'), re.compile(r"""["\\\n*?|']|@\(""")
#: A character by its number.
_ESCAPE: Final = re.compile("%[0-9a-fA-F]{2}")
#: The same in the path of the folder for what is built, which is given to MSBuild, and to its logger, in lists.
_ODD_CACHE: Final = re.compile(r'["\\\n;,%]')
#: What it escapes such a character by, in a project file.
_ESCAPED: Final = {ord(letter): f"%{ord(letter):02X}" for letter in "%$@'();?*"}
_ERROR: Final = re.compile(r"^\s*(.*?)\s*:\s*error\s+(\w+)\s*:\s*(.*?)\s*(?:\[[^\]]*\])?$")


@dataclass(frozen=True, slots=True)
class _Line:
    """An error of the build."""

    place: str
    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: error {self.code}: {self.text}"


def build_project(project: Path, assemblies: Path, record: Path | None = None) -> Path:
    """Builds ``project`` (Release; a .csproj, or one .cs file) and gives the path of its assembly.

    Where NuGet has restored TorchSharp on this machine before, a project that refers to it is built as it is, and runs through our
    assembly of that name. Elsewhere, for one file, and for a project that uses Bridge.Torch or Bridge.Hooks, itself or in a project that
    it refers to, our assemblies in ``assemblies`` take TorchSharp's place, and that of our own packages; a reference to Bridge.Torch's
    project or assembly is left alone. Nothing is written into the project's folder: what is built is in the user's cache (:func:`cache`).
    Where nothing has changed since (:mod:`bridge.clr.build.manifest`) that is given as it is.
    The folder ``record`` gets what the compiler was called with for each project, and where that is, for :mod:`bridge.clr.build.recompiler`.

    Raises BuildError, and DotNetNotFound when there is no SDK.
    """
    dotnet = find_dotnet(sdk=True)
    project = project.resolve()
    place = place_of(project)
    with locked(project):
        asked = _asked(dotnet, assemblies)
        if record is None and (library := manifest.built(place, asked)) is not None:
            return library
        build = manifest.Build.begin(place, asked)
        if project.suffix != ".cs" and (found := _ESCAPE.search(str(project))):
            raise BuildError(_means(project, found[0]))  # it would compile no source, and say nothing
        if project.suffix == ".cs":
            single = place / "source" / f"{_plain(project.stem)}.csproj"
            single.parent.mkdir(exist_ok=True)
            text = _SINGLE.format(file=_escaped(project))
            if not single.exists() or single.read_text(encoding="utf-8") != text:
                single.write_text(text, encoding="utf-8")
            return _build(dotnet, single, place, project.name, assemblies, record or build)
        if _has_torchsharp() and _is_for_torchsharp(dotnet, project, place):
            try:
                return _build(dotnet, project, place, project.name, None, record or build)
            except BuildError as error:
                if not _OURS_ABSENT.search(str(error)):
                    raise
        return _build(dotnet, project, place, project.name, assemblies, record or build)


def already_built(project: Path, assemblies: Path) -> Path | None:
    """Return what :func:`build_project` would give without building; None where it would build."""
    return manifest.built(place_of(project), _asked(find_dotnet(sdk=True), assemblies))


def _asked(dotnet: DotNet, assemblies: Path) -> str:
    """Return a digest of what every build depends on: these templates, the SDK, our assemblies and whether TorchSharp is here."""
    ours = (assemblies / "Bridge.Torch.dll", assemblies / "Bridge.Hooks.dll")
    templates = (_SWAP, _REPORT, _SINGLE, manifest.TARGETS)
    return manifest.asked(
        *templates, str(dotnet.root), *dotnet.sdks, *ours, str(_packages()), str(_has_torchsharp())
    )


def place_of(project: Path) -> Path:
    """Return the folder for what is built of a project, and make it if it is not there. Raises BuildError."""
    project = project.resolve()
    # Files of the same name, and names that are odd or long, are told apart by the digest.
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    place = cache() / f"{_plain(project.stem)[:60]}-{digest}"
    if odd := _ODD_CACHE.search(str(place)):
        raise BuildError(f"MSBuild cannot write to {place.parent}, which has {odd[0]!r} in its path. {_ANOTHER}")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_cache(place.parent, error) from error
    return place


def _no_cache(folder: Path, error: OSError) -> BuildError:
    return BuildError(f"C# projects are built in {folder}, which cannot be written to: {error.strerror}. {_ANOTHER}")


def _plain(name: str) -> str:
    """Return a name for files of ours from that of a file: without what MSBuild reads as something else."""
    return re.sub(r"[^\w .+-]", "_", name)


def _escaped(path: Path) -> str:
    """Return a path as a project file has it."""
    return escape(str(path).translate(_ESCAPED))


def locked(project: Path) -> FileLock:
    """Held while a project is built: one process builds, the others wait."""
    return FileLock(place_of(project) / "building.lock")


def cache() -> Path:
    """Return the folder in which users' projects are built: that of ``BRIDGE_CACHE``, or one in the user's cache. Raises BuildError."""
    if asked := os.environ.get("BRIDGE_CACHE", "").strip():
        return Path(asked).absolute()
    try:
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME", ""))
            if not base.is_absolute():  # as its specification has it
                base = Path.home() / ".cache"
    except RuntimeError as error:
        raise BuildError(f"There is no folder to build C# projects in: this user has no home. {_ANOTHER}") from error
    return base / "torchsharp-bridge" / "build"


def _has_torchsharp() -> bool:
    """Whether TorchSharp was restored here before. It is not fetched for us: its packages with libtorch have gigabytes."""
    return (_packages() / "torchsharp").is_dir()


def _packages() -> Path:
    return Path(os.environ.get("NUGET_PACKAGES") or in_home(".nuget/packages"))


def _is_for_torchsharp(dotnet: DotNet, project: Path, place: Path) -> bool:
    """Return whether the project restores as it is, with TorchSharp, and neither it nor one that it refers to refers to our assemblies."""
    artifacts = place / "own"
    with _temporary(place) as folder:
        added = folder / "added.targets"
        added.write_text(_LIST_REFERENCES.format(folder=_escaped(folder)), encoding="utf-8")
        options = ("--artifacts-path", str(artifacts), "-v", "quiet", _NO_HOST)
        arguments = ["restore", str(project), *options, f"-p:CustomAfterMicrosoftCommonTargets={added}"]
        done = _run(dotnet, arguments, folder)
        listed = [file.read_text(encoding="utf-8-sig").splitlines() for file in folder.glob("*.txt")]
    if done.returncode or any(map(_has_ours, listed)):
        return False
    for assets in artifacts.rglob("project.assets.json"):
        libraries = json.loads(assets.read_text(encoding="utf-8")).get("libraries", {})
        if any(name.lower().startswith("torchsharp/") for name in libraries):
            return True
    return False


def _has_ours(references: Sequence[str]) -> bool:
    """Return whether the references have Bridge.Torch, or Bridge.Hooks without Bridge.TorchSharp, which is for TorchSharp and needs it."""
    names = {re.sub(r"^.*[/\\]|\.dll$|,.*$", "", reference.casefold()) for reference in references}
    torch, hooks, recorder = (
        name.casefold() in names for name in ("Bridge.Torch", "Bridge.Hooks", "Bridge.TorchSharp")
    )
    return torch or (hooks and not recorder)


def _build(
    dotnet: DotNet,
    project: Path,
    place: Path,
    name: str,
    assemblies: Path | None,
    kept: Path | manifest.Build,
) -> Path:
    """Builds with its output in ``place``; against Bridge.Torch where ``assemblies`` is given. Its record, or its notes, are kept."""
    artifacts = place / ("own" if assemblies is None else "swapped")
    with _temporary(place) as folder:
        added, reported = folder / "added.targets", folder / "path"
        swap = "" if assemblies is None else _SWAP.format(assemblies=_escaped(assemblies))
        report = _REPORT.format(reported=_escaped(reported))
        options = [
            "--artifacts-path",
            str(artifacts),
            "-c",
            "Release",
            "--nologo",
            "-v",
            "quiet",
            "-clp:NoSummary",
            _NO_HOST,
        ]
        if isinstance(kept, Path):
            report += _RECORD.format(folder=_escaped(kept))
        else:
            report += manifest.TARGETS.format(folder=_escaped(folder))
            options.append(manifest.log(folder))
        added.write_text(f"<Project>{swap}{report}</Project>", encoding="utf-8")
        options.append(f"-p:CustomAfterMicrosoftCommonTargets={added}")
        done = _run(dotnet, ["build", str(project), *options], folder)
        if done.returncode:
            said = explained(name, done.stdout + done.stderr, swapped=assemblies is not None)
            raise BuildError(said if (odd := _odd(project, done.stdout)) is None else odd + said.partition("\n")[2])
        library = Path(reported.read_text(encoding="utf-8").strip())
        if isinstance(kept, manifest.Build):
            kept.note(folder, artifacts, library, dotnet.root)
        return library


@contextmanager
def _temporary(place: Path) -> Iterator[Path]:
    """Make an empty folder in ``place``, whose lock is held, and remove it at the end; a build that was killed may have left one.

    Not the system's folder for temporary files: MSBuild does not take every path, nor say why, and leaves a folder there at each build.
    """
    folder = place / "temporary"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _odd(project: Path, output: str) -> str | None:
    """Return what MSBuild has taken amiss in the path of a project, where nothing that it says is about a source; else None."""
    found = _ODD_PATH.search(str(project.parent)) or _ODD_NAME.search(project.name)
    if found is None or re.search(r"\.cs\(\d+,\d+\): error ", output):
        return None
    return f"{_means(project, found[0])}\n"


def _means(project: Path, odd: str) -> str:
    return f"{project} does not build: to MSBuild, {odd!r} in a path means something else. Rename it."


def explained(name: str, output: str, *, swapped: bool) -> str:
    """What went wrong, in plain words, and the tools' own lines."""
    lines = list(dict.fromkeys(_Line(*found.groups()) for line in output.splitlines() if (found := _ERROR.match(line))))
    if not lines:
        return f"{name} does not build:\n{output.strip()}"
    shown = "\n".join(map(str, lines))
    if any(line.code.startswith(("NU", "NETSDK")) for line in lines):
        return f"{name} does not restore: NuGet did not find what it refers to, or this SDK is not for it.\n{shown}"
    absent = [line for line in lines if _ABSENT.match(f"error {line.code}: ")]
    if not swapped or len(absent) < len(lines):
        return f"{name} does not compile:\n{shown}"
    return (
        f"{name} does not compile against Bridge.Torch, which took TorchSharp's place: it lacks {_members(absent)}.\n"
        "If the project compiles against TorchSharp itself, its code is right. Then build it where TorchSharp is and load the .dll, "
        "which runs as it is where its models need nothing of these; or move the models to a class library without the rest.\n"
        f"{shown}"
    )


def _members(lines: Sequence[_Line]) -> str:
    """The names in question, each once."""
    names = []
    for line in lines:
        quoted = re.findall(r"'([^']+)'", line.text)
        owner, member = (quoted[0], quoted[1]) if len(quoted) > 1 and line.code in ("CS0117", "CS1061") else ("", "")
        names.append(f"{owner}.{member}" if owner else (quoted[0] if quoted else line.text))
    return ", ".join(dict.fromkeys(names))


def environment(dotnet: DotNet) -> dict[str, str]:
    """What the SDK's programs are started with."""
    return {**os.environ, **without_diagnostics(os.environ), **_ENVIRONMENT, **_home(), "DOTNET_ROOT": str(dotnet.root)}


def _home() -> dict[str, str]:
    """Return variables that give the SDK and NuGet a folder of ours where the user's home cannot be written to; none elsewhere."""
    try:
        if "DOTNET_CLI_HOME" not in os.environ:
            tempfile.TemporaryFile(dir=in_home("")).close()
    except OSError:
        return {"DOTNET_CLI_HOME": str(cache())}
    return {}


def _user() -> str:
    """Return the user's name as .NET has it in names of files."""
    try:
        import pwd  # POSIX alone

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def _run(dotnet: DotNet, arguments: Sequence[str], temporary: Path) -> subprocess.CompletedProcess[str]:
    """Runs dotnet in a process group of its own, so that Ctrl-C ends it with all that it has started."""
    if words := few_files("the .NET SDK", _FILES):
        raise BuildError(words)
    command = [str(dotnet.command), *arguments]
    environ = environment(dotnet)
    with suppress(FileNotFoundError):  # where NuGet's processes lock each other out, the user's own too
        environ.setdefault("NUGET_SCRATCH", str(Path(tempfile.gettempdir(), f"NuGetScratch{_user()}")))
    environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    with subprocess.Popen(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=ending_with(os.getpid()),
    ) as process:
        try:
            stdout, stderr = process.communicate()
        except BaseException:
            if os.name == "posix":
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
