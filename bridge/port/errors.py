"""The exceptions that ``port`` raises."""

from __future__ import annotations

from bridge.compare.errors import CompareError


class PortError(CompareError):
    """A model cannot be written as C#; the message says which part of it, and why."""


class Unwritable(PortError):
    """A part of a model that has no counterpart in TorchSharp."""


class UnwritableArgument(Unwritable):
    """An argument of the translated constructor of class ``kind`` that code made from instances cannot pass."""

    def __init__(self, kind: type, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class FolderError(PortError):
    """The folder that a port is to be written to is not empty, or cannot be written."""
