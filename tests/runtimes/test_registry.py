"""bridge.runtimes.registry: the runtimes that there are."""

from __future__ import annotations

from bridge.runtimes.registry import RUNTIMES, runtime


def test_each_runtime_has_its_name() -> None:
    assert [runtime(name).name for name in RUNTIMES] == [*RUNTIMES]
