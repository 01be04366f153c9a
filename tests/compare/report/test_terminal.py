"""bridge.compare.report.terminal: two columns in a terminal or a pipe; equal stretches are folded, differences never."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.table import Table

from bridge.compare.report.layout import TIMES
from bridge.compare.report.terminal import NOTES, first_lines, fits, render_traces
from bridge.trace import Event, Trace
from bridge.trace.diff import Diff, diff

Make = Callable[..., Trace]


def shown(found: Diff, *, columns: int = 120, encoding: str = "utf-8", colour: bool = False, **options: int) -> str:
    """Return the output of a console of this width; it is a pipe unless ``colour``."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=file, width=columns, force_terminal=colour, color_system="truecolor" if colour else None)
    console.print(render_traces(found, **options))
    file.flush()
    return raw.getvalue().decode(encoding)


def test_equal_traces_are_two_equal_columns(make: Make) -> None:
    lines = shown(diff(make("pytorch"), make("dotnet"))).splitlines()
    assert lines[0].split() == ["pytorch", "dotnet"]
    for line in lines[1:]:
        left, right = line[: len(line) // 2], line[len(line) // 2 :]
        assert left.split() == right.split()
    assert any(line.startswith("  pnet.conv1 Conv pre 1x3x8 ") for line in lines)


def test_equal_calls_of_one_root_are_shown_once(make: Make) -> None:
    text = shown(diff(make("pytorch"), make("dotnet")))
    assert text.count(f"pnet Pnet {TIMES} 7 pre 1x3x8") == 2
    assert text.count("pnet Pnet") == 4
    assert text.count("pnet.conv1 Conv pre") == 2
    assert text.count("rnet Rnet pre") == 2


def test_a_root_call_that_differs_is_not_folded_into_its_neighbours(make: Make) -> None:
    a, b = make("pytorch"), make("dotnet")
    events = [event for event in b if not (event.path == "pnet.pool1" and event.call == 7 * 3 + 3)]
    assert len(events) == len(b) - 2
    text = shown(diff(a, Trace("dotnet", events)), limit=500)
    assert f"pnet Pnet {TIMES} 3 pre 1x3x8 " in text
    assert "pnet Pnet pre 1x3x11 " in text
    assert f"pnet Pnet {TIMES} 3 pre 1x3x12 " in text
    assert "1. C-9 lost: pnet.pool1 is called inside pnet in pytorch and not in dotnet." in text


def test_long_equal_stretches_are_folded_to_the_limit(make: Make) -> None:
    found = diff(
        make("pytorch", [("net", 1)], layers=[f"fc{i}" for i in range(50)]),
        make("dotnet", [("net", 1)], layers=[f"fc{i}" for i in range(50)]),
    )
    lines = shown(found, limit=20).splitlines()
    assert len(lines) <= 21
    folded = [line for line in lines if "equal events …" in line]
    assert len(folded) == 1
    hidden = int(folded[0].split()[1])
    assert hidden + len(lines) - 2 == len(found.pairs)
    assert "net Net pre" in lines[1]
    assert "net Net forward" in lines[-1]
    assert "equal events" not in shown(found, limit=102)


@pytest.mark.parametrize("limit", [0, 1, 10, 1000])
def test_differences_are_never_folded_away(make: Make, limit: int) -> None:
    layers = ["conv1", "pool1", "prelu1", "conv2", "conv3"]
    found = diff(make("pytorch"), make("dotnet", layers=layers))
    text = shown(found, limit=limit)
    assert text.count(" ~") >= 8
    for times in range(8):
        size = 8 + times % 7
        assert text.count(f"prelu2 Prelu pre 1x3x{size} ") >= 1
    for number, difference in enumerate({d.message: d for d in found.structural}.values(), 1):
        assert f"{number}. {difference.clause} {difference.kind}" in text


def test_c3_bypass_is_marked_with_its_explanation(make: Make) -> None:
    text = shown(diff(make("pytorch", [("net", 1)]), make("dotnet", [("net", 1)], bypass="conv2")))
    row = next(line for line in text.splitlines() if "conv2 Conv pre" in line)
    assert row.rstrip().endswith("<1")
    opposite = next(line for line in text.splitlines() if "conv2 Conv bypass" in line)
    assert "conv2 Conv forward" in opposite
    assert "≠" in opposite
    assert "1. C-3 lost: net.conv2 was run by forward(), not call(), in dotnet: its hooks never fired." in text


def test_values_are_marked_and_repeated_words_are_said_once(make: Make) -> None:
    a, b = make("pytorch", [("net", 3)]), make("dotnet", [("net", 3)])
    text = shown(diff(a, Trace("dotnet", [event for event in b if event.path != "net.pool1"])))
    assert text.count("C-9 lost") == 1
    assert f"({TIMES} 3)" in text
    wrong = shown(diff(make("pytorch", [("net", 1)]), make("dotnet", [("net", 1)], wrong="conv2")))
    row = next(line for line in wrong.splitlines() if "conv2 Conv forward" in line)
    assert "≠1" in row


def test_many_differences_are_counted(make: Make) -> None:
    a = Trace("a", [Event(i, f"fc{i}", "Linear", "pre", i, -1) for i in range(NOTES + 7)])
    assert "… and 7 more." in shown(diff(a, Trace("b")))


def test_no_escape_codes_in_a_pipe_and_colours_in_a_terminal(make: Make) -> None:
    found = diff(make("pytorch"), make("dotnet", bypass="conv2"))
    assert "\x1b" not in shown(found)
    assert "\x1b[" in shown(found, colour=True)


def test_ascii_consoles_get_ascii(make: Make) -> None:
    text = shown(diff(make("pytorch"), make("dotnet", wrong="conv2")), encoding="ascii", limit=5)
    assert "!1" in text
    assert "equal events ~" in text


@pytest.mark.parametrize("width", [20, 40, 80, 250])
def test_no_line_is_wider_than_the_console_or_the_width_asked_for(make: Make, width: int) -> None:
    found = diff(make("pytorch"), make("dotnet", bypass="conv2"))
    assert all(len(line) <= width for line in shown(found, columns=width).splitlines())
    equal = diff(make("pytorch"), make("dotnet"))
    assert max(map(len, shown(equal, columns=300, width=width).splitlines())) <= width
    assert max(map(len, shown(equal, columns=30, width=width).splitlines())) <= 30


def test_names_are_text_and_cannot_drive_the_terminal() -> None:
    events = [Event(0, "[red]x[/red]\x1b[2J\n", "[bold]", "pre", 0, -1)]
    text = shown(diff(Trace("a", events), Trace("b", events)), colour=True)
    assert "[red]x[/red]\\x1b[2J\\n [bold] pre" in text
    assert "\x1b[2J" not in text


def test_empty_traces() -> None:
    assert shown(diff(Trace("a"), Trace("b"))).split() == ["a", "b"]


def test_a_text_is_cut_to_a_screen_between_lines() -> None:
    words = "\n".join("abcdefghij"[: 1 + number] * 4 for number in range(10))
    assert first_lines(words, 40, 10) == words
    assert first_lines(words, 20, 10).splitlines()[-2:] == ["abcdefg" * 4, "… and 3 more lines: --all shows them."]
    assert first_lines("long " * 100 + "\nnext", 10, 4) == "long " * 100 + "\n… and 1 more line: --all shows them."


@pytest.mark.parametrize("columns", [60, 80])
def test_a_narrow_terminal_breaks_no_word(make: Make, columns: int) -> None:
    """What is equal loses whole words behind, what differs none, and the rest of it is indented as its beginning."""
    whole = shown(diff(make("pytorch"), make("dotnet")), columns=400).split()
    lines = shown(diff(make("pytorch"), make("dotnet")), columns=columns).splitlines()
    assert all(len(line) <= columns for line in lines)
    assert {word for line in lines for word in line.split()} <= {*whole, "…"}
    layers = ["a", "b", "c" * (columns // 2 - 12)]
    found = diff(make("pytorch", [("net", 1)], layers=layers), make("dotnet", [("net", 1)], layers=layers[:2]))
    lines = shown(found, columns=columns).splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith(f"  net.{layers[2]}"))
    assert lines[place + 1].startswith("  C")


def test_a_table_fits_where_no_word_of_it_is_broken() -> None:
    table = Table("a", "b")
    table.add_row("x" * 20, "y" * 20)
    assert fits(Console(width=48), table)
    assert not fits(Console(width=40), table)
