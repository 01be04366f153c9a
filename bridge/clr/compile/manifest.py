"""Notes on what a build of a C# project read and wrote, so that MSBuild runs again only after a change.

MSBuild takes seconds to find that nothing has changed. A build lists its imports, sources, references and copied files; these
are noted with digests of their contents, the folders with the names of their files, since a pattern may match a new file, and the
environment variables that any import reads. A project whose dependencies are not known completely is not noted, and is built each time: one
with targets of its own, generated sources, patterns for files outside of its folder, or files that changed during the build.
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
from bridge.output.files import write_atomically

#: Writes the folders and the inputs of each project that is built into files in ``{folder}``.
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
#: The files that MSBuild, NuGet and the compiler search for in a project's folder and its parents.
_CONFIG_FILES: Final = (
    *("Directory.Build.props", "Directory.Build.targets", "Directory.Build.rsp", "Directory.Packages.props"),
    *("global.json", "nuget.config", "NuGet.config", "NuGet.Config", ".editorconfig", ".globalconfig"),
)
#: A line of MSBuild's log about an import: two files, and a position in the second.
_IMPORT: Final = re.compile(r'"([^"\n]+)"[^"\n]*"([^"\n]+)"[^"\n]*\(\d+,\d+\)')
#: Constructs that make a project depend on more than is noted: targets and tasks of its own, property functions other than MSBuild's,
#: tests for files, and patterns in properties.
_UNKNOWN: Final = re.compile(r"<(?:Target|UsingTask)\b|\$\(\[(?!MSBuild\])|\bExists\s*\(|>[^<]*\*[^<]*<", re.IGNORECASE)
_INCLUDED: Final = re.compile(r"""\b(?:Include|Project)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
#: A pattern for files in the project's folder and its subfolders, which are noted.
_PATTERN_INSIDE: Final = re.compile(r"(?!(?:bin|obj)[/\\])[\w*?][\w*?. -]*(?:[/\\][\w*?][\w*?. -]*)*", re.IGNORECASE)
#: Sources that the SDK generates.
_GENERATED: Final = re.compile(r"\.(?:AssemblyInfo|AssemblyAttributes|GlobalUsings\.g)\.(?:cs|fs|vb)$")
#: Variables that differ between shells and do not affect a build.
_IGNORED_VARIABLES: Final = frozenset({"path", "pwd", "oldpwd", "shlvl", "_", "term", "temp", "tmp", "tmpdir"})
_TOOLS: Final = ("nuget", "dotnet", "msbuild")
#: Files above this size are compared by size and time, as MSBuild does; projects with more files than this are not noted.
_LARGE_FILE, _MAX_FILES = 1 << 24, 20_000
_LOG: Final = "imports.log"


class _Unknown(Exception):
    """The dependencies of a project cannot be determined."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build in progress: its folder, the fingerprint of its settings, and the time of its start by the file system's clock."""

    folder: Path
    fingerprint: str
    start_time: int

    @classmethod
    def begin(cls, folder: Path, fingerprint: str) -> Build:
        """Delete the notes of the last build, and return the new one."""
        _notes(folder).unlink(missing_ok=True)
        stamp = folder / "begun"
        stamp.write_bytes(b"")
        return cls(folder, fingerprint, stamp.stat().st_mtime_ns)

    def note(self, listed: Path, artifacts: Path, target: Path, sdk: Path) -> None:
        """Write the notes from the lists that ``TARGETS`` and the log have left in ``listed``, unless these are incomplete."""
        with suppress(_Unknown, OSError, ValueError):
            pairs = [_lines(file) for file in listed.glob("*.folders")]
            folders = {pair[0] for pair in pairs}
            # Folders whose files do not change: those of the SDK, of packages, and of this build.
            fixed = (sdk, sdk.resolve(), self.folder, *(Path(pair[-1]) for pair in pairs if len(pair) == 2))
            texts = _imports(listed)
            inputs = _paths(listed, "*.inputs")
            if (
                not (texts and folders)
                or any(_is_open(text) for file, text in texts.items() if not _is_in(file, fixed))
                or any(
                    _is_in(file, [artifacts]) and not _GENERATED.search(file.name)
                    for file in _paths(listed, "*.sources")
                )
                or not all(file.exists() for file in inputs)
            ):
                raise _Unknown
            config_files = {
                parent / name for folder in folders for parent in _with_parents(Path(folder)) for name in _CONFIG_FILES
            }
            files = {*texts, *inputs, *config_files, in_home(".nuget/NuGet/NuGet.Config")}
            names = {
                name.lower() for text in texts.values() for name in re.findall(r"\$\(\s*(\w+)", text)
            } - _IGNORED_VARIABLES
            noted = {
                "fingerprint": self.fingerprint,
                "target": str(target),
                "names": sorted(names),
                "environment": _environment(names),
                "files": {str(file): _mark(file) for file in files if not _is_in(file, [artifacts])},
                "folders": {folder: _listing(folder) for folder in folders},
                "outputs": _outputs(target),
            }
            # Checked last: a file that has changed since the build began may not be the one that was built.
            walked = {Path(parent) for folder in folders for parent, _ in _walk(folder)}
            for stat in (path.stat() for path in {*files, *walked} if not _is_in(path, fixed) and path.exists()):
                if max(stat.st_mtime_ns, stat.st_ctime_ns) >= self.start_time:
                    raise _Unknown
            write_atomically(_notes(self.folder), json.dumps(noted))


