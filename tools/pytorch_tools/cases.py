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
IMAGES = ("ResNet-18", "LeNet")
TEXTS = ("LSTM tagger", "GPT")


@dataclass(frozen=True)
class Case:
    """A model. ``inputs(n)`` is a batch of n, and ``targets(n)`` are its labels.

    ``layer`` is the path of a module in the middle of the model and ``first`` that of its first one; ``linear`` are names of linear layers.
    """

    name: str
    original: Callable[[], nn.Module]
    port: Callable[[], nn.Module]
    inputs: Callable[[int], Tensor]
    targets: Callable[[int], Tensor]
    layer: str
    first: str
    linear: tuple[str, ...]

    @property
    def target(self) -> int | tuple[int, int]:
        """Return the index of an element of the result, as captum takes it."""
        return 1 if self.name in IMAGES else (2, 1)

    def loss(self, scores: Tensor, targets: Tensor) -> Tensor:
        """Return the cross entropy."""
        return functional.cross_entropy(scores.flatten(0, -2), targets.flatten())

    def train(self, model: nn.Module, part: slice = slice(None)) -> list[Tensor]:
        """Return the losses of three steps of AdamW in train mode, on a part of a batch."""
        model.train()
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = self.loss(model(self.inputs(4)[part]), self.targets(4)[part])
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return losses

    def in_pytorch(self) -> nn.Module:
        """Return the PyTorch original in eval mode, with the same weights at each call."""
        torch.manual_seed(1)
        model = self.original()
        with torch.no_grad():  # with the initial statistics, a batch norm that does not read them gives nearly the same
            for name, buffer in model.named_buffers():
                if name.endswith(("running_mean", "running_var")):
                    buffer.uniform_(0.5, 1.5)
        return model.eval()

    def in_csharp(self) -> nn.Module:
        """Return the C# model in eval mode, with the original's weights."""
        model = self.port()
        model.load_state_dict(self.in_pytorch().state_dict())
        return model.eval()


def _normal(*shape: int) -> Callable[[int], Tensor]:
    return lambda n: torch.randn(n, *shape, generator=torch.Generator().manual_seed(n))


def _integers(high: int, *shape: int) -> Callable[[int], Tensor]:
    return lambda n: torch.randint(0, high, (n, *shape), generator=torch.Generator().manual_seed(n))


def _sample(name: str, *arguments: int) -> Callable[[], nn.Module]:
    return lambda: bridge.load(bridge.sample("Vision.dll"), f"Vision.{name}", *arguments)


def _text(name: str) -> Callable[[], nn.Module]:
    return lambda: bridge.load(_TEXT, f"Text.{name}")


# fmt: off
_ALL = (
    Case("ResNet-18", resnet18, _sample("ResNet18", 10), _normal(3, 32, 32), _integers(10), "layer2.0", "conv1", ("fc",)),
    Case("LeNet", LeNet, _sample("LeNet"), _normal(1, 28, 28), _integers(10), "conv2", "conv1", ("fc1", "fc2", "fc3")),
    Case("LSTM tagger", Tagger, _text("Tagger"), _integers(50, 7), _integers(5, 7), "dropout", "embedding", ("tag",)),
    Case("GPT", Gpt, _text("Gpt"), _integers(50, 9), _integers(50, 9), "h.1.mlp", "wte", ("c_attn", "c_fc")),
)
# fmt: on
CASES = {case.name: case for case in _ALL}
