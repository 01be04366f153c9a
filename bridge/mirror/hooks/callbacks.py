"""What .NET calls in Python: a listened module, a link that is out of date, hooks and training flags that C# changes,
autograd functions that it applies.

.NET calls these functions as a C extension calls any function, with the GIL. What one raises, Ctrl-C included, .NET takes out of the
interpreter, so no exception passes through .NET's frames, and the very same object is raised again where Python called .NET.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, NoReturn

import torch

from bridge import tensors
from bridge.clr import DotNetRuntime
from bridge.mirror.crossing import conversion
from bridge.mirror.hooks import csharp_hooks, dispatch, module_handles
from bridge.mirror.link import by_id
from bridge.mirror.module import is_ordinary
from bridge.mirror.tensors import autograd_functions
from bridge.mirror.tree import mirrors

# The share of the recursion limit that Python frames may have taken. Up to 3.11 calls through C count towards the limit too, and one
# round through .NET and PyTorch's dispatcher has nearly as many of them as frames.
_SHARE = 0.85 if sys.version_info >= (3, 12) else 0.5


def install(host: DotNetRuntime) -> None:
    """Hands the functions to .NET."""
    host.exports.give(
        {
            "call": _call,
            "call_with_tensor": _call_with_tensor,
            "run_forward": _run_forward,
            "change_property": _change_property,
            "synchronize": _synchronize,
            "change_entries": partial(mirrors.extended, host),
            "change_hook": partial(csharp_hooks.change, host),
            "hook_tensor": partial(csharp_hooks.on_tensor, host),
            "is_ordinary": _is_ordinary,
            "plan_hooks": dispatch.planned,
            "takes_kwargs": dispatch.takes_kwargs,
            "is_always_called": dispatch.is_always_called,
            "bind_arguments": dispatch.bind,
            "finish_call": dispatch.finish,
            "recover_call": dispatch.recover,
            "view": partial(module_handles.described, host),
            "train": _train,
            "default": conversion.Default,
            "plain": conversion.plain,
            "apply_function": autograd_functions.apply,
            "saved_tensors": autograd_functions.saved_tensors,
            "refuse": conversion.refuse,
            "lack": _lack,
            "pack": torch.nn.utils.rnn.PackedSequence,
            "borrow": tensors.borrow,
        }
    )
    host.exports.set(tensors.wrapper_addresses())


def _call(id: int, *arguments: Any) -> Any:
    """Calls the module that has taken a link's place."""
    _check_depth()
    link = by_id(id)
    if link.lists and link.arguments is None:
        # C# calls no such list: it asks for entries that are not there.
        link.contents()
    return link.target()(*arguments)


def _call_with_tensor(id: int, tensor: torch.Tensor) -> Any:
    """The same for a single tensor, the most common call, while calls are not deeply nested."""
    return by_id(id).target()(tensor)


def _check_depth() -> None:
    """Raises RecursionError while there are frames left to report it: near the limit ctypes cannot even convert an argument."""
    try:
        sys._getframe(int(sys.getrecursionlimit() * _SHARE))
    except ValueError:
        return
    raise RecursionError("maximum recursion depth exceeded while modules call each other through .NET")


def _run_forward(id: int, *arguments: Any) -> Any:
    """Runs the forward of the module that has taken a link's place: its hooks do not fire (C-3)."""
    _check_depth()
    return by_id(id).target().forward(*arguments)


def _change_property(id: int, name: str, value: Any) -> None:
    link = by_id(id)
    mirror = link.mirror()
    if mirror is not None and link.attributes is not None:
        link.attributes.set(mirror, name, value)


def _synchronize(id: int, compute: int, version: int) -> None:
    by_id(id).synchronize(bool(compute), version)


def _is_ordinary(id: int) -> bool:
    mirror = by_id(id).mirror()
    return mirror is not None and is_ordinary(mirror)


def _lack(id: int, name: str) -> NoReturn:
    by_id(id).lack(name)


def _train(id: int, training: bool) -> bool:
    """Sets the training flag of what is in a link's place; of all below it too, and then True, if that is not what C# has."""
    link = by_id(id)
    mirror = link.mirror()
    found, _ = link.resolved()
    if isinstance(found, AttributeError):  # deleted, so nobody trains it
        return True
    there = mirror if isinstance(found, Exception) else found
    if there is None:
        return True
    if link.stands_in or there is not mirror:
        there.train(training)
        return True
    there.training = training
    return False
