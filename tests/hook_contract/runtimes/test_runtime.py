"""hook_contract.runtimes.runtime: the runtimes that there are."""

from __future__ import annotations

from bridge.runtimes.registry import RUNTIMES, runtime
from hook_contract import contract


def test_the_contract_knows_every_runtime_and_each_its_name() -> None:
    assert set(RUNTIMES) == set(contract.RUNTIMES)
    assert [runtime(name).name for name in RUNTIMES] == [*RUNTIMES]
