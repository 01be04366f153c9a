"""modules.py: whose a module is, and the arguments that make a layer."""

from __future__ import annotations

from typing import Any

import pytest
from einops.layers.torch import Rearrange
from torch import nn

from bridge.port.observe.modules import arguments, container_of, find_inheriting, is_layer, is_own
from tests.port.observe import decorated


def test_layers_are_pytorchs_without_containers() -> None:
    assert [is_layer(one) for one in (nn.Linear(1, 1), nn.Sequential(), decorated.Private())] == [True, False, False]
    assert not is_layer(nn.Module())


def test_a_layer_of_einops_is_a_layer_with_the_lengths_of_axes_as_arguments() -> None:
    layer = Rearrange("a (b c) -> a b c", b=2)
    assert is_layer(layer)
    assert not is_own(Rearrange)
    assert find_inheriting(nn.Sequential(layer)) == set()
    assert arguments(layer) == {"pattern": "a (b c) -> a b c", "b": 2}
    assert is_own(type("Scaled", (Rearrange,), {}))


def test_a_module_without_a_class_is_a_dictionary() -> None:
    made = [container_of(one) for one in (nn.Module(), nn.ModuleList(), nn.Linear(1, 1), decorated.Private())]
    assert made == [nn.ModuleDict, nn.ModuleList, None, None]


def test_a_class_of_the_model_has_a_forward_of_its_own() -> None:
    assert is_own(decorated.Private)
    assert not is_own(nn.Linear)
    assert not is_own(type("Named", (nn.Linear,), {}))


def test_layers_of_the_models_inherit_a_forward_and_chains_where_they_are_the_whole_model() -> None:
    layer, chain = type("Layer", (nn.Linear,), {}), type("Chain", (nn.Sequential,), {})
    model = chain(layer(1, 1), chain(nn.ReLU()), decorated.Private())
    assert find_inheriting(model) == {layer, chain}
    assert find_inheriting(nn.Sequential(chain(layer(1, 1)))) == {layer}


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        (
            nn.Conv2d(3, 8, (3, 3), padding=(0, 1)),
            {"in_channels": 3, "out_channels": 8, "kernel_size": 3, "padding": (0, 1)},
        ),
        (nn.MaxPool2d(3, (3, 3)), {"kernel_size": 3}),
        (nn.BatchNorm1d(8, affine=False), {"num_features": 8, "affine": False}),
        (nn.LayerNorm((6, 6)), {"normalized_shape": (6, 6)}),
        (nn.LSTM(3, 4, proj_size=2), {"input_size": 3, "hidden_size": 4, "proj_size": 2}),
        (nn.RNN(3, 4, nonlinearity="relu"), {"input_size": 3, "hidden_size": 4, "nonlinearity": "relu"}),
    ],
)
def test_arguments_are_those_that_are_no_defaults(module: nn.Module, wanted: dict[str, Any]) -> None:
    assert arguments(module) == wanted
