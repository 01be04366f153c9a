"""Values whose crossing could end the process or leave memory behind."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

CHECKS = (
    "nested_results",
    "nested_results_in_a_call",
    "nested_arguments",
    "replaced_meanwhile",
    "refused_result_of_a_hook",
    "refused_result_of_csharp",
    "refused_argument",
    "large_results",
)


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("name", CHECKS)
def test_held(together: Callable[..., None], name: str) -> None:
    """The docstring of the function in ``snippets/crossing.py`` says what holds."""
    together("crossing", name)
