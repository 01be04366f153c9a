"""Recordings of C# modules. .NET writes the events to a buffer, which is read when the recording ends.

A *mirror* is the ``torch.nn.Module`` that represents a C# module.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np
import torch

from bridge import tensors
from bridge.clr import DotNetRuntime
from bridge.clr.call import boundary
from bridge.version import __version__
from bridge.mirror import is_mirror, link_of
from bridge.mirror.hooks import direct_forwards
from bridge.mirror.loading import dotnet_runtime
from hook_contract.output.files import resolve_target
from bridge.runtimes.header import add_input_digests, make_header
from bridge.runtimes.observer import CallObserver, observe_calls
from bridge.runtimes.recording import (
    Recording,
    Values,
    check_values,
    elements,
    leaves,
    paths,
    root_modules,
    tensor_value,
)
from bridge.trace import Header, Trace, Value
from bridge.trace.columns import Columns, Tables
from bridge.trace.file.writer import replace_trace

NAME = "dotnet"

#: The NumPy dtypes of the records in the buffer, which are structs of Bridge.Hooks.
EVENT: Final = np.dtype(boundary.fields("EventRecord"))
VALUE: Final = np.dtype(boundary.fields("ValueRecord"))
_DIM: Final = np.dtype("i8")
_KINDS: Final = boundary.members("ValueKind")
_BEGUN, _ENDED, _FAILED = range(len(boundary.members("CallMoment")))

_lock = threading.Lock()
#: The number of global hooks that belong to recordings.
_recorder_hooks = 0


@contextmanager
def record(
    models: torch.nn.Module | Mapping[str, torch.nn.Module],
    *,
    values: Values = "none",
    file: str | os.PathLike[str] | None = None,
) -> Iterator[Recording]:
    """Record the calls of ``models`` (one, or several by name) and of all modules inside them. At least one module must be a mirror.

    Records calls of this thread or asyncio task, and of tasks and ``asyncio.to_thread`` calls that this thread or task starts. Calls on
    threads that a C# ``forward`` starts are recorded too, and so are direct calls of the ``forward`` of built-in modules, such as
    ``Linear`` (phase ``bypass``). Recordings of PyTorch modules contain neither kind of call.

    Yields a :class:`Recording`, whose ``trace`` is available after the block, even if the block raised.

    With ``file``, .NET writes the trace to that file at the end of the block, byte for byte as :func:`bridge.trace.file.write` would.
    Raises ValueError for unknown ``values``, and for ``file`` with ``values="full"``, since .NET cannot write elements. Raises TypeError
    for an object that is not a module, and if no module is a mirror. Raises OSError if ``file`` is a folder, a device or a pipe, and
    TraceWriteError if the trace cannot be written.
    """
    check_values(values)
    if file is not None:
        if values == "full":
            raise ValueError(
                ".NET cannot write elements to a file: use values='digest', or write the trace with bridge.trace.file.write"
            )
        file = resolve_target(Path(file))
    roots = root_modules(models)
    found = paths(roots)
    if not any(is_mirror(module) for module in found):
        known = ", ".join(f"'{name or 'the model'}'" for name in roots)
        raise TypeError(f"no module of {known} is a .NET module: use bridge.record, which records PyTorch modules too")
    host = dotnet_runtime()
    recording = Recording(NAME, values)
    header = make_header(NAME, __version__, roots, found, values, dotnet=host.version)
    recorder = _DotNetRecorder(host, found, values)
    try:
        with observe_calls(recorder, found, recorder.in_recorded_thread) as observer, _announce(recorder, observer):
            yield recording
    finally:
        try:
            trace = add_input_digests(_drain(recorder, values, roots, header))
            if file is not None:
                _write(recorder, Path(file), trace)
            recording._trace = trace
        finally:
            recorder.stop()


class _DotNetRecorder:
    """A recording in .NET's buffer. Python adds the calls that it observes. ``names`` has a path and a type for each module number."""

    def __init__(self, host: DotNetRuntime, modules: Mapping[torch.nn.Module, str], values: Values) -> None:
        self.host = host
        self._exports = host.exports
        # Python modules inside a C# model have no .NET id, and get these numbers, which are larger than any id.
        self._python_numbers = itertools.count(1 << 30)
        self._ids: dict[torch.nn.Module, int] = {}
        self.names: dict[int, tuple[str, str]] = {}
        for module, path in modules.items():
            self._ids[module] = id = self._id(module)
            self.names[id] = (path, type(module).__name__)
        self.number: int = self._exports.record_start(int(values != "none"), *self._ids.values())

    def _id(self, module: torch.nn.Module) -> int:
        link = link_of(module)
        return link.id if link is not None else next(self._python_numbers)

    def begin(self, module: torch.nn.Module, args: tuple[Any, ...], parent: int, root: bool) -> int:
        return self._event(int(root), module, _BEGUN, args[0] if len(args) == 1 else args)

    def result(self, call: int, module: torch.nn.Module, result: Any) -> None:
        self._event(call, module, _ENDED, result)

    def failed(self, call: int, module: torch.nn.Module) -> None:
        self._event(call, module, _FAILED, ())

    def in_recorded_thread(self) -> bool:
        """Return whether this thread is inside a recorded call of .NET, or whether such a call started this thread."""
        return self._exports.record_inside(self.number)  # type: ignore[no-any-return]  # exports give Any

    def mark_forward(self, begins: bool) -> bool:
        """Tell .NET that a ``forward``, called by Python, begins or ends on this thread. Returns whether .NET's state changed."""
        return self._exports.record_forward(self.number, int(begins))  # type: ignore[no-any-return]  # exports give Any

    def observe(self, context: tuple[Any, ...]) -> None:
        """Let .NET record the calls of this context that need no Python (:meth:`.CallObserver.context`); without a context, no longer."""
        self._exports.record_context(self.number, int(bool(context)), *context)

    def stop(self) -> None:
        self._exports.record_stop(self.number)

    def _event(self, call: int, module: torch.nn.Module, moment: int, value: Any) -> int:
        id = self._ids.get(module)
        if id is None:
            id = self._ids[module] = self._id(module)
            kind = type(module).__name__
            self.names[id] = (f"?{kind}", kind)
        items = (value,) if isinstance(value, torch.Tensor) else leaves(value)
        number: int = self._exports.record_event(self.number, call, id, moment, *items)
        return number


