"""hook_contract.conformance.results.page: what the page contains, how large it is, and that nothing in it can become markup."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hook_contract.conformance.judgement import PASS
from hook_contract.conformance.results.files import Result
from hook_contract.conformance.results.page import write_results_page
from hook_contract.contract import Contract, load
from hook_contract.output.errors import OutputError
from hook_contract.program import Program, corpus

Results = Callable[..., Result]
EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=document.title='owned'></script>\u2028日本é]]>"
PRE = {"event": "pre", "hook": "p", "module": "", "args": [3]}
RAISED = {"event": "raise", "error": "TypeError", "key": EVIL}


@pytest.fixture
def page(contract: Contract, programs: tuple[Program, ...], tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes the page of results and returns its text."""

    def written(*results: Result, contract: Contract = contract, programs: Sequence[Program] = programs) -> str:
        path = tmp_path / "page.html"
        write_results_page(path, results, contract, programs)
        return path.read_text(encoding="utf-8")

    return written


def data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))


def cells(page: str, clause: str) -> list[tuple[str, str, str]]:
    """Return the CSS class, the spoken state and the sign of each cell of a clause."""
    row = page[page.index(f'<tr id="{clause}">') :].partition("</tr>")[0]
    return re.findall(r'<td class="(\w+)[^"]*"><span role="img" aria-label="([^"]+)">([^<]+)<', row)


def totals(page: str) -> dict[str, list[str]]:
    body = page[page.index('<tbody class="totals">') :].partition("</tbody>")[0]
    return {
        re.findall(r'scope="row">([^<]+)<', row)[0]: re.findall(r"<td[^>]*>([^<]+)<", row)
        for row in body.split("</tr>")[:-1]
    }


def verdict(page: str) -> str:
    return re.findall(r'<span class="words">([^<]+)<', page)[0]


def test_a_row_has_a_cell_for_each_result_with_its_state_and_sign(page: Any, result: Results) -> None:
    text = page(
        result(), result({"O-1-b": {"": [RAISED]}}, on="Wrong 3.0"), result(lacks={"hook:pre": "none"}, name="x")
    )
    assert cells(text, "O-1") == [
        ("pass", "pass", "✓"), ("fail", "fail", "✗"), ("lacks", "not applicable", "·"),
    ]  # fmt: skip
    assert [cell[1] for cell in cells(text, "P-2")] == ["untested"] * 3
    assert "The text of O-1." in text
    assert "O · Order" in text


def test_results_of_one_runtime_share_a_head(page: Any, result: Results) -> None:
    text = page(result(), result(on="Wrong 3.0.1+cpu, Other 2"), result(name="x"))
    assert re.findall(r'colspan="(\d)" scope="colgroup"><span>([^<]+)<', text) == [("2", "wrong"), ("1", "x")]
    heads = re.findall(r'data-column="(\d)" title="([^"]+)" aria-expanded="false">([^<]+)<', text)
    assert heads == [("0", "Wrong 2.0", "2.0"), ("1", "Wrong 3.0.1+cpu, Other 2", "3.0.1"), ("2", "Wrong 2.0", "2.0")]


def test_another_device_is_another_runtime(page: Any, result: Results) -> None:
    text = page(result(), replace(result(), device="cuda"))
    assert re.findall(r'scope="colgroup"><span>([^<]+)<', text) == ["wrong", "wrong on cuda"]


def test_the_rows_above_the_clauses_count_them(page: Any, result: Results, row: Any) -> None:
    listed = result({"O-1-b": {"": [RAISED]}}, (row(programs=("O-1-b",), got=(RAISED,)),))
    found = totals(page(result(), listed, result({"P-1-a": {"": []}}), result(lacks={"hook:pre": "none"})))
    assert found == {
        "MUST: passed of those that apply": ["3/3", "2/3", "2/3", "0/0"],
        "SHOULD: passed of those that apply": ["0/0"] * 4,
        "Diverge as listed": ["0", "1", "0", "0"],
        "Fail, or could not be judged": ["0", "0", "1", "0"],
    }


def test_the_verdict_names_what_does_not_conform(page: Any, result: Results, row: Any) -> None:
    bad, broken = {"P-1-a": {"": []}}, result(breaks=True, name="b", on="B 1")
    assert verdict(page(result())) == "1 result: every runtime conforms."
    assert verdict(page(result(), result(on="Wrong 3"))) == "2 results: every runtime conforms."
    listed = result({"O-1-b": {"": [RAISED]}}, (row(programs=("O-1-b",), got=(RAISED,)),))
    assert verdict(page(result(), listed)) == (
        "2 results: every runtime conforms, 1 of them but for what their ledgers list."
    )
    assert verdict(page(result(), result(bad, name="x"))) == "1 of 2 results does not conform: x 2.0."
    many = page(result(bad), result(bad, on="Wrong 3"), result(bad, name="x"), broken)
    assert verdict(many) == "3 of 4 results do not conform: wrong 2.0, 3; x 2.0; 1 result with errors of adapters: b 1."
    assert verdict(page(broken)) == "1 result with errors of adapters: b 1."


