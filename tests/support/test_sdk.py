"""tests/support/sdk.py: C# that tests compile, and the list of tests that need an SDK."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

_MODEL = """
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Probe;

public sealed class One : Module<Tensor, Tensor>
{
    private readonly Linear fc;

    public One(string name = "One") : base(name)
    {
        fc = Linear(2, 3);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => fc.call(x);
}
"""


@pytest.mark.dotnet
def test_build_csharp_compiles_a_torchsharp_model_once(
    build_csharp: Callable[[Mapping[str, str], str], Path],
) -> None:
    path = build_csharp({"One.cs": _MODEL}, "Probe")
    assert path.name == "Probe.dll"
    assert path.is_file()
    written = path.stat().st_mtime_ns
    assert build_csharp({"One.cs": _MODEL}, "Probe") == path
    assert path.stat().st_mtime_ns == written


@pytest.mark.sdk
def test_build_csharp_fails_with_the_compilers_text(
    build_csharp: Callable[[Mapping[str, str], str], Path],
) -> None:
    with pytest.raises(pytest.fail.Exception, match="CS0246"):
        build_csharp({"Bad.cs": "public class Bad : NoSuchBase { }"}, "Bad")


def test_what_is_skipped_without_an_sdk_is_listed_with_its_reason(all_tests: list[pytest.Item]) -> None:
    """Both ways: tests/without_sdk.toml names the tests that are marked sdk. Any other that needs an SDK fails without one."""
    tests = Path(__file__).parents[1]
    listed = tomllib.loads((tests / "without_sdk.toml").read_text(encoding="utf-8"))
    assert all(isinstance(names, list) and names for names in listed.values())
    marked = [item for item in all_tests if item.get_closest_marker("sdk") is not None]
    assert sorted(name for names in listed.values() for name in names) == sorted(
        item.nodeid.removeprefix("tests/") for item in marked
    )
    assert len(marked) <= 280
    assert len(all_tests) >= 9000
