"""names.py: keywords, unique names."""

from __future__ import annotations

from bridge.port.csharp.names import KEYWORDS, PREDEFINED, escaped, unique


def test_keywords_are_escaped_and_contextual_ones_are_not() -> None:
    assert [escaped(one) for one in ("in", "value", "var", "params")] == ["@in", "value", "var", "@params"]
    assert PREDEFINED < KEYWORDS


def test_a_unique_name_has_the_first_number_that_is_free() -> None:
    assert unique("x", {"x", "x2"}) == "x3"
    assert unique("y", {"x"}) == "y"
