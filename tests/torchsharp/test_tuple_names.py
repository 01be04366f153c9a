"""The names of tuples' items in results and parameters are TorchSharp's: C# that writes ``pooled.Indices`` compiles by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.mirror.loading import dotnet_runtime

SURFACE = Path(__file__).parents[2] / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
_ATTRIBUTE = "System.Runtime.CompilerServices.TupleElementNamesAttribute"


def _listed() -> Iterator[tuple[str, str, tuple[str, ...], tuple[str | None, ...]]]:
    """Yield type, method, parameter names, and names of the result's items."""
    for line in SURFACE.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        for method in item.get("methods", ()):
            for name, arguments in method.get("ra", ()):
                if name == _ATTRIBUTE:
                    parameters = tuple(parameter["n"] for parameter in method.get("p", ()))
                    yield item["name"], method["n"], parameters, tuple(arguments[0][1])


@pytest.mark.dotnet
def test_results_have_torchsharps_names(dotnet: object) -> None:
    dotnet_runtime()
    from System import AppDomain  # type: ignore[import-not-found]  # .NET's, by pythonnet
    from System.Reflection import BindingFlags  # type: ignore[import-not-found]

    ours: Any = next(
        assembly for assembly in AppDomain.CurrentDomain.GetAssemblies() if assembly.GetName().Name == "Bridge.Torch"
    )
    flags = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly
    wrong, same = [], 0
    for type_name, method, parameters, names in _listed():
        found = ours.GetType(type_name.replace("/", "+"))
        for candidate in found.GetMethods(flags) if found is not None else ():
            if candidate.Name != method or tuple(p.Name for p in candidate.GetParameters()) != parameters:
                continue
            attributes = [
                a for a in candidate.ReturnParameter.GetCustomAttributes(False) if a.GetType().FullName == _ATTRIBUTE
            ]
            mine = tuple(attributes[0].TransformNames) if attributes else None
            same += mine == names
            if mine != names:
                wrong.append(f"{type_name}.{method}{parameters}: {mine}, TorchSharp has {names}")
    assert not wrong, "\n".join(wrong)
    assert same > 100
