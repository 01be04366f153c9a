"""The mutants of the models: planted by the C# program in ``mutations/``, which is built once and keeps what it made."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock

from bridge.clr.compile.projects import cache
from bridge.clr.find import assemblies
from diagnosis.subjects import ROOT, Subject

sys.path.insert(0, str(ROOT / "tools"))
import sdk as sdks

#: Folders of what was made before.
KEPT: Final = 5
PROGRAM: Final = Path(__file__).parent / "mutations"


@dataclass(frozen=True)
class Mutant:
    """One planted mistake (:file:`mutations/Planting.cs` says what the fields are), in the namespace ``id`` of ``library``."""

    id: str
    kind: str
    file: str
    line: int
    first: int
    last: int
    owner_class: str
    member: str
    children: tuple[str, ...]
    owner: bool
    findings: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    before: str
    after: str
    subject: str
    library: Path

    def __str__(self) -> str:
        return f"{self.subject}.{self.id} {self.kind}, {self.file}:{self.line}: {self.before} -> {self.after}"


def mutants(subjects: Sequence[Subject]) -> list[Mutant]:
    """Return all mutants of the models that compile, in one order. Raises SystemExit if planting fails.

    Equal sources are compiled once.
    """
    tool = sdks.Sdk()
    libraries = [assemblies.folder()[0] / name for name in ("Bridge.Torch.dll", "Bridge.Hooks.dll")]
    sources = sorted(PROGRAM.glob("*.cs")) + sorted(PROGRAM.glob("*.csproj"))
    made = _key(sources, tool.version)
    program = _built(tool, made)
    found = []
    places = {one.name: _place(one.name, _key([one.source, *libraries], made)) for one in subjects}
    with FileLock(program.parent / "planting.lock"):
        lacking = [one for one in subjects if not (places[one.name] / "complete").is_file()]
        _plant(tool, program, lacking, places, libraries)
    for one in subjects:
        for item in json.loads((places[one.name] / f"{one.name}.json").read_text(encoding="utf-8")):
            item["owner_class"] = item.pop("class")
            item["words"] = tuple(map(tuple, item["words"]))
            item["children"], item["findings"] = tuple(item["children"]), tuple(item["findings"])
            found.append(Mutant(**item, subject=one.name, library=places[one.name] / f"{one.name}.dll"))
    return found


def kinds() -> list[str]:
    """Return the names of all kinds, in the program's order."""
    tool = sdks.Sdk()
    sources = sorted(PROGRAM.glob("*.cs")) + sorted(PROGRAM.glob("*.csproj"))
    program = _built(tool, _key(sources, tool.version))
    said = subprocess.run(
        [tool.command, program, "kinds"], env=tool.environ, capture_output=True, text=True, check=True
    )
    return list(json.loads(said.stdout))


def _plant(
    tool: sdks.Sdk, program: Path, subjects: Sequence[Subject], places: dict[str, Path], libraries: Sequence[Path]
) -> None:
    """Plant two models at a time, since planting is bound by the compiler."""
    running = []
    for one in subjects:
        request = places[one.name] / "request.json"
        asked = {
            "subjects": [{"name": one.name, "files": [str(one.source)], "namespace": "Models"}],
            "references": list(map(str, libraries)),
            "folder": str(places[one.name]),
            "kinds": [],
        }
        request.write_text(json.dumps(asked), encoding="utf-8")
        print(f"planting in {one.name} …", file=sys.stderr, flush=True)
        running.append(
            (one, subprocess.Popen([tool.command, program, request], env=tool.environ, stdout=subprocess.DEVNULL))
        )
        if len(running) == 2:
            _ended(*running.pop(0), places)
    for pair in running:
        _ended(*pair, places)


def _ended(subject: Subject, process: subprocess.Popen[bytes], places: dict[str, Path]) -> None:
    if process.wait() != 0:
        raise SystemExit(f"no mistakes could be planted in {subject.name}.")
    (places[subject.name] / "complete").touch()


def _built(tool: sdks.Sdk, key: str) -> Path:
    """Build the planting program into the cache, in one process at a time."""
    place = _place("mutations", key)
    program = place / "Mutations.dll"
    with FileLock(place.parent / f"{place.name}.lock"):
        if (place / "complete").is_file():
            return program
        with tempfile.TemporaryDirectory() as made:
            copied = Path(made) / "mutations"
            shutil.copytree(PROGRAM, copied, ignore=shutil.ignore_patterns("bin", "obj"))
            options = ("-c", "Release", "-v", "quiet", "--nologo", "-p:UseSharedCompilation=false")
            done = subprocess.run(
                [tool.command, "build", copied, *options, "-o", place],
                env=tool.environ,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        if done.returncode != 0:
            raise SystemExit("tools/diagnosis/mutations does not build.")
        (place / "complete").touch()
    return program


def _place(stem: str, key: str) -> Path:
    """Return the folder for these files' mutants, and delete all but the latest few."""
    folder = cache().parent / "diagnosis" / f"{stem}-{key}"
    if not folder.is_dir():
        others = sorted(folder.parent.glob(f"{stem}-*/"), key=lambda one: one.stat().st_mtime)
        for old in others[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _key(files: Sequence[Path], more: str) -> str:
    total = hashlib.sha256(more.encode())
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()[:16]
