"""tools/surface.py: the list of TorchSharp's surface is what its assembly gives, and what differs from it is reported by member."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import surface

TEXT = surface.LISTED.read_text(encoding="utf-8")

#: What TorchSharp 0.107 has none of, or few: the next version may have more.
_SMALL = """#nullable disable
using System;
using System.Collections;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;

namespace Tensorboard
{
    public sealed class Message
    {
        public enum Kind { None, First }
        public void Write() { }
    }
}

namespace Small
{
    public delegate TResult Change<in T, out TResult>(T from) where T : class;

    public abstract class Base<T> where T : struct, Enum
    {
        internal Base() { }
        internal abstract Hidden Inner(Place place);
        protected event EventHandler Changed { add { } remove { } }
        public virtual string this[int at] => "";
        public virtual string this[string at] { get => ""; set { } }
        protected internal virtual T Value { get; private set; }
        public class Nested<U> { public virtual U[,] Table(Dictionary<string, T?>.Enumerator all, in Guid id, out nint at) => throw null; }
    }

    internal sealed class Hidden;
    internal struct Place;

    public struct Pair : IEnumerable, IEquatable<Pair>
    {
        private readonly int first;
        private static readonly int second;
        public static implicit operator int(Pair pair) => 0;
        public static implicit operator long(Pair pair) => 0;
        public bool Equals(Pair other) => true;
        IEnumerator IEnumerable.GetEnumerator() => null;
    }

