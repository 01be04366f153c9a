"""tools/port_functions.py: a run that was stopped goes on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory and time are set by the module resource, POSIX's")

import port_functions
from tests.port.functions.harness import Difference, Report


def test_results_are_kept_by_seed_and_number(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    assert port_functions.kept(file) == {}
    first = Report(10, 70, [Difference("def f(): ...", "long f()", "()", "1", "2")], Counter({"a loop": 2}), 3)
    second = Report(5, 30)
    port_functions.keep(file, 1, first)
    port_functions.keep(file, 2, second)
    assert port_functions.kept(file) == {(1, 10): first, (2, 5): second}
