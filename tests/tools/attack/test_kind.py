"""attack.kind: a seed gives the same cases, and every kind has its function."""

from __future__ import annotations

from collections import Counter

import pytest
from attack.kind import KINDS, Kind, chosen, kind_of


def test_a_seed_gives_the_same_kinds_and_another_one_others() -> None:
    first = [kind_of(1, index).name for index in range(2000)]
    assert first == [kind_of(1, index).name for index in range(2000)]
    assert first != [kind_of(2, index).name for index in range(2000)]
    assert Counter(first).keys() == {kind.name for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_has_a_function(kind: Kind) -> None:
    assert callable(kind.function())


def test_kinds_are_chosen_by_name() -> None:
    assert chosen([]) == KINDS
    assert [kind.name for kind in chosen(["modes", "exits"])] == ["modes", "exits"]
    with pytest.raises(ValueError, match="no kind nothing: there are Python threads, "):
        chosen(["nothing"])
