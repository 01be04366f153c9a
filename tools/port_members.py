"""Writes bridge/port/csharp/calls/members.tsv: the public functions of TorchSharp that ``python -m bridge port`` may write.

    python tools/port_members.py

They come from dotnet/tests/TorchSharp.Reference/surface.jsonl, the list of TorchSharp's public surface. A line is a holder (``torch``,
``nn``, ``functional``, ``init``, ``Tensor``, ``special``, ``linalg``, ``fft``, ``rnn``), a name, the type that it gives, and its
parameters as ``type name`` or ``type name = default``; ``params`` stands before a list that may be spelled out, ``ref``, ``out`` or
``in`` before what is passed so. The holder ``call`` has how modules are called that take or give anything but one tensor, by their
class; the holder ``enum`` the enumerations of these parameters, by their names as C# writes them, with their members.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SURFACE = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
MEMBERS = ROOT / "bridge" / "port" / "csharp" / "calls" / "members.tsv"
HOLDERS = {
    "TorchSharp.torch": "torch",
    "TorchSharp.torch/nn": "nn",
    "TorchSharp.torch/nn/functional": "functional",
    "TorchSharp.torch/nn/init": "init",
    "TorchSharp.torch/Tensor": "Tensor",
    "TorchSharp.torch/special": "special",
    "TorchSharp.torch/linalg": "linalg",
    "TorchSharp.torch/fft": "fft",
    "TorchSharp.torch/nn/utils/rnn": "rnn",
}
MODULES = "TorchSharp.Modules."
#: A module that takes one tensor and gives one.
PLAIN = "TorchSharp.torch/Tensor"
#: What is in scope in the files that port writes, so that its name alone is enough.
IN_SCOPE = r"TorchSharp\.(torch/(nn/)?)?"
Entry = Mapping[str, Any]


def table() -> str:
    """Return the table's text, made from the list."""
    listed = [json.loads(line) for line in SURFACE.read_text(encoding="utf-8").splitlines()]
    enums = {entry["name"]: _members(entry) for entry in listed if entry.get("kind") == "enum"}
    known = {entry["name"]: entry for entry in listed if "name" in entry}
    rows, used = [], set()
    for holder, name, method in [*_functions(listed), *_calls(known)]:
        used |= {one["t"] for one in method.get("p", []) if one["t"] in enums}
        rows.append(_row(holder, name, method, enums))
    rows += ["\t".join(("enum", path(name), *enums[name].values())) for name in used]
    return "".join(f"{row}\n" for row in sorted(set(rows)))


def _members(entry: Entry) -> dict[int, str]:
    """Return the members of an enumeration by their values."""
    return {_constant(field): field["n"] for field in entry.get("fields", []) if "c" in field or "v" in field}


def _constant(field: dict[str, Any]) -> int:
    value = field.get("c", field.get("v"))
    return int(value[-1]) if isinstance(value, list) else int(str(value))


def _functions(listed: list[Entry]) -> Iterator[tuple[str, str, Entry]]:
    """Yield the functions and methods, with their holders."""
    for entry in listed:
        holder = HOLDERS.get(entry.get("name", ""))
        if holder is not None:
            yield from ((holder, method["n"], method) for method in entry["methods"] if _wanted(method))


def _wanted(method: Entry) -> bool:
    return not re.match(r"[.]|(get|set|add|remove|op)_[A-Z]", method["n"]) and "!" not in method["r"]


def _calls(known: Mapping[str, Entry]) -> Iterator[tuple[str, str, Entry]]:
    """Yield how modules are called, those left out that only take one tensor and give one.

    A class without a ``call`` of its own has that of its base, to which all parameters must be given; their names are its forward's.
    """
    for name, entry in known.items():
        if not name.startswith(MODULES) or "abstract" in entry.get("flags", ""):
            continue
        inherited = _inherited(known, name)
        arity = _arity(known, name)
        found = [method for method in inherited if method["n"] == "call"]
        if not found or arity == 1:
            forwards = [one for one in inherited if one["n"] == "forward" and len(one["p"]) == arity]
            found += [{**one, "p": [_required(two) for two in one["p"]]} for one in forwards[:1]]
        if any([method["r"], *(one["t"] for one in method["p"])] != [PLAIN, PLAIN] for method in found):
            yield from (("call", short(name.removeprefix(MODULES)), method) for method in found)


def _arity(known: Mapping[str, Entry], name: str) -> int:
    """Return how many parameters a module's forward has by the class that it derives from: ``Module`3`` has two, and a result."""
    while name in known and "`" not in name:
        name = known[name].get("base") or ""
    return int(name.partition("`")[2][:1] or 2) - 1


def _inherited(known: Mapping[str, Entry], name: str) -> list[Entry]:
    """Return the methods of a class of modules, or of the first it derives from that has any of these."""
    while name.startswith(MODULES) and name in known:
        found = [
            one for one in known[name].get("methods", []) if one["n"] in ("call", "forward") and "!" not in one["r"]
        ]
        if found:
            return found
        name = known[name].get("base") or ""
    return []


def _required(parameter: Entry) -> Entry:
    return {key: value for key, value in parameter.items() if key != "d"}


def _row(holder: str, name: str, method: Entry, enums: Mapping[str, Mapping[int, str]]) -> str:
    parameters = (_parameter(parameter, enums) for parameter in method.get("p", []))
    return "\t".join((holder, name, short(method["r"]), *parameters))


def _parameter(parameter: Entry, enums: Mapping[str, Mapping[int, str]]) -> str:
    kind = parameter["t"]
    names = enums.get(kind)
    text = f"{_direction(parameter)}{short(kind.removesuffix('&')) if names is None else path(kind)} {parameter['n']}"
    if "d" not in parameter:
        return text
    value = parameter["d"][-1] if len(parameter["d"]) > 1 else None
    return f"{text} = {json.dumps(names.get(value, value) if names and isinstance(value, int) else value)}"


def _direction(parameter: Entry) -> str:
    """Return what stands before a parameter's type."""
    if any("ParamArray" in name[0] for name in parameter.get("a", [])):
        return "params "
    if not parameter["t"].endswith("&"):
        return ""
    flags = parameter.get("f", "").split()
    return next((f"{word} " for word in ("out", "in") if word in flags), "ref ")


def path(name: str) -> str:
    """Return a type's name as C# writes it where ``torch`` and ``torch.nn`` are in scope."""
    return re.sub(rf"^{IN_SCOPE}(?=(init/)?\w+$)", "", name).replace("/", ".")


def short(name: str) -> str:
    """Return a type as C# writes it, without namespaces and declaring types."""
    while found := re.search(r"System\.(?:ValueTuple|Nullable)`\d<([^<>]*)>", name):
        inner = found[1]
        name = name[: found.start()] + (f"{inner}?" if "Nullable" in found[0] else f"({inner})") + name[found.end() :]
    return re.sub(r"[\w.`]+[./](?=\w)", "", re.sub(r"`\d", "", name))


if __name__ == "__main__":
    MEMBERS.write_text(table(), encoding="utf-8")
