"""A factory of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hook_contract.conformance.judgement import Judgement
from hook_contract.conformance.results.files import Result, results_of
from hook_contract.contract import Contract


@pytest.fixture
def result(judged: Callable[..., Judgement], wrong: Any, contract: Contract) -> Callable[..., Result]:
    """Return a factory of results, ``result({program: {variant: trace}}, rows, lacks=…, name=…, on=version)``."""

    def made(traces: Any = (), rows: Any = (), **runtime: Any) -> Result:
        (found,) = results_of(judged(wrong(dict(traces), **runtime), rows), contract)
        return found

    return made
