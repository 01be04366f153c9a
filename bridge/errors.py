"""The base class of this package's public exceptions."""

from __future__ import annotations


class BridgeError(Exception):
    """The base class of this package's public exceptions."""
