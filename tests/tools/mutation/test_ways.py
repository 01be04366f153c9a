"""mutation.ways and served: wrong runtimes are caught in processes of their own as well, as objects and as commands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory and time are set by the module resource, POSIX's")

import hook_contract
from mutation.handmade import WRONGS
from mutation.lying import LIES
from mutation.served import makers
from mutation.ways import WAYS, judge, verdicts_by

TOOLS = Path(__file__).parents[3] / "tools"
BOTH = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(hook_contract.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (TOOLS, package))))


def test_every_wrong_runtime_has_a_name() -> None:
    names = list(makers())
    assert names[0] == "right"
    assert len(names) == 1 + len(WRONGS) + len(LIES) + 3
    assert all(name.isidentifier() for name in names)


@BOTH
def test_the_right_one_passes(way: str) -> None:
    assert judge("right", way).caught is None


@BOTH
@pytest.mark.parametrize(
    ("name", "fails", "how"),
    [
        ("prepend_ignored", True, " fail, 0 errors; no problem"),
        ("no_trace_at_all", False, " errors; no problem"),
        ("a_variant_that_it_never_runs", False, "0 fail, 0 errors; model ran no program in its variant 'unseen'"),
    ],
)
def test_a_wrong_one_is_caught(name: str, fails: bool, how: str, way: str) -> None:
    verdict = judge(name, way)
    assert verdict.caught is not None
    assert bool(verdict.caught) == fails
    assert verdict.how.endswith(how)


@BOTH
def test_what_is_not_there_is_refused(way: str) -> None:
    verdict = judge("nothing", way)
    assert verdict.caught == ""
    assert verdict.how.startswith("refused: ")
    assert "nothing" in verdict.how


@pytest.mark.slow
@BOTH
def test_all_are_caught(way: str) -> None:
    names = [name for name in makers() if name != "right"]
    verdicts = list(verdicts_by(way, names))
    assert len(verdicts) == len(names)
    assert [verdict.name for verdict in verdicts if verdict.caught is None] == []
