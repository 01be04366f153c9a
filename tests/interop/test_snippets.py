"""tests/interop/conftest.py: how the process of the snippets fares when one of them fails, or ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def test_a_failure_is_the_tests_and_the_process_goes_on(together: Callable[..., None]) -> None:
    together("ending", "well")
    with pytest.raises(pytest.fail.Exception, match="KeyboardInterrupt: in a snippet"):
        together("ending", "fails")
    together("ending", "well")


def test_an_end_is_the_tests_and_the_next_snippet_has_a_process(together: Callable[..., None]) -> None:
    with pytest.raises(pytest.fail.Exception, match="the process ended with 7: its last words"):
        together("ending", "ends")
    together("ending", "well")


def test_alone_the_code_is_the_processs(alone: Callable[..., Any]) -> None:
    alone("ending", "well")
    with pytest.raises(AssertionError, match="it ended with 7, not 0"):
        alone("ending", "ends")


def test_a_snippet_that_is_nowhere_is_named(together: Callable[..., None]) -> None:
    with pytest.raises(AssertionError, match=r"snippets/ending\.py has no function missing"):
        together("ending", "missing")
