"""bridge/compare/run.py: one run of one model."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from bridge.compare.errors import RunError
from bridge.compare.run import one_thread, run


def test_a_run_leaves_trace_gradients_and_buffers() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Softmax(1))
    x = torch.randn(5, 3)
    first = run(model, {"x": x}, train=True, backward=True, seed=3)
    assert (first.runtime, first.trace.calls) == ("pytorch", 5)
    assert first.gradients is not None
    assert list(first.gradients) == ["input x", "0.weight", "0.bias", "1.weight", "1.bias"]
    assert all(
        gradient is not None and bool(gradient.any()) for name, gradient in first.gradients.items() if name != "0.bias"
    )
    assert not torch.equal(first.before["1.running_mean"], first.after["1.running_mean"])
    assert x.grad is None
    assert not x.requires_grad
    again = run(model, {"x": x}, train=True, backward=True, seed=3)
    assert again.gradients is not None
    assert torch.equal(first.gradients["0.weight"], again.gradients["0.weight"])  # type: ignore[arg-type]


def test_without_backward_no_graph_is_kept() -> None:
    seen = []
    model = nn.Linear(2, 2)
    model.register_forward_hook(lambda *_: seen.append(torch.is_grad_enabled()))
    assert run(model, {"x": torch.ones(1, 2)}).gradients == {}
    assert seen == [False]


def test_a_result_that_requires_no_gradient() -> None:
    assert run(nn.Identity(), {"x": torch.ones(2, dtype=torch.int64)}, backward=True).gradients is None


def test_the_module_that_raised_is_named() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(3, 3)))
    with pytest.raises(
        RunError, match=r"^pytorch: 1\.0 \(Linear\) raised RuntimeError: .*\nThe inputs were x=float32\[1, 2\]\.$"
    ):
        run(model, {"x": torch.ones(1, 2)})


def test_ctrl_c_passes() -> None:
    def press(*_: object) -> None:
        raise KeyboardInterrupt

    model = nn.ReLU()
    model.register_forward_hook(press)
    with pytest.raises(KeyboardInterrupt):
        run(model, {"x": torch.ones(1)})
    assert not nn.modules.module._global_forward_hooks


def test_one_thread_and_back() -> None:
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
