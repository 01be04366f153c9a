"""Notes what a build of a C# project read and wrote, so that MSBuild is started again only where something of it has changed.

MSBuild takes seconds to find that nothing is to be done. It is asked what it imports, compiles, refers to and copies; these files
are noted with digests of their contents, the folders with the names in them, since a pattern may match a new file, and the
environment as far as any import reads it. A project of which this does not say everything is not noted, and is built each time: one
with targets of its own, sources that a tool writes, patterns for files outside of its folder, or files that changed meanwhile.
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
from bridge.output.files import write_at_once

#: Leaves the folders and the inputs of each project that is built in files of its own in ``{folder}``.
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
#: What MSBuild, NuGet and the compiler look for in a project's folder and in those above it.
_LOOKED_FOR: Final = (
    *("Directory.Build.props", "Directory.Build.targets", "Directory.Build.rsp", "Directory.Packages.props"),
    *("global.json", "nuget.config", "NuGet.config", "NuGet.Config", ".editorconfig", ".globalconfig"),
)
#: A line of MSBuild's log about an import: two files and a place in the second.
_IMPORT: Final = re.compile(r'"([^"\n]+)"[^"\n]*"([^"\n]+)"[^"\n]*\(\d+,\d+\)')
#: What makes a project depend on more than is listed: tasks of its own, functions other than MSBuild's, files that may come, and a pattern
#: that is kept in a property.
_UNKNOWN: Final = re.compile(r"<(?:Target|UsingTask)\b|\$\(\[(?!MSBuild\])|\bExists\s*\(|>[^<]*\*[^<]*<", re.IGNORECASE)
_INCLUDED: Final = re.compile(r"""\b(?:Include|Project)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
#: A pattern for files in the project's folder, in folders whose names are noted.
_WITHIN: Final = re.compile(r"(?!(?:bin|obj)[/\\])[\w*?][\w*?. -]*(?:[/\\][\w*?][\w*?. -]*)*", re.IGNORECASE)
#: Sources that the SDK itself writes.
_OF_THE_SDK: Final = re.compile(r"\.(?:AssemblyInfo|AssemblyAttributes|GlobalUsings\.g)\.(?:cs|fs|vb)$")
#: Variables that change with every shell, and what is built by them does not.
_ANY_VALUE: Final = frozenset({"path", "pwd", "oldpwd", "shlvl", "_", "term", "temp", "tmp", "tmpdir"})
_TOOLS: Final = ("nuget", "dotnet", "msbuild")
#: A larger file is taken for the same by its size and time, as MSBuild does; a larger folder is not looked through.
_LARGE, _MANY = 1 << 24, 20_000
_LOG: Final = "imports.log"


class _Unknown(Exception):
    """What a project depends on cannot be known."""


@dataclass(frozen=True, slots=True)
class Build:
    """Hold a build that has begun at a time by the clock of the files; its notes go into ``place``, ``asked`` is what it was asked with."""

    place: Path
    asked: str
    begun: int

    @classmethod
    def begin(cls, place: Path, asked: str) -> Build:
        """Forget the last build."""
        _notes(place).unlink(missing_ok=True)
        stamp = place / "begun"
        stamp.write_bytes(b"")
        return cls(place, asked, stamp.stat().st_mtime_ns)

    def note(self, listed: Path, artifacts: Path, target: Path, sdk: Path) -> None:
        """Write down what was read, as ``TARGETS`` and ``log`` have left it in ``listed``, and written, unless that is not all."""
        with suppress(_Unknown, OSError, ValueError):
            pairs = [_lines(file) for file in listed.glob("*.folders")]
            folders = {pair[0] for pair in pairs}
            # What an installation, or this package, writes once.
            fixed = (sdk, sdk.resolve(), self.place, *(Path(pair[-1]) for pair in pairs if len(pair) == 2))
            texts = _imports(listed)
            inputs = _paths(listed, "*.inputs")
            if (
                not (texts and folders)
                or any(_is_open(text) for file, text in texts.items() if not _is_in(file, fixed))
                or any(
                    _is_in(file, [artifacts]) and not _OF_THE_SDK.search(file.name)
                    for file in _paths(listed, "*.sources")
                )
                or not all(file.exists() for file in inputs)
            ):
                raise _Unknown
            looked_for = {
                above / name for folder in folders for above in _upwards(Path(folder)) for name in _LOOKED_FOR
            }
            files = {*texts, *inputs, *looked_for, in_home(".nuget/NuGet/NuGet.Config")}
            names = {name.lower() for text in texts.values() for name in re.findall(r"\$\(\s*(\w+)", text)} - _ANY_VALUE
            noted = {
                "asked": self.asked,
                "target": str(target),
                "names": sorted(names),
                "environment": _environment(names),
                "files": {str(file): _mark(file) for file in files if not _is_in(file, [artifacts])},
                "folders": {folder: _listing(folder) for folder in folders},
                "outputs": _outputs(target),
            }
            # The last of all: what has changed since the build began may not be what was built.
            walked = {Path(here) for folder in folders for here, _ in _walk(folder)}
            for stat in (one.stat() for one in {*files, *walked} if not _is_in(one, fixed) and one.exists()):
                if max(stat.st_mtime_ns, stat.st_ctime_ns) >= self.begun:
                    raise _Unknown
            write_at_once(_notes(self.place), json.dumps(noted))


