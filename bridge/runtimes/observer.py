"""Observation of module calls by global hooks, in the context that began the recording.

A recording belongs to a context (:mod:`contextvars`), that is, to a thread or an asyncio task. Tasks and ``asyncio.to_thread`` calls that
it starts inherit the context and are observed too; other threads and tasks are not.
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

_recordings: ContextVar[frozenset[object]] = ContextVar("bridge_recordings", default=frozenset())


class CallListener(Protocol):
    """The receiver of calls. It assigns call numbers, -1 for a call that it does not record."""

    def begin(self, module: torch.nn.Module, args: tuple[Any, ...], parent: int, root: bool) -> int:
        """Begin a call inside the call ``parent`` (-1: none on this thread), or as a ``root``, and return its number."""

    def result(self, call: int, module: torch.nn.Module, result: Any) -> None:
        """Record the result of a call."""

    def failed(self, call: int, module: torch.nn.Module) -> None:
        """Record that a call raised."""


@dataclass(slots=True)
class _ActiveCall:
    """A call that has not returned. ``frame`` calls the pre hooks and forward hooks; ``caller`` calls the forward hooks if it raises."""

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
    """The global hooks of a recording. It may be used on any thread."""

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

    def is_in_call(self, frame: FrameType | None) -> bool:
        """Return whether a call of this thread is active; ``frame`` is the top of its stack."""
        calls = self._calls.stack
        if calls and calls[-1].frame is not frame:
            self._close_ended_calls(calls, frame)
        return bool(calls)

    def _close_ended_calls(self, calls: list[_ActiveCall], frame: FrameType | None) -> None:
        """Close the active calls whose frame has left the stack.

        An exception that is no Exception, such as KeyboardInterrupt, passes through PyTorch's dispatcher without calling a hook.
        """
        while calls and not _is_on_stack(calls[-1].frame, frame):
            call = calls.pop()
            self._recorder.failed(call.number, call.module)

    def pre(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Begin a call: the global pre hook."""
        frame = sys._getframe(1)
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
        """End a call: the global forward hook, always called."""
        calls = self._calls.stack
        if not calls:
            return
        frame = sys._getframe(1)
        while calls and frame is not calls[-1].frame and frame is not calls[-1].caller:
            if _is_on_stack(calls[-1].frame, frame):
                return  # of an inner call that is not recorded
            over = calls.pop()
            self._recorder.failed(over.number, over.module)
        if not calls:
            return
        call = calls.pop()
        # The dispatcher calls the hook in an except block if the call raised.
        if sys.exception() is call.exception:
            self._recorder.result(call.number, module, result)
        else:
            self._recorder.failed(call.number, module)


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

    The hooks are registered last, so that they run after the user's global hooks and before the modules' own (O-1). Keyword arguments of
    ``modules`` are appended to ``args`` at their parameters' positions; those of other modules are not seen. ``in_recorded_thread`` is
    called on a thread without active calls, and returns whether a recorded call started that thread.
    """
    roots = frozenset(modules)
    sight = CallObserver(recorder, roots, in_recorded_thread)
    handles = (
        globals_.register_module_forward_pre_hook(sight.pre),
        globals_.register_module_forward_hook(sight.forward, always_call=True),
    )
    # PyTorch passes kwargs to a hook whose id is in the module's own dictionary, even if the hook is global.
    with_kwargs = [module._forward_pre_hooks_with_kwargs for module in roots]
    for numbers in with_kwargs:
        numbers[handles[0].id] = True
    _recordings.set(_recordings.get() | {sight})
    try:
        yield sight
    finally:
        # No ContextVar token: the block may end in another context.
        _recordings.set(_recordings.get() - {sight})
        for numbers in with_kwargs:
            numbers.pop(handles[0].id, None)
        for handle in handles:
            handle.remove()
        sight.is_in_call(None)
