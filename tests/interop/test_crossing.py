"""Values whose crossing could end the process or leave memory behind: crossing.py, all of it in one process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def held(models: Path, in_process: Callable[..., Any]) -> tuple[set[str], str]:
    """The checks that held, and what the process said."""
    script = Path(__file__).with_name("crossing.py")
    arguments = [str(script), str(models), *CHECKS]
    done = in_process(
        f"import runpy, sys; sys.argv = {arguments!r}; runpy.run_path({str(script)!r}, run_name='__main__')",
    )
    lines = done.stdout.splitlines()
    said = f"it ended with {done.returncode}\nstdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-6000:]}"
    return {line.removeprefix("held ") for line in lines if line.startswith("held ")}, said


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("name", CHECKS)
def test_held(held: tuple[set[str], str], name: str) -> None:
    names, said = held
    assert name in names, said
