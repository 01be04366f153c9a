"""bridge.porting.report: one page that stands alone, holds everything as text, and is written at once or not at all."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bridge.diff import Diff, diff
from bridge.porting import report
from bridge.porting.report import write_report
from bridge.trace import Event, Trace, Value

Make = Callable[..., Trace]

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}{% raw %}&amp;"


def png() -> bytes:
    """A picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


class Page(HTMLParser):
    """A parsed page: its tags with attributes, its text, and the details that are open."""

    VOID = ("meta", "img", "link", "br", "hr", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text += data

    def of_class(self, name: str) -> int:
        return sum(name in (attributes.get("class") or "").split() for _, attributes in self.tags)


def page(path: Path, found: Diff, **options: object) -> Page:
    settings: dict[str, object] = {"title": "A title", "verdict": "A verdict", "figures": {"calls": "3 | 3"}} | options
    write_report(path, found, **settings)  # type: ignore[arg-type]
    parsed = Page(path.read_text(encoding="utf-8"))
    assert not parsed.open
    return parsed


def test_holds_verdict_figures_picture_and_every_event(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch"), make("dotnet"))
    parsed = page(tmp_path / "a.html", found, picture_png=png())
    for text in ("A title", "A verdict", "calls", "3 | 3", "pytorch", "dotnet", "pnet.conv1", "1x3x14"):
        assert text in parsed.text
    assert parsed.of_class("row") == len(found.pairs) + 1
    sources = [attributes["src"] for tag, attributes in parsed.tags if tag == "img"]
    assert sources == ["data:image/png;base64," + base64.b64encode(png()).decode()]
    assert parsed.of_class("bad") == 0
    assert parsed.of_class("good") == 1


def test_calls_are_folded_and_the_first_of_each_root_is_open(make: Make, tmp_path: Path) -> None:
    parsed = page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet")))
    folds = ["open" in attributes for tag, attributes in parsed.tags if tag == "details"]
    assert folds == [True] + [False] * 6 + [True]


def test_differences_are_marked_open_and_explained(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch"), make("dotnet", bypass="conv2"))
    parsed = page(tmp_path / "a.html", found)
    assert all("open" in attributes for tag, attributes in parsed.tags if tag == "details")
    assert parsed.of_class("lost") == 8 + 1  # one row for each call, one key in the legend
    assert "net.conv2 was run by forward(), not call(), in dotnet" in parsed.text
    targets = {attributes["id"] for _, attributes in parsed.tags if "id" in attributes}
    links = {(attributes["href"] or "")[1:] for tag, attributes in parsed.tags if tag == "a"}
    assert links
    assert links <= targets


def test_asks_for_nothing_from_outside(make: Make, tmp_path: Path) -> None:
    page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet")), picture_png=png())
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    for word in ("http:", "https:", "<script", "<link", "@import", "url(", 'src="/'):
        assert word not in text
    assert "default-src 'none'" in text


def test_nothing_in_it_is_markup(tmp_path: Path) -> None:
    value = Value("str", literal=EVIL)
    events = [Event(0, EVIL, EVIL, "pre", 0, -1, 1, EVIL, (value,)), Event(1, "a\x1b\u202e\ud800", "T", "pre", 1, 0)]
    a = Trace(EVIL, events)
    plain = page(tmp_path / "plain.html", diff(Trace("x", events[1:]), Trace("y")))
    parsed = page(tmp_path / "a.html", diff(a, Trace("b")), title=EVIL, verdict=EVIL, figures={EVIL: EVIL})
    assert {tag for tag, _ in parsed.tags} <= {tag for tag, _ in plain.tags} | {"details", "summary", "b"}
    assert {name for _, attributes in parsed.tags for name in attributes if name.startswith("on")} == set()
    assert parsed.text.count(EVIL) >= 5
    assert "49" not in parsed.text
    for char in "\x1b\u202e":
        assert char not in parsed.text


def test_is_written_at_once_or_not_at_all(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.html"
    target.write_text("before", encoding="utf-8")
    found = diff(make("pytorch"), make("dotnet"))

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(report.os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        page(target, found)
    assert target.read_text(encoding="utf-8") == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.html"]
    monkeypatch.undo()
    page(target, found)
    assert "</html>" in target.read_text(encoding="utf-8")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.html"]


def test_new_pages_have_ordinary_permissions(make: Make, tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()
    page(tmp_path / "a.html", diff(make("pytorch"), make("dotnet")))
    assert (tmp_path / "a.html").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_missing_folder_and_wrong_picture_are_said(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch"), make("dotnet"))
    with pytest.raises(FileNotFoundError):
        page(tmp_path / "none" / "a.html", found)
    with pytest.raises(ValueError, match="no PNG"):
        page(tmp_path / "a.html", found, picture_png=b"GIF89a")
    assert not (tmp_path / "a.html").exists()


def test_the_same_traces_give_the_same_page(make: Make, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        page(tmp_path / name, diff(make("pytorch"), make("dotnet", wrong="conv2")), picture_png=png())
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_empty_and_deep_traces(tmp_path: Path) -> None:
    assert page(tmp_path / "a.html", diff(Trace("a"), Trace("b"))).of_class("row") == 1
    depth = 3_000
    deep = [Event(i, f"m{i}", "M", "pre", i, i - 1) for i in range(depth)]
    parsed = page(tmp_path / "b.html", diff(Trace("a", deep), Trace("b", deep)))
    assert parsed.of_class("row") == depth + 1
    assert sum(tag == "details" for tag, _ in parsed.tags) == report.DEEPEST


def test_ten_thousand_events_per_side(make: Make, tmp_path: Path) -> None:
    found = diff(make("pytorch", [("net", 720)]), make("dotnet", [("net", 720)]))
    assert len(found.pairs) > 10_000
    write_report(tmp_path / "a.html", found, title="many", verdict="", figures={})
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert text.count('<div class="row') == len(found.pairs) + 1
    assert len(text) < 10_000_000
