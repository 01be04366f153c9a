"""constructions.py: wrong ports that agree with their originals for the given arguments. The ports are modules of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.errors import CompareError
from bridge.port.observe.models.construction import Given, construct
from bridge.port.verify.constructions import Constructions, Reconstruction, run_constructions


class Net(nn.Module):
    """A model with sizes and a flag; it takes an even width only."""

    def __init__(self, width: int, classes: int = 3, scaled: bool = False) -> None:
        super().__init__()
        if width % 2:
            raise ValueError("width")
        self.scaled = scaled
        self.embed = nn.Embedding(width, 4)
        self.fc = nn.Linear(4, classes)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.fc(self.embed(ids))
        return x * 2 if self.scaled else x


class Fixed(Net):
    """A port with the given number of classes."""

    def __init__(self, width: int, classes: int = 3, scaled: bool = False) -> None:
        super().__init__(width, scaled=scaled)


class Unscaled(Net):
    """A port that is scaled in no case."""

    def __init__(self, width: int, classes: int = 3, scaled: bool = False) -> None:
        super().__init__(width, classes)


GIVEN = {"width": 8, "classes": 3, "scaled": False}
INPUTS = {"ids": torch.tensor([[7, 0, 3]])}


def tried(make_port: Callable[[Mapping[str, Any]], nn.Module], **options: Any) -> Constructions:
    """Construct with other arguments, whose names in the port end with a dash."""
    names = {name: f"{name}_" for name in GIVEN}
    model = Net(8)
    return run_constructions(
        Reconstruction(model, Given({model: GIVEN})),
        make_port,
        names,
        {"width_": 8},
        INPUTS,
        seed=0,
        seconds=600,
        **options,
    )


def port(kind: type[nn.Module], keywords: Mapping[str, Any]) -> nn.Module:
    return kind(**{name.removesuffix("_"): value for name, value in keywords.items()})


def test_a_model_agrees_with_itself() -> None:
    found = tried(partial(port, Net))
    assert found.difference == ""
    assert found.changed == ["width", "classes", "scaled"]
    assert 20 <= found.accepted < 60, "an odd width is refused"
    assert found.called == found.accepted, "with sizes and numbers that fit the smaller embedding"
    assert str(found).startswith(
        f"Constructed with {found.accepted} other sets of arguments (width, classes, scaled), "
    )
    assert str(found).endswith(" s: same.")


def test_a_weight_of_another_shape_is_found() -> None:
    found = tried(partial(port, Fixed))
    assert found.arguments == {"classes": 4}
    first, words, misfit, *_ = str(found).splitlines()
    assert first.endswith(": differs.")
    assert words == "  with classes = 4"
    assert "2 weights do not fit" in misfit
    assert "fc.weight" in found.difference


def test_another_result_is_found() -> None:
    found = tried(partial(port, Unscaled))
    assert found.arguments == {"scaled": True}
    assert found.difference.startswith("The result differs by up to ")


def test_a_port_that_cannot_be_constructed_differs() -> None:
    def raising(keywords: Mapping[str, Any]) -> nn.Module:
        if keywords.get("scaled_"):
            raise CompareError("no such constructor")
        return port(Net, keywords)

    found = tried(raising)
    assert found.arguments == {"scaled": True}
    assert found.difference == "The original can be constructed, and the port cannot: no such constructor"


@pytest.mark.parametrize(
    "why",
    [
        "System.NotSupportedException: net.py:3: a construct",
        "The arguments (scaled_: true) match no constructor of Net. It has: Net(long scaled_). true is no long for 'scaled_'.",
    ],
)
def test_arguments_that_the_port_refuses_by_name_are_listed(why: str) -> None:
    def refusing(keywords: Mapping[str, Any]) -> nn.Module:
        if keywords.get("scaled_"):
            raise CompareError(why)
        return port(Net, keywords)

    found = tried(refusing)
    assert (found.difference, found.refused, found.changed) == ("", ["scaled"], ["width", "classes"])
    assert str(found).endswith(": same. The port refuses other values of scaled.")


def test_the_number_of_sets_is_limited() -> None:
    assert tried(partial(port, Net), limit=5).accepted == 4
    assert str(tried(partial(port, Net), limit=0)).endswith("takes none of those tried, or the port refuses them.")


@pytest.mark.parametrize(
    ("original", "arguments", "why"),
    [
        (Net(8), GIVEN, ""),
        (Net(8), None, "the arguments that it was given are unknown"),
        (Net(8), {"width": 3}, "it raises ValueError with the arguments that it was given"),
        (Net(8), {"width": 4}, "its weights were changed after its construction"),
        (Net(8).double(), GIVEN, "its weights were changed after its construction"),
    ],
)
def test_a_model_that_cannot_be_constructed_anew_says_why(
    original: nn.Module, arguments: dict[str, Any] | None, why: str
) -> None:
    again = Reconstruction(original, Given() if arguments is None else Given({original: arguments}))
    assert again.why == why
    assert str(again) == f"Not constructed anew: {why}."


def test_arguments_that_have_no_names_are_not_given_again() -> None:
    layers, given = construct(lambda: Layers(nn.ReLU()))
    assert Reconstruction(layers, given).why == "its constructor takes any number of arguments"
    layers, given = construct(Layers)
    assert Reconstruction(layers, given).why == ""


class Layers(nn.Module):
    """A model that takes any number of layers."""

    def __init__(self, *layers: nn.Module, **options: Any) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x
