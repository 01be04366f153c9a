"""Python's hooks on the modules of TorchSharp in this process.

TorchSharp's ``call`` cannot be replaced, and runs only the hooks in TorchSharp's own lists. Hooks that this package adds to these lists
call :func:`enter` and :func:`leave`, which run Python's hooks before and after ``forward`` as PyTorch does. A-3 and A-4 are clauses of the
contract (docs/contract.md).
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from bridge.mirror.crossing import conversion
from bridge.mirror.hooks.phases import HookedCall
from bridge.torchsharp.in_process.errors import CallFailedError
from bridge.torchsharp.in_process.modes import refuse_modes

#: The Python modules by the numbers that C# gave them.
modules: weakref.WeakValueDictionary[int, torch.nn.Module] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)
_calls: dict[int, HookedCall] = {}


class _Thread(threading.local):
    #: The number of the module that Python is about to call, and the arguments of the call.
    given: tuple[int, tuple[Any, ...], dict[str, Any]] | None = None
    #: The numbers of the calls that have begun and not ended.
    open: list[int]
    #: An interrupt that a hook raised, such as KeyboardInterrupt. Even if C# catches it, no hook runs in the rest of the call from Python.
    interrupt: BaseException | None = None

    def __init__(self) -> None:
        self.open = []


_thread = _Thread()


@contextmanager
def calling(id: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
    """Record the arguments of a call from Python, so that the module's hooks get the same objects.

    On exit, discard the calls that have begun in the block and not ended, and an interrupt that a hook has raised in the block.
    """
    thread = _thread
    count, interrupt = len(thread.open), thread.interrupt
    thread.given = id, args, kwargs
    try:
        yield
    finally:
        thread.given = None
        for number in thread.open[count:]:
            _calls.pop(number, None)
        del thread.open[count:]
        thread.interrupt = interrupt


def enter(id: int, args: tuple[Any, ...]) -> tuple[int, tuple[Any, ...] | None]:
    """Run a module's pre hooks. Return a number for the call, and the new arguments (None if unchanged). Called by .NET."""
    _raise_interrupt()
    module = modules[id]
    kwargs: dict[str, Any] = {}
    given, _thread.given = _thread.given, None
    if given is not None and given[0] == id:
        _, args, kwargs = given
    call = HookedCall(module, args, dict(kwargs))  # a copy, since hooks may change the dictionary
    try:
        call.enter()
        bound = bind(module, call.args, call.kwargs)
        refuse_modes(bound)
        module.__dict__["_state"].synchronize()  # hooks may have replaced tensors, as pruning does
    except BaseException as error:
        _recover(call, error)
        raise
    number = next(_numbers)
    _calls[number] = call
    _thread.open.append(number)
    same = call.args is args and len(call.kwargs) == len(kwargs)
    same = same and all(name in kwargs and value is kwargs[name] for name, value in call.kwargs.items())
    return number, None if same else bound


def leave(number: int, args: tuple[Any, ...] | None, result: Any) -> tuple[Any] | None:
    """Run the forward hooks of a call. Return the new result in a tuple, or None if it is unchanged. Called by .NET.

    ``args`` are None unless TorchSharp's own pre hooks have replaced the arguments.
    """
    call = _close(number)
    _raise_interrupt()
    if args is not None:
        call.args, call.kwargs = args, {}
    try:
        changed = call.leave(result)
        refuse_modes((changed,))
        call.module.__dict__["_state"].synchronize()  # for the modules that C# calls next
    except BaseException as error:
        _recover(call, error)
        raise
    return None if changed is result else (changed,)


def recover(number: int) -> None:
    """Run the always_call forward hooks of a call that failed after :func:`enter` and before :func:`leave` (A-3). Called by .NET."""
    call = _close(number)
    if _thread.interrupt is not None:
        return
    try:
        raise CallFailedError
    except CallFailedError:  # as in PyTorch, the hooks run while an exception is handled
        call.recover()


def refresh(id: int) -> None:
    """Give a Python module the tensors and the training mode that C# has changed in a call. Called by .NET."""
    modules[id].__dict__["_state"].refresh(id)


def bind(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return all arguments by position. Raises TypeError if there are ``kwargs`` and the arguments do not fit C#'s ``forward``."""
    own = module.__dict__
    return (
        conversion.bind(own["_parameters_of_forward"], own["_signature"], args, kwargs, own["_overloads"])
        if kwargs
        else tuple(args)  # a pre hook may have returned another sequence
    )


def _recover(call: HookedCall, error: BaseException) -> None:
    """Run a failed call's always_call hooks. After an interrupt, PyTorch runs none (A-4), so only store the interrupt."""
    if isinstance(error, Exception):
        call.recover()
    else:
        _thread.interrupt = error


def _raise_interrupt() -> None:
    if _thread.interrupt is not None:
        raise _thread.interrupt


def _close(number: int) -> HookedCall:
    open = _thread.open
    if number in open:
        del open[open.index(number) :]
    return _calls.pop(number)
