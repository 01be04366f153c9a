"""Writes bridge/port/members.tsv: the public functions of TorchSharp that ``python -m bridge port`` may write.

    python tools/port_members.py

They come from dotnet/tests/TorchSharp.Reference/surface.jsonl, the list of TorchSharp's public surface. A line is a holder (``torch``,
``nn``, ``functional``, ``Tensor``, ``special``, ``linalg``, ``fft``, ``rnn``), a name, the type that it gives, and its parameters as
``type name`` or ``type name = default``;
``params`` stands before a list that may be spelled out.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SURFACE = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
MEMBERS = ROOT / "bridge" / "port" / "members.tsv"
HOLDERS = {
    "TorchSharp.torch": "torch",
    "TorchSharp.torch/nn": "nn",
    "TorchSharp.torch/nn/functional": "functional",
    "TorchSharp.torch/Tensor": "Tensor",
    "TorchSharp.torch/special": "special",
    "TorchSharp.torch/linalg": "linalg",
    "TorchSharp.torch/fft": "fft",
    "TorchSharp.torch/nn/utils/rnn": "rnn",
}


def table() -> str:
    """Return the table's text, made from the list."""
    rows = []
    enums: dict[str, dict[int, str]] = {}
    listed = [json.loads(line) for line in SURFACE.read_text(encoding="utf-8").splitlines()]
    for entry in listed:
        if entry.get("kind") == "enum":
            fields = [field for field in entry.get("fields", []) if "c" in field or "v" in field]
            enums[entry["name"]] = {_constant(field): field["n"] for field in fields}
    for entry in listed:
        holder = HOLDERS.get(entry.get("name", ""))
        if holder is not None:
            rows += [_row(holder, method, enums) for method in entry["methods"] if _wanted(method)]
    return "".join(f"{row}\n" for row in sorted(set(rows)))


def _constant(field: dict[str, Any]) -> int:
    value = field.get("c", field.get("v"))
    return int(value[-1]) if isinstance(value, list) else int(str(value))


def _wanted(method: dict[str, Any]) -> bool:
    return not re.match(r"[.]|(get|set|add|remove|op)_[A-Z]", method["n"]) and "!" not in method["r"]


def _row(holder: str, method: dict[str, Any], enums: dict[str, dict[int, str]]) -> str:
    parameters = (_parameter(parameter, enums) for parameter in method.get("p", []))
    return "\t".join((holder, method["n"], short(method["r"]), *parameters))


def _parameter(parameter: dict[str, Any], enums: dict[str, dict[int, str]]) -> str:
    spread = any("ParamArray" in name[0] for name in parameter.get("a", []))
    text = f"{'params ' if spread else ''}{short(parameter['t'])} {parameter['n']}"
    if "d" not in parameter:
        return text
    value = parameter["d"][-1] if len(parameter["d"]) > 1 else None
    names = enums.get(parameter["t"])
    return f"{text} = {json.dumps(names[value] if names and value in names else value)}"


def short(name: str) -> str:
    """Return a type as C# writes it, without namespaces and declaring types."""
    while found := re.search(r"System\.(?:ValueTuple|Nullable)`\d<([^<>]*)>", name):
        inner = found[1]
        name = name[: found.start()] + (f"{inner}?" if "Nullable" in found[0] else f"({inner})") + name[found.end() :]
    return re.sub(r"[\w.`]+[./](?=\w)", "", re.sub(r"`\d", "", name))


if __name__ == "__main__":
    MEMBERS.write_text(table(), encoding="utf-8")
