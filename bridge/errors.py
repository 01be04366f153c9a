"""The base class of this package's exceptions."""

from __future__ import annotations


class BridgeError(Exception):
    """Base class of the exceptions that this package defines."""
