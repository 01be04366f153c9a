"""What .NET calls in Python: a listened module, a link that is out of date, hooks and training flags that C# changes.

No exception passes through .NET's frames: each callback keeps the exception object alive for .NET and returns a code, and the very
same object is raised again where Python called .NET. How a callback ended stands in its ``outcome`` word, which .NET has preset: one
that an interrupt meets before its first instruction returns garbage, and .NET raises KeyboardInterrupt in its place. A callback takes
the GIL itself, whoever holds it.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

import torch

from bridge import tensors
from bridge.clr import Host
from bridge.mirror import crossing, links, watching
from bridge.mirror.hooks import change

_I, _L = ctypes.c_int, ctypes.c_int64
_LP, _IP = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int)
# The share of the recursion limit that Python frames may have taken. Up to 3.11 calls through C count towards the limit too, and one
# round through .NET and PyTorch's dispatcher has nearly as many of them as frames.
_SHARE = 0.85 if sys.version_info >= (3, 12) else 0.5
_last = threading.local()
# Referenced here as long as the process lives: .NET keeps their addresses.
_alive: list[Any] = []
_increase = ctypes.pythonapi.Py_IncRef
_increase.argtypes = (ctypes.py_object,)
_increase.restype = None


def install(host: Host) -> None:
    """Hands the callbacks to .NET."""

    def call(
        id: int, arguments: Any, count: int, results: Any, capacity: int, given: Any, exception: Any, outcome: Any
    ) -> None:
        try:
            _check_depth()
            module = links.by_id(id).target()
            result = module(*crossing.read(arguments, count, owned=False))
            _give(result, results, capacity)
            given[0] = 1
            watching.check_globals(host)
            outcome[0] = 0
        except BaseException as error:
            outcome[0] = _hand_over(error, exception)

    def synchronize(id: int, compute: int, exception: Any, outcome: Any) -> None:
        try:
            links.by_id(id).synchronize(bool(compute))
            outcome[0] = 0
        except BaseException as error:
            outcome[0] = _hand_over(error, exception)

    def change_hook(id: int, number: int, flags: int, exception: Any, outcome: Any) -> None:
        try:
            change(host, links.by_id(id), number, flags)
            outcome[0] = 0
        except BaseException as error:
            outcome[0] = _hand_over(error, exception)

    def train(id: int, training: int, exception: Any, outcome: Any) -> None:
        try:
            mirror = links.by_id(id).mirror()
            if mirror is not None:
                mirror.training = bool(training)
            outcome[0] = 0
        except BaseException as error:
            outcome[0] = _hand_over(error, exception)

    borrow, own, check_globals, known, Tensor = (
        tensors.borrow_way(),
        host.exports.own,
        watching.check_globals,
        links.known,
        torch.Tensor,
    )

    def call_with_tensor(id: int, handle: int, outcome: Any) -> None:
        try:
            link = known[id]()
            assert link is not None  # .NET has looked
            result = link.target()(borrow(handle))
            check_globals(host)
            if isinstance(result, Tensor):
                outcome[0] = own(result._cdata)
            else:
                _last.outcome = result
                outcome[0] = 0
        except BaseException as error:
            _last.error = error
            outcome[0] = 0

    def take_outcome(results: Any, capacity: int, given: Any, exception: Any, outcome: Any) -> None:
        try:
            error = vars(_last).pop("error", None)
            if error is not None:
                outcome[0] = _hand_over(error, exception)
                return
            _give(vars(_last).pop("outcome"), results, capacity)
            given[0] = 1
            outcome[0] = 0
        except BaseException as error:
            outcome[0] = _hand_over(error, exception)

    callbacks: list[Any] = [
        ctypes.CFUNCTYPE(None, _L, _LP, _I, _LP, _I, _IP, _LP, _LP)(call),
        ctypes.CFUNCTYPE(None, _L, _I, _LP, _LP)(synchronize),
        ctypes.CFUNCTYPE(None, _L, _L, _I, _LP, _LP)(change_hook),
        ctypes.CFUNCTYPE(None, _L, _I, _LP, _LP)(train),
        ctypes.CFUNCTYPE(None, _L, _L, _LP)(call_with_tensor),
        ctypes.CFUNCTYPE(None, _LP, _I, _IP, _LP, _LP)(take_outcome),
    ]
    _alive.extend(callbacks)
    addresses = [ctypes.cast(item, ctypes.c_void_p).value or 0 for item in (*callbacks, _increase)]
    addresses[-1:] = [tensors.wrapper_address(), id(None), addresses[-1]]
    table = (ctypes.c_int64 * len(addresses))(*addresses)
    host.exports.check(host.exports.bind_callbacks(table))


def _give(result: Any, results: Any, capacity: int) -> None:
    words = crossing.write((result,), own=True)
    if len(words) > 2 * capacity:
        raise ValueError(f"the result has more than {capacity} values")
    ctypes.memmove(results, words, ctypes.sizeof(words))
    _last.words = words  # texts in it are read when the callback has returned


def _check_depth() -> None:
    """Raises RecursionError while there are frames left to tell it: near the limit not even a callback can begin."""
    try:
        sys._getframe(int(sys.getrecursionlimit() * _SHARE))
    except ValueError:
        return
    raise RecursionError("maximum recursion depth exceeded while modules call each other through .NET")


def _hand_over(error: BaseException, exception: Any) -> int:
    """.NET gets a reference of its own; 1 for an Exception, 2 for what only passes (A-4)."""
    _increase(error)
    exception[0] = id(error)
    return 1 if isinstance(error, Exception) else 2
