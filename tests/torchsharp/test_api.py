"""docs/api.md is what the assemblies give; what real code needs is there, and the counts do not fall."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge import DotNetError

pytestmark = pytest.mark.dotnet
HERE = Path(__file__).parent

#: A class of an assembly that is loaded while the model runs, so that nothing has checked what it needs.
_LAZY = """
using static TorchSharp.torch;

namespace Lazy;

public static class Code
{
    public static Tensor Run(Tensor x) => x + new TorchSharp.Data.Loader().GetHashCode();

    public static Tensor Stubbed(Tensor x) => x.refine_names("a", "b");
}
"""
_MODEL = """
using System;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Loads;

public sealed class Model : Module<Tensor, Tensor>
{
    private readonly string path;
    private readonly string method;

    public Model(string path, string method) : base(nameof(Model)) => (this.path, this.method) = (path, method);

    public override Tensor forward(Tensor x) =>
        System.Reflection.Assembly.LoadFrom(path).GetType("Lazy.Code").GetMethod(method).CreateDelegate<Func<Tensor, Tensor>>()(x);
}

public sealed class Named : Module<Tensor, Tensor>
{
    public Named() : base(nameof(Named)) { }

    public override Tensor forward(Tensor x) => x.refine_names("a", "b");
}
"""


@pytest.fixture(scope="module")
def api(tools: Callable[[str], Any]) -> Any:
    return tools("api")


@pytest.fixture(scope="module")
def rows(api: Any, sdk: object) -> list[Any]:  # without an SDK the tests are skipped before anything runs
    found: list[Any] = api.rows()
    return found


def _there(page: str) -> list[str]:
    """Return the page without the list of tested members, which any test may change."""
    lines = [re.match(r"\| (`.*`) \| (\d+) \| (\d+) (\| \d+ \| \d+ \|)$", line) for line in page.splitlines()]
    tables = [f"{found[1]} {int(found[2]) + int(found[3])} {found[4]}" for found in lines if found]
    return [*tables, *page.partition("## Out")[2].splitlines()]


@pytest.mark.sdk
def test_the_page_is_what_the_assemblies_give(api: Any, rows: list[Any]) -> None:
    assert _there(api.PAGE.read_text(encoding="utf-8")) == _there(api.page(rows)), "stale: python tools/api.py"


@pytest.mark.sdk
def test_the_counts_do_not_fall(api: Any, rows: list[Any]) -> None:
    assert api.fallen(api.counts(rows)) == []
    assert api.counts(rows)["tested"] > 3000


@pytest.mark.sdk
def test_what_real_assemblies_refer_to_is_there(rows: list[Any]) -> None:
    assert [row.member for row in rows if row.projects and row.state != "exact" and not row.out] == []


@pytest.mark.sdk
def test_what_real_sources_lacked_is_there(rows: list[Any]) -> None:
    states = {(row.type, row.name): set[str]() for row in rows}
    for row in rows:
        states[row.type, row.name].add(row.state)
    lines = (HERE / "surface" / "units.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 120
    assert [line for line in lines if states.get(tuple(line.split("\t"))) != {"exact"}] == []


@pytest.fixture(scope="module")
def loads(build_csharp: Callable[..., Path], reference: Path) -> tuple[Path, Path]:
    lazy = build_csharp({"Lazy.cs": _LAZY}, "Lazy", against=[reference])
    return build_csharp({"Loads.cs": _MODEL}, "Loads", against=[reference]), lazy


def test_a_stub_is_refused_with_its_reason(loads: tuple[Path, Path]) -> None:
    with pytest.raises(
        DotNetError, match=r"Tensor\.refine_names\(string\[\]\): libtorch's stable ABI carries no names of dimensions"
    ):
        bridge.load(loads[0], "Loads.Named")


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("Run", "Loader"),
        (
            "Stubbed",
            "TorchSharp's 'refine_names' cannot be used with Bridge.Torch: libtorch's stable ABI carries no names",
        ),
    ],
)
def test_what_the_check_could_not_see_is_named_when_it_runs(loads: tuple[Path, Path], method: str, words: str) -> None:
    import torch

    model = bridge.load(loads[0], "Loads.Model", str(loads[1]), method)
    with pytest.raises(DotNetError) as caught:
        model(torch.ones(2, 2))
    assert words in caught.value.dotnet_message
    assert "Bridge.Torch" in caught.value.dotnet_message
