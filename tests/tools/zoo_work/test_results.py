"""zoo_work.results: rows, what is kept of them, and the tables by outcome and by reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from zoo_work import results
from zoo_work.results import Result

SAME = Result("net", "Same", 3, 0.0, 0, 4, 4, 30, 20)


def _left(model: str, *messages: str) -> Result:
    return Result(model, "left", why=[(f"{model}.py:{line}", text) for line, text in enumerate(messages)])


def test_a_row_has_verdict_difference_shapes_places_methods_and_lines() -> None:
    assert SAME.row == "| net | Same | 0 |  | 3 | 0 | 4 of 4 | 1.50 |"
    assert Result("net", "refused").row == "| net | refused |  |  | 0 | 0 |  |  |"
    assert results.HEAD.count("|") // 2 == SAME.row.count("|")


def test_the_last_result_of_each_model_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    assert results.kept(file) == results.kept(None) == {}
    left = _left("net", "no lambda")
    for result in (left, SAME, replace(left, model="other")):
        results.keep(file, result)
    assert results.kept(file) == {"net": SAME, "other": replace(left, model="other")}


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("the function Block.__init__.<locals>.f, whose source", "the function …, whose source"),
        ("AugWrapper.D is a _Block, which port cannot write.", "… is a …, which port cannot write."),
        ("'x' of [2, 3] has 4 dimensions, not -1\nmore", "… of … has N dimensions, not N"),
        ("ValueError: no net18 in self.layers", "ValueError: no … in …"),
        (
            "/tmp/zoo/net/Net.cs(3,14): error CS0103: The name 'x' does not exist [/tmp/zoo/Zoo.csproj]",
            "CS0103: The name … does not exist",
        ),
    ],
)
def test_a_reason_has_no_names(message: str, reason: str) -> None:
    assert results.reason(message) == reason


def test_the_tables_count_outcomes_of_what_runs_and_what_each_reason_alone_holds_back() -> None:
    found = [
        SAME,
        replace(SAME, model="small", sizes=64),
        _left("a", "no 'f'", "no 'g'"),
        _left("b", "no 'f'", "a | b"),
        Result("c", "not eager"),
    ]
    assert "\n".join(results.tables(found)).splitlines() == [
        "| outcome | models |",
        "| --- | --- |",
        "| Same | 2 |",
        "| left | 2 |",
        "| not eager | 1 |",
        "",
        "2 of 4 that run in PyTorch are the same (50.0%); 1 of 5 made smaller.",
        "",
        "| left: reason | models | of these for no other reason | such as |",
        "| --- | --- | --- | --- |",
        "| no … | 2 | 1 | a, b |",
        "| a / b | 1 | 0 | b |",
        "",
        "| not eager: reason | models | of these for no other reason | such as |",
        "| --- | --- | --- | --- |",
        "|  | 1 | 1 | c |",
    ]


def test_a_whole_file_is_the_same_if_all_its_cases_are_that_run() -> None:
    verdicts = {"a_000": "Same", "a_001": "not eager", "b_000": "Same", "b_001": "left", "c_000": "not eager"}
    assert results.projects([Result(model, verdict) for model, verdict in verdicts.items()]) == (1, 2)
