"""Traces like those of the face detector: several roots, of which the first is called several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

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
