"""Compile the C# of the tests: with the SDK's own compiler, or take what ``make refresh`` compiled from the same sources.

A build of a project takes five times as long as the compiler alone. Without an SDK, the assemblies of tests/_dotnet serve: each lies in a
folder named after the digest of its sources, so that an assembly of other sources is never taken.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

ROOT: Final = Path(__file__).resolve().parents[1]
#: Compiled assemblies of the working tree, for every process of a test run and for the next run. Not tracked.
CACHE: Final = ROOT / "dotnet" / "artifacts" / "tests"
#: Compiled assemblies for machines without an SDK: written by ``make refresh``, compared by ``make check-refresh``.
STORE: Final = ROOT / "tests" / "_dotnet"
#: A folder, in the environment: each assembly that is compiled is copied there, laid out as in STORE.
INTO: Final = "BRIDGE_TESTS_COMPILED_INTO"
#: Builds of one name that stay in CACHE; older ones are removed.
_KEPT: Final = 6
#: With so many sources the compiler is compiled once and for all at its start: to begin with slow code and to mend it takes longer.
_MANY: Final = 100
_AT_ONCE: Final = {"DOTNET_TieredCompilation": "0"}

#: Asks the SDK which assemblies C# for .NET 8 is compiled against.
_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
</Project>
"""
#: The source that the SDK adds to those of a project.
_ADDED = (
    "".join(
        f"global using global::System{name};\n"
        for name in ("", ".Collections.Generic", ".IO", ".Linq", ".Net.Http", ".Threading", ".Threading.Tasks")
    )
    + """[assembly: System.Runtime.Versioning.TargetFramework(".NETCoreApp,Version=v8.0")]
[assembly: System.Reflection.AssemblyVersion("1.0.0.0")]
"""
)
_OPTIONS = (
    "-nostdlib+",
    "-target:library",
    "-optimize+",
    "-deterministic+",
    "-langversion:latest",
    "-nullable:enable",
    "-nologo",
)


class CompileError(Exception):
    """The sources do not compile; the message has the compiler's lines."""


class NotCompiled(Exception):
    """There is no SDK, and tests/_dotnet holds no assembly of these sources."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """Sources by file name, the name of their assembly, and the assemblies that they refer to.

    With ``symbols`` a .pdb is written beside the assembly, with ``strict`` warnings are errors. ``language`` is another version of C# than
    the newest; ``checked`` makes an overflow of whole numbers an exception. Without ``nullable`` nothing is found out of null, which takes
    a fifth of the time.
    """

    name: str
    sources: Mapping[str, str]
    references: Sequence[Path]
    symbols: bool = False
    strict: bool = False
    language: str | None = None
    checked: bool = False
    nullable: bool = True

    @property
    def options(self) -> tuple[str, ...]:
        """Return the compiler's options, without the files."""
        warnings = ("-warn:9999", "-warnaserror+") if self.strict else ("-warn:0",)
        version = () if self.language is None else (f"-langversion:{self.language}",)
        checked = ("-checked+",) if self.checked else ()
        nullable = () if self.nullable else ("-nullable:disable",)
        return (*_OPTIONS, "-debug:portable" if self.symbols else "-debug-", *warnings, *version, *checked, *nullable)

    @property
    def folder(self) -> str:
        """Return the folder's name in STORE, derived from sources, options and reference names; equal on any machine."""
        names = [path.name for path in self.references]
        return f"{self.name}-{_digest(self.name, sorted(self.sources.items()), names, _ADDED, self.options)}"


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def stored(compilation: Compilation) -> Path:
    """Return the assembly that ``make refresh`` compiled from these sources. Raises NotCompiled."""
    library = STORE / compilation.folder / f"{compilation.name}.dll"
    if library.is_file():
        return library
    raise NotCompiled(
        f"tests/_dotnet has no {compilation.name}.dll of these sources ({compilation.folder}), and there is no .NET SDK to compile them: "
        "run `make refresh` on a machine with an SDK, or name the test in tests/without_sdk.toml and mark it sdk"
    )


