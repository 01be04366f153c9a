"""bridge.porting.report in a real browser: what is drawn, searched, folded, printed; how long 100,000 events take."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.diff import diff
from bridge.porting.report import write_report
from bridge.trace import Event, Trace, Value

fcntl = pytest.importorskip("fcntl", reason="the browser is driven over inherited descriptors, which Windows lacks")

Make = Callable[..., Trace]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]
EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=document.title='owned'></script>\u2028日本é]]>"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: the page is not opened"),
]

# The browser wants its two pipes as descriptors 3 and 4.
_START = "import os,sys; r,w=map(int,sys.argv[1:3]); os.dup2(r,3); os.dup2(w,4); os.execv(sys.argv[3],sys.argv[3:])"


class Browser:
    """A headless Chromium with one page, driven over a pair of pipes (the DevTools protocol)."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for pipe in (os.pipe(), os.pipe()) for end in pipe]
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, str(ends[0]), str(ends[3]), *command],
            pass_fds=(ends[0], ends[3]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        os.close(ends[0])
        os.close(ends[3])
        self._out, self._in = os.fdopen(ends[1], "wb", 0), os.fdopen(ends[2], "rb", 0)
        self._number, self._rest, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._in.read(1 << 20)
            assert part, "Chromium ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, width: int = 1300, dark: bool = False) -> float:
        """Opens a page and returns how many seconds that took, to the end of its script and the first frame."""
        self.events.clear()
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        began = time.perf_counter()
        self.send("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())
        self.frame()
        return time.perf_counter() - began

    def run(self, expression: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def frame(self) -> None:
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    def search(self, text: str) -> str:
        """Types into the search box and returns what the page says about it, once it has said it."""
        self.run(f"query.value = {json.dumps(text)}; query.dispatchEvent(new Event('input')); query.focus()")
        self.press("Enter")
        self.frame()
        return self.run("document.getElementById('status').textContent")

    def press(self, key: str) -> None:
        code = {"Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "End": 35, "Tab": 9}[
            key
        ]
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if (key, kind) == ("Enter", "keyDown") else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.frame()

    def complaints(self) -> list[str]:
        """What the browser found wrong since the page was opened: exceptions, breaches of the content policy."""
        self.run("0")
        wrong = [event for event in self.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
        return [json.dumps(event["params"])[:500] for event in wrong]

    def requests(self) -> list[str]:
        sent = [event for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"][:40] for event in sent]

    def close(self) -> None:
        self._session = ""
        with contextlib.suppress(Exception):
            self.send("Browser.close")
        with contextlib.suppress(ProcessLookupError):
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(10)
        self._out.close()
        self._in.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Callable[..., float]:
    """Writes the page of two traces and opens it; returns the seconds that opening took. Nothing may go wrong in it."""

    def write_and_open(a: Trace, b: Trace, *, title: str = "A title", **how: Any) -> float:
        write_report(tmp_path / "a.html", diff(a, b), title=title, verdict="A verdict", figures={})
        seconds = browser.open(tmp_path / "a.html", **how)
        assert browser.complaints() == []
        assert browser.requests() == [(tmp_path / "a.html").as_uri()[:40]]
        return seconds

    return write_and_open


TEXTS = "Array.from(document.querySelectorAll('#{0} .space > .row'), row => row.textContent)"


def rows(browser: Browser, outline: str = "traces") -> list[str]:
    return browser.run(TEXTS.format(outline))


def test_one_event(browser: Browser, opened: Callable[..., float]) -> None:
    trace = [Event(0, "", "Linear", "pre", 0, -1)]
    opened(Trace("pytorch", trace), Trace("dotnet", trace))
    assert rows(browser, "modules") == ["(root) Linear1"]
    assert len(rows(browser)) == 2  # the heading of the call, and the event
    assert browser.run("document.querySelector('#traces .leaf').textContent") == "pre (root) Linearpre (root) Linear"


def test_first_differences_are_marked_and_in_sight(browser: Browser, opened: Callable[..., float], make: Make) -> None:
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


def test_search_filters_both_outlines_and_takes_it_back(
    browser: Browser, opened: Callable[..., float], make: Make
) -> None:
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
    browser: Browser, opened: Callable[..., float], make: Make
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


def test_buttons_and_links_lead_to_differences(browser: Browser, opened: Callable[..., float], make: Make) -> None:
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


def test_nothing_in_it_is_markup(browser: Browser, opened: Callable[..., float]) -> None:
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


def test_prints_every_row_in_sight_and_comes_back(browser: Browser, opened: Callable[..., float], make: Make) -> None:
    opened(make("pytorch", [("net", 40)]), make("dotnet", [("net", 40)], wrong="conv2"))
    browser.run("unfold.click()")
    drawn = len(rows(browser))
    browser.run("addEventListener('beforeprint', () => { window.onPaper = " + TEXTS.format("traces") + " })")
    pdf = browser.send("Page.printToPDF")["data"]
    assert len(pdf) > 10_000
    assert browser.run("onPaper.length") == 40 + 40 * 14
    assert len(rows(browser)) == drawn < 100


def test_narrow_pages_do_not_scroll_sideways(browser: Browser, opened: Callable[..., float], make: Make) -> None:
    for dark in (False, True):
        opened(make("pytorch"), make("dotnet", wrong="conv2"), width=380, dark=dark)
        assert browser.run("document.documentElement.scrollWidth") <= 380
        shown = browser.run("getComputedStyle(document.body).backgroundColor")
        assert shown == ("rgb(20, 23, 26)" if dark else "rgb(251, 251, 250)")


def test_a_hundred_thousand_events(browser: Browser, opened: Callable[..., float], tmp_path: Path) -> None:
    """Opens in less than 5 s, holds few elements, scrolls and searches to the end, prints."""

    def trace(runtime: str, wrong: float) -> Trace:
        events = []
        for call in range(50_000):
            path, outer = f"net.layer{call % 500}", call - call % 50 if call % 50 else -1
            for phase in ("pre", "forward"):
                data = np.full(2, wrong if (call, phase) == (49_998, "forward") else 1.0)
                values = (Value("tensor", (2,), "float64", "cpu", data=data),)
                events.append(Event(len(events), path, "Linear", phase, call, outer, values=values))
        return Trace(runtime, events)

    seconds = opened(trace("pytorch", 1.0), trace("dotnet", 1.5))
    assert seconds < 5
    assert (tmp_path / "a.html").stat().st_size < 10_000_000
    assert browser.run("document.querySelectorAll('*').length") < 2_000
    assert "net.layer498" in browser.run("document.querySelector('#traces .first').textContent")
    began = time.perf_counter()
    assert browser.search("layer123 forward").startswith("100 of 100,000 rows")
    assert len(rows(browser)) > 20
    assert time.perf_counter() - began < 5
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
