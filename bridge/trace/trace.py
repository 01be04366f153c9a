"""Traces and their headers. A header has the circumstances of a recording, such as the torch version and the digests of inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, overload

import numpy as np

from bridge.trace.columns import Columns, columns
from bridge.trace.event import PHASES, Event

#: The version of the format of headers, events and trace files.
SCHEMA: Final = 1


@dataclass(frozen=True, slots=True)
class Header:
    """The circumstances of a recording. When traces are compared, unequal headers do not count as a difference."""

    runtime: str
    #: The version of the runtime that made the calls.
    runtime_version: str = ""
    bridge: str = ""
    torch: str = ""
    python: str = ""
    #: The version of .NET, or None.
    dotnet: str | None = None
    #: The device of the models' first parameter, ``cpu`` if they have none.
    device: str = ""
    threads: int = 0
    #: torch's initial seed.
    seed: int = 0
    #: The number of modules, roots included.
    modules: int = 0
    #: The data that was recorded of tensors: ``none``, ``digest`` or ``full`` (digests and elements).
    values: str = "none"
    #: The paths of the recorded models.
    roots: tuple[str, ...] = ("",)
    #: Digests of the tensors in the arguments of root calls. A key is ``CALL.POSITION``: the index of the call among the root calls, and
    #: the index of the tensor among the values of the call's ``pre`` event. Empty if ``values`` is ``none``; left out of a file whose
    #: first line would be too long.
    inputs: Mapping[str, str] = field(default_factory=dict)
    #: Digests of the tensors in ``state_dict`` before the first call, by name. Empty if ``values`` is ``none``.
    weights: Mapping[str, str] = field(default_factory=dict)
    #: The paths of modules whose calls the recording cannot see, although PyTorch's hooks would: TorchSharp runs them as native code or has
    #: no hooks for them. Sorted. Left out of a file if empty.
    unseen: tuple[str, ...] = ()
    schema: int = SCHEMA


class Trace:
    """The events of a recording, in order.

    Iteration and indexing give :class:`Event` objects, which a trace made from columns creates on access. Comparisons use :attr:`columns`.
    ``header`` is None for a trace that was not recorded.
    """

    __slots__ = ("_columns", "_count", "_events", "_load", "header", "roots", "runtime")

    def __init__(
        self, runtime: str, events: Iterable[Event] = (), roots: Iterable[str] = ("",), header: Header | None = None
    ) -> None:
        self.runtime = runtime
        self.roots = tuple(roots)
        self.header = header
        self._events: tuple[Event, ...] | None = tuple(events)
        self._columns: Columns | None = None
        self._load: Callable[[], Columns] | None = None
        self._count = len(self._events)

    @classmethod
    def of_columns(
        cls,
        runtime: str,
        columns: Columns | Callable[[], Columns],
        roots: Iterable[str] = ("",),
        header: Header | None = None,
        *,
        count: int | None = None,
    ) -> Trace:
        """Create a trace from columns.

        If ``columns`` is a function, it is called when the columns are first used, and must return columns of ``count`` events.
        """
        trace = cls(runtime, (), roots, header)
        trace._events = None
        if isinstance(columns, Columns):
            trace._columns, trace._count = columns, len(columns)
        else:
            assert count is not None
            trace._load, trace._count = columns, count
        return trace

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the events, which are created at first use."""
        if self._events is None:
            self._events = tuple(self.columns.events())
        return self._events

    @property
    def columns(self) -> Columns:
        if self._columns is None:
            self._columns = self._load() if self._load is not None else columns(self._events or ())
            self._load = None
        return self._columns

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events) if self._events is not None else self.columns.events()

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Event, ...]: ...
    def __getitem__(self, index: int | slice) -> Event | tuple[Event, ...]:
        if self._events is not None or isinstance(index, slice):
            return self.events[index]
        position = range(self._count)[index]
        return next(self.columns.events(position, position + 1))

    def __repr__(self) -> str:
        return (
            f"<Trace of {self.runtime}: {len(self)} event{'' if len(self) == 1 else 's'}, "
            f"{self.calls} module call{'' if self.calls == 1 else 's'}>"
        )

    @property
    def calls(self) -> int:
        """Return the number of module calls. Direct calls of ``forward()`` do not count."""
        if self._events is not None:
            return sum(event.phase == "pre" for event in self._events)
        return int(np.count_nonzero(self.columns.phase == PHASES.index("pre")))

    @property
    def bypassed(self) -> tuple[str, ...]:
        """Return the paths of modules whose ``forward()`` was called directly, each once, in order (clause C-3 in docs/contract.md)."""
        if self._events is not None:
            return tuple(dict.fromkeys(event.path for event in self._events if event.phase == "bypass"))
        found = self.columns.path[self.columns.phase == PHASES.index("bypass")]
        paths = self.columns.tables.paths.items
        return tuple(paths[number] for number in dict.fromkeys(found.tolist()))