def log_option(listed: Path) -> str:
    """Return the option by which MSBuild logs its imports."""
    return f"-flp:LogFile={listed / _LOG};Verbosity=detailed;Encoding=UTF-8"


def find_build(folder: Path, fingerprint: str) -> Path | None:
    """Return the assembly of the build that is noted in a folder if a new build would be the same; None otherwise."""
    try:
        noted: dict[str, Any] = json.loads(_notes(folder).read_text(encoding="utf-8"))
        target = Path(noted["target"])
        is_current = (
            noted["fingerprint"] == fingerprint
            and noted["environment"] == _environment(noted["names"])
            and noted["outputs"] == _outputs(target)
            and all(_listing(source) == names for source, names in noted["folders"].items())
            and all(_mark(Path(file)) == mark for file, mark in noted["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, _Unknown):
        return None
    return target if is_current else None


def fingerprint(*parts: object) -> str:
    """Return a digest of a build's settings: ``parts``, the contents of those that are files, and the global.json of this folder."""
    marks = [[str(part), _mark(part) if isinstance(part, Path) else ""] for part in parts]
    marks += [["", mark] for folder in _with_parents(Path.cwd()) if (mark := _mark(folder / "global.json")) is not None]
    return hashlib.sha256(json.dumps(marks).encode()).hexdigest()


def _notes(folder: Path) -> Path:
    return folder / "built.json"


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8-sig").splitlines() if line]


def _paths(listed: Path, pattern: str) -> set[Path]:
    return {Path(line) for file in listed.glob(pattern) for line in _lines(file)}


def _imports(listed: Path) -> dict[Path, str]:
    """Return the project files that MSBuild has read, by its log, with their text."""
    log = (listed / _LOG).read_text(encoding="utf-8-sig", errors="replace")
    names = {Path(name) for pair in _IMPORT.findall(log) for name in pair}
    files = (path for path in names if path.is_absolute() and path.is_file() and not path.is_relative_to(listed))
    return {path: path.read_text(encoding="utf-8-sig", errors="replace") for path in files}


def _is_in(file: Path, folders: Iterable[Path]) -> bool:
    return any(file.is_relative_to(folder) for folder in folders)


def _is_open(text: str) -> bool:
    """Return whether a project file makes its project depend on more than is noted."""
    parts = (part.strip() for match in _INCLUDED.findall(text) for part in "".join(match).split(";"))
    return bool(_UNKNOWN.search(text)) or any(
        ("*" in part or "?" in part) and not _PATTERN_INSIDE.fullmatch(part) for part in parts
    )


def _with_parents(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.parents


def _environment(names: Iterable[str]) -> str:
    """Return a digest of the environment variables that MSBuild reads as properties of these names, and of those for its tools."""
    known = frozenset(names)
    variables = [
        [name, value] for name, value in os.environ.items() if name.lower() in known or name.lower().startswith(_TOOLS)
    ]
    return hashlib.sha256(json.dumps(sorted(variables)).encode("utf-8", "surrogateescape")).hexdigest()


def _mark(file: Path) -> str | None:
    """Return a digest of a file's contents; None where it does not exist."""
    try:
        stat = file.stat()
        if stat.st_size > _LARGE_FILE:
            return f"{stat.st_size} {stat.st_mtime_ns}"
        return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _outputs(target: Path) -> dict[str, str | None]:
    """Return the marks of the assembly and of the files in its folder."""
    return {str(file): _mark(file) for file in sorted(target.parent.rglob("*")) if file.is_file()}


def _listing(folder: str) -> str:
    """Return a digest of the names below a project's folder. Raises _Unknown."""
    names = "\0".join(f"{parent}/{name}" for parent, files in _walk(folder) for name in files)
    return hashlib.blake2b(names.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders that default patterns search, with the names of their files. Raises _Unknown."""
    count = 0
    for parent, folders, files in os.walk(folder):
        skipped = ("bin", "obj", "__pycache__") if parent == folder else ("__pycache__",)
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        count += len(files)
        # MSBuild's patterns follow links, and os.walk does not.
        if count > _MAX_FILES or any(Path(parent, name).is_symlink() for name in folders):
            raise _Unknown
        yield parent, sorted(files)
