"""watched.py: one run says what every expression was, and leaves the model as it was."""

from __future__ import annotations

import ast

import pytest
import torch
from torch import nn

from bridge.port.port_errors import PortError
from bridge.port.watched import kind, watch


def double(x: torch.Tensor) -> torch.Tensor:
    return double(x[:0]) if len(x) > 5 else x * 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            x = self.drop(x)
        return self.scaled(self.norm(x))

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return double(x) + 1.5


def own(of: type) -> bool:
    return of is Net


def test_methods_functions_and_both_modes_are_seen() -> None:
    methods = watch(Net().eval(), {"x": torch.rand(4, 3)}, own)
    assert set(methods) == {Net.forward, Net.scaled, double}
    found = {ast.unparse(node): seen for node, seen in methods[Net.forward].seen.items()}
    assert found["self.training"].truths == {True, False}
    assert found["self.drop(x)"].types == {"Tensor"}
    assert found["self.norm"].types == {"Module"}
    assert methods[Net.forward].at(methods[Net.forward].tree.body[0]).startswith("test_watched.py:")
    assert kind(3) == "int"


def test_the_model_is_afterwards_as_before() -> None:
    model = Net().eval()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    x = torch.rand(4, 3)
    random, codes = torch.get_rng_state(), (Net.forward.__code__, double.__code__)
    watch(model, {"x": x}, own)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert not model.training
    assert not model.norm.training
    assert torch.equal(torch.get_rng_state(), random)
    assert (Net.forward.__code__, double.__code__) == codes
    assert not [name for name in globals() if "bridge_port" in name]


def test_a_run_that_raises_is_told_with_its_inputs_and_changes_nothing() -> None:
    code = Net.forward.__code__
    with pytest.raises(PortError, match=r"the model cannot be run with x=.*running_mean"):
        watch(Net().eval(), {"x": torch.rand(4, 2)}, own)
    assert Net.forward.__code__ is code


def test_what_a_run_keeps_in_a_dictionary_or_a_list_of_the_model_is_gone_afterwards() -> None:
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
    watch(model, {"x": torch.rand(2)}, own)
    assert (model.kept, model.seen) == ({}, [1])
    assert model.kept is kept
    assert model.seen is seen
