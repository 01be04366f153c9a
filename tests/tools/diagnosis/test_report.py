"""diagnosis.report: shares are of the mutants that live, and the page keeps its text."""

from __future__ import annotations

from typing import Any

from diagnosis import report


def result(lives: str, **more: Any) -> dict[str, Any]:
    judged = {"lives": lives, "noticed": True, "located": True, "explained": False, "wrong": []}
    return {"subject": "Gpt", "kind": "eps", "held_out": False, **judged, **more}


def test_the_dead_count_for_nothing() -> None:
    found = report.figures([{"lives": ""}, result("values"), result("calls", located=False, wrong=["because"])])
    assert found == ("3", "2", "2 (100%)", "1 (50%)", "0 (0%)", "1")


def test_a_group_without_a_live_mutant_has_no_shares() -> None:
    assert report.figures([{"lives": ""}]) == ("1", "0", "0", "0", "0", "0")


def test_the_same_figures_stand_on_the_page_and_on_the_screen() -> None:
    lines = [("eps", *report.figures([result("values")]))]
    assert "| eps | 1 | 1 | 1 (100%) | 1 (100%) | 0 (0%) | 0 |" in report.markdown("kind", lines)
    assert report.plain("kind", lines).splitlines()[1].split()[:3] == ["eps", "1", "1"]


def test_the_share_of_isolated_modules_is_of_all_models_together() -> None:
    isolation = [
        {"subject": "A", "modules": 10, "refused": {}},
        {"subject": "B", "modules": 10, "refused": {"": "it is given a socket"}},
    ]
    assert report.total_isolation(isolation) == "Judged alone: 19 of 20 modules (95%)."
    assert not report.too_few_isolated(isolation)
    assert report.too_few_isolated([*isolation, {"subject": "C", "modules": 1, "refused": {"x": "no"}}])
    assert report.isolation_line(isolation[1]) == ("B", "9 of 10", "`the root`: it is given a socket")


def test_the_page_has_the_figures_of_the_run_and_its_text() -> None:
    page = report.page(
        [result("values"), result("", held_out=True)], [{"subject": "Gpt", "modules": 3, "refused": {}}], 7, 2
    )
    before = report.PAGE.read_text(encoding="utf-8")
    assert "At most 2 mistakes of each kind and model are drawn, by seed 7." in page
    assert "| eps | 1 | 1 | 1 (100%) | 1 (100%) | 0 (0%) | 0 |" in page
    assert "Judged alone: 3 of 3 modules (100%)." in page
    assert page.partition("At most")[0] == before.partition("At most")[0]
    assert page.partition("## The models")[2] == before.partition("## The models")[2]
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        line for line in before.splitlines() if line.startswith("#")
    ]