def compile_sources(sdk: Any, compilation: Compilation) -> Path:
    """Return the path of the assembly, compiled once for the same sources, references and SDK (tools/sdk.py: ``Sdk``).

    Raises CompileError.
    """
    read = [(str(path), path.read_bytes()) for path in compilation.references]
    place = CACHE / f"{compilation.folder}-{_digest(read, sdk.version)}"
    library = place / f"{compilation.name}.dll"
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(place.with_suffix(".lock")):
        if not library.is_file():
            for old in sorted(CACHE.glob(f"{compilation.name}-*/"), key=lambda path: path.stat().st_mtime)[:-_KEPT]:
                shutil.rmtree(old, ignore_errors=True)
            _compile(sdk, compilation, place)
    os.utime(place)
    if into := os.environ.get(INTO):
        shutil.copytree(place, Path(into) / compilation.folder, dirs_exist_ok=True)
    return library


def _compile(sdk: Any, compilation: Compilation, place: Path) -> None:
    """Run the compiler; ``place`` is there completely or not at all."""
    compiler, *framework = compiler_and_framework(sdk)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "out").mkdir()
        for file, text in {**compilation.sources, "Added.g.cs": _ADDED}.items():
            (folder / file).write_text(text, encoding="utf-8")
        references = [f'-reference:"{path}"' for path in (*framework, *compilation.references)]
        output = (f"-out:out/{compilation.name}.dll", f"-pathmap:{folder.resolve()}=/_")
        arguments = [*compilation.options, *output, *references, *compilation.sources, "Added.g.cs"]
        (folder / "arguments.rsp").write_text("\n".join(arguments), encoding="utf-8")
        environ = _AT_ONCE if len(compilation.sources) > _MANY else {}
        done = _run(sdk, folder, "exec", compiler, "-noconfig", "@arguments.rsp", **environ)
        if done.returncode != 0:
            raise CompileError(f"the C# of {compilation.name} does not compile:\n{done.stdout}\n{done.stderr}")
        shutil.rmtree(place, ignore_errors=True)
        part = place.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.move(folder / "out", part)
        part.rename(place)


def compiler_and_framework(sdk: Any) -> list[str]:
    """Return the SDK's compiler and the assemblies of .NET 8. Asked once for each SDK, since restoring a project takes long."""
    known = CACHE / f"compiler-{sdk.version}.json"
    with FileLock(known.with_suffix(".lock")):
        if known.is_file():
            found: list[str] = json.loads(known.read_text(encoding="utf-8"))
            if all(Path(path).is_file() for path in found):
                return found
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            (folder / "Probe.csproj").write_text(_PROJECT, encoding="utf-8")
            target, item = "FindReferenceAssembliesForReferences", "ReferencePathWithRefAssemblies"
            asked = (f"-t:{target}", f"-getItem:{item}", "-getProperty:RoslynTargetsPath")
            done = _run(sdk, folder, "msbuild", "Probe.csproj", "-restore", "-nologo", *asked)
        if done.returncode != 0:
            raise CompileError(f"the SDK restores no project for .NET 8:\n{done.stdout}\n{done.stderr}")
        said = json.loads(done.stdout)
        compiler = Path(said["Properties"]["RoslynTargetsPath"]).resolve() / "bincore" / "csc.dll"
        found = [str(compiler), *(entry["FullPath"] for entry in said["Items"][item])]
        known.write_text(json.dumps(found), encoding="utf-8")
        return found


def torchsharp_signatures(sdk: Any) -> Path:
    """Return an assembly named TorchSharp that has the signatures of TorchSharp 0.107 and no code, made by TorchSharp.Reference."""
    program = ROOT / "dotnet" / "artifacts" / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
    listed = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
    place = CACHE / f"TorchSharp.Reference-{_digest(program.read_bytes(), listed.read_bytes())}" / "TorchSharp.dll"
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place.parent.with_suffix(".lock")):
        if not place.is_file():
            part = place.with_suffix(".part")
            done = _run(sdk, ROOT, str(program), str(listed), str(part))
            if done.returncode != 0:
                raise CompileError(f"TorchSharp.Reference wrote no assembly:\n{done.stdout}\n{done.stderr}")
            part.rename(place)
    return place


def store_signatures(sdk: Any, folder: Path) -> None:
    """Write the assembly of TorchSharp's signatures into ``folder``, laid out as in STORE."""
    place = folder / "TorchSharp.Reference"
    place.mkdir(parents=True)
    shutil.copyfile(torchsharp_signatures(sdk), place / "TorchSharp.dll")


def _run(sdk: Any, folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sdk.command, *arguments],
        cwd=folder,
        env={**sdk.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
