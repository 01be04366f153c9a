"""The cases of ``tests/torchsharp/surface``: expressions in C# and in PyTorch, a line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from operators import sections

#: What no test can run: where there is no accelerator, or more than once in a process.
UNTRIED = {"Tensor aten::pin_memory", "torch bridge::set_num_interop_threads"}
PLACE = Path(__file__).resolve().parents[1] / "surface"
_PUBLIC = re.compile(r"public [^\n;{}=]*?\b@?(\w+)(?:\(| =>)")
_ROW = re.compile(
    r'\[Aten\("(?P<aten>[^"]+)",.*?\)\]\s*(?P<access>public|private|internal)[^;]*?\b@?(?P<name>\w+)\([^;]*;', re.DOTALL
)


@dataclass(frozen=True)
class Case:
    """The C# expression, Python's that gives the same, and where they are: file and line."""

    code: str
    counterpart: str
    place: str


def cases() -> list[Case]:
    """Return the cases of all files, in order."""
    found = []
    for file in sorted(PLACE.glob("*.tsv")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            code, _, counterpart = line.partition("\t")
            found.append(Case(code, counterpart or f"torch.{code}", f"{file.name}:{number}"))
    return found


def rows_of_tables(torch_sources: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the rows of the tables of members, each with the cells of its line ``[class]``."""
    return ((section, row) for section, rows in sections(torch_sources) for row in rows)


def listed(torch_sources: Path) -> dict[str, str]:
    """Return the operators of the tables of members, as ``class overload``, and the name of a member that calls each."""
    found = {}
    for (owner, prefix, *_), (name, places, overloads, *_) in rows_of_tables(torch_sources):
        for place in places.split(" ") if not overloads.endswith("()") else ():
            for overload in (overloads or prefix + name.partition("(")[0]).split(" "):
                base, dot, kind = overload.rstrip("~").partition(".")
                within = "Tensor" if place[0] == "T" else owner.strip("[]").rpartition(".")[2]
                if place[0] != "t":
                    for suffix in (place[1:], "_") if overload.endswith("~") else (place[1:],):
                        found[f"{within} aten::{base}{suffix}{dot}{kind}"] = name.partition("(")[0] + place[1:]
    return found


def untested(sources: Path, rows: Iterable[str]) -> list[str]:
    """Return the ``rows`` (``class overload``) that no expression runs, by the row's name or by a public caller."""
    wanted, expressions = (
        set(rows) - UNTRIED,
        "\n".join([*(case.code for case in cases()), (PLACE / "Surface.cs").read_text(encoding="utf-8")]),
    )
    files = [file.read_text(encoding="utf-8") for file in sorted(sources.rglob("*.cs"))]
    table = listed(sources)
    found = [row for row, name in table.items() if row in wanted and not _runs(name, "public", files, expressions)]
    for text in files:
        classes = [(place.start(), place[1]) for place in re.finditer(r"partial class (\w+)", text)]
        for row in _ROW.finditer(text):
            inside = [name for start, name in classes if start < row.start()][-1]
            if f"{inside} {row['aten']}" in wanted and not _runs(row["name"], row["access"], files, expressions):
                found.append(f"{inside} {row['aten']}")
    return found


def _runs(name: str, access: str, files: Iterable[str], expressions: str) -> bool:
    if access == "public":
        return re.search(rf"\b{name}\(", expressions) is not None
    for text in files:
        for use in re.finditer(rf"^(?!.*partial).*\b{name}\(", text, re.MULTILINE):
            callers = _PUBLIC.findall(text[: use.end()])
            if callers and re.search(rf"\b{callers[-1]}\b", expressions):
                return True
    return False
