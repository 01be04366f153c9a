"""bridge.compare.report.page: one self-contained page that holds everything as text and is written at once or not at all.

What its script draws is tested in test_report_browser.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import zlib
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bridge.compare.findings import Finding
from bridge.compare.report import page
from bridge.compare.report.page import write_report
from bridge.trace import Event, Trace, Value
from bridge.trace.diff import Diff, diff

Make = Callable[..., Trace]

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}{% raw %}&amp;"


def png() -> bytes:
    """Return a picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


class Page(HTMLParser):
    """A parsed page: its tags with attributes, its text, and the content of its style and script elements."""

    VOID = ("meta", "img", "link", "br", "hr", "input")
    CLOSED = ("line", "circle")  # SVG elements that end in their own tag

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.parts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag in ("style", "script"):
            self.parts.append((tag, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.CLOSED
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.parts[-1] = (self.open[-1], self.parts[-1][1] + data)
        else:
            self.text += data

    @property
    def data(self) -> dict[str, Any]:
        """Return the data of the page's script."""
        return json.loads(self.parts[1][1])

    @property
    def events(self) -> list[tuple[int, str, str]]:
        """Return the rows of the aligned traces as text: the mark, the left event, the right event."""
        found = self.data
        cells, strings, rows = found["events"]["cells"], found["strings"], found["events"]
        shown = ["" if cell < 0 else " ".join(strings[number] for number in cells[cell]) for cell in range(len(cells))]
        return [
            (mark, "" if a < 0 else shown[a], "" if b < 0 else shown[b])
            for size, mark, a, b in zip(rows["size"], rows["mark"], rows["a"], rows["b"], strict=True)
            if not size
        ]

    def of_class(self, name: str) -> int:
        return sum(name in (attributes.get("class") or "").split() for _, attributes in self.tags)


def read_page(path: Path, found: Diff, **options: object) -> Page:
    settings: dict[str, object] = {"title": "A title", "verdict": "A verdict", "figures": {"calls": "3 | 3"}} | options
    write_report(path, found, **settings)  # type: ignore[arg-type]
    parsed = Page(path.read_text(encoding="utf-8"))
    assert not parsed.open
    return parsed


def test_holds_verdict_figures_picture_and_every_event(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch"), make("dotnet"))
    parsed = read_page(tmp_path / "a.html", found, picture_png=png())
    for text in ("A title", "A verdict", "calls", "3 | 3", "pytorch", "dotnet", "All 14 modules", "agree exactly"):
        assert text in parsed.text
    assert len(parsed.events) == len(found.pairs)
    assert parsed.events[1] == (0, *["pnet.conv1 Conv pre  1x3x8"] * 2)
    sources = [attributes["src"] for tag, attributes in parsed.tags if tag == "img"]
    assert sources == ["data:image/png;base64," + base64.b64encode(png()).decode()]
    assert parsed.of_class("bad") == 1  # without scripts
    assert parsed.of_class("good") == 1


def test_differences_are_listed_with_a_link_to_their_row(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch"), make("dotnet", bypass="conv2"))
    parsed = read_page(tmp_path / "a.html", found)
    assert [mark for mark, *_ in parsed.events].count(1) == 8
    assert "net.conv2 was run by forward(), not call(), in dotnet" in parsed.text
    links = [int((attributes["href"] or "")[5:]) for tag, attributes in parsed.tags if tag == "a"]
    assert links
    assert all(parsed.data["events"]["mark"][node] > 0 for node in links)
    kind, node = parsed.data["first"][0]
    assert kind == "structure"
    assert node == links[0]


def test_error_plot_has_a_column_for_each_module(make: Make, tmp_path: Path) -> None:
    parsed = read_page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet", wrong="conv2")))
    assert parsed.of_class("stem") == 2 * 4  # conv2, prelu2, conv3 and the root, of both nets
    assert parsed.of_class("out") == 2 * 4 + 1  # and the legend's
    assert parsed.of_class("zero") == 2 * 3 + 1
    assert "pnet.conv2: 0.5" in parsed.text
    assert "8 of 14 modules differ." in parsed.text


def test_asks_for_nothing_from_outside(make: Make, tmp_path: Path) -> None:
    read_page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet", wrong="conv2")), picture_png=png())
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    for word in ("http:", "https:", "<link", "@import", "url(", 'src="/', "fetch(", "XMLHttp", "innerHTML", "eval("):
        assert word not in text


def test_only_its_own_script_and_style_may_run(make: Make, tmp_path: Path) -> None:
    parsed = read_page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet")))
    policy = next(attributes["content"] or "" for tag, attributes in parsed.tags if "content" in attributes)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    (style, css), (_, _), (script, code) = parsed.parts
    for name, text in ((style, css), (script, code)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not any("style" in attributes for _, attributes in parsed.tags)


def test_nothing_in_it_is_markup(tmp_path: Path) -> None:
    value = Value("str", literal=EVIL)
    events = [Event(0, EVIL, EVIL, "pre", 0, -1, 1, EVIL, (value,)), Event(1, "a\x1b\u202e\ud800", "T", "pre", 1, 0)]
    a = Trace(EVIL, events)
    plain = read_page(tmp_path / "plain.html", diff(Trace("x", events[1:]), Trace("y")))
    parsed = read_page(tmp_path / "a.html", diff(a, Trace("b")), title=EVIL, verdict=EVIL, figures={EVIL: EVIL})
    assert {tag for tag, _ in parsed.tags} == {tag for tag, _ in plain.tags}
    assert len(parsed.parts) == 3
    assert {name for _, attributes in parsed.tags for name in attributes if name.startswith("on")} == set()
    assert parsed.text.count(EVIL) >= 5
    assert EVIL in parsed.events[0][1]
    assert "49" not in parsed.text
    raw = parsed.parts[1][1]
    for char in "<>&'\u2028":
        assert char not in raw
    for char in "\x1b\u202e":
        assert char not in (tmp_path / "a.html").read_text(encoding="utf-8")


def _contrast(colour: str, other: str) -> float:
    """Return the contrast ratio of two colours according to WCAG 2."""

    def light(colour: str) -> float:
        full = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
        parts = [int(full[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(colour), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_text_has_enough_contrast_light_dark_and_printed(make: Make, tmp_path: Path) -> None:
    parsed = read_page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet")))
    schemes = [
        dict(re.findall(r"--([\w-]+): (#\w+)", block))
        for block in re.findall(r":root \{(.*?)\}", parsed.parts[0][1], re.S)
    ]
    assert len(schemes) == 3
    for colours in schemes:
        backs = ("paper", "card", "lost", "added", "moved", "differs")
        pairs = [*product(("ink", "dim", "in", "out"), backs), ("ink", "find"), ("ink", "chosen")]
        pairs += [("good", "good-back"), ("bad", "bad-back"), ("paper", "bad")]
        for text, back in pairs:
            assert _contrast(colours[text], colours[back]) >= 4.5, (text, back)


def test_is_written_at_once_or_not_at_all(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.html"
    target.write_text("before", encoding="utf-8")
    found = diff(make("pytorch"), make("dotnet"))

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="disk full"):
        read_page(target, found)
    assert target.read_text(encoding="utf-8") == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.html"]
    monkeypatch.undo()
    read_page(target, found)
    assert "</html>" in target.read_text(encoding="utf-8")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.html"]


def test_new_pages_have_ordinary_permissions(make: Make, tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()
    read_page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet")))
    assert (tmp_path / "a.html").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_missing_folder_and_wrong_picture_are_said(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch"), make("dotnet"))
    with pytest.raises(FileNotFoundError):
        read_page(tmp_path / "none" / "a.html", found)
    with pytest.raises(ValueError, match="not a PNG"):
        read_page(tmp_path / "a.html", found, picture_png=b"GIF89a")
    assert not (tmp_path / "a.html").exists()


def test_the_same_traces_give_the_same_page(make: Make, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        read_page(tmp_path / name, diff(make("pytorch"), make("dotnet", wrong="conv2")), picture_png=png())
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_empty_and_deep_traces(tmp_path: Path) -> None:
    assert read_page(tmp_path / "a.html", diff(Trace("a"), Trace("b"))).events == []
    depth = 3_000
    deep = [Event(i, f"m{i}", "M", "pre", i, i - 1) for i in range(depth)]
    parsed = read_page(tmp_path / "b.html", diff(Trace("a", deep), Trace("b", deep)))
    assert len(parsed.events) == depth
    assert max(parsed.data["events"]["depth"]) >= depth - 1


def test_rows_that_a_browser_could_not_scroll_to_are_left_out_and_counted(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "trace_columns", partial(page.trace_columns, limit=20))
    parsed = read_page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet", wrong="conv2")))
    assert len(parsed.events) == 20
    assert "This page holds the first 20 rows; 92 more are left out." in parsed.text
    assert "rnet.conv2: result differs by up to 0.5" in parsed.text
    assert "left out" not in read_page(tmp_path / "b.html", diff(Trace("a"), Trace("b"))).text


def test_ten_thousand_events_per_side(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch", [("net", 720)]), make("dotnet", [("net", 720)]))
    assert len(found.pairs) > 10_000
    parsed = read_page(tmp_path / "a.html", found)
    assert len(parsed.events) == len(found.pairs)
    assert (tmp_path / "a.html").stat().st_size < 500_000


def test_it_opens_with_the_findings_each_linked_to_its_row(make: Make, tmp_path: Path) -> None:
    """Before everything else; one without a row of its own to its module's first event, a note to nothing."""
    found = diff(make("pytorch", [("net", 1)]), make("dotnet", [("net", 1)], wrong="conv2"))
    said = [
        Finding("values", "net.conv2", f"conv2 differs {EVIL}", row=8),
        Finding("setting", "net.pool1", "pool1 is set differently.", "MaxPool2d(2)", "Net.cs:7"),
        Finding("note", "", "A tolerance."),
    ]
    file = tmp_path / "a.html"
    write_report(file, found, title="t", verdict="v", figures={}, findings=said, good=False)
    page = Page(file.read_text(encoding="utf-8"))
    links = [tag["href"] for name, tag in page.tags if name == "a" and (tag.get("href") or "").startswith("#row-")]
    assert links[:2] == ["#row-9", "#row-6"]  # the heading of the call is a row of the page
    assert "Net.cs:7: pool1 is set differently. Write MaxPool2d(2)." in page.text
    assert page.text.index("A tolerance.") < page.text.index("Differences")
    cells = page.data["events"]["a"]
    strings, forms = page.data["strings"], page.data["events"]["cells"]
    for link, path in zip(links, ("net.conv2", "net.pool1"), strict=False):
        assert link is not None
        assert strings[forms[cells[int(link[5:])]][0]] == path


@pytest.mark.parametrize("times", [1, 9, 300])
def test_every_finding_of_a_long_page_has_its_row(make: Make, tmp_path: Path, times: int) -> None:
    """1 call, 14 events; 300 calls, 4,200 events; with all values, 112,000 would take 10 GB."""
    found = diff(make("pytorch", [("net", times)]), make("dotnet", [("net", times)], wrong="conv3"))
    said = [
        Finding("values", difference.path, difference.message, row=difference.row)
        for difference in (*found.structural, *found.numeric[-5:])
    ]
    file = tmp_path / "a.html"
    write_report(file, found, title="t", verdict="v", figures={}, findings=said)
    page = Page(file.read_text(encoding="utf-8"))
    links = [tag["href"] for name, tag in page.tags if name == "a" and (tag.get("href") or "").startswith("#row-")]
    marks = page.data["events"]["mark"]
    assert said
    assert all(marks[int((link or "")[5:])] for link in links[: len(said)])
