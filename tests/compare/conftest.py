"""Traces like those of the face detector, and a comparison of two PyTorch models as an original and its port."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from bridge.compare import setting_cause
from bridge.compare.isolate.state_guard import set_buffers
from bridge.compare.result import Comparison
from bridge.compare.run import ModelRaisedError, ModelRun, run
from bridge.compare.run_comparison import compare_runs
from bridge.trace import Event, Trace, Value, digest

Make = Callable[..., Trace]

LAYERS = ("conv1", "prelu1", "pool1", "conv2", "prelu2", "conv3")


@pytest.fixture
def make() -> Make:
    """Return a function that makes a trace of ``roots``, names with a number of calls, each of which calls ``layers``."""

    def value(content: float, size: int) -> tuple[Value, ...]:
        data = np.full((1, 3, size), content, np.float32)
        return (Value("tensor", data.shape, "float32", "cpu", digest(data), data=data),)

    def build(
        runtime: str,
        roots: Sequence[tuple[str, int]] = (("pnet", 7), ("rnet", 1)),
        *,
        layers: Sequence[str] = LAYERS,
        bypass: str = "",
        wrong: str = "",
    ) -> Trace:
        events: list[Event] = []
        calls = 0
        for root, times in roots:
            for size in range(8, 8 + times):
                outer, calls = calls, calls + 1
                content = 1.0
                events.append(
                    Event(len(events), root, root.capitalize(), "pre", outer, -1, values=value(content, size))
                )
                for layer in layers:
                    path, kind = f"{root}.{layer}", layer.rstrip("0123456789").capitalize()
                    given, content = content, content + 0.5 * (layer == wrong)
                    if layer == bypass:
                        values = value(content, size)
                        events.append(Event(len(events), path, kind, "bypass", -1, outer, values=values))
                        continue
                    for phase, shown in (("pre", given), ("forward", content)):
                        values = value(shown, size)
                        events.append(Event(len(events), path, kind, phase, calls, outer, values=values))
                    calls += 1
                values = value(content, size)
                events.append(Event(len(events), root, root.capitalize(), "forward", outer, -1, values=values))
        return Trace(runtime, events)

    return build


@pytest.fixture
def compare_models() -> Callable[..., Comparison]:
    """Return a function that compares two PyTorch models on one input, with the causes among the settings."""

    def compare(python: torch.nn.Module, dotnet: torch.nn.Module, x: torch.Tensor, **options: bool) -> Comparison:
        def run_one(model: torch.nn.Module) -> ModelRun:
            try:
                return run(model, {"x": x}, **options)  # type: ignore[arg-type]  # train and backward
            except ModelRaisedError as error:
                return error.run

        def compare_with(right: ModelRun) -> Comparison:
            named = replace(right, runtime="dotnet", trace=Trace("dotnet", right.trace.events))
            return compare_runs(python, dotnet, left, named, backward=options.get("backward", False))

        def again() -> Comparison:
            set_buffers(dotnet, right.before)
            return compare_with(run_one(dotnet))

        left, right = run_one(python), run_one(dotnet)
        found = compare_with(right)
        causes = setting_cause.find_causes(found, python, dotnet, again)
        return replace(found, modules=replace(found.modules, causes=causes))

    return compare
