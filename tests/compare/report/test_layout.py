"""bridge.compare.report.layout: every row once and in order, nested as the calls were, and marked where it differs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bridge.compare.report.layout import Group, format_path, format_value, layout, lines, notes
from bridge.trace import Event, Trace, Value
from bridge.trace.diff import diff
from hook_contract.output.plain import to_printable

Make = Callable[..., Trace]


def test_every_row_once_and_in_order(make: Make) -> None:
    for other in (
        make("b"),
        make("b", bypass="conv2"),
        make("b", wrong="conv2"),
        make("b", [("rnet", 1), ("pnet", 7)]),
    ):
        found = diff(make("a"), other)
        rows = list(lines(layout(found)))
        assert [(row.a, row.b) for row in rows] == list(found.pairs)
        assert any(row.mark for row in rows) == (not found.same)


def test_c3_calls_inside_a_bypassed_container_stay_inside() -> None:
    def events(*steps: tuple[str, str, int, int]) -> list[Event]:
        return [Event(i, path, "M", phase, call, parent) for i, (path, phase, call, parent) in enumerate(steps)]

    a = Trace(
        "a",
        events(
            ("", "pre", 0, -1),
            ("s.0", "pre", 1, 0),
            ("s.0", "forward", 1, 0),
            ("s", "bypass", -1, 0),
            ("", "forward", 0, -1),
        ),
    )
    b = Trace("b", events(("", "pre", 0, -1), ("s", "pre", 1, 0), ("s", "forward", 1, 0), ("", "forward", 0, -1)))
    found = diff(a, b)
    top = layout(found)
    assert [(row.a, row.b) for row in lines(top)] == list(found.pairs)
    (root,) = top.items
    assert isinstance(root, Group)
    (inner,) = (item for item in root.items if isinstance(item, Group))
    assert (inner.path, inner.differs, inner.events) == ("s", True, 4)
    assert [item.path for item in inner.items if isinstance(item, Group)] == ["s.0"]


def test_equal_words_are_one_note(make: Make) -> None:
    found = diff(make("a"), make("b", bypass="conv2"))
    assert [note.times for note in notes(found)] == [7, 1]
    assert {number for row in lines(layout(found)) for number in row.notes} == {1, 2}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value("tensor", (1, 3, 12), "float32", "cpu"), "1x3x12"),
        (Value("tensor", (), "int64", "cuda:0"), "scalar int64@cuda:0"),
        (Value("none"), "None"),
        (Value("object"), "object"),
        (Value("bool", literal=False), "False"),
        (Value("str", literal="a\n"), "'a\\n'"),
    ],
)
def test_values_in_short(value: Value, text: str) -> None:
    assert format_value(value) == text


def test_names_are_printable() -> None:
    assert format_path("") == "(root)"
    assert to_printable("a\x1b[2J\u202eb") == "a\\x1b[2J\\u202eb"
    assert to_printable("x" * 500).endswith("x…")
    assert len(to_printable("x" * 500)) == 120