@contextmanager
def _announce(recorder: _DotNetRecorder, observer: CallObserver) -> Iterator[None]:
    """Tell .NET about the recording.

    .NET must not count the observer's two global hooks, since .NET enters Python for every module if there are global hooks. .NET must also
    know when Python calls ``forward`` directly, since no hook reports such a call. Calls of this context that run no hook are recorded by
    .NET alone.
    """

    def begin(frame: FrameType) -> Callable[[], object] | None:
        # Inside a recorded call, .NET records anyway. After an interrupt, the observer may not know yet that its calls have ended.
        if (observer.is_in_call(frame) and recorder.in_recorded_thread()) or not observer.sees_context():
            return None
        return partial(recorder.mark_forward, False) if recorder.mark_forward(True) else None

    _count_hooks(recorder.host, 2)
    direct_forwards.listeners.append(begin)
    recorder.observe(observer.context())
    try:
        yield
    finally:
        recorder.observe(())
        direct_forwards.listeners.remove(begin)
        _count_hooks(recorder.host, -2)


def _write(recorder: _DotNetRecorder, file: Path, trace: Trace) -> None:
    """Make .NET write the recording to a file. .NET gets the tensors' digests in the order of the trace."""
    assert trace.header is not None
    forms = trace.columns.tables.forms.items
    described = {
        "header": asdict(trace.header),
        "modules": [(number, path, kind) for number, (path, kind) in recorder.names.items()],
        "digests": [value.digest for event in trace for value in event.values if value.kind == "tensor"]
        if any(form.hashed for form in forms)
        else [],
    }
    exports = recorder.host.exports
    known = json.dumps(described)
    replace_trace(file, lambda place: exports.record_write(recorder.number, str(place), known), {})


def _count_hooks(host: DotNetRuntime, change: int) -> None:
    global _recorder_hooks
    with _lock:
        _recorder_hooks += change
        host.exports.set_recorders(_recorder_hooks)


def _drain(recorder: _DotNetRecorder, values: Values, roots: Iterable[str], header: Header) -> Trace:
    """Copy .NET's buffer and return the trace. If possible, the copy is converted to columns only when the trace is first used."""
    exports, names = recorder.host.exports, recorder.names
    where = exports.record_drain(recorder.number)
    count = where["event_count"]
    # Copies, since .NET reuses the buffer for the next recording.
    events = ctypes.string_at(where["events"], count * EVENT.itemsize)
    records = ctypes.string_at(where["values"], where["value_count"] * VALUE.itemsize)
    dims = ctypes.string_at(where["dims"], where["dim_count"] * _DIM.itemsize)

    def columns() -> Columns:
        sizes = np.frombuffer(dims, _DIM).tolist()
        found = [_value(recorder, record, sizes, values) for record in np.frombuffer(records, VALUE).tolist()]
        return _columns(np.frombuffer(events, EVENT), found, names)

    # .NET frees tensors and strings when the recording stops, so a recording that keeps tensors or strings is converted now.
    can_wait = values == "none" and not where["text_count"]
    return Trace.of_columns(NAME, columns if can_wait else columns(), roots, header, count=count)


def _columns(events: np.ndarray, found: list[Value], names: Mapping[int, tuple[str, str]]) -> Columns:
    tables = Tables()
    modules, places = np.unique(events["path"], return_inverse=True)
    known = [names.get(number, (f"?{number}", "?")) for number in modules.tolist()]
    paths, types = tables.paths.column([path for path, _ in known]), tables.types.column([kind for _, kind in known])
    form, digests = tables.forms.column(found)
    return Columns(
        tables,
        paths[places],
        types[places],
        events["phase"].copy(),  # an index into PHASES of bridge.trace.event, as "scope" is into SCOPES
        events["call"].copy(),
        events["parent"].copy(),
        events["hook"].copy(),
        events["scope"].copy(),
        events["value_count"].copy(),
        form,
        digests,
        data={index: value.data for index, value in enumerate(found) if value.data is not None},
    )


def _value(recorder: _DotNetRecorder, record: tuple[int, ...], dims: list[int], values: Values) -> Value:
    kind, dtype, _, device, index, ndim, first, payload = record
    name, exports = _KINDS[kind], recorder.host.exports
    if name == "tensor":
        data = None
        if payload >= 0:
            data = elements(tensors.take(exports.record_value(recorder.number, payload)))
        where = boundary.devices().get(device, str(device))
        where = where if where in ("cpu", "meta") else f"{where}:{index}"
        return tensor_value(
            tuple(dims[first : first + ndim]), boundary.dtypes().get(dtype, str(dtype)), where, data, values
        )
    if name == "bool":
        return Value(name, literal=bool(payload))
    if name == "str":
        return Value(name, literal=recorder.host.exports.record_text(recorder.number, payload))
    if name == "int":
        return Value(name, literal=payload)
    if name == "float":
        return Value(name, literal=float(np.int64(payload).view(np.float64)))
    return Value(name)
