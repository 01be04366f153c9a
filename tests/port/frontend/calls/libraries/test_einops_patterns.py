"""einops_patterns.py: the patterns that einops refuses, by the reason."""

from __future__ import annotations

from contextlib import nullcontext

import einops
import pytest
import torch

from bridge.port.frontend.calls.libraries.einops_patterns import problem

#: Operations on a tensor of the shape [2, 6], with a part of the reason why einops refuses them; empty if it does not.
_CALLS: list[tuple[str, str, tuple[str, ...], str]] = [
    ("rearrange", "a b -> b a", (), ""),
    ("rearrange", "a(b c)->(a b)c", ("b",), ""),
    ("rearrange", "a (b c 1) -> a 1 () b c", ("c",), ""),
    ("rearrange", "... -> (...)", (), ""),
    ("rearrange", "a ... -> ... a", ("a",), ""),
    ("repeat", "a b -> a 3 (b c) 3", ("c",), ""),
    ("repeat", "a ... -> n (... a)", ("n",), ""),
    ("reduce", "a b -> a", (), ""),
    ("reduce", "a (b 2) -> a b", (), ""),
    ("reduce", "... b -> b", (), ""),
    ("reduce", "a b ->", (), ""),
    ("rearrange", "a b", (), "two sides"),
    ("rearrange", "a b -> b a -> a b", (), "two sides"),
    ("rearrange", "a b -> (b a", (), "balanced"),
    ("rearrange", "a b -> b) a", (), "balanced"),
    ("rearrange", "a b -> ((b) a)", (), "within others"),
    ("rearrange", "a a -> a", (), "twice"),
    ("rearrange", "... ... -> ...", (), "twice"),
    ("rearrange", "a b -> b", (), "a on its left side only"),
    ("rearrange", "a b -> a b c", ("c",), "c on its right side only"),
    ("rearrange", "a b -> a b 2", (), "2 on its right side only"),
    ("rearrange", "a (b 2) -> a b", (), "2 on its left side only"),
    ("rearrange", "a ... -> a", (), "... on its left side only"),
    ("rearrange", "a b -> a ... b", (), "that the left side has not"),
    ("rearrange", "a (... b) -> a b ...", (), "in parentheses"),
    ("rearrange", "a (b c) -> a b c", (), "b, c in one dimension"),
    ("rearrange", "a b -> b a", ("c",), "the length of c"),
    ("rearrange", "a b_ -> b_ a", (), "'b_'"),
    ("rearrange", "a .b -> .b a", (), "'.'"),
    ("rearrange", "a b-c -> a b-c", (), "'b-c'"),
    ("rearrange", "a\tb -> b a", (), "no name"),
    ("repeat", "a b -> a b c", (), "c without a length"),
    ("repeat", "a b -> a", (), "b on its left side only"),
    ("repeat", "a (b 2) -> a b", (), "2 on its left side only"),
    ("reduce", "a b -> a c", (), "c on its right side only"),
    ("reduce", "a b -> a 2", (), "2 on its right side only"),
    ("reduce", "a (b 0) -> a b", (), "length 0"),
]


@pytest.mark.parametrize(
    ("operation", "pattern", "lengths", "why"), _CALLS, ids=[f"{one[0]}: {one[1]}" for one in _CALLS]
)
def test_a_pattern_is_refused_for_a_reason(operation: str, pattern: str, lengths: tuple[str, ...], why: str) -> None:
    found = problem(pattern, operation, lengths)
    assert why in found
    assert bool(found) == bool(why)


def test_einops_refuses_the_same() -> None:
    for operation, pattern, lengths, why in _CALLS:
        reduction = ("sum",) if operation == "reduce" else ()
        refused = pytest.raises((einops.EinopsError, ValueError)) if why else nullcontext()
        with refused:
            getattr(einops, operation)(torch.zeros(2, 6), pattern, *reduction, **dict.fromkeys(lengths, 2))
