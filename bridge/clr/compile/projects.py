"""Builds of users' C# projects, against TorchSharp or against Bridge.Torch (:func:`build_project`)."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
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

from bridge.clr.compile import eviction, manifest
from bridge.clr.compile.children import Child
from bridge.clr.errors import BuildError, file_limit_advice
from bridge.clr.find.installation import DotNet, find_dotnet, in_home, without_diagnostics

# Build servers are turned off: a server that outlives the build would keep our pipe open. ICU is not needed.
_ENVIRONMENT = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
    "MSBUILDDISABLENODEREUSE": "1",
    "MSBUILDLOGIMPORTS": "1",
    "UseSharedCompilation": "false",
}
#: Makes MSBuild write the path of the built assembly into the file ``{reported}``, and XML documentation beside the assembly.
_REPORT = """
  <!-- Python shows XML documentation as docstrings. Warnings about it are turned off. -->
  <PropertyGroup Condition="'$(DocumentationFile)' == ''">
    <DocumentationFile>$(IntermediateOutputPath)$(AssemblyName).xml</DocumentationFile>
    <_DocumentationFileProduced>true</_DocumentationFileProduced>
    <NoWarn>$(NoWarn);CS0419;CS1570;CS1571;CS1572;CS1573;CS1574;CS1580;CS1581;CS1584;CS1587;CS1589;CS1590;CS1591;CS1592;CS1598;CS1658;CS1710;CS1711;CS1712;CS1723;CS1734</NoWarn>
  </PropertyGroup>
  <Target Name="TellBridge" AfterTargets="Build">
    <WriteLinesToFile File="{reported}" Lines="$(TargetPath)" Overwrite="true" />
  </Target>
"""
#: Makes MSBuild write two files for each built project: the compiler's arguments, one argument per line; and the paths of the project and
#: of the compiler's folder.
_RECORD = """
  <PropertyGroup>
    <ProvideCommandLineArgs>true</ProvideCommandLineArgs>
    <!-- Makes MSBuild call the compiler even if nothing has changed. -->
    <NonExistentFile>$(IntermediateOutputPath)never/made</NonExistentFile>
  </PropertyGroup>
  <Target Name="RecordForBridge" AfterTargets="CoreCompile">
    <WriteLinesToFile File="{folder}/$(MSBuildProjectName).rsp" Lines="@(CscCommandLineArgs)" Overwrite="true" />
    <WriteLinesToFile File="{folder}/$(MSBuildProjectName).project" Overwrite="true"
                      Lines="$(MSBuildProjectFullPath);$(RoslynTargetsPath)" />
  </Target>
"""
#: Removes references to the packages of TorchSharp, Bridge.Torch and Bridge.Hooks. Then adds references to our assemblies in
#: ``{assemblies}``, unless the project references Bridge.Torch's project or assembly.
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
#: Makes MSBuild write a file for each restored project except Bridge.TorchSharp. The file lists the project's direct references.
_LIST_REFERENCES = """<Project>
  <Target Name="ListReferencesForBridge" AfterTargets="CollectPackageReferences"
          Condition="'$(MSBuildProjectName)' != 'Bridge.TorchSharp'">
    <WriteLinesToFile File="{folder}/$([MSBuild]::StableStringHash('$(MSBuildProjectFullPath)'))$(TargetFramework).txt" Overwrite="true"
                      Lines="@(PackageReference);@(Reference);@(ProjectReference->'%(Filename)')" />
  </Target>
</Project>
"""
#: The project of a single C# file.
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
_CACHE_ADVICE: Final = "Set BRIDGE_CACHE to another folder."
#: The number of files that the SDK must be able to open. With a limit of half as many, MSBuild hangs.
_FILES: Final = 256
#: A program's assembly is loaded as a library, so the native executable, and the NuGet package that contains it, are not needed.
_NO_APPHOST: Final = "-p:UseAppHost=false"
#: The compiler's errors for a missing name, member, overload or parameter.
_MISSING_NAME: Final = re.compile(r"error CS(0103|0117|0234|0246|1061|1501|1503|1729|1739|7036): ")
#: The compiler's errors for a source that uses Bridge.Torch or Bridge.Hooks without a reference.
_MISSING_BRIDGE: Final = re.compile(r"error CS(?:0103|0234|0246): .*'Bridge(?:\.\w+)*'")
#: Characters that MSBuild misreads in the path of a project's folder, and in the project's file name.
_SPECIAL_IN_PATH, _SPECIAL_IN_NAME = re.compile(r'["\\\n]'), re.compile(r"""["\\\n*?|']|@\(""")
#: An escape sequence, which MSBuild replaces in a path.
_ESCAPE_SEQUENCE: Final = re.compile("%[0-9a-fA-F]{2}")
#: Characters that MSBuild or its logger misreads in the path of the build folder.
_SPECIAL_IN_CACHE: Final = re.compile(r'["\\\n;,%]')
#: The escape sequence for each character that MSBuild would interpret.
_ESCAPES: Final = {ord(letter): f"%{ord(letter):02X}" for letter in "%$@'();?*"}
#: An error in the output of the SDK: location, code and text.
_ERROR: Final = re.compile(r"^\s*(.*?)\s*:\s*error\s+(\w+)\s*:\s*(.*?)\s*(?:\[[^\]]*\])?$")


