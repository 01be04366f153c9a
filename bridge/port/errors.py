"""What `port` raises."""

from __future__ import annotations

from bridge.compare.errors import CompareError


class PortError(CompareError):
    """A model cannot be written as C#; the message says what of it, and why."""


class Unwritable(PortError):
    """A part of a model that has no counterpart in TorchSharp."""


class FolderError(PortError):
    """The folder that a port is to be written to is not empty, or cannot be written."""
