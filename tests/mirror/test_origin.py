"""Native/Origin.cs: an assembly of the user's is theirs, whatever its name begins with."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge.clr.find import assemblies

HELPERS = ("Bridge.Helper", "Microsoft.Helper", "System.Helper")
_HELPER = "namespace NAME; public sealed class Box { public object? Kept; }\n"
_NET = """using TorchSharp;
using static TorchSharp.torch;
namespace Mine;
public sealed class Net : nn.Module<Tensor, Tensor>
{
    private static Tensor? last;
    private readonly Bridge.Helper.Box bridge = new();
    private readonly Microsoft.Helper.Box microsoft = new();
    private readonly System.Helper.Box system = new();
    private readonly string place;
    public Net(string place) : base("Net") => this.place = place;
    public override Tensor forward(Tensor input)
    {
        var before = (place switch
        {
            "static" => last,
            "Bridge.Helper" => bridge.Kept,
            "Microsoft.Helper" => microsoft.Kept,
            _ => system.Kept,
        }) as Tensor;
        var now = input * 2;
        if (place == "static") last = now;
        else if (place == "Bridge.Helper") bridge.Kept = now;
        else if (place == "Microsoft.Helper") microsoft.Kept = now;
        else system.Kept = now;
        return before is null ? input * 1 : input + before;
    }
}
"""


@pytest.fixture(scope="module")
def named(build_csharp: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of Bridge.Mine.dll, in a folder with the assemblies that it references."""
    folder = tmp_path_factory.mktemp("named")
    ours, _ = assemblies.folder()
    helpers = [build_csharp({"Box.cs": _HELPER.replace("NAME", name)}, name) for name in HELPERS]
    against = (ours / "Bridge.Hooks.dll", ours / "Bridge.Torch.dll", *helpers)
    for file in (*helpers, build_csharp({"Net.cs": _NET}, "Bridge.Mine", against)):
        shutil.copy(file, folder)
    return folder / "Bridge.Mine.dll"


@pytest.mark.parametrize("place", ["static", *HELPERS])
def test_what_a_users_class_keeps_survives_the_call(named: Path, place: str) -> None:
    model = bridge.load(named, "Mine.Net", place)
    x = torch.ones(2)
    assert torch.equal(model(x), x)
    assert torch.equal(model(x), x * 3)


def test_the_very_name_of_one_of_ours_is_refused(build_csharp: Callable[..., Path]) -> None:
    file = build_csharp({"Own.cs": "namespace Own; public class Thing;\n"}, "Bridge.Hooks")
    with pytest.raises(
        bridge.DotNetError, match=r"Bridge\.Hooks\.dll has the name of an assembly of torchsharp-bridge.*rename"
    ):
        bridge.load(file, "Own.Thing")
