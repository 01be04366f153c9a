"""The public names."""

from __future__ import annotations

import pytest

import bridge


def test_every_public_name_is_there_whatever_was_imported_before() -> None:
    """A name that is also a submodule's would be the one or the other, by the order of imports."""
    import importlib
    import pkgutil

    submodules = {module.name for module in pkgutil.iter_modules(bridge.__path__)}
    for name in bridge.__all__:
        assert getattr(bridge, name) is not None
        assert name not in submodules
    trace = importlib.import_module("bridge.trace")
    assert getattr(bridge, "trace", trace) is trace


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'bridge' has no attribute 'nothing'"):
        bridge.nothing  # noqa: B018  # looking it up is the test
