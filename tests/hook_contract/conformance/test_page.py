"""hook_contract.conformance.page: what the page contains, and that nothing in it can become markup."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hook_contract.conformance.judgement import Judgement
from hook_contract.conformance.page import write_page
from hook_contract.conformance.report_file import text
from hook_contract.contract import Contract

Judged = Callable[..., Judgement]
EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=document.title='owned'></script>\u2028日本é]]>"
RAISED = {"event": "raise", "error": "TypeError", "key": EVIL}


@pytest.fixture
def page(contract: Contract, tmp_path: Path) -> Callable[[Judgement], str]:
    def written(judgement: Judgement, contract: Contract = contract) -> str:
        path = tmp_path / "page.html"
        write_page(path, judgement, contract, text(judgement, contract="1.0"))
        return path.read_text(encoding="utf-8")

    return written


def data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))


def test_every_cell_is_a_button_with_its_state_and_counts(page: Any, judged: Judged) -> None:
    text = page(judged())
    cells = re.findall(r'class="cell (\w+)" data-clause="([^"]+)" data-column="(\d)"[^>]*>([^<]*)<', text)
    assert cells == [
        ("pass", "O-1", "0", "✓ 2/2"), ("pass", "O-2", "0", "✓ 2/2"), ("pass", "P-1", "0", "✓ 1/1"), ("untested", "P-2", "0", "?"),
    ]  # fmt: skip
    assert "The text of O-1." in text
    assert "What fails" not in text


def test_a_failing_run_is_spelled_out_with_its_first_difference(page: Any, judged: Judged, wrong: Any) -> None:
    text = page(judged(wrong({"O-1-b": {"typed": [{"event": "pre", "hook": "p", "module": "", "args": [3]}, RAISED]}})))
    assert "<b>O-1-b</b> on wrong (typed) on cpu: differs from PyTorch" in text
    assert text.count("first difference</span>") == 1
    row = text[text.index("first difference</span>") :].partition("</tr>")[0]
    assert "enter (root): args (3)" in row
    assert "raise TypeError" in row


def test_the_data_hold_both_traces_of_a_run_that_differs(page: Any, judged: Judged, wrong: Any) -> None:
    found = data(page(judged(wrong({"O-1-b": {"": []}}))))
    runs = {found["programs"][run["program"]]["name"]: run for run in found["runs"]}
    assert "rows" not in runs["O-1-a"]
    assert runs["O-1-b"]["rows"][0] == ["pre p (root): args (3)", None, False]
    assert found["programs"][0]["expect"] == ["pre p (root): args (3)", "enter (root): args (3)", "return 7"]
    assert found["clauses"]["O-1"]["text"] == "The text of O-1."


def test_nothing_becomes_markup(
    page: Any, judged: Judged, wrong: Any, contract: Contract, programs: Any, row: Any
) -> None:
    chapter = contract.chapters[0]
    clauses = (replace(chapter.clauses[0], text=EVIL, note=EVIL), *chapter.clauses[1:])
    evil = replace(contract, chapters=(replace(chapter, title=EVIL, clauses=clauses), contract.chapters[1]))
    some = (replace(programs[0], about=EVIL, tree={"kind": "leaf", "c": EVIL}), *programs[1:])
    tested = wrong({"O-1-a": {EVIL: [RAISED]}}, name=EVIL)
    found = judged(tested, (row(title=EVIL, reason=EVIL, runtime=EVIL),), contract=evil, programs=some)
    text = page(found, evil)
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "&lt;script&gt;document.title" in text
    data(text)


def test_the_page_asks_for_nothing_from_outside(page: Any, judged: Judged) -> None:
    text = page(judged())
    assert "default-src &#39;none&#39;" in text
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    assert "url(" not in text
