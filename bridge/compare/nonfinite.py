"""NaN and infinite numbers in a trace, and why equal values may prove nothing."""

from __future__ import annotations

import numpy as np

from bridge.trace import Event, Trace, Value
from bridge.trace.diff.phrases import path_name


def count(trace: Trace) -> int:
    """Return the number of NaN and infinite elements in the recorded float and complex arrays of a trace."""
    return sum(map(_count_event, trace))


def no_comparison_reason(trace: Trace, compared: int) -> str:
    """Return why equal values prove nothing, or an empty string if they prove something.

    They prove nothing if ``compared``, the number of compared values, is 0, or if more than half of the float and complex numbers in the
    result of the model are NaN or infinite.
    """
    if not compared:
        return "no recorded module call has a tensor or a number as an argument or result"
    ends = [event for event in trace if event.phase != "pre"]
    results = [value for event in ends if event.parent == -1 for value in event.values if _is_float(value)]
    bad, total = sum(map(_count, results)), sum(value.data.size for value in results if value.data is not None)
    if 2 * bad <= total:
        return ""
    with_bad_inputs = {event.call for event in trace if event.phase == "pre" and _count_event(event)}
    first = next((event for event in ends if event.call not in with_bad_inputs and _count_event(event)), None)
    begin = f"first in the result of {path_name(first.path)} ({first.type})" if first else "as in the inputs"
    return f"{bad / total:.0%} of the numbers that the model returns are NaN or infinite, {begin}"


def _count_event(event: Event) -> int:
    return sum(map(_count, event.values))


def _count(value: Value) -> int:
    return int(np.count_nonzero(~np.isfinite(value.data))) if value.data is not None and _is_float(value) else 0


def _is_float(value: Value) -> bool:
    return value.data is not None and value.data.dtype.kind in "fc"
