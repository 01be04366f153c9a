"""A manifest of the inputs and outputs of a project's last build, so that MSBuild runs again only after a change.

MSBuild takes seconds to find that nothing has changed. The manifest has

- a digest of each input and output, or the size and modification time if the file is large;
- a digest of the environment variables that a project file, an imported file or the .NET tools read;
- digests of the file names in the project folders, since a pattern in a project file may match a new file.

If the inputs are not known completely, no manifest is written, and MSBuild runs each time: for example if the project has targets of its
own, generated sources (other than those that the SDK generates from properties) or patterns for files outside of its folder, or if a file
changes during the build.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bridge.clr.find.installation import in_home
from hook_contract.output.files import write_atomically

#: An MSBuild target that writes the folders, inputs and sources of each project into files in ``{folder}``.
TARGETS: Final = """
  <Target Name="ListInputsForBridge" AfterTargets="Build">
    <PropertyGroup>
      <_BridgeList>{folder}/$([MSBuild]::StableStringHash('$(MSBuildProjectFullPath)'))$(TargetFramework)</_BridgeList>
    </PropertyGroup>
    <ItemGroup>
      <_BridgeInput Include="@(Compile);@(EmbeddedResource);@(Resource);@(Content);@(LinkResource);@(AdditionalFiles)" />
      <_BridgeInput Include="@(EditorConfigFiles);@(EmbeddedFiles)" />
      <_BridgeInput Include="@(Analyzer);@(ReferencePathWithRefAssemblies);@(ReferenceCopyLocalPaths)" />
      <_BridgeInput Include="@(CustomAdditionalCompileInputs);$(ApplicationIcon);$(KeyOriginatorFile);$(ResolvedCodeAnalysisRuleSet)" />
      <_BridgeInput Include="$(Win32Resource);$(Win32Manifest);$(MSBuildProjectFullPath)" />
      <_BridgeInput Include="@(None->WithMetadataValue('CopyToOutputDirectory', 'Always'))" />
      <_BridgeInput Include="@(None->WithMetadataValue('CopyToOutputDirectory', 'PreserveNewest'))" />
      <_BridgeInput Include="@(None->WithMetadataValue('CopyToOutputDirectory', 'IfDifferent'))" />
    </ItemGroup>
    <WriteLinesToFile File="$(_BridgeList).folders" Lines="$(MSBuildProjectDirectory);$(NuGetPackageRoot)" Overwrite="true" />
    <WriteLinesToFile File="$(_BridgeList).inputs" Lines="@(_BridgeInput->'%(FullPath)')" Overwrite="true" />
    <WriteLinesToFile File="$(_BridgeList).sources" Lines="@(Compile->'%(FullPath)')" Overwrite="true" />
  </Target>
"""
#: The settings files that MSBuild, NuGet and the compiler search for in a project's folder and its parents.
_CONFIG_FILES: Final = (
    *("Directory.Build.props", "Directory.Build.targets", "Directory.Build.rsp", "Directory.Packages.props"),
    *("global.json", "nuget.config", "NuGet.config", "NuGet.Config", ".editorconfig", ".globalconfig"),
)
#: A line of MSBuild's log about an import: the imported file, the file that imports it, and the position of the import.
_IMPORT: Final = re.compile(r'"([^"\n]+)"[^"\n]*"([^"\n]+)"[^"\n]*\(\d+,\d+\)')
#: Constructs that make a project depend on more than the manifest has: the project's own targets and tasks, property functions other than
#: MSBuild's, conditions on the existence of a file, and patterns in properties.
_UNKNOWN: Final = re.compile(r"<(?:Target|UsingTask)\b|\$\(\[(?!MSBuild\])|\bExists\s*\(|>[^<]*\*[^<]*<", re.IGNORECASE)
#: An XML attribute that names files which a project includes or imports.
_INCLUDED: Final = re.compile(r"""\b(?:Include|Project)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
#: Matches an MSBuild pattern for files inside the project's folder, except in bin and obj. The manifest has a digest of those files' names.
_PATTERN_INSIDE: Final = re.compile(r"(?!(?:bin|obj)[/\\])[\w*?][\w*?. -]*(?:[/\\][\w*?][\w*?. -]*)*", re.IGNORECASE)
#: Sources that the SDK generates from properties of the project.
_GENERATED: Final = re.compile(r"\.(?:AssemblyInfo|AssemblyAttributes|GlobalUsings\.g)\.(?:cs|fs|vb)$")
#: Names, in lower case, of variables that differ between shells and do not affect a build.
_IGNORED_VARIABLES: Final = frozenset({"path", "pwd", "oldpwd", "shlvl", "_", "term", "temp", "tmp", "tmpdir"})
#: The beginnings of the names of variables that the tools read, in lower case.
_TOOL_PREFIXES: Final = ("nuget", "dotnet", "msbuild")
#: Files of more than _LARGE_FILE bytes are compared by size and modification time. If a project folder has more than _MAX_FILES files, no
#: manifest is written.
_LARGE_FILE, _MAX_FILES = 1 << 24, 20_000
_LOG: Final = "imports.log"


