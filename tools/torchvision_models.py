"""A table of TorchVision's models on both runtimes: Bridge.Torch in Python's process, TorchSharp in one of its own.

    python tools/torchvision_models.py [NAME ...]

For each factory of ``TorchSharp.torchvision.models``, as it comes compiled from NuGet: whether it loads, the keys of its state, how far
the weights that one seed draws differ, and in eval mode and in train mode the events of a call and the largest difference of outputs and
buffers, relative to the largest element, from equal weights, input and seed. Nonzero where one differs by more than 1e-5. TorchVision.dll
is the one of ``BRIDGE_TORCHVISION``, else that of NuGet's cache; TorchSharp the one that ``runtime="torchsharp"`` finds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

import bridge
from bridge.clr.find.installation import in_home

VARIABLE = "BRIDGE_TORCHVISION"
FACTORIES = (
    *("alexnet", "googlenet", "inception_v3", "mobilenet_v2", "mobilenet_v3_large", "mobilenet_v3_small"),
    *("resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "resnext101_32x8d"),
    *("resnext101_64x4d", "wide_resnet50_2", "wide_resnet101_2", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16"),
    *("vgg16_bn", "vgg19", "vgg19_bn"),
)
#: Pixels, where they are not 64: what is left in the last layers has to have elements.
SIZES = {"inception_v3": 299, "googlenet": 96}
#: What they are called with; those of MobileNetV3 take nothing.
ARGUMENTS: dict[str, dict[str, Any]] = {"mobilenet_v3_large": {}, "mobilenet_v3_small": {}}
LIMIT = 1e-5


def assembly() -> Path:
    """Return the compiled TorchVision. Ends the program if it is missing."""
    if asked := os.environ.get(VARIABLE, "").strip():
        return Path(asked)
    cache = Path(os.environ.get("NUGET_PACKAGES", "").strip() or in_home(".nuget/packages"))
    found = sorted(cache.glob("torchvision/*/lib/net*/TorchVision.dll"))
    if not found:
        raise SystemExit(f"there is no TorchVision in {cache}: restore a project that refers to it, or set {VARIABLE}")
    return found[-1]


def difference(a: Iterable[torch.Tensor], b: Iterable[torch.Tensor]) -> float:
    """Return the largest difference of tensors, relative to the largest element of each."""
    pairs = [(x.double(), y.double()) for x, y in zip(a, b, strict=True)]
    return max((float((x - y).abs().max() / x.abs().max().clamp(min=1)) for x, y in pairs), default=0.0)


def ran(model: torch.nn.Module, x: torch.Tensor) -> tuple[list[tuple[str, str, str]], list[torch.Tensor]]:
    """Return a call's events by phase, path and type, and its output with the buffers afterwards."""
    torch.manual_seed(1)
    with torch.no_grad(), bridge.record(model) as recording:
        y: Any = model(x)
    outputs = [y] if isinstance(y, torch.Tensor) else list(y)
    return [(event.phase, event.path, event.type) for event in recording.trace], [*outputs, *model.buffers()]


def compared(file: Path, name: str) -> tuple[list[str], bool]:
    """Return a row of the table, and whether all of it is equal."""
    made = []
    for runtime in ("dotnet", "torchsharp"):
        torch.manual_seed(0)
        given = ARGUMENTS.get(name, {"num_classes": 10})
        made.append(bridge.load(file, f"TorchSharp.torchvision.models.{name}", runtime=runtime, **given))
    here, there = made
    same = list(here.state_dict()) == list(there.state_dict())
    drawn = difference(here.state_dict().values(), there.state_dict().values())
    row, good = [name, f"{len(here.state_dict())}{'' if same else ' differ'}", f"{drawn:.1e}"], same and drawn <= LIMIT
    here.load_state_dict(there.state_dict())
    x = torch.randn(2, 3, *[SIZES.get(name, 64)] * 2, generator=torch.Generator().manual_seed(2))
    for mode in (False, True):
        (events, values), (others, reference) = (ran(model.train(mode), x) for model in made)
        far = difference(values, reference)
        row += [f"{len(events)}{'' if events == others else f' against {len(others)}'}", f"{far:.1e}"]
        good &= events == others and far <= LIMIT
    return row, good


def main(names: list[str]) -> int:
    """Print the table; return 1 where something differs."""
    file, failed = assembly(), []
    heading = ("factory", "keys", "weights", "events in eval", "difference", "events in train", "difference")
    print(f"| {' | '.join(heading)} |\n|{' --- |' * len(heading)}", flush=True)
    for name in names or FACTORIES:
        try:
            row, good = compared(file, name)
        except Exception as error:  # the others are still to be tried
            row, good = [name, f"{type(error).__name__}: {error}".splitlines()[0]], False
        print(f"| {' | '.join(row)} |", flush=True)
        failed += [] if good else [name]
    print(f"{len(names or FACTORIES) - len(failed)} equal, {len(failed)} not: {' '.join(failed)}".removesuffix(": "))
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
