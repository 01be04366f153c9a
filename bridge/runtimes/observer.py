"""The module calls that a recording sees: by global hooks, in the context in which it was begun.

A recording belongs to the context (:mod:`contextvars`) that began it: to a thread, or to one task of asyncio. What that context hands
on, to the tasks that it starts or through ``asyncio.to_thread``, is seen too; other threads and tasks are not.
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
    """Writes a recording. It numbers the calls, -1 for one that it does not record."""

    def begin(self, module: torch.nn.Module, args: tuple[Any, ...], parent: int, root: bool) -> int:
        """A module is called inside of the call ``parent`` (-1: none of this thread), or as a ``root``. Gives the call's number."""

    def result(self, call: int, module: torch.nn.Module, result: Any) -> None:
        """The call has a result."""

    def failed(self, call: int, module: torch.nn.Module) -> None:
        """The call ended without one."""


@dataclass(slots=True)
class _ActiveCall:
    """A call under way. ``frame`` called the pre hooks and calls the forward hooks, ``caller`` calls them when it failed."""

    frame: FrameType
    caller: FrameType | None
    module: torch.nn.Module
    number: int
    exception: BaseException | None


class _CallStack(threading.local):
    """The calls under way on a thread, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[_ActiveCall] = []


class CallObserver:
    """Which calls one recording sees. Usable from any thread."""

    def __init__(
        self, recorder: CallListener, roots: Container[torch.nn.Module], elsewhere: Callable[[], bool]
    ) -> None:
        self._recorder = recorder
        self._roots = roots
        self._elsewhere = elsewhere
        self._bind = Binder()
        self._calls = _CallStack()

    def here(self) -> bool:
        """Whether the recording sees this context."""
        return self in _recordings.get()

    def inside(self, frame: FrameType | None) -> bool:
        """Whether a call of this thread, which ``frame`` is the top of, is under way."""
        calls = self._calls.stack
        if calls and calls[-1].frame is not frame:
            self._sweep(calls, frame)
        return bool(calls)

    def _sweep(self, calls: list[_ActiveCall], frame: FrameType | None) -> None:
        """Closes the calls that ended unseen. What is not an Exception (Ctrl-C) passes through PyTorch's dispatcher without calling a
        hook; such a call is known to be over when its frame is no longer on the stack."""
        while calls and not _runs(calls[-1].frame, frame):
            call = calls.pop()
            self._recorder.failed(call.number, call.module)

    def pre(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """The global pre hook."""
        frame = sys._getframe(1)
        calls = self._calls.stack
        if calls:
            self._sweep(calls, frame)
        parent, root = -1, False
        if calls:
            parent = calls[-1].number
        else:
            root = module in self._roots and self in _recordings.get()
            if not (root or self._elsewhere()):
                return
        number = self._recorder.begin(module, self._bind(module, args, kwargs or {}), parent, root)
        if number >= 0:
            calls.append(_ActiveCall(frame, frame.f_back, module, number, sys.exception()))

    def forward(self, module: torch.nn.Module, args: tuple[Any, ...], result: Any) -> None:
        """The global forward hook, always called."""
        calls = self._calls.stack
        if not calls:
            return
        frame = sys._getframe(1)
        while calls and frame is not calls[-1].frame and frame is not calls[-1].caller:
            if _runs(calls[-1].frame, frame):
                return  # of a call inside, that is not recorded
            over = calls.pop()
            self._recorder.failed(over.number, over.module)
        if not calls:
            return
        call = calls.pop()
        # Called in an except block of the dispatcher: the call failed.
        if sys.exception() is call.exception:
            self._recorder.result(call.number, module, result)
        else:
            self._recorder.failed(call.number, module)


def _runs(frame: FrameType, top: FrameType | None) -> bool:
    while top is not None:
        if top is frame:
            return True
        top = top.f_back
    return False


@contextmanager
def observe_calls(
    recorder: CallListener, modules: Iterable[torch.nn.Module], elsewhere: Callable[[], bool] = lambda: False
) -> Iterator[CallObserver]:
    """Global hooks that tell ``recorder`` of the calls of ``modules`` in this context, and of all calls inside of them.

    They are registered last, so they run after the user's global hooks and before the modules' own (O-1). Keyword arguments
    of calls of ``modules`` are in ``args`` too, at the positions of their parameters; those of other modules are not seen.
    ``elsewhere`` is called when no call is under way on a thread, and says whether a recorded call started that thread.
    """
    roots = frozenset(modules)
    sight = CallObserver(recorder, roots, elsewhere)
    handles = (
        globals_.register_module_forward_pre_hook(sight.pre),
        globals_.register_module_forward_hook(sight.forward, always_call=True),
    )
    # PyTorch hands kwargs to a hook whose id is in the module's own list, even if the hook is a global one.
    with_kwargs = [module._forward_pre_hooks_with_kwargs for module in roots]
    for numbers in with_kwargs:
        numbers[handles[0].id] = True
    _recordings.set(_recordings.get() | {sight})
    try:
        yield sight
    finally:
        # Not by a token: the block may end in another context.
        _recordings.set(_recordings.get() - {sight})
        for numbers in with_kwargs:
            numbers.pop(handles[0].id, None)
        for handle in handles:
            handle.remove()
        sight.inside(None)
