"""A process of bench_memory.py: ``peaks.py dotnet|pytorch MODEL BATCH`` prints one side's memory in calls without gradients.

It prints the peak in MB of libtorch's own count, and of the resident memory, each above its value before the call.
"""

from __future__ import annotations

import gc
import itertools
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from resnet50 import PROJECT, ResNet50  # type: ignore[import-not-found]  # in the script's folder
from torch import Tensor, nn
from torch.nn import functional

import bridge
from bridge.mirror.loading import dotnet_runtime
from bridge.samples.resnet import ResNet18

CALLS = 5


class DenseLayer(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.DenseLayer."""

    def __init__(self, inputs: int, growth: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inputs)
        self.conv1 = nn.Conv2d(inputs, 4 * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(4 * growth)
        self.conv2 = nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(functional.relu(self.norm1(input)))
        result: Tensor = self.conv2(functional.relu(self.norm2(x)))
        return result


class DenseBlock(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.DenseBlock."""

    def __init__(self, inputs: int, growth: int, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DenseLayer(inputs + i * growth, growth) for i in range(count)])

    def forward(self, input: Tensor) -> Tensor:
        features = input
        for layer in self.layers:
            features = torch.cat([features, layer(features)], 1)
        return features


class DenseNet(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.DenseNet."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, padding=1),
        )  # fmt: skip
        self.block1 = DenseBlock(64, 32, 6)
        self.narrow = nn.Conv2d(256, 128, 1, bias=False)
        self.block2 = DenseBlock(128, 32, 12)
        self.fc = nn.Linear(512, 1000)

    def forward(self, input: Tensor) -> Tensor:
        x = self.narrow(functional.relu(self.block1(self.stem(input))))
        x = self.block2(functional.avg_pool2d(x, 2))
        x = functional.adaptive_avg_pool2d(functional.relu(x), 1)
        result: Tensor = self.fc(torch.flatten(x, 1))
        return result


class Vgg(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.Vgg."""

    def __init__(self) -> None:
        super().__init__()
        widths = [3, 64, 128, 256, 256, 512, 512, 512, 512]
        pairs = itertools.pairwise(widths)
        self.convolutions = nn.ModuleList([nn.Conv2d(inputs, outputs, 3, padding=1) for inputs, outputs in pairs])
        self.fc = nn.Linear(512, 1000)

    def forward(self, input: Tensor) -> Tensor:
        x = input
        for i, convolution in enumerate(self.convolutions):
            x = functional.relu(convolution(x))
            if i in (0, 1, 3, 5, 7):
                x = functional.max_pool2d(x, 2)
        result: Tensor = self.fc(x.mean((2, 3)))
        return result


class ResidualBlock(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.ResidualBlock."""

    def __init__(self, heads: int, width: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        attended = functional.scaled_dot_product_attention(query, key, value)
        x = x + self.projection(attended.transpose(1, 2).reshape(batch, length, width))
        result: Tensor = x + self.narrow(functional.gelu(self.wide(self.norm2(x))))
        return result


class Residual(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.Residual."""

    def __init__(self, heads: int, width: int, count: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*(ResidualBlock(heads, width) for _ in range(count)))

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self.blocks(input)
        return result


MODELS: dict[str, tuple[str, tuple[int, ...], Callable[..., nn.Module], tuple[int, ...]]] = {
    "resnet18": ("Vision.ResNet18", (), ResNet18, (3, 224, 224)),
    "resnet50": ("BenchmarkModels.ResNet50", (), ResNet50, (3, 224, 224)),
    "vgg": ("BenchmarkModels.Vgg", (), Vgg, (3, 224, 224)),
    "densenet": ("BenchmarkModels.DenseNet", (), DenseNet, (3, 224, 224)),
    "transformer": ("BenchmarkModels.Residual", (12, 768, 4), Residual, (128, 768)),
}


def _load(name: str) -> tuple[nn.Module, nn.Module]:
    cls, arguments, make, _ = MODELS[name]
    model = bridge.load(bridge.sample("Vision.dll") if cls.startswith("Vision.") else PROJECT, cls, *arguments)
    counterpart = make(*arguments)
    counterpart.load_state_dict(model.state_dict())
    return model.eval(), counterpart.eval()


def _used(call: Callable[[], object]) -> float:
    """Return the peak, in MB, of what libtorch's CPU allocator has given out since the call's begin."""
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        call()
    now = peak = 0
    events = [event for event in profile.kineto_results.events() if event.name() == "[memory]"]
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        peak = max(peak, now)
    return peak / 2**20


def _status(field: str) -> float:
    with open("/proc/self/status", encoding="utf-8") as file:  # noqa: PTH123  # no path objects where memory is counted
        return int(next(line for line in file if line.startswith(field)).split()[1]) / 1024


def _resident(call: Callable[[], object]) -> float:
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak begins anew
    before = _status("VmRSS")
    call()
    return _status("VmHWM") - before


@torch.no_grad()
def main(side: str, name: str, batch: int) -> tuple[float, float]:
    """Return the used and the resident memory of one side's calls."""
    dotnet_runtime()
    torch.manual_seed(0)
    model, counterpart = _load(name)
    x = torch.rand(batch, *MODELS[name][3])
    called = model if side == "dotnet" else counterpart
    resident = max(_resident(lambda: called(x)) for _ in range(CALLS))
    return statistics.median(_used(lambda: called(x)) for _ in range(CALLS)), resident


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
