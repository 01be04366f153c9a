"""hook_contract.conformance.page in a real browser: cells open, traces are aligned, nothing becomes markup, it prints."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hook_contract.conformance.judgement import Judgement
from hook_contract.conformance.page import write_page
from hook_contract.conformance.report_file import text
from hook_contract.contract import Contract

pytestmark = pytest.mark.browser

EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=document.title='owned'></script>\u2028日本é]]>"
RAISED = {"event": "raise", "error": "TypeError", "key": EVIL}
PRE = {"event": "pre", "hook": "p", "module": "", "args": [3]}


@pytest.fixture
def opened(browser: Any, contract: Contract, tmp_path: Path) -> Callable[..., Any]:
    """Return a function that writes a judgement's page and opens it; errors in the page fail the test."""

    def write_and_open(judgement: Judgement, contract: Contract = contract, **how: Any) -> Any:
        path = tmp_path / "page.html"
        write_page(path, judgement, contract, text(judgement, contract="1.0"))
        browser.open(path, **how)
        assert browser.complaints() == []
        assert browser.requests() == [path.as_uri()[:40]]
        return browser

    return write_and_open


def click(browser: Any, clause: str, column: int = 0) -> None:
    browser.run(f'document.querySelector(\'[data-clause="{clause}"][data-column="{column}"]\').click()')
    browser.frame()


def texts(browser: Any, selector: str) -> list[str]:
    return list(browser.run(f"Array.from(document.querySelectorAll({selector!r}), found => found.textContent)"))


def test_behind_a_cell_stand_the_clause_its_programs_and_both_traces(opened: Any, judged: Any) -> None:
    browser = opened(judged())
    click(browser, "O-1")
    assert texts(browser, ".behind h3") == ["O-1 (MUST) on pytorch cpu"]
    assert texts(browser, ".behind p")[0] == "The text of O-1."
    assert texts(browser, ".behind summary b") == ["O-1-a", "O-1-b"]
    assert texts(browser, ".behind details[open] .traces tbody tr") == [
        "1pre p (root): args (3)pre p (root): args (3)", "2enter (root): args (3)enter (root): args (3)", "3return 7return 7",
    ]  # fmt: skip
    assert browser.run("document.querySelector('[data-clause=\"O-1\"]').getAttribute('aria-expanded')") == "true"
    click(browser, "O-1")
    assert texts(browser, ".behind") == []


def test_the_first_difference_is_marked_and_the_failing_program_comes_first(
    opened: Any, judged: Any, wrong: Any
) -> None:
    browser = opened(judged(wrong({"O-1-b": {"typed": [PRE, RAISED]}})))
    click(browser, "O-1")
    assert texts(browser, ".behind summary b") == ["O-1-b", "O-1-a"]
    (first,) = texts(browser, ".behind .traces tr.first")
    assert first.startswith("2first differenceenter (root): args (3)raise TypeError")
    assert len(texts(browser, ".failure .traces tr.first")) == 1
    click(browser, "O-2")
    assert len(texts(browser, ".behind")) == 2, "each clause has its own panel"


def test_what_the_ledger_lists_comes_before_what_passes(opened: Any, judged: Any, wrong: Any, row: Any) -> None:
    browser = opened(judged(wrong({"O-1-b": {"typed": [PRE, RAISED]}}), (row(programs=("O-1-b",), got=(RAISED,)),)))
    click(browser, "O-1")
    assert texts(browser, ".behind summary b") == ["O-1-b", "O-1-a"]
    assert texts(browser, ".behind summary .key") == ["≠ diverges as listed", "✓ pass"]
    assert len(texts(browser, ".behind details[open] .traces tr.first")) == 1


def test_nothing_becomes_markup(
    opened: Any, judged: Any, wrong: Any, contract: Contract, programs: Any, row: Any
) -> None:
    chapter = contract.chapters[0]
    clauses = (replace(chapter.clauses[0], text=EVIL, note=EVIL), *chapter.clauses[1:])
    evil = replace(contract, chapters=(replace(chapter, title=EVIL, clauses=clauses), contract.chapters[1]))
    some = (replace(programs[0], about=EVIL, tree={"kind": "leaf", "c": EVIL}), *programs[1:])
    runtime = wrong({"O-1-a": {EVIL: [RAISED]}}, name=EVIL)
    browser = opened(judged(runtime, (row(title=EVIL, runtime=EVIL),), contract=evil, programs=some), evil)
    browser.run("document.querySelectorAll('.cell').forEach(button => button.click())")
    browser.frame()
    assert browser.complaints() == []
    assert browser.run("document.title") == "Conformance to the hook contract"
    assert browser.run("document.querySelectorAll('img, .behind script').length") == 0
    assert "<script>document.title" in browser.run("document.body.textContent")


@pytest.mark.parametrize("dark", [False, True])
def test_states_are_readable_and_narrow_screens_do_not_scroll_sideways(
    opened: Any, judged: Any, wrong: Any, dark: bool
) -> None:
    browser = opened(judged(wrong({"O-1-b": {"": [RAISED]}})), width=500, dark=dark)
    click(browser, "O-1")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    # WCAG's contrast of every state's text to what is behind it.
    contrast = """(() => {
      const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
        .map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [.2126, .7152, .0722][at], 0);
      return Array.from(document.querySelectorAll('.cell'), cell => {
        const style = getComputedStyle(cell), pair = [light(style.color), light(style.backgroundColor)].sort((a, b) => b - a);
        return (pair[0] + .05) / (pair[1] + .05);
      });
    })()"""
    assert min(browser.run(contrast)) >= 4.5


def test_it_prints(opened: Any, judged: Any, wrong: Any) -> None:
    browser = opened(judged(wrong({"O-1-b": {"": [RAISED]}})))
    data = base64.b64decode(browser.send("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert data.startswith(b"%PDF")
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.querySelector('#matrix').scrollWidth <= document.documentElement.clientWidth")
    assert browser.run("getComputedStyle(document.querySelector('.failure .traces')).display") == "table"
    browser.send("Emulation.setEmulatedMedia", media="")
