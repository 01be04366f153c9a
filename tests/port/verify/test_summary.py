"""summary.py: the size of a port."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from bridge.port.methods import Wrote
from bridge.port.porting import Port
from bridge.port.verify.summary import count_csharp, count_methods, count_python, list_fixed, summarize

NET = "// a comment\npublic class Net\n{\n\n}\n"


class Written:
    """Two lines, of which

    none counts.
    """

    def method(self) -> int:
        # nor does this
        """Count nothing of this."""

        return 1


def function() -> int:
    return 2


def test_a_docstring_with_lines_left_of_its_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "outdented.py").write_text(
        'class Outdented:\n    def method(self):\n        """Return a number\n\n  of lines."""\n        return 1\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    made = import_module("outdented").Outdented
    assert count_python([made.method]) == 2
    assert count_python([made]) == 3


def test_a_share_without_a_graph_does_not_name_one() -> None:
    assert count_methods([Wrote("Net.forward", "net.py:2", "source")]) == "1 of 1 method from source"


def test_constructors_are_counted_where_instances_stand_for_their_source() -> None:
    wrote = [Wrote("Net.forward", "net.py:2", "source"), Wrote("Net.__init__", "net.py:1", "source")]
    assert count_methods(wrote) == "1 of 1 method from source"
    wrote.append(Wrote("Head.__init__", "net.py:9", "instances", ("net.py:11: no such",)))
    assert count_methods(wrote) == "1 of 1 method from source, 1 of 2 constructors from instances"


def test_each_fixed_value_is_a_sentence() -> None:
    wrote = [
        Wrote("Net.forward", "net.py:2", "source", ("Fixed as in every call: mask is None",)),
        Wrote("Head.__init__", "net.py:9", "instances", ("net.py:11: no such",)),
    ]
    assert list_fixed(wrote) == [
        "Net.forward (net.py:2): Fixed as in every call: mask is None.",
        "Head.__init__ (net.py:9), from instances: net.py:11: no such.",
    ]


def test_only_count_csharp_count() -> None:
    assert count_csharp(NET) == 3
    assert count_python([Written]) == 3
    assert count_python([Written, Written.method, function]) == 5, "a method's lines are its class's"
    assert count_python([type("Made", (), {})]) == 0


def test_a_port_is_summarized_with_its_graphs() -> None:
    wrote = (Wrote("Net.forward", "net.py:2", "left"), Wrote("Head.forward", "", "graph"))
    assert summarize(Port({"Net.cs": NET}, "Net", (), wrote)) == (
        "1 file, 3 lines of C#, 0 of 2 methods from source, 1 from graph"
    )
