"""From an assembly to a model on TorchSharp in this process."""

from __future__ import annotations

import gc
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.clr.find import assemblies
from bridge.torchsharp.in_process import hooks
from bridge.torchsharp.in_process.errors import InProcessError
from bridge.torchsharp.process.errors import TorchSharpNotFound
from bridge.torchsharp.process.library_search import own_library
from tests.support.processes import loaded

pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess]

Load = Callable[..., Any]
X = torch.linspace(-1, 1, 8).reshape(2, 4)


def test_a_class_a_method_and_their_arguments(load: Load) -> None:
    assert load("Net").fc1.weight.shape == (8, 4)
    assert load("Net", 5).fc1.weight.shape == (5, 4)
    assert load("Net", width=6).fc1.weight.shape == (6, 4)
    assert load("Net.Wide").fc1.weight.shape == (32, 4)


def test_only_pythons_libtorch_is_in_the_process(load: Load, torchsharp: Path) -> None:
    """TorchSharp's folder has another, which its search would find first."""
    load("Net")(X)
    own = own_library(torchsharp)
    assert own is not None
    for name in (
        ("torch_cpu.dll", "torch.dll", "c10.dll")
        if os.name == "nt"
        else ("libtorch_cpu.so", "libtorch.so", "libc10.so")
    ):
        assert own.with_name(name).is_file()
        assert loaded(name) == {str(Path(torch.__file__).parent / "lib" / name)}
    assert loaded(own.name) == {str(own)}


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("Missing", (), r"Models\.Missing"),
        ("Net", ("wide",), "width"),
        ("Net", (1, 2), "Net"),
        ("Net", (-1,), "negative dimension -1"),
    ],
)
def test_what_cannot_be_constructed_is_named(load: Load, name: str, args: Any, message: str) -> None:
    with pytest.raises(bridge.DotNetError, match=message):
        load(name, *args)
    load("Net")(X)


def test_an_assembly_for_bridge_torch_is_refused(torchsharp: Path) -> None:
    built = assemblies.folder()[0] / "Mtcnn.dll"
    with pytest.raises(bridge.DotNetError, match=r"Mtcnn\.PNet is not a module of TorchSharp: it does not derive from"):
        bridge.load(built, "Mtcnn.PNet", runtime=f"torchsharp-in-process:{torchsharp.parent}")


def test_a_second_torchsharp_is_refused_and_the_first_runs_on(
    load: Load, models: Path, torchsharp: Path, tmp_path: Path
) -> None:
    model = load("Net")
    expected = model(X)
    for file in filter(None, (torchsharp, own_library(torchsharp))):
        shutil.copy(file, tmp_path)
    with pytest.raises(
        InProcessError,
        match=re.escape(
            f"runs models on {torchsharp}, and cannot run others on {tmp_path / torchsharp.name}: start another"
        ),
    ):
        bridge.load(models, "Models.Net", runtime=f"torchsharp-in-process:{tmp_path}")
    assert torch.equal(model(X), expected)


def test_without_a_torchsharp_there_is_no_model(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    monkeypatch.delenv("BRIDGE_TORCHSHARP", raising=False)
    with pytest.raises(TorchSharpNotFound, match="no TorchSharp was found to run the model on"):
        bridge.load(models, "Models.Net", runtime="torchsharp-in-process")


@pytest.mark.parametrize("fires", [False, True])
def test_hooks_of_children_that_are_run_by_forward_fire_where_it_is_asked_for(load: Load, fires: bool) -> None:
    """C-3"""
    model = load("Forwarding", forward_fires=fires)
    seen = []
    model.net.register_forward_hook(lambda *_: seen.append("net"))
    model.net.fc1.register_forward_hook(lambda *_: seen.append("fc1"))
    model(X)
    assert seen == (["fc1", "net"] if fires else ["fc1"])


def test_both_runtimes_run_one_assembly_in_one_graph(load: Load, models: Path) -> None:
    """Each has an assembly named TorchSharp, and classes of the same names."""
    ours, facade = load("Outer"), bridge.load(models, "Models.Outer")
    facade.load_state_dict(ours.state_dict())
    x, mask = X.clone().requires_grad_(), X.abs()
    assert torch.equal(ours(x, mask), facade(x, mask))
    facade(ours(facade(x)), mask).sum().backward()
    assert x.grad is not None
    for model in (ours, facade):
        assert all(parameter.grad is not None for parameter in model.parameters())
        for other in (ours, facade):
            seen: list[Any] = []
            with other.gate.fc.register_forward_hook(lambda module, args, result: seen.append(module)):
                model(x)
            assert seen == ([other.gate.fc] if other is model else [])


def test_a_model_is_freed_with_its_modules_and_its_results_stay(load: Load) -> None:
    gc.collect()
    before = len(hooks.modules)
    model = load("Net")
    assert len(hooks.modules) == before + 4
    weight = model.fc1.weight
    result = model(X)
    del model
    gc.collect()
    assert len(hooks.modules) == before
    result.sum().backward()
    assert weight.grad is not None


def test_a_child_keeps_its_model(load: Load) -> None:
    net = load("Outer").net
    gc.collect()
    seen = []
    net.fc1.register_forward_hook(lambda *_: seen.append("fc1"))
    assert net(X).shape == (2, 4)
    assert seen == ["fc1"]
