"""A process of bench_memory.py: ``resnet50.py dotnet|pytorch CALLS SEED`` prints the MB of a call of ResNet-50.

A batch of 8 pictures of 224 x 224, without gradients: the peak of a call above the resident memory before it, averaged over calls with
different holes in glibc's heap.
"""

from __future__ import annotations

import ctypes
import gc
import json
import random
import statistics
import sys
from pathlib import Path

import torch
from torch import Tensor, nn

import bridge
from bridge.mirror.loading import dotnet_runtime

PROJECT = Path(__file__).parents[1] / "models" / "BenchmarkModels.csproj"
SCATTERED = 400


class Bottleneck(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.Bottleneck."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != 4 * width:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
            )

    def forward(self, input: Tensor) -> Tensor:
        x = self.relu(self.bn1(self.conv1(input)))
        x = self.relu(self.bn2(self.conv2(x)))
        x = self.bn3(self.conv3(x))
        x += input if self.downsample is None else self.downsample(input)
        result: Tensor = self.relu(x)
        return result


class ResNet50(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.ResNet50."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = _layer(64, 64, 3, 1)
        self.layer2 = _layer(256, 128, 4, 2)
        self.layer3 = _layer(512, 256, 6, 2)
        self.layer4 = _layer(1024, 512, 3, 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, input: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(input))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        result: Tensor = self.fc(torch.flatten(self.avgpool(x), 1))
        return result


def _layer(inputs: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        Bottleneck(inputs, width, stride), *(Bottleneck(4 * width, width, 1) for _ in range(1, blocks))
    )


def _status(field: str) -> float:
    with open("/proc/self/status", encoding="utf-8") as file:  # noqa: PTH123  # no path objects where memory is counted
        return int(next(line for line in file if line.startswith(field)).split()[1]) / 1024


def _scatter(draw: random.Random) -> list[bytearray]:
    """Leave holes in the heap between pieces that live as long as the result, and return other free memory to the system."""
    pieces = [bytearray(1 << draw.randrange(4, 18)) for _ in range(SCATTERED)]
    kept = draw.sample(pieces, SCATTERED // 2)
    del pieces
    ctypes.CDLL(None).malloc_trim(0)
    return kept


@torch.no_grad()
def main(side: str, calls: int, seed: int) -> float:
    """Return the mean of one side's peaks."""
    dotnet_runtime()
    torch.manual_seed(0)
    model: nn.Module = bridge.load(PROJECT, "BenchmarkModels.ResNet50")
    counterpart = ResNet50()
    counterpart.load_state_dict(model.state_dict())
    x = torch.rand(8, 3, 224, 224)
    small = x[:1, :, :32, :32]
    assert torch.equal(model.eval()(small), counterpart.eval()(small))
    called = model if side == "dotnet" else counterpart
    gc.collect()
    draw, peaks = random.Random(seed), []
    for _ in range(calls):
        kept = _scatter(draw)
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak begins anew
        before = _status("VmRSS")
        called(x)
        peaks.append(_status("VmHWM") - before)
        del kept
    return statistics.mean(peaks)


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(main(sys.argv[1], *map(int, sys.argv[2:]))))
