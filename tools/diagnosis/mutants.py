"""The mutants of a model, planted by the C# program in ``mutations/`` and kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.clr.compile.projects import build_folder, build_project, environment, lock
from bridge.clr.find import assemblies
from bridge.clr.find.installation import find_dotnet
from diagnosis.subjects import HELD_OUT_KINDS, HELD_OUT_MODELS, Subject

PROGRAM: Final = Path(__file__).parent / "mutations"


@dataclass(frozen=True)
class Mutant:
    """A port with one mistake: the class of the model's name in the namespace ``id`` of ``library``.

    ``line`` has the mistake, and its statement is in the lines ``first`` to ``last``. A finding locates it at the modules ``children`` of
    ``owner_class``, where a part may be ``*``, and with ``owner`` also at the module of that class itself. A finding explains it if its
    kind is one of ``findings`` and it has a word of each row of ``words``.
    """

    subject: str
    library: Path
    id: str
    kind: str
    file: str
    line: int
    first: int
    last: int
    owner_class: str
    children: list[str]
    owner: bool
    findings: list[str]
    words: list[list[str]]
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.subject}.{self.id} {self.kind}, {self.file}:{self.line}: {self.before} -> {self.after}"

    @property
    def held_out(self) -> bool:
        return self.subject in HELD_OUT_MODELS or self.kind in HELD_OUT_KINDS


def mutants(subject: Subject) -> list[Mutant]:
    """Return the mutants of a model that compile, in the order of their kinds and places; plant them if a source has changed."""
    place, _ = assemblies.folder()
    libraries = [place / name for name in ("Bridge.Torch.dll", "Bridge.Hooks.dll")]
    sources = [*sorted(PROGRAM.glob("*.cs*")), subject.port, *libraries]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    folder = build_folder(subject.port) / f"mutants-{digest}"
    records = folder / f"{subject.name}.json"
    with lock(subject.port):
        if not records.is_file():  # written at the end
            for outdated in folder.parent.glob("mutants-*"):
                shutil.rmtree(outdated)
            folder.mkdir()
            dotnet = find_dotnet(sdk=True)
            program = build_project(PROGRAM / "Mutations.csproj", place)
            command = [dotnet.command, program, subject.port, folder, *libraries]
            subprocess.run(command, env=environment(dotnet), check=True)
    library = folder / f"{subject.name}.dll"
    return [Mutant(subject.name, library, **record) for record in json.loads(records.read_text(encoding="utf-8"))]
