"""state.py: a model is restored after a run."""

from __future__ import annotations

import torch
from torch import nn

from bridge.port.observe.state import keep_state, save_state


def test_what_a_run_puts_into_a_dictionary_or_a_list_of_the_model_is_gone_afterwards() -> None:
    class Keeping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kept: dict[str, torch.Tensor] = {}
            self.seen = [1]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen.append(len(self.kept))
            self.kept["x"] = x
            return x

    model = Keeping()
    kept, seen = model.kept, model.seen
    with keep_state(model):
        model(torch.rand(2))
        assert (len(model.kept), model.seen) == (1, [1, 0])
    assert (model.kept, model.seen) == ({}, [1])
    assert model.kept is kept
    assert model.seen is seen


def test_weights_and_modes_can_be_restored_more_than_once() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3)).eval()
    restore = save_state(model)
    for _ in range(2):
        model.train()(torch.rand(4, 3))
        model[0].weight.data.add_(1)
        assert model[0].running_mean.any()
        restore()
        assert not model[0].training
        assert not model[0].running_mean.any()
        assert torch.equal(model[0].weight, torch.ones(3))
