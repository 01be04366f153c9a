"""The base class of this package's exceptions. Each subpackage defines its exceptions in its ``errors.py``."""

from __future__ import annotations


class BridgeError(Exception):
    """Base class of the exceptions that this package defines."""