    public static class Defaults
    {
        public const double Nothing = double.NaN;
        public const char Letter = 'x';
        public static event Action Called;
        public static ref int Seen(ref readonly int seen, params long[] rest) => throw null;
        public static void Call(double high = double.PositiveInfinity, long most = long.MaxValue, ulong all = ulong.MaxValue,
            StringComparison how = StringComparison.Ordinal, float eps = 1e-8f, Pair pair = default, string name = "é<") { }
        [Obsolete("not now", true), EditorBrowsable(EditorBrowsableState.Never), DebuggerStepThrough]
        public static (int Left, string Right) Old() => default;
    }
}
"""


@pytest.fixture(scope="module")
def program(sdk: Any) -> Callable[..., str]:
    """Return ``program(*arguments)``, which runs TorchSharp.Reference and returns its output."""

    def run(*arguments: str | Path) -> str:
        command = [sdk.command, str(surface._PROGRAM), *map(str, arguments)]
        return subprocess.run(command, env=sdk.environ, capture_output=True, text=True, check=True).stdout

    return run


@pytest.fixture
def small(build_csharp: Callable[..., Path]) -> Callable[[str], Path]:
    """Return a function that compiles a source as an assembly Small."""
    return lambda source: build_csharp({"Small.cs": source}, "Small", against=[])


def _entry(text: str, type_name: str, member: str = "") -> Any:
    """Return a type of a list, or the first of its members with a name."""
    entry = next(entry for entry in map(json.loads, text.splitlines()) if entry.get("name") == type_name)
    every = (item for key in surface._MEMBERS for item in entry.get(key, ()))
    return next(item for item in every if item["n"] == member) if member else entry


def _edited(edit: Callable[[dict[str, Any]], None], type_name: str) -> str:
    """Return the list with a type edited."""
    lines = [json.loads(line) for line in TEXT.splitlines()]
    edit(next(line for line in lines if line.get("name") == type_name))
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@pytest.mark.sdk
@pytest.mark.dotnet
def test_the_list_is_what_torchsharp_gives(sdk: Any, torchsharp: Path) -> None:
    listed = surface.listing(torchsharp, sdk)
    assert surface.report(TEXT, listed).startswith("0 new, 0 gone, 0 changed, of ")
    assert listed == TEXT


@pytest.mark.sdk
@pytest.mark.dotnet
def test_the_assembly_of_signatures_gives_the_list_again(sdk: Any, reference: Path) -> None:
    assert surface.listing(reference, sdk) == TEXT


def test_the_list_has_what_writes_for_tensorboard() -> None:
    assert len(_entry(TEXT, "TorchSharp.Modules.SummaryWriter")["methods"]) == 10
    assert len(_entry(TEXT, "TorchSharp.torch/utils/tensorboard/Summary")["methods"]) == 10
    assert (
        _entry(TEXT, "TorchSharp.torch/utils/tensorboard", "SummaryWriter")["r"] == "TorchSharp.Modules.SummaryWriter"
    )
    generated = [json.loads(line) for line in TEXT.splitlines() if line.startswith('{"name":"Tensorboard.')]
    assert len(generated) == 243
    assert all(entry["opaque"] and "methods" not in entry for entry in generated)


@pytest.mark.sdk
@pytest.mark.dotnet
def test_an_assembly_is_listed_and_its_signatures_give_the_list_again(
    sdk: Any, small: Callable[[str], Path], program: Callable[..., str], tmp_path: Path
) -> None:
    listed = surface.listing(small(_SMALL), sdk)
    names = [json.loads(line).get("name") for line in listed.splitlines()[1:]]
    assert names == [
        "Small.Change`2", "Small.Base`1", "Small.Pair", "Small.Defaults", "Small.Base`1/Nested`1",
        "Tensorboard.Message", "Tensorboard.Message/Kind", "Small.Hidden", "Small.Place",
    ]  # fmt: skip
    assert [parameter["v"] for parameter in _entry(listed, "Small.Change`2")["generics"]] == ["in", "out"]
    assert [entry["n"] for entry in _entry(listed, "Small.Base`1")["events"]] == ["Changed"]
    assert _entry(listed, "Small.Base`1", ".ctor")["hidden"] is True
    assert _entry(listed, "Small.Base`1", "Inner")["r"] == "Small.Hidden"
    assert [entry.keys() & {"get", "set"} for entry in _entry(listed, "Small.Base`1")["properties"]] == [
        {"get"}, {"get", "set"}, {"get"},
    ]  # fmt: skip
    assert [entry["n"] for entry in _entry(listed, "Small.Pair")["fields"]] == ["first"]
    call = {entry["n"]: entry["d"] for entry in _entry(listed, "Small.Defaults", "Call")["p"]}
    assert call == {
        "high": ["double", "Infinity"], "most": ["long", str(2**63 - 1)], "all": ["ulong", str(2**64 - 1)],
        "how": ["int", 4], "eps": ["float", 1e-8], "pair": ["null"], "name": ["string", "é<"],
    }  # fmt: skip
    assert _entry(listed, "Small.Defaults", "Letter")["c"] == ["char", 120]
    external = json.loads(listed.splitlines()[0])["external"]
    assert "System.Collections.Generic.Dictionary`2/Enumerator" in external["System.Collections"]["structs"]
    assert "System.Runtime.InteropServices.InAttribute" in external["System.Runtime"]["classes"]
    assert "StepThrough" not in listed
    (tmp_path / "list.jsonl").write_text(listed, encoding="utf-8")
    program(tmp_path / "list.jsonl", tmp_path / "Small.dll")
    assert surface.listing(tmp_path / "Small.dll", sdk) == listed


@pytest.mark.sdk
@pytest.mark.dotnet
def test_what_another_version_has_is_reported(sdk: Any, small: Callable[[str], Path]) -> None:
    before = surface.listing(small(_SMALL), sdk)
    source = _SMALL
    for old, new in (
        ("public const char Letter = 'x';", "public const char Letter = 'y';"),
        ("float eps = 1e-8f", "float tiny = 1e-6f"),
        ("public bool Equals(Pair other) => true;", "public bool Equals(Pair other) => true; public int Count;"),
        ("public static implicit operator long", "public static implicit operator short"),
        ("protected event EventHandler Changed", "public event EventHandler Changed"),
        ("public virtual string this[int at]", "public string this[int at]"),
        ("public void Write() { }", "public void Write(int more) { }"),  # of which only the name is listed
    ):
        assert source.count(old) == 1
        source = source.replace(old, new)
    lines = surface.report(before, surface.listing(small(source), sdk)).splitlines()
    assert lines == [
        "new      Small.Pair.op_Implicit(Pair) to short",
        "new      Small.Pair.Count",
        "gone     Small.Pair.op_Implicit(Pair) to long",
        "changed  Small.Base`1.Item[int]",
        "         flags of get: virtual newslot specialname -> specialname",
        "changed  Small.Base`1.Changed",
        "         flags of add: protected specialname -> specialname",
        "         flags of remove: protected specialname -> specialname",
        "changed  Small.Defaults.Call(double, long, ulong, StringComparison, float, Pair…",
        "         name of parameter 5: eps -> tiny",
        '         default of parameter 5: ["float",1e-08] -> ["float",1e-06]',
        "changed  Small.Defaults.Letter",
        '         constant: ["char",120] -> ["char",121]',
        f"2 new, 1 gone, 4 changed, of {len(surface.members(before)) + 1} types and members.",
    ]


def test_an_edited_list_is_reported() -> None:
    def edit(entry: dict[str, Any]) -> None:
        entry["methods"] = [method for method in entry["methods"] if method["n"] != "CELU"]
        entry["methods"][0]["r"] = "void"
        entry["methods"].append({"n": "a_member_of_a_long_name", "r": "void", "p": [{"n": "x", "t": "long[]"}] * 9})

    lines = surface.report(TEXT, _edited(edit, "TorchSharp.torch/nn")).splitlines()
    assert lines[0] == "new      torch.nn.a_member_of_a_long_name(long[], long[], long[], long[], long[…"
    assert {line.partition("(")[0] for line in lines if line.startswith("gone")} == {"gone     torch.nn.CELU"}
    assert sum(line.startswith("changed") for line in lines) == 1
    assert "         result: " in lines[-2]
    assert lines[-2].endswith("-> void")
    assert max(map(len, lines)) == 80


def test_use_counts_and_the_order_are_no_members() -> None:
    def count(entry: dict[str, Any]) -> None:
        entry["methods"][0]["u"] = [99, 99]

    lines = surface.report(TEXT, _edited(count, "TorchSharp.torch/nn")).splitlines()
    assert [line.partition(",")[0] for line in lines] == ["No member differs", "0 new"]


@pytest.mark.sdk
@pytest.mark.dotnet
def test_the_command_compares_or_writes(
    reference: Path, sdk: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def edit(entry: dict[str, Any]) -> None:
        entry["methods"] = [method for method in entry["methods"] if method["n"] != "add_text"]

    edited = _edited(edit, "TorchSharp.Modules.SummaryWriter")
    place = tmp_path / "surface.jsonl"
    place.write_text(edited, encoding="utf-8")
    monkeypatch.setattr(surface, "LISTED", place)

    def run(*arguments: str) -> tuple[int, list[str]]:
        monkeypatch.setattr(sys, "argv", ["surface.py", *arguments, str(reference)])
        return surface.main(), capsys.readouterr().out.splitlines()

    expected = "new      Modules.SummaryWriter.add_text(string, string, int, long?)"
    status, lines = run("--check")
    assert (status, lines[0], lines[1].partition(",")[0]) == (1, expected, "1 new")
    assert place.read_text(encoding="utf-8") == edited
    status, lines = run()
    assert (status, lines[0]) == (0, expected)
    assert place.read_text(encoding="utf-8") == TEXT
    assert run("--check")[0] == 0
