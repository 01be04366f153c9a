"""runs.py: the runs of a model give the values of every expression, and leave the model as it was."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.errors import PortError
from bridge.port.observe.observations import Observation
from bridge.port.observe.runs import observe, observe_ranks


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
    methods = observe(Net().eval(), {"x": torch.rand(4, 3)}, own)
    assert set(methods) == {Net.forward, Net.scaled, double}
    found = {ast.unparse(node): seen for node, seen in methods[Net.forward].seen.items()}
    assert found["self.training"].truths == {True, False}
    assert found["self.drop(x)"].types == {"Tensor"}
    assert found["self.norm"].types == {"Module"}
    assert methods[Net.forward].at(methods[Net.forward].tree.body[0]).startswith("test_runs.py:")


def test_the_model_is_afterwards_as_before() -> None:
    model = Net().eval()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    x = torch.rand(4, 3)
    random, codes = torch.get_rng_state(), (Net.forward.__code__, double.__code__)
    observe(model, {"x": x}, own)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert not model.training
    assert not model.norm.training
    assert torch.equal(torch.get_rng_state(), random)
    assert (Net.forward.__code__, double.__code__) == codes
    assert not [name for name in globals() if "bridge_port" in name]


def test_a_run_that_raises_is_told_with_its_inputs_and_changes_nothing() -> None:
    code = Net.forward.__code__
    with pytest.raises(PortError, match=r"the model cannot be run with x=.*running_mean"):
        observe(Net().eval(), {"x": torch.rand(4, 2)}, own)
    assert Net.forward.__code__ is code


class Stateful(nn.Module):
    """Its values differ by call, by batch size and by mode."""

    def __init__(self) -> None:
        super().__init__()
        self.cache: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.cache is None
        self.cache = x
        if x.shape[0] == 3:
            raise ValueError("no three")
        return x if x.shape[0] > 1 and first and not self.training else x + 1


def observed(model: nn.Module, size: int) -> dict[str, Observation]:
    """Return the observations of a forward by expression, for a batch of a size."""
    methods = observe(model, {"x": torch.rand(size, 2)}, lambda of: of is type(model))
    return {ast.unparse(node): seen for node, seen in methods[type(model).forward].seen.items()}


def test_two_calls_in_a_row_other_batch_sizes_and_both_modes_are_observed() -> None:
    """Issue 43, section 1: each run adds to the same records."""
    found = observed(Stateful(), 4)
    assert found["self.cache is None"].truths == {True, False}
    assert sorted(found["x.shape[0]"].values) == [2, 4, 8]
    assert found["self.training"].truths == {True, False}


class Reader(nn.Module):
    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        if attention_mask is not None:
            input_ids = input_ids.masked_fill(attention_mask == 0, 0)
        return input_ids


def test_a_model_that_takes_a_mask_of_attention_is_run_with_one() -> None:
    methods = observe(Reader(), {"input_ids": torch.tensor([[1, 2]])}, lambda kind: kind is Reader)
    assert "attention_mask == 0" in [ast.unparse(node) for node in methods[Reader.forward].seen]  # type: ignore[index]  # a function


def test_a_batch_size_that_the_model_refuses_adds_nothing() -> None:
    found = observed(Stateful(), 6)
    assert sorted(found["x.shape[0]"].values) == [6, 12], "half of it, 3, raises"
    assert "'no three'" not in found
    assert found["x.shape[0] == 3"].truths == {False}


def test_what_ran_in_train_mode_before_it_raised_is_observed() -> None:
    class Raising(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if self.training:
                raise ValueError("only eval")
            return x

    assert observed(Raising(), 1)["self.training"].truths == {True, False}


def test_a_function_that_only_a_refused_run_calls_is_not_found() -> None:
    class Calling(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if len(x) == 1:
                self.fail()
            return x

        def fail(self) -> None:
            raise ValueError("no one")

    model, code = Calling(), Calling.fail.__code__
    assert set(observe(model, {"x": torch.rand(2, 2)}, lambda of: of is Calling)) == {Calling.forward}
    assert Calling.fail.__code__ is code


def test_the_rank_of_an_input_is_that_of_the_run() -> None:
    model = nn.Sequential(nn.Upsample(scale_factor=2), nn.ReLU())
    assert observe_ranks(model, {"input": torch.rand(1, 2, 3)}) == {model[0]: 3}
    assert observe_ranks(nn.Sequential(nn.ReLU()), {"no such": 1}) == {}, "nothing has to run"


@pytest.mark.parametrize("value", [None, (None, None)])
def test_a_model_that_returns_nothing(value: Any) -> None:
    class Empty(nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return value

    with pytest.raises(PortError, match=r"the model returns .*None.*: return at least one tensor\."):
        observe(Empty(), {"x": torch.rand(2)}, lambda of: of is Empty)
