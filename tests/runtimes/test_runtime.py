"""bridge.runtimes.runtime: the runtimes that there are."""

from __future__ import annotations

from bridge import contract
from bridge.runtimes.runtime import RUNTIMES, runtime


def test_the_contract_knows_every_runtime_and_each_its_name() -> None:
    assert set(RUNTIMES) == set(contract.RUNTIMES)
    assert [runtime(name).name for name in RUNTIMES] == [*RUNTIMES]
