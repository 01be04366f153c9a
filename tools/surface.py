"""Writes the list of TorchSharp's public surface from its assembly, and prints what is new, gone or changed.

    python tools/surface.py TorchSharp.dll          writes dotnet/tests/TorchSharp.Reference/surface.jsonl
    python tools/surface.py --check TorchSharp.dll  writes nothing, and exits 1 if the list differs

A member is known by its type, name and parameters: with another result, default or attribute it is changed. The assembly is read by
TorchSharp.Reference, without running its code; how often a member is used is taken from the list before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import sdk
from port_members import short

LISTED: Final = sdk.SOURCES / "tests" / "TorchSharp.Reference" / "surface.jsonl"
_PROGRAM: Final = sdk.ARTIFACTS / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
_WIDTH: Final = 80
_MEMBERS: Final = ("methods", "fields", "properties", "events")
#: What the keys of the list mean; the other keys are words.
_WORDS: Final = {
    "a": "attributes", "c": "constant", "d": "default", "f": "flags", "g": "generic parameters", "i": "overrides",
    "n": "name", "o": "offset", "r": "result", "ra": "attributes of the result", "t": "type",
}  # fmt: skip


class Difference(NamedTuple):
    """A member that is new, gone or changed: what it is called, and a line for each thing that changed."""

    kind: str
    member: str
    details: list[str]


def listing(library: Path, found: sdk.Sdk, before: Path = LISTED) -> str:
    """Return the list of an assembly, with the use counts of ``before``."""
    command = [found.command, str(_PROGRAM), "--list", str(library), str(before)]
    return subprocess.run(command, env=found.environ, stdout=subprocess.PIPE, text=True, check=True).stdout


def members(text: str) -> dict[tuple[str, ...], tuple[str, dict[str, Any]]]:
    """Return how each member of a list is shown, and its entry, by what makes it that member; types and the assembly are members too."""
    head, *types = (json.loads(line) for line in text.splitlines())
    about = {key: value for key, value in head.items() if key not in {"external", "format"}}
    found: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}
    found[("",)] = (f"the assembly {head['assembly']}", {**about, **_external(head)})
    for entry in types:
        name, shown = entry["name"], entry["name"].removeprefix("TorchSharp.").replace("/", ".")
        found[(name,)] = (shown, {key: value for key, value in entry.items() if key not in _MEMBERS})
        for key, text_, member in _of_type(entry):
            found[(name, *key)] = (_shown(shown, text_), member)
    return found


def differences(before: str, after: str) -> Iterator[Difference]:
    """Yield what differs between two lists, in their order; use counts do not count."""
    old, new = members(before), members(after)
    for key, (shown, entry) in new.items():
        if key not in old:
            yield Difference("new", shown, [])
        elif details := list(_changes(_facts(old[key][1]), _facts(entry))):
            yield Difference("changed", shown, details)
    for key, (shown, _) in old.items():
        if key not in new:
            yield Difference("gone", shown, [])


def report(before: str, after: str) -> str:
    """Describe the differences in lines of 80 columns, and count them."""
    found = list(differences(before, after))
    lines = []
    for kind in ("new", "gone", "changed"):
        for difference in found:
            if difference.kind == kind:
                lines.append(f"{kind:8} {difference.member}")
                lines.extend(f"{'':9}{detail}" for detail in difference.details)
    if before != after and not found:
        lines.append("No member differs, but lines do: their order, or the types that they refer to.")
    counts = [f"{sum(item.kind == kind for item in found)} {kind}" for kind in ("new", "gone", "changed")]
    lines.append(f"{', '.join(counts)}, of {len(members(after))} types and members.")
    return "\n".join(line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…" for line in lines)


def _external(head: dict[str, Any]) -> dict[str, Any]:
    """Return what the assembly refers to, a fact for each assembly and its version."""
    return {f"reference to {name}": entry["version"] for name, entry in head["external"].items()}


def _of_type(entry: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], str, dict[str, Any]]]:
    """Yield the members of a type; an accessor belongs to its property or event."""
    accessors: dict[str, list[dict[str, Any]]] = {}
    for owner in [*entry.get("properties", ()), *entry.get("events", ())]:
        for word in {"get", "set", "add", "remove"} & owner.keys():
            accessors[owner[word]] = []
    for method in entry.get("methods", ()):
        if method["n"] in accessors:
            accessors[method["n"]].append(method)
        else:
            types = [parameter["t"] for parameter in method.get("p", ())]
            # Conversions are overloads by their results.
            result = (method["r"],) if method["n"] in {"op_Explicit", "op_Implicit"} else ()
            key = (method["n"], str(len(method.get("g", ()))), *types, *result)
            to = f" to {short(*result)}" if result else ""
            yield key, f"{method['n']}({', '.join(map(short, types))}){to}", method
    for field in entry.get("fields", ()):
        yield (field["n"], "field"), field["n"], field
    for owner in entry.get("properties", ()):
        indices = owner.get("p", ())
        text = f"{owner['n']}[{', '.join(map(short, indices))}]" if indices else owner["n"]
        yield (owner["n"], "property", *indices), text, _with_accessors(owner, accessors)
    for owner in entry.get("events", ()):
        yield (owner["n"], "event"), owner["n"], _with_accessors(owner, accessors)


def _with_accessors(owner: dict[str, Any], accessors: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return a property with its accessors' entries for their names; overloads of an indexer are told apart by their parameters."""
    whole = dict(owner)
    indices = list(owner.get("p", ()))
    for word in {"get", "set", "add", "remove"} & owner.keys():
        count = len(indices) + (word != "get")
        for method in accessors[owner[word]]:
            types = [parameter["t"] for parameter in method.get("p", ())]
            if len(types) == count and types[: len(indices)] == indices:
                whole[word] = method
    return whole


def _shown(type_name: str, member: str) -> str:
    """Return how a member is shown: a constructor as C# calls it."""
    return f"new {type_name}{member.removeprefix('.ctor')}" if member.startswith(".ctor") else f"{type_name}.{member}"


def _facts(entry: dict[str, Any], owner: str = "") -> dict[str, str]:
    """Return what the list says of a member, by what a reader calls it."""
    facts = {}
    for key, value in entry.items():
        if key == "u":
            continue
        if key == "p" and value and isinstance(value[0], dict):
            for number, parameter in enumerate(value, 1):
                facts.update(_facts(parameter, f" of parameter {number}{owner}"))
        elif isinstance(value, dict):
            facts.update({key: value["n"], **_facts(value, f" of {key}")})
        else:
            text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
            facts[_WORDS.get(key, key) + owner] = text
    return facts


def _changes(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{name}: {old.get(name, 'none')} -> {new.get(name, 'none')}"


def main() -> int:
    """Print what differs; write the list, or only compare it."""
    parser = argparse.ArgumentParser(description="Write the list of TorchSharp's public surface.")
    parser.add_argument("library", type=Path, help="TorchSharp.dll")
    parser.add_argument("--check", action="store_true", help="write nothing, and exit 1 if the list differs")
    parsed = parser.parse_args()
    before = LISTED.read_text(encoding="utf-8")
    after = listing(parsed.library, sdk.Sdk())
    print(report(before, after))
    if parsed.check:
        return 0 if before == after else 1
    if before != after:
        LISTED.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
