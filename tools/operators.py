"""Writes docs/operators.md from the operator table (dotnet/src/Bridge.Torch/Operators).

    python tools/operators.py          writes the page
    python tools/operators.py --check  exits 1 if the page is not what the table gives

A row is a line of a table ``*.tsv`` (dotnet/src/Bridge.Generator/MemberTable.cs), for members of TorchSharp's list, or a C# declaration
with ``[Aten(operator, mapping)]``. One that takes a Scalar runs by an operator that Python registers
(bridge/clr/start/scalar_operators.py); one of ``bridge::`` is such an operator itself; every other one needs no Python.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "dotnet" / "src" / "Bridge.Torch" / "Operators"
LIST = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
PAGE = ROOT / "docs" / "operators.md"
_ROW = re.compile(r'\[Aten\("(?P<aten>[^"]+)",.*?\)\]\s*(?P<declared>(?:public|private|internal)[^;]*);', re.DOTALL)
_CLASS = re.compile(r"\bclass (\w+)")
#: Classes as they are written in C#, in the page's order.
_PLACES = {
    "Tensor": "Tensor",
    "torch": "torch",
    "functional": "torch.nn.functional",
    "init": "torch.nn.init",
    "utils": "torch.nn.utils",
    "linalg": "torch.linalg",
    "special": "torch.special",
    "fft": "torch.fft",
}
_HEAD = """# Operators

Written by `python tools/operators.py` from the operator table; a test fails when it is stale. Every row is compared with PyTorch's
result and gradient over several element types and random shapes (`tests/torchsharp`).

*Through*: **ABI**, libtorch's dispatcher by the stable C ABI, which needs no Python; **Python**, an operator that the Python half
registers because the ABI cannot carry a Scalar or reach a gradient. Without Python such a row throws NotSupportedException with its name.
So does one that is given a Generator other than the default one, which the ABI cannot carry either.
"""


@dataclass(frozen=True)
class Row:
    """One row: its class, its declaration, the dispatcher's overload, and whether it converts a number to a Scalar."""

    place: str
    declared: str
    aten: str
    converts: bool = False

    @property
    def through(self) -> str:
        """Return the member that carries the operator."""
        return (
            "Python"
            if self.converts
            or "Scalar " in self.declared.replace("Scalar?", "Scalar")
            or self.aten.startswith("bridge::")
            else "ABI"
        )


def rows() -> list[Row]:
    """Return all rows, in the order of the files. One of the table has the first member that it stands for."""
    found = list({(row.place, row.aten): row for row in reversed([*_listed()])}.values())[::-1]
    for file in sorted(TABLE.rglob("*.cs")):
        text = file.read_text(encoding="utf-8")
        classes = [(place.start(), place[1]) for place in _CLASS.finditer(text)]
        for row in _ROW.finditer(text):
            inside = [name for start, name in classes if start < row.start()][-1]
            declared = re.sub(r"\s+", " ", row["declared"]).replace("( ", "(").replace("partial ", "")
            found.append(Row(_PLACES.get(inside, inside), declared, row["aten"]))
    return found


def sections(torch_sources: Path) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield, for each line ``[class]`` of the tables of members below Bridge.Torch, its cells and those of its rows, six of each."""
    for file in sorted(torch_sources.rglob("*.tsv")):
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#")]
        for section in re.split(r"^(?=\[)", "\n".join(lines), flags=re.MULTILINE)[1:]:
            head, *rows = [[*line.split("\t"), *[""] * 6][:6] for line in section.splitlines()]
            yield head, rows


def _listed() -> Iterator[Row]:
    """Yield the rows of the tables, one per member that calls an operator."""
    types = [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()]
    methods = {entry.get("name"): entry.get("methods") for entry in types}
    for (owner, prefix, *_), rows in sections(TABLE.parent):
        yield from _of_section(owner.strip("[]"), prefix, rows, methods)


def _of_section(owner: str, prefix: str, cells: list[list[str]], methods: dict[str, Any]) -> Iterator[Row]:
    for name, places, operators, arguments, *_ in cells:
        base, _, chosen = name.partition("(")
        for place in places.split(" "):
            if place[0] == "t" or operators.endswith("()"):
                continue
            others = {
                other.partition("(")[2]
                for other, at, *_ in cells
                if other.startswith(f"{base}(") and place in at.split()
            }
            for method in methods[
                "TorchSharp.torch/Tensor" if place[0] == "T" else f"TorchSharp.{owner.replace('.', '/')}"
            ]:
                if method["n"] != base + place[1:] or ("static" in method.get("f", "")) != (place[0] == "s"):
                    continue
                taken = [_short(parameter["t"]) for parameter in method.get("p", ())]
                if (chosen != ",".join(taken) + ")") if chosen else (",".join(taken) + ")" in others):
                    continue
                overloads = operators.rstrip("~").split() or [prefix + base]
                chooses = operators.endswith("~") and any(parameter["n"] == "inplace" for parameter in method["p"])
                for variant in (place, place + "_") if chooses else (place,):
                    yield _row("Tensor" if place[0] == "T" else owner, variant, method, taken, overloads, arguments)


def _row(owner: str, place: str, method: dict[str, Any], taken: list[str], operators: list[str], arguments: str) -> Row:
    fits = (
        [name for name in operators if name.partition(".")[2].startswith(taken[0])] if len(operators) > 1 else operators
    )
    operator, dot, overload = fits[0].partition(".")
    given = ", ".join(f"{kind} {parameter['n']}" for kind, parameter in zip(taken, method.get("p", ()), strict=True))
    declared = f"public {_short(method['r'])} {method['n']}({given})"
    aten = f"aten::{operator}{place[1:]}{dot}{overload}"
    return Row(owner, declared, aten, "#" in arguments)


def _short(text: str) -> str:
    """Return a type of the list as the table has it: ``(long,long)?``."""
    if text.endswith("[]"):
        return _short(text[:-2]) + "[]"
    name, opened, inner = text.partition("<")
    if not opened:
        return re.split(r"[./]", text)[-1]
    parts = [_short(part) for part in _split(inner[:-1])]
    name = name.partition("`")[0].rpartition(".")[2]
    if name == "Nullable":
        return parts[0] + "?"
    return f"({','.join(parts)})" if name == "ValueTuple" else f"{name}<{','.join(parts)}>"


def _split(text: str) -> Iterable[str]:
    return re.findall(r"[^,<]+(?:<(?:[^<>]|<[^<>]*>)*>)?(?:\[\])*", text)


def page() -> str:
    """Return the page's text."""
    parts = [_HEAD]
    found = rows()
    python = sum(row.through == "Python" for row in found)
    parts.append(f"{len(found)} rows, {len(found) - python} of them without Python.\n")
    for place in dict.fromkeys([*_PLACES.values(), *(row.place for row in found)]):
        parts.append(f"## {place}\n\n| Member | Operator | Through |\n| --- | --- | --- |")
        for row in sorted((row for row in found if row.place == place), key=lambda row: row.aten):
            access, _, signature = row.declared.partition(" ")
            shown = f"`{signature.removeprefix('static ')}`" if access == "public" else "(behind a member)"
            parts.append(f"| {shown} | `{row.aten}` | {row.through} |")
        parts.append("")
    return "\n".join(parts)


def main() -> int:
    """Write the page, or check it."""
    if "--check" in sys.argv[1:]:
        fresh = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page()
        print(
            "docs/operators.md is what the table gives."
            if fresh
            else "docs/operators.md is stale: python tools/operators.py"
        )
        return 0 if fresh else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