@dataclass(frozen=True, slots=True)
class _Error:
    """An error in the output of the SDK, such as ``Net.cs(3,5): error CS0103: …``."""

    location: str
    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.location}: error {self.code}: {self.text}"


def build_project(project: Path, assemblies: Path, record: Path | None = None) -> Path:
    """Build ``project``, a .csproj or one .cs file, in Release configuration, and return the path of its assembly.

    A project that references TorchSharp is built against TorchSharp if NuGet's cache has TorchSharp. The built assembly then runs on our
    TorchSharp.dll, whose types are those of Bridge.Torch. In all other cases, our assemblies in ``assemblies`` replace TorchSharp during
    the build. A single file is always built against our assemblies. So is a project that references Bridge.Torch, or that references
    Bridge.Hooks without Bridge.TorchSharp (our package with hooks for TorchSharp itself), or whose source uses Bridge.Torch or Bridge.Hooks
    without a reference.

    The output is in the user's cache (:func:`cache`); nothing is written into the project's folder. If nothing has changed since the last
    build (:mod:`bridge.clr.compile.manifest`), the assembly of that build is returned.

    With the folder ``record``, the project is always built, and the compiler's arguments for each built project are written into that
    folder, for :mod:`bridge.clr.compile.recompiler`.

    Raises BuildError, and DotNetNotFound when there is no SDK.
    """
    dotnet = find_dotnet(sdk=True)
    project = project.resolve()
    folder = build_folder(project)
    with lock(project):
        fingerprint = _fingerprint(dotnet, assemblies)
        if record is None and (library := manifest.find_build(folder, fingerprint)) is not None:
            return library
        eviction.note_project(folder, project)
        eviction.evict(folder.parent)
        build = manifest.Build.begin(folder, fingerprint)
        if project.suffix != ".cs" and (found := _ESCAPE_SEQUENCE.search(str(project))):
            raise BuildError(_rename_advice(project, found[0]))  # MSBuild would find no source, and report no error
        if project.suffix == ".cs":
            single = folder / "source" / f"{_safe_name(project.stem)}.csproj"
            single.parent.mkdir(exist_ok=True)
            text = _SINGLE.format(file=_escaped(project))
            if not single.exists() or single.read_text(encoding="utf-8") != text:
                single.write_text(text, encoding="utf-8")
            return _build(dotnet, single, folder, project.name, assemblies, record or build)
        if _has_torchsharp() and _is_for_torchsharp(dotnet, project, folder):
            try:
                return _build(dotnet, project, folder, project.name, None, record or build)
            except BuildError as error:
                if not _MISSING_BRIDGE.search(str(error)):
                    raise
        return _build(dotnet, project, folder, project.name, assemblies, record or build)


def find_build(project: Path, assemblies: Path) -> Path | None:
    """Return the assembly that :func:`build_project` would return without a build; None if a build is needed.

    Raises BuildError, and DotNetNotFound when there is no SDK.
    """
    return manifest.find_build(build_folder(project), _fingerprint(find_dotnet(sdk=True), assemblies))


def _fingerprint(dotnet: DotNet, assemblies: Path) -> str:
    """Return a digest of what all builds depend on, such as the SDK and our assemblies."""
    ours = (assemblies / "Bridge.Torch.dll", assemblies / "Bridge.Hooks.dll")
    templates = (_SWAP, _REPORT, _SINGLE, manifest.TARGETS)
    return manifest.fingerprint(
        *templates, str(dotnet.root), *dotnet.sdks, *ours, str(_packages()), str(_has_torchsharp())
    )


