"""notes.py: PORT.md."""

from __future__ import annotations

from bridge.port.methods import Left, Wrote
from bridge.port.porting import Port
from bridge.port.project.notes import render_notes

NET = "// a comment\npublic class Net\n{\n\n}\n"


def test_the_notes_say_of_each_method_how_it_was_written_and_what_is_left() -> None:
    left = Left("net.py:3", "Net.forward", "no | such")
    wrote = (
        Wrote("Net.forward", "net.py:2", "left"),
        Wrote("Net.reset", "net.py:9", "source"),
        Wrote("Head.forward", "", "graph"),
    )
    text = render_notes(Port({"Net.cs": NET}, "Net", (left,), wrote), "nets:net")
    assert text.splitlines()[:3] == [
        "# nets:net",
        "",
        "1 file, 3 lines of C#, 1 of 3 methods from source, 1 from graph.",
    ]
    assert "| Net.forward | net.py:2 | not written | net.py:3: no / such |" in text
    assert "| Net.reset | net.py:9 | its source | nothing |" in text
    assert "| Head.forward |  | its graph | nothing |" in text
    assert "##" not in text


def test_the_notes_list_what_is_less_general_than_the_original() -> None:
    wrote = (
        Wrote("Net.__init__", "net.py:2", "source", ("Fixed as in every call: block is Basic",)),
        Wrote("Head.__init__", "net.py:9", "instances", ("net.py:11: no such",)),
    )
    text = render_notes(Port({"Net.cs": NET}, "Net", (), wrote), "nets:net")
    assert "| Head.__init__ | net.py:9 | its instances | nothing |" in text
    assert text.endswith(
        "## Not as general as the original\n\n"
        "- Net.__init__ (net.py:2): Fixed as in every call: block is Basic.\n"
        "- Head.__init__ (net.py:9), from instances: net.py:11: no such.\n"
    )
