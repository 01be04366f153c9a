"""Writes docs/api.md: every member of TorchSharp, by type, as what Bridge.Torch has it.

    python tools/api.py          writes the page, and the counts (docs/api.json)
    python tools/api.py --check  exits 1 if the page is not what the assemblies give

What is there is read from the compiled assemblies, by exact signature (dotnet/tests/TorchSharp.Reference). What is tested is found: the
tests' C# names it. The counts may only get better: where one is worse, nothing is written.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import sdk

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api.md"
COUNTS = ROOT / "docs" / "api.json"
_PROGRAM = ROOT / "dotnet" / "artifacts" / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
_LIST = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
_TESTS = (ROOT / "tests" / "torchsharp", ROOT / "tests" / "facade", ROOT / "dotnet" / "tests" / "Bridge.Torch.Tests")
_WORD = re.compile(r"[A-Za-z_]\w*")
#: What is left out by design: a prefix of the type's name, and what to use instead.
OUT = {
    "Data": "torch.utils.data",
}
_HEAD = """# The surface of TorchSharp

Written by `python tools/api.py`. Every public member of TorchSharp 0.107, by type, as Bridge.Torch has it:

- **tested**: with TorchSharp's exact signature, and the C# of this repository's tests names it (overloads of one name are not told apart).
- **exact**: with TorchSharp's exact signature, so that compiled code binds to it.
- **stub**: it is there by name, and throws `NotSupportedException` with the reason below. `bridge.load` refuses a class that needs one.
- **missing**: it is not there; `bridge.load` refuses a class that needs it, and a project that names it does not compile.

"""


@dataclass(frozen=True)
class Row:
    """A member: exact, stub, differs or absent."""

    state: str
    type: str
    member: str
    name: str
    projects: int
    reason: str

    @property
    def out(self) -> bool:
        """Return whether the member is excluded by design."""
        short = self.type.removeprefix("TorchSharp.")
        return any(short == part or short.startswith((f"{part}/", f"{part}.", f"{part}`")) for part in OUT)


def rows() -> list[Row]:
    """Return all members in the list's order; a missing type counts as one member."""
    found_sdk = sdk.Sdk()
    command = [found_sdk.command, str(_PROGRAM), "--json", str(_LIST)]
    done = subprocess.run(command, env=found_sdk.environ, capture_output=True, text=True, check=True)
    found = (json.loads(line) for line in done.stdout.splitlines())
    return [
        Row(
            entry["state"],
            entry["type"],
            entry["member"] or entry["type"],
            entry["name"],
            entry["projects"],
            entry["reason"],
        )
        for entry in found
    ]


def named() -> set[str]:
    """Return the identifiers of the tests' C#."""
    words: set[str] = set()
    for place in _TESTS:
        for file in sorted(place.rglob("*")):
            if file.suffix in {".py", ".cs", ".tsv"}:
                words.update(_WORD.findall(file.read_text(encoding="utf-8")))
    return words


def tested(row: Row, words: set[str]) -> bool:
    """Return whether a test uses the member: its name, its property's, or its type's for a constructor or an operator."""
    name = re.sub(r"^(get|set|add|remove)_(?=\w)", "", row.name)
    if row.name == ".ctor" or row.name.startswith("op_") or name == "Item":
        name = re.split(r"[/.]", row.type)[-1].partition("`")[0]
    return name in words


def counts(all_rows: Iterable[Row]) -> dict[str, int]:
    """Count the members in each state, excluded ones left out."""
    words = named()
    found = Counter(
        "tested" if row.state == "exact" and tested(row, words) else row.state for row in all_rows if not row.out
    )
    return {
        "tested": found["tested"],
        "exact": found["exact"],
        "stub": found["stub"],
        "missing": found["absent"] + found["differs"],
    }


def fallen(now: dict[str, int]) -> list[str]:
    """Describe the figures that are lower than those in docs/api.json."""
    before: dict[str, int] = json.loads(COUNTS.read_text(encoding="utf-8"))
    there, was = now["tested"] + now["exact"], before["tested"] + before["exact"]
    found = [f"{there} exact members, {was} before"] if there < was else []
    if now["tested"] < before["tested"]:
        found.append(f"{now['tested']} tested members, {before['tested']} before")
    return found


def page(all_rows: list[Row]) -> str:
    """Return the page's text."""
    words = named()
    total = counts(all_rows)
    parts = [
        _HEAD,
        f"{total['tested']} tested, {total['exact']} exact, {total['stub']} stubs, {total['missing']} missing.\n",
    ]
    parts.append("| Type | tested | exact | stub | missing |\n| --- | --- | --- | --- | --- |")
    inside = [row for row in all_rows if not row.out]
    for name in dict.fromkeys(row.type for row in inside):
        mine = [row for row in inside if row.type == name]
        known = [row for row in mine if row.state == "exact"]
        used = sum(tested(row, words) for row in known)
        stubs = sum(row.state == "stub" for row in mine)
        parts.append(
            f"| `{_shown(name)}` | {used} | {len(known) - used} | {stubs} | {len(mine) - len(known) - stubs} |"
        )
    parts.append("\n## Out\n\n| What | Instead |\n| --- | --- |")
    parts.extend(f"| `{_shown('TorchSharp.' + part)}` | {instead} |" for part, instead in OUT.items())
    parts.append("\n## Stubs\n\n| Member | Why |\n| --- | --- |")
    parts.extend(f"| `{row.member}` | {row.reason} |" for row in inside if row.state == "stub")
    if missing := [row for row in inside if row.state in {"absent", "differs"}]:
        parts.append("\n## Missing\n\n| Member |\n| --- |")
        parts.extend(f"| `{_shown(row.member)}` |" for row in missing)
    return "\n".join(parts) + "\n"


def _shown(name: str) -> str:
    return re.sub(r"`\d+", "", name.removeprefix("TorchSharp.")).replace("/", ".")


def main() -> int:
    """Write the page, or check it."""
    found = rows()
    text = page(found)
    if "--check" in sys.argv[1:]:
        fresh = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text
        print("docs/api.md is what the assemblies give." if fresh else "docs/api.md is stale: python tools/api.py")
        return 0 if fresh else 1
    if worse := fallen(counts(found)):
        print(f"docs/api.json has more, and nothing was written: {worse}")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    COUNTS.write_text(json.dumps(counts(found)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