def test_a_result_that_does_not_fit_the_page_is_reported(page: Any, result: Results) -> None:
    old = result()
    old = replace(old, contract="0.9", programs={**old.programs, "Y-1-a": ({"state": PASS},)})
    text = page(result(), replace(old, clauses={"Y-1": old.clauses["O-1"], "O-1": old.clauses["O-1"]}))
    problems = re.findall(r'<p class="problem">([^<]+)<', text)
    assert problems == [
        "wrong 2.0 was judged by the contract 0.9, and this page shows 1.0.",
        "wrong 2.0 has results of clauses or programs that are unknown here: Y-1, Y-1-a.",
    ]
    assert [cell[1] for cell in cells(text, "O-2")] == ["pass", "untested"]
    assert data(text)["lines"][data(text)["clauses"]["O-2"]["cells"][1][3]] == "not in this result"


def test_the_data_have_each_line_and_each_pair_of_traces_once(page: Any, result: Results) -> None:
    wrong = {"O-1-b": {"a": [PRE, RAISED], "b": [PRE, RAISED]}}
    found = data(page(result(wrong), result(wrong, on="Wrong 3.0"), result()))
    lines = found["lines"]
    assert len(lines) == len(set(lines))
    (program,) = (item for item in found["programs"] if item["name"] == "O-1-b")
    assert program["total"] == [2, 2, 1]
    assert [(run[0], lines[run[2]]) for run in program["runs"]] == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    assert {lines[run[3]] for run in program["runs"]} == {"differs from PyTorch"}
    assert {run[5] for run in program["runs"]} == {0}
    (rows,) = found["rows"]
    shown = ["" if line < 0 else lines[line].partition(" ")[0] for line in rows]
    assert shown == ["pre", "pre", "enter", "raise", "return", ""]
    assert rows[0] == rows[1]
    assert [lines[line] for line in program["expect"]] == [
        "pre p (root): args (3)",
        "enter (root): args (3)",
        "return 7",
    ]


def test_events_that_are_described_alike_still_differ(page: Any, result: Results) -> None:
    trace = [PRE, {"event": "enter", "module": "", "args": [3], "more": ""}, {"event": "return", "value": 7.0}]
    (rows,) = data(page(result({"O-1-b": {"": trace}})))["rows"]
    assert [left == right for left, right in zip(rows[::2], rows[1::2], strict=True)] == [True, False, True]


def test_an_event_of_unknown_fields_is_shown_as_json(page: Any, result: Results) -> None:
    found = result({"O-1-b": {"": []}})
    (run,) = found.programs["O-1-b"]
    strange = {**run, "trace": [{"later": 1}, {"event": "thread"}]}
    text = page(replace(found, programs={**found.programs, "O-1-b": (strange,)}))
    assert {'{"later": 1}', '{"event": "thread"}'} <= set(data(text)["lines"])


def test_nothing_becomes_markup(page: Any, result: Results, contract: Contract, programs: Any, row: Any) -> None:
    chapter = contract.chapters[0]
    clauses = (replace(chapter.clauses[0], text=EVIL, note=EVIL), *chapter.clauses[1:])
    evil = replace(contract, chapters=(replace(chapter, title=EVIL, clauses=clauses), contract.chapters[1]))
    some = (replace(programs[0], about=EVIL, tree={"kind": "leaf", "c": EVIL}), *programs[1:])
    tested = result({"O-1-a": {EVIL: [RAISED]}}, name=EVIL, on=EVIL)
    tested = replace(tested, contract=EVIL, pytorch=EVIL, device=EVIL, programs={**tested.programs, EVIL: ()})
    text = page(tested, contract=evil, programs=some)
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "&lt;script&gt;document.title" in text
    (head,) = re.findall(r'title="([^"]+)" aria-expanded', text)
    assert "\\u2028日本é]]&gt;" in head
    data(text)


def test_the_page_asks_for_nothing_from_outside(page: Any, result: Results) -> None:
    text = page(result())
    assert "default-src &#39;none&#39;" in text
    assert not re.search(r"(?:src|href|style)=\"", text)
    assert "url(" not in text


def test_the_page_of_many_results_is_small(page: Any, result: Results) -> None:
    """The whole contract on 15 results, each with traces that differ in a hundred programs and no trace in a hundred others."""
    programs = corpus()
    runs = {program.name: ({"state": PASS},) for program in programs}
    for program in programs[:100]:
        trace = [*(program.expect or ())[:-1], RAISED]
        runs[program.name] = tuple(
            {"state": "fail", "variant": f"v{at}", "reason": "x", "trace": trace} for at in range(4)
        )
    runs |= {program.name: ({"state": "not applicable", "reason": "no " * 50},) for program in programs[100:200]}
    clauses = {clause.id: {"state": "pass", "passed": 4, "total": 4} for clause in load()}
    results = [replace(result(on=f"Wrong {at}"), clauses=clauses, programs=runs) for at in range(15)]
    assert len(page(*results, contract=load(), programs=programs)) < 1_500_000


def test_a_page_that_cannot_be_written_is_reported(result: Results, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_results_page(tmp_path / "none" / "page.html", [result()])


def test_the_contract_and_the_programs_are_the_packages_by_default(result: Results, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_results_page(path, [replace(result(), contract=load().version)])
    found = data(path.read_text(encoding="utf-8"))
    assert list(found["clauses"]) == [clause.id for clause in load()]
    assert len(found["programs"]) == len(corpus())
