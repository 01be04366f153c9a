"""A user's test file for test_plugin.py: the plugin is there, and has imported nothing."""

from __future__ import annotations

import sys


def test_nothing_is_imported() -> None:
    assert "bridge.conformance.plugin" in sys.modules, "the plugin is not there"
    heavy = {"torch", "numpy", "clr", "rich", "jinja2", "click", "jsonschema"} & set(sys.modules)
    assert not heavy, heavy
    ours = {name for name in sys.modules if name.startswith("bridge")}
    assert ours == {"bridge", "bridge.conformance", "bridge.conformance.plugin"}, ours
