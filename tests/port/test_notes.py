"""notes.py: what is said of a port."""

from __future__ import annotations

from bridge.port.methods import Left, Wrote
from bridge.port.notes import lines_of_code, lines_of_python, notes, share
from bridge.port.porting import Port

NET = "// a comment\npublic class Net\n{\n\n}\n"


class Written:
    """Two lines, of which

    none counts.
    """

    def method(self) -> int:
        # nor does this
        """Nor this."""

        return 1


def function() -> int:
    return 2


def test_the_notes_say_of_each_method_how_it_was_written_and_what_is_left() -> None:
    left = Left("net.py:3", "Net.forward", "no | such")
    wrote = (
        Wrote("Net.forward", "net.py:2", "left"),
        Wrote("Net.reset", "net.py:9", "source"),
        Wrote("Head.forward", "", "graph"),
    )
    text = notes(Port({"Net.cs": NET}, "Net", (left,), wrote), "nets:net")
    assert text.splitlines()[:3] == [
        "# nets:net",
        "",
        "1 file, 3 lines of C#, 1 of 3 methods from source, 1 from graph.",
    ]
    assert "| Net.forward | net.py:2 | not written | net.py:3: no / such |" in text
    assert "| Net.reset | net.py:9 | its source | nothing |" in text
    assert "| Head.forward |  | its graph | nothing |" in text


def test_a_share_without_a_graph_does_not_name_one() -> None:
    assert share([Wrote("Net.forward", "net.py:2", "source")]) == "1 of 1 method from source"


def test_only_lines_of_code_count() -> None:
    assert lines_of_code(NET) == 3
    assert lines_of_python([Written]) == 3
    assert lines_of_python([Written, Written.method, function]) == 5, "a method's lines are its class's"
    assert lines_of_python([type("Made", (), {})]) == 0