class _UnknownInputs(Exception):
    """The inputs of a build cannot be determined."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build in progress.

    Attributes:
        folder: The folder for the build's output.
        fingerprint: The digest of the build's settings (:func:`fingerprint`).
        start_time: The time when the build began, by the file system's clock, in nanoseconds.
    """

    folder: Path
    fingerprint: str
    start_time: int

    @classmethod
    def begin(cls, folder: Path, fingerprint: str) -> Build:
        """Delete the manifest of the last build, and return a new build."""
        _manifest(folder).unlink(missing_ok=True)
        stamp = folder / "begun"
        stamp.write_bytes(b"")
        return cls(folder, fingerprint, stamp.stat().st_mtime_ns)

    def write_manifest(self, listed: Path, artifacts: Path, target: Path, sdk: Path) -> None:
        """Write the manifest, unless the inputs are unknown, a file has changed since the build began, or an OSError occurs.

        Args:
            listed: The folder of MSBuild's log and of the files that ``TARGETS`` writes.
            artifacts: The folder that MSBuild wrote to.
            target: The built assembly.
            sdk: The folder of the .NET installation.
        """
        with suppress(_UnknownInputs, OSError, ValueError):
            pairs = [_lines(file) for file in listed.glob("*.folders")]
            folders = {pair[0] for pair in pairs}
            # Folders whose files the user does not edit: the SDK, NuGet's packages, and the build's own folder.
            fixed = (sdk, sdk.resolve(), self.folder, *(Path(pair[-1]) for pair in pairs if len(pair) == 2))
            texts = _imports(listed)
            inputs = _paths(listed, "*.inputs")
            if (
                not (texts and folders)
                or any(_has_unknown_inputs(text) for file, text in texts.items() if not _is_in(file, fixed))
                or any(
                    _is_in(file, [artifacts]) and not _GENERATED.search(file.name)
                    for file in _paths(listed, "*.sources")
                )
                or not all(file.exists() for file in inputs)
            ):
                raise _UnknownInputs
            config_files = {
                parent / name for folder in folders for parent in _with_parents(Path(folder)) for name in _CONFIG_FILES
            }
            files = {*texts, *inputs, *config_files, in_home(".nuget/NuGet/NuGet.Config")}
            names = {
                name.lower() for text in texts.values() for name in re.findall(r"\$\(\s*(\w+)", text)
            } - _IGNORED_VARIABLES
            manifest = {
                "fingerprint": self.fingerprint,
                "target": str(target),
                "names": sorted(names),
                "environment": _environment(names),
                "files": {str(file): _mark(file) for file in files if not _is_in(file, [artifacts])},
                "folders": {folder: _listing(folder) for folder in folders},
                "outputs": _outputs(target),
            }
            # A file that changed since the build began may differ from what was built. Checking last also detects a change while the
            # digests were computed.
            walked = {Path(parent) for folder in folders for parent, _ in _walk(folder)}
            for stat in (path.stat() for path in {*files, *walked} if not _is_in(path, fixed) and path.exists()):
                if max(stat.st_mtime_ns, stat.st_ctime_ns) >= self.start_time:
                    raise _UnknownInputs
            write_atomically(_manifest(self.folder), json.dumps(manifest))


def log_option(listed: Path) -> str:
    """Return the MSBuild option that logs imports to a file in ``listed``."""
    return f"-flp:LogFile={listed / _LOG};Verbosity=detailed;Encoding=UTF-8"


