"""Observation of module calls by global hooks, in the context that began the recording.

A recording belongs to a context (:mod:`contextvars`), that is, to a thread or an asyncio task. Tasks and ``asyncio.to_thread`` calls that
this thread or task starts inherit the context and are observed too. Other threads and tasks are not observed, except threads that a
recorded call started in .NET. Codes such as O-1 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol

import torch
from torch.nn.modules import module as globals_

from bridge.runtimes.binding import Binder

#: The Python modules whose functions .NET calls to run the hooks of a C# module, once before and once after its ``forward`` in C#.
_ENTERED = frozenset({"bridge.mirror.hooks.phases", "bridge.torchsharp.in_process.hooks"})
_recordings: ContextVar[frozenset[object]] = ContextVar("bridge_recordings", default=frozenset())


class CallListener(Protocol):
    """The receiver of the observed calls."""

    def begin(self, module: torch.nn.Module, args: tuple[Any, ...], parent: int, root: bool) -> int:
        """Begin a call and return its number, or -1 if the call is not recorded.

        ``parent`` is the number of the observed call on this thread that encloses this call, -1 if there is none. ``root`` is
        True if ``parent`` is -1, ``module`` is one of the recorded modules, and the recording observes this context.
        """

    def result(self, call: int, module: torch.nn.Module, result: Any) -> None:
        """Record the result of a call."""

    def failed(self, call: int, module: torch.nn.Module) -> None:
        """Record that a call raised."""


@dataclass(slots=True)
class _ActiveCall:
    """A call that has not returned.

    Attributes:
        frame: The frame in which PyTorch calls the pre hooks and forward hooks (:func:`_dispatcher`).
        caller: The frame that called ``frame``. If ``frame`` raises, the caller calls the always_call hooks.
        number: The number that the listener gave to the call.
        exception: The exception that was being handled when the call began, or None.
    """

    frame: FrameType
    caller: FrameType | None
    module: torch.nn.Module
    number: int
    exception: BaseException | None


class _CallStack(threading.local):
    """The active calls of a thread, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[_ActiveCall] = []


class CallObserver:
    """The observer of a recording. Its methods ``pre`` and ``forward`` are global hooks, which may run on any thread."""

    def __init__(
        self, recorder: CallListener, roots: Container[torch.nn.Module], in_recorded_thread: Callable[[], bool]
    ) -> None:
        self._recorder = recorder
        self._roots = roots
        self._in_recorded_thread = in_recorded_thread
        self._bind = Binder()
        self._calls = _CallStack()

    def sees_context(self) -> bool:
        """Return whether the recording observes the current context."""
        return self in _recordings.get()

    @staticmethod
    def context() -> tuple[ContextVar[frozenset[object]], frozenset[object]]:
        """Return the variable of the observers of a context, and its value, which is the same object in contexts that inherit it."""
        return _recordings, _recordings.get()

    def is_in_call(self, frame: FrameType | None) -> bool:
        """Close the observed calls of this thread that have ended, and return whether any is still active.

        ``frame`` is the thread's current frame. None closes all calls.
        """
        calls = self._calls.stack
        if calls and calls[-1].frame is not frame:
            self._close_ended_calls(calls, frame)
        return bool(calls)

    def _close_ended_calls(self, calls: list[_ActiveCall], frame: FrameType | None) -> None:
        """Close the active calls whose frame has left the stack, as after a KeyboardInterrupt, for which PyTorch calls no hook."""
        while calls and not _is_on_stack(calls[-1].frame, frame):
            call = calls.pop()
            self._recorder.failed(call.number, call.module)

    def pre(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Begin a call: the global pre hook."""
        frame = _dispatcher(sys._getframe(1))
        calls = self._calls.stack
        if calls:
            self._close_ended_calls(calls, frame)
        parent, root = -1, False
        if calls:
            parent = calls[-1].number
        else:
            root = module in self._roots and self in _recordings.get()
            if not (root or self._in_recorded_thread()):
                return
        number = self._recorder.begin(module, self._bind(module, args, kwargs or {}), parent, root)
        if number >= 0:
            calls.append(_ActiveCall(frame, frame.f_back, module, number, sys.exception()))

    def forward(self, module: torch.nn.Module, args: tuple[Any, ...], result: Any) -> None:
        """End a call: the global forward hook, registered with ``always_call``."""
        calls = self._calls.stack
        if not calls:
            return
        frame = _dispatcher(sys._getframe(1))
        while calls and frame is not calls[-1].frame and frame is not calls[-1].caller:
            if _is_on_stack(calls[-1].frame, frame):
                return  # the hook of an inner call that is not recorded
            ended = calls.pop()
            self._recorder.failed(ended.number, ended.module)
        # All calls inside .NET have the same frame, so the inner calls that an interrupt ended are recognized by their modules.
        while calls and calls[-1].module is not module and frame is calls[-1].frame:
            ended = calls.pop()
            self._recorder.failed(ended.number, ended.module)
        if not calls:
            return
        call = calls.pop()
        # If the call raised, the dispatcher calls this hook in an except block, where sys.exception() is the call's exception.
        if sys.exception() is call.exception:
            self._recorder.result(call.number, module, result)
        else:
            self._recorder.failed(call.number, module)


def _dispatcher(frame: FrameType) -> FrameType:
    """Return the frame that dispatches a call. For a call that .NET makes, this is the frame that called .NET.

    The frames of the modules in :data:`_ENTERED` are skipped, since they end before the call does.
    """
    while frame.f_globals.get("__name__") in _ENTERED and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _is_on_stack(frame: FrameType, top: FrameType | None) -> bool:
    while top is not None:
        if top is frame:
            return True
        top = top.f_back
    return False


@contextmanager
def observe_calls(
    recorder: CallListener, modules: Iterable[torch.nn.Module], in_recorded_thread: Callable[[], bool] = lambda: False
) -> Iterator[CallObserver]:
    """Register global hooks that report the calls of ``modules`` in this context, and all calls inside them, to ``recorder``.

    The hooks run after the global hooks that were registered before, and before the modules' own hooks (O-1). The pre hook gets the keyword
    arguments of calls of ``modules``, and passes them to ``recorder`` in ``args``. It does not get those of other modules.
    ``in_recorded_thread`` is called on a thread without active calls, and returns whether the thread belongs to a recorded call.
    """
    roots = frozenset(modules)
    observer = CallObserver(recorder, roots, in_recorded_thread)
    handles = (
        globals_.register_module_forward_pre_hook(observer.pre),
        globals_.register_module_forward_hook(observer.forward, always_call=True),
    )
    # PyTorch passes kwargs to a hook whose id is in the module's ``_forward_pre_hooks_with_kwargs``, even if the hook is global.
    with_kwargs = [module._forward_pre_hooks_with_kwargs for module in roots]
    for numbers in with_kwargs:
        numbers[handles[0].id] = True
    _recordings.set(_recordings.get() | {observer})
    try:
        yield observer
    finally:
        # ContextVar.reset would raise if the block ends in another context than it began in.
        _recordings.set(_recordings.get() - {observer})
        for numbers in with_kwargs:
            numbers.pop(handles[0].id, None)
        for handle in handles:
            handle.remove()
        observer.is_in_call(None)  # closes the calls whose end the hooks did not see
