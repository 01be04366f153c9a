"""The C# models that the tests of mirrors run, compiled once a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.modules import module as module_globals

import bridge
from bridge.clr.start import capi
from bridge.mirror.loading import dotnet_runtime

#: The files that use more than TorchSharp has: other hooks, exceptions that are not errors, and Tensor.ToArray.
BEYOND_TORCHSHARP = ("Chained.cs", "Dispatching.cs", "Elements.cs", "Hooks.cs", "Stopping.cs")


@pytest.fixture(scope="session")
def models(build_csharp: Callable[..., Path], pytestconfig: pytest.Config) -> Path:
    """Return the assembly of the C# files in this folder, as far as the runtime of this run has what they use."""
    left_out = BEYOND_TORCHSHARP if pytestconfig.getoption("torchsharp") else ()
    return build_csharp(
        [file for file in sorted(Path(__file__).parent.glob("*.cs")) if file.name not in left_out], "Models"
    )


@pytest.fixture
def load(models: Path) -> Callable[..., bridge.Mirror]:
    """Return a function that loads a model of these files: ``load("Pair", *args)``."""
    return lambda name, *args: bridge.load(models, f"Models.{name}", *args)


@pytest.fixture(params=["seen in memory", "asked for"])
def mode_checks(request: pytest.FixtureRequest, models: Path) -> Iterator[None]:
    """Let C# read from libtorch's memory whether modes are active (C-6), or hide the functions, so that it calls Python's."""
    bridge.load(models, "Models.Pair")  # .NET runs
    exports = dotnet_runtime().exports
    if request.param == "asked for":
        exports.set(dict.fromkeys(capi.mode_function_addresses(), 0))
    yield
    exports.set(capi.mode_function_addresses())


@pytest.fixture(autouse=True)
def no_global_hooks() -> Iterator[None]:
    """Restore the dictionaries of global hooks after each test."""
    names = [
        name
        for name in vars(module_globals)
        if name.startswith("_global_") and isinstance(vars(module_globals)[name], dict)
    ]
    before = {name: vars(module_globals)[name] for name in names}
    yield
    for name, dictionary in before.items():
        dictionary.clear()
        setattr(module_globals, name, dictionary)


class PairCounterpart(torch.nn.Module):
    """Models.Pair in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(3, 3)
        self.second = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> Any:
        return self.second(self.first(x))


@pytest.fixture
def pairs(load: Callable[..., bridge.Mirror]) -> Callable[[], tuple[torch.nn.Module, torch.nn.Module]]:
    """Return a function that creates a PyTorch counterpart and a .NET mirror of Pair with equal weights."""

    def make() -> tuple[torch.nn.Module, torch.nn.Module]:
        mirror, counterpart = load("Pair"), PairCounterpart()
        counterpart.load_state_dict(mirror.state_dict())
        return counterpart, mirror

    return make
