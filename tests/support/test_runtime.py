"""tests/support/runtime.py: the list of tests that do not apply to TorchSharp."""

from __future__ import annotations

import pytest

from tests.support.runtime import MIRROR, listed, names_of


def test_the_list_names_tests(all_tests: list[pytest.Item]) -> None:
    found = {name for item in all_tests if item.path.is_relative_to(MIRROR) for name in names_of(item)}
    assert sorted(set(listed()) - found) == []
