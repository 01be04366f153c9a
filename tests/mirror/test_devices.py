"""``bridge.load`` honours PyTorch's default device, and what patches the registration of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

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
        assert [type(one) for one in model.parameters()] == [torch.nn.Parameter] * len(list(model.parameters()))
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
    """What accelerate's ``init_empty_weights`` does: each parameter moves to meta as soon as it is registered."""
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
    assert {one.device.type for one in model.parameters()} == {"meta"}
    assert {one.device.type for one in model.buffers()} == {"meta" if buffers else "cpu"}
    assert len(list(tied.parameters())) == len(list(load("Tied").parameters()))
    model.load_state_dict(load("Normed").state_dict(), assign=True)
    assert model(torch.ones(2, 2)).device.type == "cpu"


def test_registration_hooks_see_parameters(load: Load) -> None:
    """PyTorch's global registration hooks are called as for a module of its own."""
    seen: list[str] = []

    def note(module: torch.nn.Module, name: str, parameter: torch.nn.Parameter) -> None:
        seen.append(name)

    handle = torch.nn.modules.module.register_module_parameter_registration_hook(note)
    try:
        load("Pair")
    finally:
        handle.remove()
    assert seen == ["weight", "bias"] * 2


def test_the_first_load_of_a_process(models: Path, run_snippet: Callable[..., Any]) -> None:
    """.NET starts, and its tensors are probed, while another device is the default one."""
    done = run_snippet("first_load", "on_meta", str(models))
    assert done.returncode == 0, done.stderr
