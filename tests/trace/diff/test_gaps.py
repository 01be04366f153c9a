"""bridge/trace/diff/gaps.py: the distances of integers that float64 cannot represent."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.trace.diff.gaps import gaps


@pytest.mark.parametrize(
    ("signed", "unsigned", "gap"),
    [(2**53, 2**53 + 1, 1), (2**53 + 1, 2**53, 1), (2**62, 2**62, 0), (-1, 2**64 - 1, 2**64), (-(2**63), 0, 2**63)],
)
@pytest.mark.parametrize("shape", [(), (1,)])
def test_int64_and_uint64_are_subtracted_exactly(signed: int, unsigned: int, gap: int, shape: tuple[int, ...]) -> None:
    x, y = np.full(shape, signed, np.int64), np.full(shape, unsigned, np.uint64)
    assert gaps(x, y).absolute == gaps(y, x).absolute == gap


@pytest.mark.parametrize("shape", [(), (1,)])
def test_numbers_of_other_signs_are_subtracted_without_a_warning(shape: tuple[int, ...]) -> None:
    assert gaps(np.full(shape, 5), np.full(shape, -3)).absolute == 8