def find_build(folder: Path, fingerprint: str) -> Path | None:
    """Return the assembly of the last build in a folder if nothing has changed since; None otherwise."""
    try:
        manifest: dict[str, Any] = json.loads(_manifest(folder).read_text(encoding="utf-8"))
        target = Path(manifest["target"])
        is_current = (
            manifest["fingerprint"] == fingerprint
            and manifest["environment"] == _environment(manifest["names"])
            and manifest["outputs"] == _outputs(target)
            and all(_listing(source) == names for source, names in manifest["folders"].items())
            and all(_mark(Path(file)) == mark for file, mark in manifest["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, _UnknownInputs):
        return None
    return target if is_current else None


def fingerprint(*parts: object) -> str:
    """Return a digest of a build's settings.

    The digest covers ``parts``, the contents of each part that is a path, and the global.json files of the current folder and its parents.
    """
    marks = [[str(part), _mark(part) if isinstance(part, Path) else ""] for part in parts]
    marks += [["", mark] for folder in _with_parents(Path.cwd()) if (mark := _mark(folder / "global.json")) is not None]
    return hashlib.sha256(json.dumps(marks).encode()).hexdigest()


def _manifest(folder: Path) -> Path:
    return folder / "built.json"


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8-sig").splitlines() if line]


def _paths(listed: Path, pattern: str) -> set[Path]:
    return {Path(line) for file in listed.glob(pattern) for line in _lines(file)}


def _imports(listed: Path) -> dict[Path, str]:
    log = (listed / _LOG).read_text(encoding="utf-8-sig", errors="replace")
    names = {Path(name) for pair in _IMPORT.findall(log) for name in pair}
    files = (path for path in names if path.is_absolute() and path.is_file() and not path.is_relative_to(listed))
    return {path: path.read_text(encoding="utf-8-sig", errors="replace") for path in files}


def _is_in(file: Path, folders: Iterable[Path]) -> bool:
    return any(file.is_relative_to(folder) for folder in folders)


def _has_unknown_inputs(text: str) -> bool:
    parts = (part.strip() for match in _INCLUDED.findall(text) for part in "".join(match).split(";"))
    return bool(_UNKNOWN.search(text)) or any(
        ("*" in part or "?" in part) and not _PATTERN_INSIDE.fullmatch(part) for part in parts
    )


def _with_parents(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.parents


def _environment(names: Iterable[str]) -> str:
    """Return a digest of the environment variables in ``names``, and of those whose names begin with one of ``_TOOL_PREFIXES``."""
    known = frozenset(names)
    variables = [
        [name, value]
        for name, value in os.environ.items()
        if name.lower() in known or name.lower().startswith(_TOOL_PREFIXES)
    ]
    return hashlib.sha256(json.dumps(sorted(variables)).encode("utf-8", "surrogateescape")).hexdigest()


def _mark(file: Path) -> str | None:
    """Return a digest of a file's contents, or the size and modification time of a large file; None if there is no such file."""
    try:
        stat = file.stat()
        if stat.st_size > _LARGE_FILE:
            return f"{stat.st_size} {stat.st_mtime_ns}"
        return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _outputs(target: Path) -> dict[str, str | None]:
    return {str(file): _mark(file) for file in sorted(target.parent.rglob("*")) if file.is_file()}


def _listing(folder: str) -> str:
    """Return a digest of the file names in a project's folder and its subfolders. Raises _UnknownInputs as :func:`_walk` does."""
    names = "\0".join(f"{parent}/{name}" for parent, files in _walk(folder) for name in files)
    return hashlib.blake2b(names.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders that MSBuild's default patterns search, except ``__pycache__``, with their file names.

    Raises _UnknownInputs if there are too many files, or a link to a folder.
    """
    count = 0
    for parent, folders, files in os.walk(folder):
        skipped = ("bin", "obj", "__pycache__") if parent == folder else ("__pycache__",)
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        count += len(files)
        # MSBuild's patterns follow links to folders, and os.walk does not.
        if count > _MAX_FILES or any(Path(parent, name).is_symlink() for name in folders):
            raise _UnknownInputs
        yield parent, sorted(files)
