"""PyTorch as a runtime."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from torch import nn

from bridge.runtimes import pytorch


def _net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 1)))


def test_events_paths_calls_and_parents() -> None:
    """C-9: a parent's arguments precede its children's events, its result follows them."""
    net = _net()
    with pytorch.record(net) as recording:
        net(torch.ones(4, 2))
    seen = [(e.path, e.type, e.phase, e.call, e.parent) for e in recording.trace]
    assert seen == [
        ("", "Sequential", "pre", 0, -1),
        ("0", "Linear", "pre", 1, 0),
        ("0", "Linear", "forward", 1, 0),
        ("1", "Sequential", "pre", 2, 0),
        ("1.0", "ReLU", "pre", 3, 2),
        ("1.0", "ReLU", "forward", 3, 2),
        ("1.1", "Linear", "pre", 4, 2),
        ("1.1", "Linear", "forward", 4, 2),
        ("1", "Sequential", "forward", 2, 0),
        ("", "Sequential", "forward", 0, -1),
    ]
    value = recording.trace[1].values[0]
    assert (value.kind, value.shape, value.dtype, value.device, value.digest, value.data) == (
        "tensor",
        (4, 2),
        "float32",
        "cpu",
        None,
        None,
    )


def test_values_are_those_of_the_moment() -> None:
    net = nn.Sequential(nn.Identity(), nn.ReLU(inplace=True))
    x = torch.tensor([-1.0, 2.0])
    with pytorch.record(net, values="full") as recording:
        net(x)
    assert recording.trace[2].values[0].data.tolist() == [-1, 2]  # type: ignore[union-attr]  # looking it up is the test
    assert recording.trace[4].values[0].data.tolist() == [0, 2]  # type: ignore[union-attr]  # looking it up is the test
    with pytorch.record(net, values="digest") as other:
        net(torch.tensor([-1.0, 2.0]))
    assert other.trace[2].values[0].digest == recording.trace[2].values[0].digest
    assert other.trace[2].values[0].data is None


def test_several_models_by_name_and_arguments_of_every_kind() -> None:
    class Odd(nn.Module):
        def forward(self, *args: Any) -> Any:
            return {"a": args[0], "b": [None, 3, 2.5, True, "s", object()]}

    odd, relu = Odd(), nn.ReLU()
    with pytorch.record({"odd": odd, "relu": relu}) as recording:
        odd(torch.ones(1, dtype=torch.bfloat16), 1)
        relu(torch.ones(()))
    trace = recording.trace
    assert trace.roots == ("odd", "relu")
    assert [event.path for event in trace] == ["odd", "odd", "relu", "relu"]
    assert [value.kind for value in trace[1].values] == ["tensor", "none", "int", "float", "bool", "str", "object"]


def test_it_sees_what_the_modules_own_hooks_will_see() -> None:
    """O-1: behind the global hooks, before the module's own, in both phases."""
    net = nn.ReLU()
    net.register_forward_pre_hook(lambda module, args: args[0] + 1)
    net.register_forward_hook(lambda module, args, result: result * 10)
    handle = nn.modules.module.register_module_forward_pre_hook(lambda module, args: args[0] * 2)
    try:
        with pytorch.record(net, values="full") as recording:
            result = net(torch.ones(1))
    finally:
        handle.remove()
    assert [event.values[0].data.item() for event in recording.trace] == [2, 3]  # type: ignore[union-attr]  # looking it up is the test
    assert result.item() == 30


def test_a_failed_call_leaves_no_result_and_no_hook() -> None:
    net = _net()
    with pytest.raises(RuntimeError), pytorch.record(net) as recording:
        net(torch.ones(4, 7))
    assert [event.phase for event in recording.trace] == ["pre", "pre"]
    with pytorch.record(net) as again:
        with pytest.raises(RuntimeError):
            net(torch.ones(4, 7))
        net(torch.ones(4, 2))
    assert again.trace[2].parent == -1
    assert again.trace.calls == 2 + 5
    from torch.nn.modules import module

    assert not module._global_forward_hooks
    assert not module._global_forward_pre_hooks


def test_only_this_thread_and_only_these_models() -> None:
    net, other = _net(), nn.ReLU()
    with pytorch.record(net) as recording:
        other(torch.ones(1))
        thread = threading.Thread(target=net, args=(torch.ones(4, 2),))
        thread.start()
        thread.join()
    assert len(recording.trace) == 0


def test_wrong_use_is_named() -> None:
    with pytest.raises(TypeError, match="'the model' is a str"), pytorch.record("x"):  # type: ignore[arg-type]
        pass
    with pytest.raises(ValueError, match="'none', 'digest' or 'full', not 'all'"), pytorch.record(_net(), values="all"):  # type: ignore[arg-type]
        pass
    with pytorch.record(_net()) as recording, pytest.raises(RuntimeError, match="block has ended"):
        recording.trace  # noqa: B018  # looking it up is the test
