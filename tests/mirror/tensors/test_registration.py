"""``bridge.load`` honours PyTorch's default device, and what patches the registration of parameters."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.modules import module as registrations

import bridge

Load = Callable[..., bridge.Mirror]


def devices(model: torch.nn.Module) -> set[str]:
    return {tensor.device.type for tensor in (*model.parameters(), *model.buffers())}


def test_on_a_device(load: Load) -> None:
    """Parameters and buffers are where PyTorch's own layers would have theirs; tied ones stay tied."""
    for make in (lambda: load("Pair"), lambda: load("Tied"), lambda: load("Normed")):
        with torch.device("meta"):
            model = make()
        assert devices(model) == {"meta"}
        assert [type(parameter) for parameter in model.parameters()] == [torch.nn.Parameter] * len(
            list(model.parameters())
        )
        assert devices(make()) == {"cpu"}
    with torch.device("meta"), torch.device("cpu"):
        assert devices(load("Pair")) == {"cpu"}
    with torch.device("meta"):
        pair = load("Pair")
        assert pair(torch.ones(2, 3)).device.type == "meta"
        tied = load("Tied")
    assert len(list(tied.parameters())) == len(list(load("Tied").parameters()))
    pair.to_empty(device="cpu").load_state_dict(load("Pair").state_dict())
    assert pair(torch.ones(2, 3)).isfinite().all()


def test_by_default(load: Load) -> None:
    torch.set_default_device("meta")
    try:
        assert devices(load("Pair")) == {"meta"}
    finally:
        torch.set_default_device(None)
    assert devices(load("Pair")) == {"cpu"}


@contextmanager
def empty_weights(buffers: bool) -> Iterator[None]:
    """Move each parameter to meta when it is registered, as accelerate's ``init_empty_weights`` does."""
    register_parameter, register_buffer = torch.nn.Module.register_parameter, torch.nn.Module.register_buffer

    def empty_parameter(module: torch.nn.Module, name: str, parameter: torch.nn.Parameter | None) -> None:
        register_parameter(module, name, parameter)
        if parameter is not None:
            kept = module._parameters[name]
            assert kept is not None
            module._parameters[name] = type(kept)(kept.to("meta"), requires_grad=parameter.requires_grad)

    def empty_buffer(module: torch.nn.Module, name: str, buffer: torch.Tensor | None, persistent: bool = True) -> None:
        register_buffer(module, name, buffer, persistent=persistent)
        if buffer is not None:
            module._buffers[name] = buffer.to("meta")

    torch.nn.Module.register_parameter = empty_parameter  # type: ignore[method-assign, assignment]
    if buffers:
        torch.nn.Module.register_buffer = empty_buffer  # type: ignore[method-assign]
    try:
        yield
    finally:
        torch.nn.Module.register_parameter = register_parameter  # type: ignore[method-assign]
        torch.nn.Module.register_buffer = register_buffer  # type: ignore[method-assign]


@pytest.mark.parametrize("buffers", [False, True])
def test_empty_weights(load: Load, buffers: bool) -> None:
    with empty_weights(buffers):
        model, tied = load("Normed"), load("Tied")
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}
    assert {buffer.device.type for buffer in model.buffers()} == {"meta" if buffers else "cpu"}
    assert len(list(tied.parameters())) == len(list(load("Tied").parameters()))
    model.load_state_dict(load("Normed").state_dict(), assign=True)
    assert model(torch.ones(2, 2)).device.type == "cpu"


@pytest.fixture
def registered() -> Iterator[list[str]]:
    """Yield the calls of PyTorch's global registration hooks: the class of the module, and the name."""
    seen: list[str] = []

    def note(module: torch.nn.Module, name: str, value: Any) -> None:
        seen.append(f"{type(module).__name__}.{name}")

    handles = [
        registrations.register_module_parameter_registration_hook(note),
        registrations.register_module_buffer_registration_hook(note),
        registrations.register_module_module_registration_hook(note),
    ]
    yield seen
    for handle in handles:
        handle.remove()


def of_pytorch(name: str) -> torch.nn.Module:
    """Return a PyTorch module with a class of that name."""

    class Made(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            if name == "Pair":
                self.first = torch.nn.Linear(3, 3)
                self.second = torch.nn.Linear(3, 3)
            elif name == "Tied":
                self.one = torch.nn.Linear(2, 2)
                self.two = self.one
            else:
                self.register_buffer("offset", torch.zeros(2))
                self.norm = torch.nn.BatchNorm1d(2)

    Made.__name__ = name
    return Made()


@pytest.mark.parametrize("name", ["Pair", "Tied", "Normed"])
def test_registration_hooks(load: Load, registered: list[str], name: str) -> None:
    """PyTorch's global registration hooks are called as for a module of its own, in that order."""
    of_pytorch(name)
    expected = registered[:]
    registered.clear()
    load(name)
    assert registered == expected


def test_registration_hooks_see_no_copy(load: Load, registered: list[str]) -> None:
    model = load("Pair")
    registered.clear()
    copy.deepcopy(model)
    copy.copy(model)
    assert registered == []


def test_registration_hooks_see_what_csharp_adds(load: Load, registered: list[str]) -> None:
    model = load("Growing")
    registered.clear()
    model.Change = "append"
    model(torch.ones(1, 2))
    assert {"ModuleList.2", "ModuleDict.second", "Sequential.last", "ParameterList.1", "ParameterDict.y"} < {
        *registered
    }
    assert "ModuleList.0" not in registered


def test_a_registration_hook_replaces_a_child(load: Load) -> None:
    """Then C# calls what it gave."""

    def replace(module: torch.nn.Module, name: str, child: torch.nn.Module) -> torch.nn.Module | None:
        return torch.nn.Identity() if name == "first" else None

    handle = registrations.register_module_module_registration_hook(replace)
    try:
        model = load("Pair")
    finally:
        handle.remove()
    x = torch.ones(2, 3)
    assert type(model.first) is torch.nn.Identity
    assert torch.equal(model(x), model.second(x))


@pytest.mark.subprocess
def test_the_first_load_of_a_process_on_another_device(models: Path) -> None:
    """The default device applies to the model, and not to the tensors that are probed while .NET starts."""
    with torch.device("meta"):
        model = bridge.load(models, "Models.Pair")
    assert devices(model) == {"meta"}
    assert bridge.load(models, "Models.Pair")(torch.ones(2, 3)).shape == (2, 3)


@pytest.mark.subprocess
def test_the_first_load_of_a_process_with_a_registration_hook(models: Path) -> None:
    """The hook sees the parameters of the model, and not those that are probed while .NET starts."""
    seen: list[str] = []
    registrations.register_module_parameter_registration_hook(lambda _, name, value: seen.append(name))
    bridge.load(models, "Models.Pair")
    assert seen == ["weight", "bias"] * 2, seen