def log(listed: Path) -> str:
    """Return the option by which MSBuild logs its imports."""
    return f"-flp:LogFile={listed / _LOG};Verbosity=detailed;Encoding=UTF-8"


def built(place: Path, asked: str) -> Path | None:
    """Return the assembly of the build that is noted in ``place`` if the same build would give the same now."""
    try:
        noted: dict[str, Any] = json.loads(_notes(place).read_text(encoding="utf-8"))
        target = Path(noted["target"])
        same = (
            noted["asked"] == asked
            and noted["environment"] == _environment(noted["names"])
            and noted["outputs"] == _outputs(target)
            and all(_listing(folder) == names for folder, names in noted["folders"].items())
            and all(_mark(Path(file)) == mark for file, mark in noted["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, _Unknown):
        return None
    return target if same else None


def asked(*parts: object) -> str:
    """Return a digest of what a build is asked with: ``parts``, the contents of those that are files, and this folder's global.json."""
    told = [[str(one), _mark(one) if isinstance(one, Path) else ""] for one in parts]
    told += [["", mark] for above in _upwards(Path.cwd()) if (mark := _mark(above / "global.json")) is not None]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _notes(place: Path) -> Path:
    return place / "built.json"


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8-sig").splitlines() if line]


def _paths(listed: Path, pattern: str) -> set[Path]:
    return {Path(line) for file in listed.glob(pattern) for line in _lines(file)}


def _imports(listed: Path) -> dict[Path, str]:
    """Return the project files that MSBuild has read, by its log, with their text."""
    log = (listed / _LOG).read_text(encoding="utf-8-sig", errors="replace")
    named = {Path(one) for pair in _IMPORT.findall(log) for one in pair}
    files = (one for one in named if one.is_absolute() and one.is_file() and not one.is_relative_to(listed))
    return {one: one.read_text(encoding="utf-8-sig", errors="replace") for one in files}


def _is_in(file: Path, folders: Iterable[Path]) -> bool:
    return any(file.is_relative_to(folder) for folder in folders)


def _is_open(text: str) -> bool:
    """Return whether a project file makes its project depend on more than is noted."""
    parts = (part.strip() for found in _INCLUDED.findall(text) for part in "".join(found).split(";"))
    return bool(_UNKNOWN.search(text)) or any(
        ("*" in part or "?" in part) and not _WITHIN.fullmatch(part) for part in parts
    )


def _upwards(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.parents


def _environment(names: Iterable[str]) -> str:
    """Return a digest of the variables that MSBuild takes as properties of these names, and of those for its tools."""
    known = frozenset(names)
    held = [
        [name, value] for name, value in os.environ.items() if name.lower() in known or name.lower().startswith(_TOOLS)
    ]
    return hashlib.sha256(json.dumps(sorted(held)).encode("utf-8", "surrogateescape")).hexdigest()


def _mark(file: Path) -> str | None:
    """Return what tells the contents of a file from others; None where there is none."""
    try:
        stat = file.stat()
        if stat.st_size > _LARGE:
            return f"{stat.st_size} {stat.st_mtime_ns}"
        return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _outputs(target: Path) -> dict[str, str | None]:
    """Return the marks of the assembly and of what lies beside it."""
    return {str(file): _mark(file) for file in sorted(target.parent.rglob("*")) if file.is_file()}


def _listing(folder: str) -> str:
    """Return a digest of the names below a project's folder. Raises _Unknown."""
    names = "\0".join(f"{here}/{name}" for here, files in _walk(folder) for name in files)
    return hashlib.blake2b(names.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders where default patterns look, with the names of their files. Raises _Unknown."""
    count = 0
    for here, inner, files in os.walk(folder):
        skipped = ("bin", "obj", "__pycache__") if here == folder else ("__pycache__",)
        inner[:] = sorted(name for name in inner if name not in skipped and not name.startswith("."))
        count += len(files)
        # A pattern follows a link, and os.walk does not.
        if count > _MANY or any(Path(here, name).is_symlink() for name in inner):
            raise _Unknown
        yield here, sorted(files)
