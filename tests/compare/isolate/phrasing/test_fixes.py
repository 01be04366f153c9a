"""bridge.compare.isolate.phrasing.fixes: the number is replaced only where it is certainly the operator's argument."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from bridge.compare.isolate.divergence import find_divergences
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.phrasing.fixes import suggest_fix

Forward = Callable[[torch.Tensor], torch.Tensor]


@pytest.mark.parametrize(
    ("ours", "theirs", "written", "fix"),
    [
        (lambda x: x.softmax(1), lambda x: x.softmax(0), "return x.softmax(0);", "return x.softmax(1)"),
        (
            lambda x: x.softmax(1),
            lambda x: x.softmax(0),
            "return x.softmax(0).select(0, 2);",
            "return x.softmax(1).select(0, 2)",
        ),
        (lambda x: x.softmax(1), lambda x: x.softmax(0), "return x.select(0, 2).softmax(dim);", ""),
        (lambda x: x.softmax(1), lambda x: x.softmax(0), "return functional.softmax(x.sum(0), dim);", ""),
        (lambda x: x * 4, lambda x: x * 3, "return x * 3 + 2;", "return x * 4 + 2"),
        (lambda x: x * 4, lambda x: x * 3, "return x.pow(3) * three;", ""),
        (
            lambda x: x.masked_fill(x > 0, -math.inf),
            lambda x: x.masked_fill(x > 0, 9),
            "return x.masked_fill(mask, 9);",
            "return x.masked_fill(mask, double.NegativeInfinity)",
        ),
        (lambda x: x * math.inf, lambda x: x * 3, "return x * 3;", "return x * double.PositiveInfinity"),
        (lambda x: x * math.nan, lambda x: x * 3, "return x * 3;", "return x * double.NaN"),
    ],
)
def test_the_number_is_replaced(
    record: Callable[..., OperatorRecorder], ours: Forward, theirs: Forward, written: str, fix: str
) -> None:
    (divergence,) = find_divergences(record(ours), record(theirs, written))[0]
    assert suggest_fix(divergence, ModuleFinding("", "Net", "result", "", 0)) == fix
