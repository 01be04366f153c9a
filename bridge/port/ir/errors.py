"""The error of a construct that has no translation."""

from __future__ import annotations

from bridge.errors import BridgeError
from bridge.port.ir.nodes import Origin


class Untranslatable(BridgeError):
    """A construct of Python that has no translation, with its origin and the reason."""

    def __init__(self, origin: Origin, why: str) -> None:
        super().__init__(why)
        self.origin, self.why = origin, why
