"""comparisons.py, and the whole way: models are written as C#, built, and run beside their originals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from bridge.port.observe.arguments import drop_defaults
from bridge.port.verify.comparisons import _takes, called_as_modules, judge, new_port, without_built
from bridge.port.verify.trials import run_trials
from tests.port.compiled import FIRST, MODELS, Written

pytestmark = pytest.mark.dotnet

#: Gradients of a bias of queries, keys and values together, and of a query that C# scales: PyTorch sums them in another order.
_ROUNDED = ("Causal", "Layers", "Mixed", "Whole")


@pytest.mark.parametrize(
    "name", [pytest.param(FIRST, marks=pytest.mark.sdk), *(name for name in MODELS if name != FIRST)]
)
def test_a_port_is_the_same_as_its_original_at_several_shapes(
    name: str, written: Written, sources: dict[str, str], build_csharp: Callable[..., Path]
) -> None:
    """Compare ports in eval and train mode, with buffers and gradients. The largest models are slow tests.

    One original caches values and cannot run backward twice. All projects but the first are equal but for names, so one is built for all.
    """
    folder, model, port, arguments = written[name]
    built = folder / f"{folder.name}.csproj" if name == FIRST else build_csharp(sources, "AllPorts")
    root = f"{port.namespace}.{port.root}"
    both: dict[str, Any] = {} if name in ("ResNet18", "Biases") else {"modes": (False, True), "backward": True}
    found = judge(model, built, root, arguments, seed=0, step=lambda _: None, **both, keywords=port.arguments)
    if name in _ROUNDED:
        assert [(shape, one.verdict) for shape, one in found if not one.same or one.largest > 1e-6] == []
        found += judge(model, built, root, arguments, seed=0, step=lambda _: None, keywords=port.arguments)
    exact = [one for one in found if "gradient" not in one[1].verdict or name not in _ROUNDED]
    assert [(shape, one.verdict) for shape, one in exact if not one.same or one.largest] == []
    assert sum(not shape.endswith("train mode") for shape, _ in found) >= 2, "a second batch size must have been tried"
    if both:
        assert sum(shape.endswith("train mode") for shape, _ in found) >= 2
        assert any("gradient" in one.verdict for _, one in found)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in (FIRST, "ResNet18")])
def test_a_port_is_the_same_as_its_original_for_drawn_inputs(
    name: str, written: Written, sources: dict[str, str], build_csharp: Callable[..., Path]
) -> None:
    """Issue 43, 'Sound or said': more than the given inputs is tried."""
    _, model, port, arguments = written[name]
    assembly = build_csharp(sources, "AllPorts")
    make = partial(new_port, model, assembly, f"{port.namespace}.{port.root}", port.arguments)
    found = run_trials(model, make, drop_defaults(model, arguments), seed=0, seconds=600, limit=40)
    assert found.difference == "", str(found)
    assert found.accepted >= 5


def test_the_projects_of_ports_are_the_same_but_for_their_names(written: Written) -> None:
    texts = {
        (folder / f"{folder.name}.csproj").read_text(encoding="utf-8").replace(folder.name, "PortedLeNet")
        for folder, *_ in written.values()
    }
    assert len(texts) == 1


def test_ports_compile_against_torchsharps_own_signatures_without_a_warning(
    written: Written, sources: dict[str, str], build_csharp: Callable[..., Path], reference: Path
) -> None:
    """Build with nullable enabled; the sources are not changed."""
    programs: dict[str, str] = {}
    for name, (folder, *_) in written.items():
        # A program of its own for each model: as a method, for an assembly has one.
        using, program = (folder / "Program.cs").read_text(encoding="utf-8").split("\n\n", 1)
        programs[f"{name}Program.cs"] = f"{using}\nclass Run{name} {{ static void Main{name}() {{\n{program}\n}} }}"
    assert build_csharp(sources | programs, "Ports", against=[reference], strict=True).is_file()


class Pooled(torch.nn.Module):
    """A forward that builds a layer, and calls another of the same class that is its own."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = torch.nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled: torch.Tensor = torch.nn.MaxPool2d(3, 1)(self.pool(x))
        return pooled


class Begun(torch.nn.Module):
    """A model that takes its weights from its first inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = False
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.begun:
            self.weight.data.copy_(x.mean())
            self.begun = True
        return x * self.weight


def test_whether_a_model_takes_inputs_is_tried_without_a_trace() -> None:
    model = Begun()
    assert _takes(model, {"x": torch.zeros(3)}, False)
    assert not model.begun
    assert model.weight.item() == 1


class Itself(torch.nn.Module):
    """A class that has ``__call__`` in the place of a forward, past all hooks."""

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


def test_a_model_that_calls_itself_is_a_call_of_a_module() -> None:
    """Its C# has a forward, whose call the hooks see."""
    model, x = Itself(), torch.rand(2)
    called: list[torch.nn.Module] = []
    hook = register_module_forward_pre_hook(lambda module, args: called.append(module))
    before = dict(vars(Itself))
    try:
        with called_as_modules(model):
            assert torch.equal(model(x), x + 1)
        assert called == [model]
        assert torch.equal(model(x), x + 1)
        assert called == [model]
    finally:
        hook.remove()
    assert dict(vars(Itself)) == before


def test_a_layer_that_a_forward_builds_is_no_call_of_a_module() -> None:
    """C# calls the function of the layer, so that only one side would have the call."""
    model, x = Pooled(), torch.rand(1, 1, 8, 8)
    called: list[torch.nn.Module] = []
    hook = register_module_forward_pre_hook(lambda module, args: called.append(module))
    try:
        expected = model(x)
        assert len(called) == 3
        called.clear()
        with without_built(model):
            assert torch.equal(model(x), expected)
        assert called == [model, model.pool]
        model(x)
        assert len(called) == 5
    finally:
        hook.remove()
