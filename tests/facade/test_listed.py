"""What ``bridge.list_models`` and ``doctor --assembly`` list, and the names that are suggested for a mistyped one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import bridge
from bridge.cli import main

pytestmark = pytest.mark.dotnet


@pytest.fixture(scope="module")
def listed(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([Path(__file__).parent / "Listed.cs"], "Listed", against=[reference])


def _models(listed: Path) -> dict[str, bridge.ModelInfo]:
    return {model.name: model for model in bridge.list_models(listed)}


def test_all_models_are_listed_by_the_names_that_load_takes(listed: Path) -> None:
    """Its static constructor would throw if it ran."""
    assert {name: (model.kind, model.runs) for name, model in _models(listed).items()} == {
        "Listed.Base": ("class", False),
        "Listed.Closed": ("class", True),
        "Listed.Factories.Make": ("method", True),
        "Listed.Generic<T>": ("class", False),
        "Listed.Hidden": ("class", False),
        "Listed.Hidden.Create": ("method", True),
        "Listed.Net": ("class", True),
        "Listed.Outer.Inner": ("class", True),
    }
    bridge.load(listed, "Listed.Outer.Inner", 3)
    bridge.load(listed, "Listed.Factories.Make", 3)
    bridge.load(listed, "Listed.Hidden.Create")
    with pytest.raises(bridge.DotNetError):
        bridge.load(listed, "Listed.Net")


def test_constructors_are_written_as_in_csharp(listed: Path) -> None:
    models = _models(listed)
    assert models["Listed.Net"].constructors == (
        r'Net(int width = 8, double rate = 0.5, float scale = 1.5f, string name = "a\"b", bool bias = true, '
        "char mark = 'x', long? size = null, Mode mode = Mode.Exact, ScalarType dtype = ScalarType.Float64, "
        "DayOfWeek day = DayOfWeek.Friday, TimeSpan span = default, decimal price = …)",
        "Net(List<(int, string[])> layers, Dictionary<string, int?> counts, Options options, params int[][,] rest)",
    )
    assert models["Listed.Outer.Inner"].constructors == ("Inner(long width)",)
    assert models["Listed.Generic<T>"].constructors == ("Generic(T value)",)
    assert models["Listed.Factories.Make"].constructors == (
        "Module<Tensor, Tensor> Make(int width)",
        "Module<Tensor, Tensor> Make(string name, ref int width)",
    )
    assert models["Listed.Hidden.Create"].constructors == ("Hidden Create(Generic<long> from = null)",)


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("Listed.Base", "Listed.Base", "is abstract"),
        ("Listed.Generic<T>", "Listed.Generic", "is generic"),
        ("Listed.Generic<T>", "Listed.Generic<int>", "is generic"),
        ("Listed.Generic<T>", "Listed.Generic`1", "is generic"),
        ("Listed.Hidden", "Listed.Hidden", "has no public or internal constructor"),
    ],
)
def test_what_cannot_be_created_is_listed_with_the_reason(listed: Path, name: str, given: str, reason: str) -> None:
    assert _models(listed)[name].note.startswith(reason)
    with pytest.raises(bridge.DotNetError, match=reason):
        bridge.load(listed, given, 3)


def test_a_list_of_models_reads_well_and_does_not_change(listed: Path) -> None:
    models = bridge.list_models(listed)
    assert "\nListed.Outer.Inner(long width)\n  runs" in repr(models)
    assert str(models).startswith("Listed.Base\n  is abstract: ")
    assert "Module<Tensor, Tensor> Listed.Factories.Make(int width)\n" in str(models)
    with pytest.raises(FrozenInstanceError):
        models[0].name = "other"  # type: ignore[misc]  # the test


def test_files_are_found_as_by_load(listed: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"gone\.dll"):
        bridge.list_models(tmp_path / "gone.dll")
    with pytest.raises(ValueError, match="neither an assembly"):
        bridge.list_models(Path(__file__))


def test_doctor_lists_the_same_in_80_columns(listed: Path) -> None:
    done = CliRunner().invoke(main, ["doctor", "--assembly", str(listed)], terminal_width=80)
    assert done.exit_code == 0, done.output
    words = " ".join(done.output.split())
    for model in bridge.list_models(listed):
        assert " ".join(str(model).split()) in words
    assert "3 of 3 module classes and 2 of 2 static methods that return a module of Listed.dll run." in words


def test_doctor_lists_the_same_as_json(listed: Path) -> None:
    done = CliRunner().invoke(main, ["doctor", "--assembly", str(listed), "--json"])
    entries = {entry["name"]: entry for entry in json.loads(done.output)}
    for name, model in _models(listed).items():
        entry: dict[str, Any] = entries[name]
        assert (entry["kind"], tuple(entry["constructors"])) == (model.kind, model.constructors)
        assert (entry["runs"], entry["note"]) == (model.runs, model.note)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Net", "Listed.Net"),
        ("listed.net", "Listed.Net"),
        ("Nte", "Listed.Net"),
        ("Other.Inner", "Listed.Outer.Inner"),
        ("Listed.Inner", "Listed.Outer.Inner"),
        ("Listed.Outer.Iner", "Listed.Outer.Inner"),
        ("make", "Listed.Factories.Make"),
        ("Listed.Factories.Mak", "Listed.Factories.Make"),
        ("Listed.Factory.Make", "Listed.Factories.Make"),
    ],
)
def test_a_mistyped_name_is_completed(listed: Path, given: str, name: str) -> None:
    """If one name has the same last part, in any case, it alone is suggested."""
    with pytest.raises(
        bridge.DotNetError, match=rf"has no type '{re.escape(given)}'\. Did you mean {re.escape(name)}\?"
    ):
        bridge.load(listed, given)


@pytest.mark.parametrize(
    ("given", "name"),
    [("hook", "Listed.Hook"), ("Listed.Scale", "Listed.Hook.Scale"), ("Listed.Hook.Scael", "Listed.Hook.Scale")],
)
def test_a_mistyped_hook_is_completed(listed: Path, given: str, name: str) -> None:
    with pytest.raises(bridge.DotNetError, match=rf"Did you mean {re.escape(name)}\?"):
        bridge.load_hook(listed, given)


def test_commands_take_nested_classes_as_csharp_writes_them(listed: Path, tmp_path: Path) -> None:
    for name in ("Listed.Outer.Inner", "Listed.Outer+Inner"):
        target = f"{listed}:{name}(3)"
        traced = ["trace", "--dotnet", target, "--shape", "2,3", "-o", str(tmp_path / "a.jsonl")]
        done = CliRunner().invoke(main, traced)
        assert done.exit_code == 0, done.output
        done = CliRunner().invoke(
            main, ["compare", "--python", "torch.nn:Identity", "--dotnet", target, "--shape", "2,3"]
        )
        assert "dotnet" in done.output
        assert "no type" not in done.output
