"""strings.py: methods of strings, by ordinals and not by the rules of a language."""

from __future__ import annotations

import pytest

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import BOOL, INT, STR
from tests.port.csharp.values.given import STRINGS, N, S, T, csharp, lit, method, tuple_of


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (method(S, "lower", kind=STR), "s.ToLowerInvariant()"),
        (method(S, "startswith", T, kind=BOOL), "s.StartsWith(t, StringComparison.Ordinal)"),
        (method(lit(", "), "join", STRINGS, kind=STR), 'string.Join(", ", strings)'),
        (method(S, "split", lit("."), kind=STRINGS.type), 's.Split(".").ToList()'),
        (method(S, "split", lit("."), lit(1), kind=STRINGS.type), 's.Split(".", 2).ToList()'),
        (method(S, "split", kind=STRINGS.type), "s.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).ToList()"),
        (method(S, "replace", lit("a"), lit("b"), kind=STR), 's.Replace("a", "b")'),
        (method(S, "find", T, kind=INT), "(long)s.IndexOf(t, StringComparison.Ordinal)"),
        (method(S, "strip", lit("_"), kind=STR), 's.Trim("_".ToCharArray())'),
    ],
)  # fmt: skip
def test_methods(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    "node",
    [
        method(S, "title", kind=STR),
        method(S, "startswith", tuple_of(S, T), kind=BOOL),
        method(S, "split", T, N, kind=STRINGS.type),
        method(S, "find", T, N, kind=INT),
    ],
)
def test_refused(node: ir.Expression) -> None:
    with pytest.raises(Untranslatable):
        csharp(node)
