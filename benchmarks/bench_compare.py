"""compare with every module judged alone and its operators recorded, relative to compare without: ResNet-50 and its C# port."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch
from harness import FEW, Figure, Samples

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.models.weights import share
from bridge.compare.run import one_thread
from bridge.mirror.loading import exact_lines

HERE = Path(__file__).parent
PROJECT = HERE / "models" / "BenchmarkModels.csproj"


def _lockstep() -> Samples:
    sys.path.insert(0, str(HERE / "processes"))
    from resnet50 import ResNet50

    torch.manual_seed(0)
    with exact_lines():
        original, port = ResNet50(), bridge.load(PROJECT, "BenchmarkModels.ResNet50")
    share("python", original, port)
    given = {"input": torch.randn(1, 3, 224, 224)}
    buffers = {name: buffer.clone() for name, buffer in original.named_buffers()}

    def plain() -> None:
        compared = compare(original, port, Inputs((), given), lockstep=False)
        assert compared.same, compared.verdict

    def with_all() -> None:
        plain()
        with one_thread():
            found = judge_modules(
                original, port, given, buffers, settings=(), names=("pytorch", "dotnet"),
                tolerances=lambda _: (0.0, 0.0), all_operators=True,
            )  # fmt: skip
        assert not found.findings
        assert not found.skipped

    times: tuple[list[float], list[float]] = ([], [])
    for warm in (True, *[False] * FEW):
        for found, run in zip(times, (with_all, plain), strict=True):
            begin = time.process_time()
            run()
            if not warm:
                found.append((time.process_time() - begin) * 1e3)
    return Samples(*times)


FIGURES = (
    Figure(
        "compare-alone", "compare of ResNet-50, each module judged alone and the operators of each forward recorded",
        "compare without that", "ms", _lockstep, 4,
    ),
)  # fmt: skip
