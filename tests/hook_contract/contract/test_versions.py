"""hook_contract.contract.versions."""

from __future__ import annotations

import pytest

from hook_contract.contract.versions import holds, release, within


@pytest.mark.parametrize(
    ("version", "bounds", "kept"),
    [
        ("PyTorch 2.13.0+cpu", ">=2.1", True),
        ("2.9", ">=2.10", False),
        ("2.10", ">=2.9,<2.11", True),
        ("2.11.0", ">=2.9,<2.11", False),
        ("2.11", "==2.11.0", True),
        ("anything 1", "", True),
    ],
)
def test_a_version_keeps_its_bounds(version: str, bounds: str, kept: bool) -> None:
    assert within(version, bounds) is kept


def test_bounds_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="'2.1' is not a version bound"):
        within("2.1", "2.1")


def test_the_first_version_of_a_text_counts() -> None:
    assert str(release(".NET 10.0.12, PyTorch 2.13")) == "10.0.12"
    with pytest.raises(ValueError, match="'none' is not a version"):
        release("none")


def test_a_nightly_build_is_of_its_release() -> None:
    assert holds("2.15.0.dev20261101+cpu", "2.15", None)
    assert within("PyTorch 2.15.0a0+git1234", ">=2.15")
