"""attack.kind: a seed gives the same cases, and kinds are chosen by name."""

from __future__ import annotations

from collections import Counter

import pytest

from attack.kind import chosen, kind_of


def test_a_seed_gives_the_same_kinds_and_another_one_others() -> None:
    kinds = chosen()
    first = [kind_of(1, index, kinds).name for index in range(2000)]
    assert first == [kind_of(1, index, kinds).name for index in range(2000)]
    assert first != [kind_of(2, index, kinds).name for index in range(2000)]
    assert Counter(first).keys() == {kind.name for kind in kinds}


def test_kinds_are_chosen_by_name() -> None:
    assert [kind.name for kind in chosen(["modes", "exits"])] == ["modes", "exits"]
    with pytest.raises(ValueError, match="no kind nothing: there are invalid tensors, "):
        chosen(["nothing"])
