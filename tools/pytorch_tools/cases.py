"""The models that every tool is run on: each in C# and in PyTorch, with the same weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

import bridge
from bridge.samples.lenet import LeNet
from pytorch_tools.originals import Gpt, Tagger, resnet18

_TEXT = Path(__file__).with_name("Text.cs")


@dataclass(frozen=True)
class Case:
    """A model and what it reads. ``inputs(n)`` gives a batch of n, ``targets(n)`` what the model should say to it.

    ``classes`` is the size of the last dimension of the result, ``layer`` a child in the middle of the model, ``first`` its first one,
    ``linear`` its linear layers.
    """

    name: str
    original: Callable[[], nn.Module]
    dotnet: Callable[[], nn.Module]
    inputs: Callable[[int], Tensor]
    targets: Callable[[int], Tensor]
    classes: int
    layer: str
    first: str
    linear: tuple[str, ...]

    @property
    def pictures(self) -> bool:
        return self.name in PICTURES

    @property
    def target(self) -> int | tuple[int, int]:
        """Return the index of an element of the result, as captum takes it."""
        return 1 if self.pictures else (2, 1)

    def loss(self, scores: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(scores.flatten(0, -2), targets.flatten())

    def in_pytorch(self) -> nn.Module:
        """Return the PyTorch original in eval mode, with the same weights at each call."""
        torch.manual_seed(1)
        model = self.original()
        with torch.no_grad():  # a batch norm that was never trained would hide whether its statistics are read
            for name, buffer in model.named_buffers():
                if name.endswith(("running_mean", "running_var")):
                    buffer.uniform_(0.5, 1.5)
        return model.eval()

    def in_csharp(self) -> nn.Module:
        """Return the C# model in eval mode, with the original's weights."""
        model = self.dotnet()
        model.load_state_dict(self.in_pytorch().state_dict())
        return model.eval()


def _drawn(*shape: int) -> Callable[[int], Tensor]:
    return lambda n: torch.randn(n, *shape, generator=torch.Generator().manual_seed(n))


def _words(high: int, *shape: int) -> Callable[[int], Tensor]:
    return lambda n: torch.randint(0, high, (n, *shape), generator=torch.Generator().manual_seed(n))


PICTURES = ("ResNet-18", "LeNet")
CASES = {
    case.name: case
    for case in (
        Case(
            "ResNet-18",
            lambda: resnet18(10),
            lambda: bridge.load(bridge.sample("Vision.dll"), "Vision.ResNet18", 10),
            _drawn(3, 32, 32),
            _words(10),
            10,
            "layer2.0",
            "conv1",
            ("fc",),
        ),
        Case(
            "LeNet",
            LeNet,
            lambda: bridge.load(bridge.sample("Vision.dll"), "Vision.LeNet"),
            _drawn(1, 28, 28),
            _words(10),
            10,
            "conv2",
            "conv1",
            ("fc1", "fc2", "fc3"),
        ),
        Case(
            "LSTM tagger",
            Tagger,
            lambda: bridge.load(_TEXT, "Text.Tagger"),
            _words(50, 7),
            _words(5, 7),
            5,
            "dropout",
            "embedding",
            ("tag",),
        ),
        Case(
            "GPT",
            Gpt,
            lambda: bridge.load(_TEXT, "Text.Gpt"),
            _words(50, 9),
            _words(50, 9),
            50,
            "h.1.mlp",
            "wte",
            ("c_attn", "c_fc"),
        ),
    )
}
