"""The verdict of the demo, on traces and detections written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bridge.demo.comparison import CascadeComparison, CascadeRun, detection_difference
from bridge.samples.cascade import Detection
from bridge.trace import Event, Trace, Value
from bridge.trace.diff import diff


def detection(shift: float = 0.0, faces: int = 1) -> Detection:
    boxes = np.tile(np.array([10, 20, 30, 40], dtype=np.float32), (faces, 1)) + np.float32(shift)
    return Detection(boxes, np.full(faces, 0.999, dtype=np.float32), np.zeros((faces, 5, 2), dtype=np.float32))


def run(runtime: str, paths: tuple[str, ...] = ("conv1", "conv2"), output: float = 1.0, **found: float) -> CascadeRun:
    events: list[Event] = []
    for call, path in enumerate(paths):
        data = np.full(3, output, dtype=np.float32)
        value = Value("tensor", (3,), "float32", "cpu", data=data)
        events.append(
            Event(len(events), path, "Conv2d", "pre", call, -1, values=(replace(value, data=np.ones_like(data)),))
        )
        events.append(Event(len(events), path, "Conv2d", "forward", call, -1, values=(value,)))
    return CascadeRun(runtime, detection(**found), Trace(runtime, events), 0.25)  # type: ignore[arg-type]


def comparison(left: CascadeRun, right: CascadeRun) -> CascadeComparison:
    return CascadeComparison(left, right, diff(left.trace, right.trace))


def test_equal_runs_are_the_same() -> None:
    got = comparison(run("PyTorch"), run(".NET"))
    assert got.same
    assert got.verdict == "Same: 1 face, 2 equal module calls on each side, identical order, largest difference 0."
    assert got.figures()["Module calls"] == "2 in PyTorch, 2 in .NET"
    assert got.figures()["Time of the cascade"] == "250 ms in PyTorch, 250 ms in .NET"


def test_swapped_calls_are_different() -> None:
    """C-9: the order in which children are called is part of the trace."""
    got = comparison(run("PyTorch"), run(".NET", paths=("conv2", "conv1")))
    assert not got.same
    assert got.verdict.startswith("Different: 2 module calls in PyTorch, 2 in .NET; 1 structural difference and ")


def test_one_changed_value_is_different() -> None:
    got = comparison(run("PyTorch"), run(".NET", output=1.5))
    assert not got.same
    assert got.figures()["Largest difference of a value"] == "0.5"
    assert "0 structural differences and 2 differences" in got.verdict


def test_equal_traces_with_other_faces_are_different() -> None:
    got = comparison(run("PyTorch"), run(".NET", shift=0.25))
    assert got.diff.same
    assert not got.same
    assert got.verdict.startswith("Different: the traces are equal, but the faces are not")
    assert got.figures()["Largest difference of a face"] == "0.25"


@pytest.mark.parametrize(("a", "b", "expected"), [(0, 0, 0.0), (1, 1, 0.0), (1, 2, float("inf")), (0, 1, float("inf"))])
def test_detection_difference_by_the_number_of_faces(a: int, b: int, expected: float) -> None:
    assert detection_difference(detection(faces=a), detection(faces=b)) == expected
