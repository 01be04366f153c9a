"""bridge.compare.report.page in a real browser: what is drawn, searched, folded, printed; where its sentences lead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.compare.findings import Finding
from bridge.compare.report.page import write_report
from bridge.trace import Event, Trace, Value
from bridge.trace.diff import diff

Make = Callable[..., Trace]

EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=document.title='owned'></script>\u2028日本é]]>"

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Callable[..., None]:
    """Write the page of two traces and open it; fail on errors in the page."""

    def write_and_open(a: Trace, b: Trace, *, title: str = "A title", **how: Any) -> None:
        write_report(tmp_path / "a.html", diff(a, b), title=title, verdict="A verdict", figures={})
        browser.open(tmp_path / "a.html", **how)
        assert browser.complaints() == []
        assert browser.requests() == [(tmp_path / "a.html").as_uri()[:40]]

    return write_and_open


TEXTS = "Array.from(document.querySelectorAll('#{0} .space > .row'), row => row.textContent)"


def rows(browser: Any, outline: str = "traces") -> list[str]:
    return browser.run(TEXTS.format(outline))


def test_one_event(browser: Any, opened: Callable[..., None]) -> None:
    trace = [Event(0, "", "Linear", "pre", 0, -1)]
    opened(Trace("pytorch", trace), Trace("dotnet", trace))
    assert rows(browser, "modules") == ["(root) Linear1"]
    assert len(rows(browser)) == 2  # the heading of the call, and the event
    assert browser.run("document.querySelector('#traces .leaf').textContent") == "pre (root) Linearpre (root) Linear"


def test_first_differences_are_marked_and_in_sight(browser: Any, opened: Callable[..., None], make: Make) -> None:
    opened(make("pytorch", [("net", 9)]), make("dotnet", [("net", 9)], wrong="conv2", bypass="pool1"))
    marked = browser.run("Array.from(document.querySelectorAll('#modules .first'), row => row.textContent)")
    assert len(marked) == 2
    assert "pool1 Pool" in marked[0]
    assert "first difference of structure" in marked[0]
    assert "conv2 Conv" in marked[1]
    assert "first difference of values" in marked[1]
    inside = "(row, box) => row.top >= box.top && row.bottom <= box.bottom"
    for outline in ("modules", "traces"):
        row, box = f"document.querySelector('#{outline} .row.first')", f"document.getElementById('{outline}')"
        assert browser.run(f"({inside})({row}.getBoundingClientRect(), {box}.getBoundingClientRect())")
    assert "run by forward()" in browser.run("detail.textContent")
    assert browser.run("document.querySelectorAll('.plot .stem').length") > 0


def test_search_filters_both_outlines_and_takes_it_back(browser: Any, opened: Callable[..., None], make: Make) -> None:
    opened(make("pytorch"), make("dotnet", wrong="conv2"))
    counts = "[traces, modules].map(outline => outline.getAttribute('aria-rowcount'))"
    before = browser.run(counts)
    # Seven calls of pnet and one of rnet, two events each; several words must all be there, in any case.
    assert browser.search("CONV3 forward") == "8 of 112 rows, 0 of 14 modules"
    assert sum("conv3" in row for row in rows(browser)) == 8
    assert browser.run("document.activeElement.id") == "traces"
    assert browser.run("document.querySelector('#traces mark').textContent") == "forward"
    assert browser.search("rnet.pool") == "2 of 112 rows, 1 of 14 modules"
    assert rows(browser, "modules")[0].startswith("rnet")
    assert browser.search("no such module") == "0 of 112 rows, 0 of 14 modules"
    assert rows(browser) == []
    browser.run("only.click()")
    browser.search("")
    assert all("≠" in row for row in rows(browser))
    browser.run("only.click()")
    assert browser.search("") == ""
    assert browser.run(counts) == before


def test_keyboard_moves_folds_and_leads_from_a_module_to_its_events(
    browser: Any, opened: Callable[..., None], make: Make
) -> None:
    opened(make("pytorch"), make("dotnet"))
    active = "document.getElementById({0}.getAttribute('aria-activedescendant')).textContent"
    browser.run("traces.focus()")
    folds = "document.querySelectorAll('#traces [aria-expanded=\"true\"]').length"
    assert browser.run(folds) == 2
    browser.press("ArrowLeft")
    assert browser.run(folds) == 1
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert browser.run(active.format("traces")).startswith("pre pnet Pnet")
    browser.press("ArrowLeft")
    assert browser.run(active.format("traces")).startswith("pnet Pnet")
    browser.press("End")
    assert "rnet Rnet" in browser.run(active.format("traces"))
    assert "rnet" in browser.run("detail.textContent")
    browser.run("modules.focus()")
    browser.press("ArrowDown")
    browser.press("Enter")
    assert browser.run("document.activeElement.id") == "traces"
    assert browser.run(active.format("traces")).startswith("pre pnet.conv1 Conv")


def test_buttons_and_links_lead_to_differences(browser: Any, opened: Callable[..., None], make: Make) -> None:
    opened(make("pytorch"), make("dotnet", bypass="conv2"))
    active = "document.getElementById(traces.getAttribute('aria-activedescendant')).textContent"
    browser.run("document.querySelector('.notes a').click()")
    assert "pnet.conv2" in browser.run(active)
    seen = []
    for _ in range(3):
        browser.run("next.click()")
        seen.append(browser.run("traces.getAttribute('aria-activedescendant')"))
    assert len(set(seen)) == 3
    browser.run("previous.click()")
    assert browser.run("traces.getAttribute('aria-activedescendant')") == seen[1]
    browser.run("fold.click()")
    assert len(rows(browser)) == 8
    browser.run("unfold.click()")
    assert len(rows(browser)) > 20


def test_nothing_in_it_is_markup(browser: Any, opened: Callable[..., None]) -> None:
    value = (Value("str", literal=EVIL),)
    a = [Event(0, EVIL, EVIL, "pre", 0, -1, 1, EVIL, value), Event(1, "constructor.__proto__", "T", "pre", 1, 0)]
    b = [Event(0, EVIL, EVIL, "pre", 0, -1, 1, EVIL, (Value("str", literal="&lt;b&gt;"),))]
    opened(Trace(EVIL, a), Trace("b", b), title=EVIL)
    assert browser.run("document.title").startswith("\"'><script>document.title='owned'")
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('body img, [onerror]').length") == 0
    assert "日本é" in "".join(rows(browser))
    browser.search("<script>")
    assert browser.run("document.querySelector('#traces mark').textContent") == "<script>"
    assert browser.run("document.querySelectorAll('script').length") == 2
    # And were the script of the page to try, the content policy would stop it.
    blocked = "try {{ {0}; 'done' }} catch (error) {{ error.name }}"
    assert browser.run(blocked.format("document.body.innerHTML = '<b>x</b>'")) == "TypeError"
    browser.run(
        "document.body.append(Object.assign(document.createElement('style'), {textContent: 'h1 {color: red}'}))"
    )
    assert browser.run("getComputedStyle(document.querySelector('h1')).color") != "rgb(255, 0, 0)"


def test_prints_every_row_in_sight_and_comes_back(browser: Any, opened: Callable[..., None], make: Make) -> None:
    opened(make("pytorch", [("net", 40)]), make("dotnet", [("net", 40)], wrong="conv2"))
    browser.run("unfold.click()")
    drawn = len(rows(browser))
    browser.run("addEventListener('beforeprint', () => { window.onPaper = " + TEXTS.format("traces") + " })")
    pdf = browser.send("Page.printToPDF")["data"]
    assert len(pdf) > 10_000
    assert browser.run("onPaper.length") == 40 + 40 * 14
    assert len(rows(browser)) == drawn < 100


def test_narrow_pages_do_not_scroll_sideways(browser: Any, opened: Callable[..., None], make: Make) -> None:
    for dark in (False, True):
        opened(make("pytorch"), make("dotnet", wrong="conv2"), width=380, dark=dark)
        assert browser.run("document.documentElement.scrollWidth") <= 380
        shown = browser.run("getComputedStyle(document.body).backgroundColor")
        assert shown == ("rgb(20, 23, 26)" if dark else "rgb(251, 251, 250)")


def many(runtime: str, count: int, wrong: frozenset[int] = frozenset()) -> Trace:
    """Return a trace of ``count`` events, fifty in each outer call; the events whose number is in ``wrong`` have another value."""
    events: list[Event] = []
    for number in range(count):
        call = number // 2
        path, outer = f"net.layer{call % 500}", call - call % 50 if call % 50 else -1
        values = (Value("tensor", (2,), "float64", "cpu", data=np.full(2, 1.5 if number in wrong else 1.0)),)
        events.append(Event(number, path, "Linear", ("pre", "forward")[number % 2], call, outer, values=values))
    return Trace(runtime, events)


@pytest.mark.parametrize("count", [1, 109, 100_000])
def test_each_linked_sentence_goes_to_its_row(browser: Any, tmp_path: Path, count: int) -> None:
    """Acceptance 5 of the comparison's issue: of a row near the beginning, the middle and the end, for its own row or its module's."""
    wrong = sorted({0, count // 2, count - 1})
    found = diff(many("pytorch", count), many("dotnet", count, frozenset(wrong)))
    events = [pair[0] for pair in found.pairs]
    said = [
        Finding("values", event.path, f"By row {row}: {event.path}.", row=row)
        for row in wrong
        if (event := events[row])
    ]
    said += [
        Finding("operator", f"net.layer{place}", "By path.", source=f"N.cs:{place}")
        for place in {0, (count - 1) // 2 % 500}
    ]
    rows_of = {
        finding.path: next(row for row, event in enumerate(events) if event and event.path == finding.path)
        for finding in said
    }
    write_report(tmp_path / "a.html", found, title="A title", verdict="A verdict", figures={}, findings=said)
    browser.open(tmp_path / "a.html")
    links = "document.querySelectorAll('.findings a')"
    assert browser.run(f"{links}.length") == len(said)
    chosen = "document.getElementById(traces.getAttribute('aria-activedescendant'))"
    inside = (
        "(row => { const a = row.getBoundingClientRect(), b = traces.getBoundingClientRect();"
        " return a.top >= Math.max(0, b.top) && a.bottom <= Math.min(innerHeight, b.bottom); })"
    )
    for place, finding in enumerate(said):
        browser.run("fold.click(); scrollTo(0, 0)")
        browser.run(f"{links}[{place}].click()")
        browser.frame()
        row = finding.row if finding.row >= 0 else rows_of[finding.path]
        assert browser.run(f"{chosen}.textContent").startswith(f"{('pre', 'forward')[row % 2]} {finding.path} Linear")
        assert browser.run(f"{inside}({chosen})")
        # The sentence leads to the very row: its node is the one that the page holds for it.
        assert browser.run(f"{chosen}.classList.contains('differs')") == (row in wrong)
    assert browser.complaints() == []


def test_a_hundred_thousand_events(browser: Any, opened: Callable[..., None], tmp_path: Path) -> None:
    """Opens, holds few elements, scrolls and searches to the end, prints."""

    def trace(runtime: str, wrong: float) -> Trace:
        events = []
        for call in range(50_000):
            path, outer = f"net.layer{call % 500}", call - call % 50 if call % 50 else -1
            for phase in ("pre", "forward"):
                data = np.full(2, wrong if (call, phase) == (49_998, "forward") else 1.0)
                values = (Value("tensor", (2,), "float64", "cpu", data=data),)
                events.append(Event(len(events), path, "Linear", phase, call, outer, values=values))
        return Trace(runtime, events)

    opened(trace("pytorch", 1.0), trace("dotnet", 1.5))
    assert (tmp_path / "a.html").stat().st_size < 10_000_000
    assert browser.run("document.querySelectorAll('*').length") < 2_000
    assert "net.layer498" in browser.run("document.querySelector('#traces .first').textContent")
    assert browser.search("layer123 forward").startswith("100 of 100,000 rows")
    assert len(rows(browser)) > 20
    browser.search("")
    browser.run("unfold.click()")
    browser.run("traces.focus()")
    browser.press("End")
    assert "net.layer499" in rows(browser)[-1]
    browser.run("addEventListener('beforeprint', () => { window.onPaper = " + TEXTS.format("traces") + " })")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert 900 < browser.run("onPaper.length") <= 1_000
    assert browser.run("document.querySelectorAll('#traces .left-out').length") >= 1
    # Only one row differs, and it is on the paper although 49,998 calls come before it.
    assert browser.run("onPaper.filter(text => text.includes('▶≠')).length") == 1
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert len(rows(browser)) < 200
