"""hook_contract.conformance.results.page in a real browser: what is filtered and opened, by mouse, keys and address; how it scrolls."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hook_contract.conformance.judgement import PASS
from hook_contract.conformance.results.files import Result
from hook_contract.conformance.results.page import write_results_page
from hook_contract.contract import Contract, load
from hook_contract.program import Program, corpus

pytestmark = pytest.mark.browser

EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=document.title='owned'></script>\u2028日本é]]>"
RAISED = {"event": "raise", "error": "TypeError", "key": EVIL}
PRE = {"event": "pre", "hook": "p", "module": "", "args": [3]}
TITLE = "Hooks by runtime: results of the hook contract"
#: The clauses that are shown.
SHOWN = "Array.from(document.querySelectorAll('.clauses:not([hidden]) tr[id]:not([hidden])'), row => row.id)"


@pytest.fixture
def some(result: Callable[..., Result], row: Any) -> tuple[Result, ...]:
    """Return four results: one passes, one diverges as listed in O-1 and O-2, one fails in P-1, one lacks what all programs use."""
    listed = (row(programs=("O-1-b",), got=(RAISED,), clauses=("O-1", "O-2")),)
    return (
        result(name="good"),
        result({"O-1-b": {"typed": [PRE, RAISED], "other": [PRE, RAISED]}}, listed),
        result({"P-1-a": {"": [PRE]}}, name="bad", on="Bad 0.9.1, more"),
        result(lacks={"hook:pre": "no hooks at all"}, name="poor"),
    )


@pytest.fixture
def opened(browser: Any, contract: Contract, programs: tuple[Program, ...], tmp_path: Path) -> Callable[..., Any]:
    """Return a function that writes the page of results and opens it; errors in the page fail the test."""

    def write_and_open(
        results: Sequence[Result], contract: Contract = contract, programs: Sequence[Program] = programs, **how: Any
    ) -> Any:
        path = tmp_path / "page.html"
        write_results_page(path, results, contract, programs)
        browser.open(path, **how)
        assert browser.complaints() == []
        assert browser.requests() == [path.as_uri()[:40]]
        return browser

    return write_and_open


def click(browser: Any, selector: str) -> None:
    browser.run(f"document.querySelector({selector!r}).click()")
    browser.frame()


def check(browser: Any, *names: str) -> str:
    """Check these boxes only, and return the status."""
    browser.run(
        f"document.querySelectorAll('#filters input[type=checkbox]').forEach(box => "
        f"{{ if (box.checked !== {list(names)}.includes(box.parentElement.textContent.trim())) box.click(); }})"
    )
    browser.frame()
    return str(browser.run("document.getElementById('status').textContent"))


def texts(browser: Any, selector: str) -> list[str]:
    return list(browser.run(f"Array.from(document.querySelectorAll({selector!r}), found => found.textContent)"))


def test_a_clause_opens_its_text_its_states_and_its_programs(opened: Any, some: Any) -> None:
    browser = opened(some)
    button = "document.querySelector('[data-clause=\"O-1\"]')"
    click(browser, '[data-clause="O-1"]')
    assert texts(browser, "#panel h2") == ["O-1 · MUST · PyTorch 1.7+"]
    assert texts(browser, "#panel > p") == ["The text of O-1."]
    assert texts(browser, "#panel li")[:3] == [
        "≠ diverges as listed wrong 2.0 1 of 3 runs · BR-1",
        "· not applicable poor 2.0 · hook:pre: no hooks at all",
        "✓ pass good 2.0; bad 0.9.1",
    ]
    assert texts(browser, "#panel summary") == [
        "O-1-b ≠ diverges as listed 1· not applicable 1✓ pass 2", "O-1-a · not applicable 1✓ pass 3",
    ]  # fmt: skip
    assert (
        browser.run(f"{button}.getAttribute('aria-expanded') + {button}.getAttribute('aria-controls')") == "truepanel"
    )
    assert browser.run("document.getElementById('panel').getAttribute('aria-labelledby')") == "panel-title"
    click(browser, '[data-clause="O-1"]')
    assert texts(browser, "#panel") == []
    assert browser.run(f"{button}.getAttribute('aria-expanded')") == "false"


def test_a_program_has_its_description_and_trace_and_each_difference_once(opened: Any, some: Any) -> None:
    browser = opened(some)
    click(browser, '[data-clause="O-1"]')
    assert texts(browser, "#panel details[open] summary b") == ["O-1-b"], "the first with a difference is open"
    assert texts(browser, "#panel details[open] > p.dim") == ["About O-1-b."]
    assert texts(browser, "#panel details[open] pre") == ["tree: leaf\nregister pre hook p on (root)\ncall (root) (3)"]
    assert texts(browser, "#panel details[open] .trace li") == [
        "pre p (root): args (3)", "enter (root): args (3)", "return 7",
    ]  # fmt: skip
    assert texts(browser, "#panel .outcome") == [
        "≠ diverges as listed wrong 2.0 (typed, other) · BR-1: It differs",
        "· not applicable poor 2.0 · hook:pre: no hooks at all",
    ]
    rows = texts(browser, "#panel .traces tbody tr")
    assert rows[0] == "1pre p (root): args (3)pre p (root): args (3)"
    assert rows[1].startswith("2first differenceenter (root): args (3)raise TypeError")
    assert rows[2:] == ["3return 7"]
    assert len(texts(browser, "#panel .traces .first")) == 1
    assert len(texts(browser, "#panel .traces td.none")) == 1


def test_a_cell_opens_the_clause_at_its_runtime(opened: Any, result: Any) -> None:
    results = [result({"O-1-a": {"": [PRE]}}), result({"O-1-b": {"": [PRE]}}, name="x"), result(breaks=True, name="y")]
    browser = opened(results)
    for column, program in enumerate(("O-1-a", "O-1-b", "O-1-a")):
        browser.run(f"document.getElementById('O-1').cells[{column + 1}].click()")
        browser.frame()
        assert texts(browser, "#panel details[open] summary b") == [program]
        assert texts(browser, "#panel .outcome.asked b") == [["wrong 2.0", "x 2.0", "y 2.0"][column]]


def test_a_version_opens_what_is_known_of_the_result(opened: Any, some: Any) -> None:
    browser = opened(some)
    click(browser, '[data-column="2"]')
    assert texts(browser, "#panel h2") == ["bad 0.9.1"]
    assert texts(browser, "#panel dd") == ["Bad 0.9.1, more", "cpu", "1.0", "PyTorch 2.13.0"]
    assert texts(browser, "#panel .key") == ["✗ fail 1", "? untested 1", "✓ pass 2"]
    click(browser, "#panel .close")
    assert texts(browser, "#panel") == []
    assert browser.run("document.querySelector('[data-column=\"2\"]').title") == "Bad 0.9.1, more"


def test_filters_are_combined_and_counted(opened: Any, some: Any) -> None:
    browser = opened(some)
    assert texts(browser, "#status") == ["4 clauses"]
    assert check(browser, "≠ diverges as listed") == "2 of 4 clauses"
    assert browser.run(SHOWN) == ["O-1", "O-2"]
    assert check(browser, "≠ diverges as listed", "✗ fail") == "3 of 4 clauses"
    assert check(browser, "MAY") == "1 of 4 clauses"
    assert browser.run(SHOWN) == ["P-2"]
    assert check(browser, "MAY", "✗ fail") == "0 of 4 clauses"
    assert browser.run("document.getElementById('nothing').hidden") is False
    assert check(browser, "MUST", "· not applicable", "✗ fail") == "3 of 4 clauses"
    assert browser.search("bad") == "1 of 4 clauses", (
        "the runtime whose name is bad has one of these states in P-1 alone"
    )
    assert browser.run("Array.from(document.getElementById('P-1').cells, cell => cell.classList.contains('aside'))") == [
        False, True, True, False, True,
    ]  # fmt: skip
    click(browser, "#everything")
    browser.frame()
    assert texts(browser, "#status") == ["4 clauses"]
    assert browser.run("document.querySelectorAll('.aside').length") == 0
    assert browser.run("document.getElementById('everything').hidden")


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("p-1", ["P-1"]),  # an id; O-1-b and the like do not contain it
        ("text OF o-2", ["O-2"]),
        ("O-1-b", ["O-1", "O-2"]),  # a program
        ("about P-1-a", ["P-1"]),
        ("no hooks at all", ["O-1", "O-2", "P-1"]),  # a reason
        ("br-1", ["O-1", "O-2"]),  # a row of a ledger
        ("0.9.1 differs", ["P-1"]),  # a version, with a reason of the same result
        ("poor differs", []),  # a reason of another result
        ("diverges", ["O-1", "O-2"]),  # a state
        ("order", ["O-1", "O-2"]),  # a chapter
    ],
)
def test_a_search_is_for_all_words_in_a_clause_and_one_of_its_cells(
    opened: Any, some: Any, text: str, clauses: list[str]
) -> None:
    browser = opened(some)
    browser.search(text)
    assert browser.run(SHOWN) == clauses
    chapters = len({clause[0] for clause in clauses})
    assert browser.run("document.querySelectorAll('.clauses:not([hidden])').length") == chapters


def test_a_search_brings_the_runtime_in_sight(opened: Any, result: Any) -> None:
    browser = opened([result(name=f"runtime{at}") for at in range(20)], width=420)
    head = "document.querySelector('[data-column=\"15\"]').getBoundingClientRect().right"
    assert browser.run(f"{head} > innerWidth")
    browser.search("runtime15")
    assert browser.run(f"{head} < innerWidth")
    browser.search("runtime1")
    assert browser.run(f"{head} > innerWidth"), "it is the second of those found"


def test_the_address_opens_a_clause_and_follows_it(opened: Any, some: Any) -> None:
    browser = opened(some)
    browser.search("P-2")
    browser.run("location.hash = '#O-2'")
    browser.frame()
    browser.frame()
    assert texts(browser, "#panel h2") == ["O-2 · MUST · PyTorch 1.7+"]
    assert browser.run(SHOWN) == ["O-1", "O-2", "P-1", "P-2"], "a filter does not hide what is asked for"
    click(browser, '[data-clause="P-1"]')
    assert browser.run("location.hash") == "#P-1"
    assert len(texts(browser, "#panel")) == 1
    click(browser, '[data-clause="P-1"]')
    assert browser.run("location.hash") == ""
    for address in ("#nothing", "#constructor", "#%"):
        browser.run(f"location.hash = {address!r}")
        browser.frame()
    assert browser.complaints() == []
    assert texts(browser, "#panel") == []


def test_keys_open_close_and_move(opened: Any, some: Any) -> None:
    browser = opened(some)
    focus = "document.activeElement.dataset.clause"
    browser.run("document.querySelector('[data-clause=\"O-2\"]').focus()")
    browser.press("Enter")
    assert texts(browser, "#panel h2") == ["O-2 · MUST · PyTorch 1.7+"]
    browser.press("ArrowDown")
    assert browser.run(focus) == "P-1"
    browser.press("ArrowUp")
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "close", "the panel follows its button"
    browser.press("Escape")
    assert texts(browser, "#panel") == []
    assert browser.run(focus) == "O-2"
    browser.search("P-2")
    browser.run("document.querySelector('[data-clause=\"P-2\"]').focus()")
    browser.press("ArrowUp")
    assert browser.run(focus) == "P-2", "hidden clauses are skipped"


def test_a_cell_has_its_state_and_reason_in_words_as_its_title(opened: Any, some: Any) -> None:
    browser = opened(some)
    cell = "document.getElementById('O-1').cells[2]"
    browser.run(f"{cell}.dispatchEvent(new PointerEvent('pointerover', {{bubbles: true}}))")
    assert browser.run(f"{cell}.title") == "wrong 2.0, O-1: diverges as listed, 1 of 3 runs: BR-1"


def test_nothing_becomes_markup(opened: Any, result: Any, contract: Contract, programs: tuple[Program, ...]) -> None:
    chapter = contract.chapters[0]
    clauses = (replace(chapter.clauses[0], text=EVIL, note=EVIL), *chapter.clauses[1:])
    evil = replace(contract, chapters=(replace(chapter, title=EVIL, clauses=clauses), contract.chapters[1]))
    some = (replace(programs[0], about=EVIL, tree={"kind": "leaf", "c": EVIL}), *programs[1:])
    found = replace(result({"O-1-a": {EVIL: [RAISED]}}, name=EVIL, on=EVIL), contract=EVIL, pytorch=EVIL)
    browser = opened([found], evil, some)
    for selector in ('[data-column="0"]', '[data-clause="O-1"]'):
        click(browser, selector)
        browser.run("document.querySelectorAll('#panel details').forEach(item => { item.open = true; })")
        browser.frame()
        assert "<script>document.title" in browser.run("document.getElementById('panel').textContent")
    browser.search("owned")
    assert browser.complaints() == []
    assert browser.run("document.title") == TITLE
    assert browser.run("document.querySelectorAll('img, #panel script').length") == 0


@pytest.mark.parametrize("width", [1400, 420])
@pytest.mark.parametrize("count", [1, 8, 25])
def test_the_table_scrolls_inside_its_box_and_nothing_else_does(
    opened: Any, result: Any, width: int, count: int
) -> None:
    programs = corpus()
    failed = {"state": "fail", "reason": "word " * 60, "trace": [RAISED, PRE]}
    runs = {program.name: ({"state": PASS} if "A-3" not in program.clauses else failed,) for program in programs}
    clauses = {clause.id: {"state": "fail", "passed": 0, "total": 4, "reason": "long-" * 60} for clause in load()}
    names = ["torchsharp-in-process", "hooks", "x", "a-runtime-of-a-very-long-name-indeed"]
    results = [
        replace(
            result(name=names[at // 8], on=f"Wrong {at}.100.12+cpu"), contract="2.0", clauses=clauses, programs=runs
        )
        for at in range(count)
    ]
    browser = opened(results, load(), programs, width=width)
    click(browser, '[data-clause="A-3"]')
    browser.run("document.querySelectorAll('#panel details').forEach(item => { item.open = true; })")
    browser.frame()
    assert browser.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert browser.run("box.clientHeight <= innerHeight")
    if count == 25 or (count == 8 and width == 420):
        assert browser.run("box.scrollWidth > box.clientWidth")
    inner = (
        "Array.from(document.querySelectorAll('#panel, #panel *')).filter(item => "
        "item.scrollWidth > item.clientWidth + 1 && getComputedStyle(item).display !== 'inline')"
    )
    assert browser.run(f"{inner}.map(item => item.outerHTML.slice(0, 90))") == []
    browser.run("box.scrollTo(300, 400)")
    browser.frame()
    assert browser.run("box.scrollTop") == 400
    first, head, around = (
        browser.run(f"(place => [place.left, place.top, place.right])({found}.getBoundingClientRect())")
        for found in ("document.querySelector('#C-1 th')", "document.querySelector('.corner')", "box")
    )
    assert first[0] == pytest.approx(around[0], abs=2), "the first column stays"
    assert head[:2] == pytest.approx(around[:2], abs=2), "the head stays"
    panel = browser.run(
        "(place => [place.left, place.right])(document.getElementById('panel').getBoundingClientRect())"
    )
    assert panel[0] == pytest.approx(around[0], abs=2)
    assert panel[1] <= around[2], "the panel is in sight wherever the table is scrolled to"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1400, 420])
def test_states_are_readable_and_have_signs(opened: Any, some: Any, result: Any, width: int, dark: bool) -> None:
    browser = opened([*some, result(breaks=True, name="broken")], width=width, dark=dark)
    cells = "document.querySelectorAll('.clauses tr[id] td, .key, .totals td')"
    # WCAG's contrast of every state's text to what is behind it.
    contrast = f"""(() => {{
      const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
        .map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [.2126, .7152, .0722][at], 0);
      const behind = (item) => getComputedStyle(item).backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(item.parentElement) : item;
      return Array.from({cells}, cell => {{
        const pair = [light(getComputedStyle(cell).color), light(getComputedStyle(behind(cell)).backgroundColor)].sort((a, b) => b - a);
        return (pair[0] + .05) / (pair[1] + .05);
      }});
    }})()"""
    assert min(browser.run(contrast)) >= 4.5
    signs = browser.run(
        "Object.fromEntries(Array.from(document.querySelectorAll('[role=img]'), sign => [sign.ariaLabel, sign.textContent]))"
    )
    assert len(signs) == len(set(signs.values())) == 6


def test_it_prints(opened: Any, some: Any) -> None:
    browser = opened(some)
    click(browser, '[data-clause="O-1"]')
    data = base64.b64decode(browser.send("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert data.startswith(b"%PDF")
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.run("matrix.scrollWidth <= document.documentElement.clientWidth")
    assert browser.run("getComputedStyle(document.getElementById('filters')).display") == "none"
    browser.send("Emulation.setEmulatedMedia", media="")