def build_folder(project: Path) -> Path:
    """Return the folder for a project's output, and create it if it does not exist. Raises BuildError."""
    project = project.resolve()
    # The digest of the path distinguishes projects whose shortened names are equal.
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    folder = cache() / f"{_safe_name(project.stem)[:60]}-{digest}"
    if special := _SPECIAL_IN_CACHE.search(str(folder)):
        raise BuildError(
            f"MSBuild cannot write to {folder.parent}, which has {special[0]!r} in its path. {_CACHE_ADVICE}"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cache_error(folder.parent, error) from error
    return folder


def _cache_error(folder: Path, error: OSError) -> BuildError:
    return BuildError(
        f"C# projects are built in {folder}, which cannot be written to: {error.strerror}. {_CACHE_ADVICE}"
    )


def _safe_name(name: str) -> str:
    """Return a file name with underscores in place of the characters that MSBuild might misread."""
    return re.sub(r"[^\w .+-]", "_", name)


def _escaped(path: Path) -> str:
    return escape(str(path).translate(_ESCAPES))


def lock(project: Path) -> FileLock:
    """Return the lock to hold while a project is built, so that one process builds it and others wait. Raises BuildError."""
    return FileLock(build_folder(project) / "building.lock")


def cache() -> Path:
    """Return the folder in which users' projects are built: the value of ``BRIDGE_CACHE``, or a folder in the user's cache.

    Raises BuildError if the user's cache would be in the home folder, and the user has no home folder.
    """
    if setting := os.environ.get("BRIDGE_CACHE", "").strip():
        return Path(setting).absolute()
    try:
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME", ""))
            if not base.is_absolute():  # the XDG specification requires that a relative path is ignored
                base = Path.home() / ".cache"
    except RuntimeError as error:
        raise BuildError(
            f"There is no folder to build C# projects in: this user has no home folder. {_CACHE_ADVICE}"
        ) from error
    return base / "torchsharp-bridge" / "build"


def _has_torchsharp() -> bool:
    """Return whether NuGet's cache has TorchSharp. If not, TorchSharp is not downloaded: packages with its libtorch take gigabytes."""
    return (_packages() / "torchsharp").is_dir()


def _packages() -> Path:
    return Path(os.environ.get("NUGET_PACKAGES") or in_home(".nuget/packages"))


def _is_for_torchsharp(dotnet: DotNet, project: Path, build_folder: Path) -> bool:
    """Return whether a project can be built against TorchSharp.

    The restored packages must include TorchSharp, and the project must not need our assemblies (:func:`_has_ours`). The references of
    referenced projects count too, except those of ``Bridge.TorchSharp``, which is for use with TorchSharp.
    """
    artifacts = build_folder / "own"
    with _temporary(build_folder) as folder:
        added = folder / "added.targets"
        added.write_text(_LIST_REFERENCES.format(folder=_escaped(folder)), encoding="utf-8")
        options = ("--artifacts-path", str(artifacts), "-v", "quiet", "-p:Configuration=Release", _NO_APPHOST)
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
    """Return whether a project references Bridge.Torch, or references Bridge.Hooks but not Bridge.TorchSharp."""
    names = {re.sub(r"^.*[/\\]|\.dll$|,.*$", "", reference.casefold()) for reference in references}
    torch, hooks, recorder = (
        name.casefold() in names for name in ("Bridge.Torch", "Bridge.Hooks", "Bridge.TorchSharp")
    )
    return torch or (hooks and not recorder)


def _build(
    dotnet: DotNet,
    project: Path,
    build_folder: Path,
    name: str,
    assemblies: Path | None,
    record: Path | manifest.Build,
) -> Path:
    """Build a project, against Bridge.Torch if ``assemblies`` is given. Raises BuildError.

    Without ``assemblies``, the project's packages must have been restored by :func:`_is_for_torchsharp`. If ``record`` is a folder,
    writes the compiler's arguments to that folder; if ``record`` is a build, writes the build's manifest.
    """
    artifacts = build_folder / ("own" if assemblies is None else "swapped")
    with _temporary(build_folder) as folder:
        added, reported = folder / "added.targets", folder / "path"
        swap = "" if assemblies is None else _SWAP.format(assemblies=_escaped(assemblies))
        report = _REPORT.format(reported=_escaped(reported))
        options = ["--artifacts-path", str(artifacts), "-c", "Release", _NO_APPHOST]
        options += ["--nologo", "-v", "quiet", "-clp:NoSummary"]
        if assemblies is None:
            options.append("--no-restore")  # _is_for_torchsharp has restored the project's packages
        if isinstance(record, Path):
            report += _RECORD.format(folder=_escaped(record))
        else:
            report += manifest.TARGETS.format(folder=_escaped(folder))
            options.append(manifest.log_option(folder))
        added.write_text(f"<Project>{swap}{report}</Project>", encoding="utf-8")
        options.append(f"-p:CustomAfterMicrosoftCommonTargets={added}")
        done = _run(dotnet, ["build", str(project), *options], folder)
        if done.returncode:
            message = explain(name, done.stdout + done.stderr, swapped=assemblies is not None)
            if special := _special_character(project, done.stdout):
                message = f"{_rename_advice(project, special)}\n{message.partition(chr(10))[2]}"
            raise BuildError(message)
        library = Path(reported.read_text(encoding="utf-8").strip())
        if isinstance(record, manifest.Build):
            record.write_manifest(folder, artifacts, library, dotnet.root)
        return library


@contextmanager
def _temporary(build_folder: Path) -> Iterator[Path]:
    """Create an empty folder in ``build_folder``, and remove it after the block. The caller holds the lock of the build.

    The system's folder for temporary files is not used: MSBuild leaves files there, and for some paths of that folder,
    MSBuild fails without an explanation.
    """
    folder = build_folder / "temporary"
    shutil.rmtree(folder, ignore_errors=True)  # left by a build that was killed
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _special_character(project: Path, output: str) -> str | None:
    """Return the character in a project's path that MSBuild misreads.

    Return None if there is no such character, or if the output has an error in a .cs file.
    """
    found = _SPECIAL_IN_PATH.search(str(project.parent)) or _SPECIAL_IN_NAME.search(project.name)
    return None if found is None or re.search(r"\.cs\(\d+,\d+\): error ", output) else found[0]


def _rename_advice(project: Path, special: str) -> str:
    return (
        f"{project} does not build: {special!r} in a path has a special meaning for MSBuild. Rename the file or folder."
    )


def explain(name: str, output: str, *, swapped: bool) -> str:
    """Return a message about a failed build of ``name``. ``swapped`` tells whether our assemblies replaced TorchSharp."""
    lines = list(
        dict.fromkeys(_Error(*found.groups()) for line in output.splitlines() if (found := _ERROR.match(line)))
    )
    if not lines:
        return f"{name} does not build:\n{output.strip()}"
    shown = "\n".join(map(str, lines))
    if any(line.code.startswith(("NU", "NETSDK")) for line in lines):
        return f"{name} cannot be restored: NuGet or the SDK rejects the project or one of its references.\n{shown}"
    missing = [line for line in lines if _MISSING_NAME.match(f"error {line.code}: ")]
    if not swapped or len(missing) < len(lines):
        return f"{name} does not compile:\n{shown}"
    return (
        f"{name} does not compile against Bridge.Torch, which replaces TorchSharp here and lacks {_members(missing)}.\n"
        "If the project compiles against TorchSharp, build it on a machine that has TorchSharp, and load the .dll: it runs if its models "
        "do not use these members. Or put the models that use none of them into a class library of their own.\n"
        f"{shown}"
    )


def _members(lines: Sequence[_Error]) -> str:
    names = []
    for line in lines:
        quoted = re.findall(r"'([^']+)'", line.text)
        owner, member = (quoted[0], quoted[1]) if len(quoted) > 1 and line.code in ("CS0117", "CS1061") else ("", "")
        names.append(f"{owner}.{member}" if owner else (quoted[0] if quoted else line.text))
    return ", ".join(dict.fromkeys(names))


def environment(dotnet: DotNet) -> dict[str, str]:
    """Return the environment variables for the SDK's programs. Raises BuildError as :func:`cache` does."""
    return {**os.environ, **without_diagnostics(os.environ), **_ENVIRONMENT, **_home(), "DOTNET_ROOT": str(dotnet.root)}


def _home() -> dict[str, str]:
    """Return DOTNET_CLI_HOME for the SDK and NuGet if the user's home is not writable; {} if it is writable or the variable is set."""
    try:
        if "DOTNET_CLI_HOME" not in os.environ:
            tempfile.TemporaryFile(dir=in_home("")).close()
    except OSError:
        return {"DOTNET_CLI_HOME": str(cache())}
    return {}


def _user() -> str:
    """Return the user's name, which is part of the name of NuGet's folder for locks; "" on Windows or for an unknown user."""
    try:
        import pwd  # POSIX only

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def _run(dotnet: DotNet, arguments: Sequence[str], temporary: Path) -> subprocess.CompletedProcess[str]:
    """Run dotnet, and kill it with its child processes when KeyboardInterrupt (Ctrl-C) or another exception arrives.

    Raises BuildError if the limit of open files is too low, and as :func:`environment` does.
    """
    if advice := file_limit_advice("the .NET SDK", _FILES):
        raise BuildError(advice)
    command = [str(dotnet.command), *arguments]
    environ = environment(dotnet)
    # NuGet's folder for locks must be the one that the user's other NuGet processes use. The default depends on TMPDIR, which is set below.
    with suppress(FileNotFoundError):  # from ``gettempdir``, if no folder for temporary files exists
        environ.setdefault("NUGET_SCRATCH", str(Path(tempfile.gettempdir(), f"NuGetScratch{_user()}")))
    environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    with Child(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        errors="replace",
    ) as process:
        try:
            stdout, stderr = process.communicate()
        except BaseException:
            process.kill_all()
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
