"""further.py: what is tried on a port that agrees. The port is a model of the samples' assembly."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import nn

import bridge
from bridge.port.observe.models.construction import construct
from bridge.port.porting import Port
from bridge.port.verify.constructions import Constructions, Reconstruction
from bridge.port.verify.further import Tried, run_further
from bridge.port.verify.initial_values import InitialValues
from bridge.port.verify.trials import Trials
from bridge.samples.lenet import LeNet

pytestmark = pytest.mark.dotnet
PORT = Port({}, "LeNet", (), (), namespace="Vision")


def tried(factory: Callable[[], nn.Module], port: Port) -> list[Tried]:
    model, given = construct(factory)
    inputs = {"x": torch.rand(1, 1, 28, 28)}
    library = bridge.sample("Vision.dll")
    return run_further(model, given, port, library, inputs, seed=0, seconds=1, step=lambda _: None)


def test_a_model_without_parameters_is_tried_with_inputs_and_initial_values() -> None:
    trials, values = tried(LeNet, PORT)
    assert isinstance(trials, Trials)
    assert isinstance(values, InitialValues)
    assert values.equal + values.alike == len(LeNet().state_dict())
    assert [one.difference for one in (trials, values)] == ["", ""]


def test_another_number_of_classes_is_tried() -> None:
    _, same, _ = tried(LeNet, replace(PORT, parameters={"classes": "classes"}))
    assert isinstance(same, Constructions)
    assert (same.changed, same.difference) == (["classes"], "")
    _, differs = tried(LeNet, replace(PORT, parameters={"classes": "number"}))
    assert isinstance(differs, Constructions)
    assert differs.arguments == {"classes": 11}
    assert "the port cannot" in differs.difference


def test_a_model_that_was_unpickled_is_not_constructed_anew() -> None:
    _, again = tried(lambda: pickle.loads(pickle.dumps(LeNet())), PORT)
    assert isinstance(again, Reconstruction)
    assert (str(again), again.difference) == ("Not constructed anew: the arguments that it was given are unknown.", "")
