"""The exceptions that ``port`` raises."""

from __future__ import annotations

from bridge.compare.errors import CompareError


class PortError(CompareError):
    """A model cannot be written as C#; the message says which part of it, and why."""


class Unwritable(PortError):
    """A part of a model that has no counterpart in TorchSharp."""


class UnwritableArgument(Unwritable):
    """Code made from instances cannot pass an argument to the translated constructor of the class ``kind``."""

    def __init__(self, kind: type, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class FolderError(PortError):
    """The folder that a port is to be written to is not empty, or cannot be written."""
