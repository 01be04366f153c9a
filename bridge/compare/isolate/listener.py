"""What listens while a module is run by itself (``replay``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from bridge.compare.isolate.record import Call


class Listener(Protocol):
    """What records the operators of a run (``operators``)."""

    def listening(self) -> Any:
        """A context in which operators are recorded."""

    def given(self, value: Any) -> None:
        """What the module is called with."""

    def returned(self, result: Any) -> None:
        """What it gave."""

    def entered(self, child: Call, received: Sequence[Any]) -> None:
        """A child begins: the tensors that it received, as they are."""

    def left(self, child: Call, result: Any) -> None:
        """The child has given its result."""


class OnlyOperators:
    """A listener that is a mode of PyTorch's, and so sees operators: what goes in and out of modules it does not note."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        with self:  # type: ignore[attr-defined]  # of the mode that it is
            yield

    def given(self, value: Any) -> None:
        """Nothing is noted."""

    def returned(self, result: Any) -> None:
        """Nothing is noted."""

    def entered(self, child: Call, received: Sequence[Any]) -> None:
        """Nothing is noted."""

    def left(self, child: Call, result: Any) -> None:
        """Nothing is noted."""
