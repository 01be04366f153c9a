"""make diagnosis: mistakes planted in ports are noticed, located and explained (C-3, F-1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnosis.__main__ import draw, main
from diagnosis.mutants import mutants
from diagnosis.processes import judge, measure_isolation
from diagnosis.report import figures
from diagnosis.subjects import SUBJECTS

pytestmark = pytest.mark.sdk


@pytest.mark.slow
def test_a_few_mistakes_of_the_tagger() -> None:
    """One of each of these kinds, in one process."""
    wanted = ("dropout p", "call to forward", "bias", "batch first", "other dim", "frozen")
    planted = mutants(SUBJECTS["Tagger"])
    found = judge([next(mutant for mutant in planted if mutant.kind == kind) for kind in wanted])
    _, live, noticed, located, explained, wrong = figures(found)
    assert live == f"{len(wanted)}", found
    assert noticed == located == f"{len(wanted)} (100%)", found
    assert int(explained.split()[0]) >= len(wanted) - 1, found
    assert wrong == "0", found


def test_what_is_set_aside_is_run_only_where_it_is_asked_for() -> None:
    assert not any(mutant.held_out for mutant in draw(["Tagger"], 2, 1, aside=False))
    assert draw(["padding", "Plates"], 2, 1, aside=False) == []
    assert len(draw(["padding", "Plates"], 2, 1, aside=True)) == 2


@pytest.mark.slow
def test_a_model_with_a_cache_and_a_module_that_is_called_often() -> None:
    row = {"id": "isolation", "subject": "Captioner", "modules": 20, "refused": {}}
    assert measure_isolation(["Captioner"]) == [row]


@pytest.mark.slow
def test_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every live mutant is noticed and no cause is wrong, or the command ends with 1."""
    assert main(["--aside", "--page", str(tmp_path / "diagnosis.md")]) == 0, capsys.readouterr().out
    assert "set aside" in capsys.readouterr().out
    assert (tmp_path / "diagnosis.md").read_text(encoding="utf-8").startswith("# How well compare explains mistakes")
