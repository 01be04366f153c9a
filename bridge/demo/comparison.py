"""The cascade in both runtimes: what each found, the trace it left, the time it took, and how they differ."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from bridge.demo.parts import Parts
from bridge.samples.cascade import Detection, detect
from bridge.samples.mtcnn import Nets
from bridge.trace import Trace
from bridge.trace.diff import Diff, diff
from bridge.trace.diff.phrases import counted

MIN_FACE_SIZE = 60
REPEATS = 3  # timed runs without a recording, of which the median is reported


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The cascade in one runtime. `seconds` is without a recording, the first run of the nets not counted."""

    runtime: str
    detection: Detection
    trace: Trace
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The two runs and the difference of their traces, with tolerance zero."""

    pytorch: Run
    dotnet: Run
    diff: Diff

    @property
    def same(self) -> bool:
        """Same events in the same order, every value equal, the same faces."""
        return self.diff.same and box_difference(self.pytorch.detection, self.dotnet.detection) == 0

    @property
    def verdict(self) -> str:
        """One line: the same, or different in what. Where it differs is described by the diff's `explain()`."""
        left, right = self.pytorch, self.dotnet
        if self.same:
            return (
                f"Same: {counted(len(left.detection), 'face')}, {left.trace.calls} equal module calls on each side, "
                f"identical order, largest difference {self.diff.largest_difference:g}."
            )
        if self.diff.same:
            return "Different: the traces agree but the faces do not, so the code that calls the networks differs."
        structure, values = len(self.diff.structural), len(self.diff.numeric)
        calls = _both(counted(left.trace.calls, "module call"), right.trace.calls)
        found = (
            f"{counted(structure, 'structural difference')} and {counted(values, 'difference')} of arguments or values"
        )
        return f"Different: {calls}; {found}."

    def figures(self) -> dict[str, str]:
        """The figures of the comparison, in words, for a table."""
        left, right = self.pytorch, self.dotnet
        return {
            "Faces": _both(len(left.detection), len(right.detection)),
            "Module calls": _both(left.trace.calls, right.trace.calls),
            "Events": _both(len(left.trace), len(right.trace)),
            "Tensors and numbers compared": f"{self.diff.compared}",
            "Largest difference of a value": f"{self.diff.largest_difference:g}",
            "Largest difference of a box": f"{box_difference(left.detection, right.detection):g} pixels",
            "Time of the cascade": _both(f"{left.seconds * 1e3:.0f} ms", f"{right.seconds * 1e3:.0f} ms"),
        }


def compare(parts: Parts) -> Comparison:
    """Runs the cascade on the picture once in each runtime with every value recorded, and compares the traces."""
    from bridge.runtimes import dotnet, pytorch

    left = _run("PyTorch", parts.picture, parts.pytorch, pytorch.record)
    right = _run(".NET", parts.picture, parts.dotnet, dotnet.record)
    return Comparison(left, right, diff(left.trace, right.trace))


def _run(runtime: str, picture: np.ndarray, nets: Nets, record: Callable[..., AbstractContextManager[Any]]) -> Run:
    with record(nets._asdict(), values="full") as recording:
        detection = detect(picture, nets, MIN_FACE_SIZE)
    seconds = []
    # The recorded run came first, so that what happens once (compiling, first pages of memory) is not counted here.
    for _ in range(REPEATS):
        started = time.perf_counter()
        detect(picture, nets, MIN_FACE_SIZE)
        seconds.append(time.perf_counter() - started)
    return Run(runtime, detection, recording.trace, median(seconds))


def box_difference(a: Detection, b: Detection) -> float:
    """Largest difference of a box coordinate, landmark or probability; infinite when the numbers of faces differ."""
    if len(a) != len(b):
        return float("inf")
    pairs = ((a.boxes, b.boxes), (a.landmarks, b.landmarks), (a.probabilities, b.probabilities))
    return max((float(np.abs(x - y).max(initial=0)) for x, y in pairs), default=0.0)


def _both(pytorch: object, dotnet: object) -> str:
    return f"{pytorch} in PyTorch, {dotnet} in .NET"
