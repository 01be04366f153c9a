"""diagnosis.table: shares are of the mutants that live."""

from __future__ import annotations

from typing import Any

from diagnosis.table import counted, markdown, plain


def result(lives: str, **more: Any) -> dict[str, Any]:
    return {"lives": lives, "noticed": True, "located": True, "explained": False, "wrong": [], **more}


def test_the_dead_count_for_nothing() -> None:
    found = counted([{"lives": ""}, result("values"), result("calls", located=False, wrong=["because"])])
    assert found.cells == ("3", "2", "2 (100%)", "1 (50%)", "0 (0%)", "1")


def test_a_group_without_a_live_mutant_has_no_shares() -> None:
    assert counted([{"lives": ""}]).cells == ("1", "0", "0", "0", "0", "0")


def test_the_same_figures_stand_on_the_page_and_on_the_screen() -> None:
    lines = [("eps", *counted([result("values")]).cells)]
    assert "| eps | 1 | 1 | 1 (100%) | 1 (100%) | 0 (0%) | 0 |" in markdown("kind", lines)
    assert plain("kind", lines).splitlines()[1].split()[:3] == ["eps", "1", "1"]
