"""The interface of objects that observe or change a replay: a run of one module on recorded arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.compare.isolate.record import RecordedCall


class Listener:
    """The base class of listeners, whose methods do nothing.

    Each derived class is also a PyTorch mode (``TorchDispatchMode`` or ``TorchFunctionMode``), which is active while ``forward`` runs.
    """

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Any:
        pass

    def module_called(self, arguments: Any) -> None:
        """Receive the arguments of the module."""

    def module_returned(self, result: Any) -> None:
        """Receive the result of the module."""

    def child_called(self, call: RecordedCall, arguments: Sequence[Any]) -> None:
        """Receive the recorded call that a child call matches, and the arguments of the child call."""

    def child_returned(self, call: RecordedCall, result: Any) -> None:
        """Receive the recorded call that a child call matches, and the result that the child call returns."""
