"""A comparison of the face detector, a cascade of three networks, in PyTorch and in .NET."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from bridge.demo.resources import Resources
from bridge.samples.cascade import Detection, detect
from bridge.samples.mtcnn import Nets
from bridge.trace import Trace
from bridge.trace.diff import Diff, diff
from hook_contract.output.sentences import plural

MIN_FACE_SIZE = 60
REPEATS = 3  # the number of timed runs, whose median is reported


@dataclass(frozen=True, slots=True, eq=False)
class CascadeRun:
    """The result of the cascade in one runtime. ``seconds`` is the median time of runs without recording."""

    runtime: str
    detection: Detection
    trace: Trace
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class CascadeComparison:
    """The runs in both runtimes, and the diff of their traces with tolerance zero."""

    pytorch: CascadeRun
    dotnet: CascadeRun
    diff: Diff

    @property
    def same(self) -> bool:
        """Return whether the events, their order, all values and the faces of both runs are equal."""
        return self.diff.same and detection_difference(self.pytorch.detection, self.dotnet.detection) == 0

    @property
    def verdict(self) -> str:
        """Return a sentence that says whether the runs are the same, and if not, what differs."""
        left, right = self.pytorch, self.dotnet
        if self.same:
            return (
                f"Same: {plural(len(left.detection), 'face')}, {left.trace.calls} equal module calls on each side, "
                f"identical order, largest difference {self.diff.largest_difference:g}."
            )
        if self.diff.same:
            return "Different: the traces are equal, but the faces are not."
        structure, values = len(self.diff.structural), len(self.diff.numeric)
        calls = _both(plural(left.trace.calls, "module call"), right.trace.calls)
        found = (
            f"{plural(structure, 'structural difference')} and {plural(values, 'difference')} of arguments or values"
        )
        return f"Different: {calls}; {found}."

    def figures(self) -> dict[str, str]:
        """Return figures for a table, each with its label."""
        left, right = self.pytorch, self.dotnet
        return {
            "Faces": _both(len(left.detection), len(right.detection)),
            "Module calls": _both(left.trace.calls, right.trace.calls),
            "Events": _both(len(left.trace), len(right.trace)),
            "Tensors and numbers compared": f"{self.diff.compared}",
            "Largest difference of a value": f"{self.diff.largest_difference:g}",
            "Largest difference of a face": f"{detection_difference(left.detection, right.detection):g}",
            "Time of the cascade": _both(f"{left.seconds * 1e3:.0f} ms", f"{right.seconds * 1e3:.0f} ms"),
        }


def compare_cascades(resources: Resources) -> CascadeComparison:
    """Run the cascade on the picture in each runtime, recording all values, and compare the traces."""
    from bridge.runtimes import dotnet, pytorch

    picture, device = resources.picture, resources.device
    left = _run("PyTorch", picture, resources.pytorch, pytorch.record, device)
    right = _run(".NET", picture, resources.dotnet, dotnet.record, device)
    return CascadeComparison(left, right, diff(left.trace, right.trace))


def _run(
    runtime: str, picture: np.ndarray, nets: Nets, record: Callable[..., AbstractContextManager[Any]], device: str
) -> CascadeRun:
    with record(nets._asdict(), values="full") as recording:
        detection = detect(picture, nets, MIN_FACE_SIZE, device)
    seconds = []
    # The recorded run above has paid the costs of a first run, such as compilation.
    for _ in range(REPEATS):
        started = time.perf_counter()
        detect(picture, nets, MIN_FACE_SIZE, device)
        seconds.append(time.perf_counter() - started)
    return CascadeRun(runtime, detection, recording.trace, median(seconds))


def detection_difference(a: Detection, b: Detection) -> float:
    """Return the largest difference of a box coordinate, landmark or probability; infinity if the numbers of faces differ."""
    if len(a) != len(b):
        return float("inf")
    pairs = ((a.boxes, b.boxes), (a.landmarks, b.landmarks), (a.probabilities, b.probabilities))
    return max((float(np.abs(x - y).max(initial=0)) for x, y in pairs), default=0.0)


def _both(pytorch: object, dotnet: object) -> str:
    return f"{pytorch} in PyTorch, {dotnet} in .NET"
