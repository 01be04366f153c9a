"""Python's part of a module call whose hooks C# runs: all hooks of the module are C# hooks, or the only one is a Python forward hook.

:func:`plan_hooks` gives C# the list of the hooks. If a Python hook is registered during the call, :func:`finish` runs the forward hooks, as
PyTorch's ``Module._call_impl`` does. Codes such as C-7 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch

from bridge.mirror.crossing import conversion
from bridge.mirror.hooks.csharp_hooks import CSharpHook, TypedHook
from bridge.mirror.hooks.phases import HookedCall
from bridge.mirror.link import by_id
from bridge.mirror.module import Mirror, calls_as_pytorch
from bridge.mirror.synchronization.placement import target

_Entries = tuple[tuple[int, int, bool, bool], ...]
#: The parameters of a forward pre hook after ``module``: without kwargs, then with kwargs.
_PRE = (("args",), ("args", "kwargs"))
#: The same for a forward hook.
_FORWARD = (("args", "output"), ("args", "kwargs", "output"))


def plan_hooks(id: int) -> tuple[_Entries, _Entries] | None:
    """Return a module's forward pre hooks and forward hooks: each hook's key, number, with_kwargs and always_call. Called by .NET.

    The number of a Python hook is 0: C# calls it if it is the only hook, a forward hook without options. Returns None if Python must make
    the call.
    """
    module = by_id(id).mirror()
    if module is None or module.__dict__.get("_compiled_call_impl") is not None:
        return None
    # A Python class that derives from the module's class may override forward.
    if isinstance(module, Mirror) and type(module).forward.__code__ is not Mirror.forward.__code__:
        return None
    if (key := _python_hook(module)) is not None:
        return (), ((key, 0, False, False),)
    pre = _entries(module._forward_pre_hooks, module._forward_pre_hooks_with_kwargs, {}, _PRE)
    always = module._forward_hooks_always_called
    forward = _entries(module._forward_hooks, module._forward_hooks_with_kwargs, always, _FORWARD)
    return None if pre is None or forward is None else (pre, forward)


def _python_hook(module: torch.nn.Module) -> int | None:
    """Return the key of the module's only hook, a Python forward hook without options that C# may call in place of PyTorch; else None."""
    hooks = module._forward_hooks
    if len(hooks) != 1 or module._forward_pre_hooks or type(hooks) not in (dict, OrderedDict):
        return None
    ((key, hook),) = hooks.items()
    if key in module._forward_hooks_with_kwargs or key in module._forward_hooks_always_called:
        return None
    return None if type(key) is not int or isinstance(hook, CSharpHook) or not calls_as_pytorch(module) else key


def _entries(
    hooks: Mapping[int, Any],
    with_kwargs: Mapping[int, bool],
    always: Mapping[int, bool],
    takes: tuple[tuple[str, ...], tuple[str, ...]],
) -> _Entries | None:
    if type(hooks) not in (dict, OrderedDict):
        return None
    entries = []
    for key, hook in tuple(hooks.items()):
        kwargs = key in with_kwargs
        if not (
            type(key) is int
            and isinstance(hook, CSharpHook)
            and hook.takes_arguments(takes[0] if isinstance(hook, TypedHook) else takes[kwargs])
        ):
            return None
        entries.append((key, hook.number, kwargs, key in always))
    return tuple(entries)


def takes_kwargs(id: int, key: int, forward: bool) -> bool:
    """Return whether a hook is currently registered with ``with_kwargs``. Called by .NET."""
    module = by_id(id).mirror()
    return module is not None and key in (
        module._forward_hooks_with_kwargs if forward else module._forward_pre_hooks_with_kwargs
    )


def is_always_called(id: int, key: int) -> bool:
    """Return whether a forward hook is currently registered with ``always_call``. Called by .NET."""
    module = by_id(id).mirror()
    return module is not None and key in module._forward_hooks_always_called


def bind(id: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return all arguments by position (:func:`.conversion.bind`). Raises TypeError. Called by .NET."""
    link = by_id(id)
    return conversion.bind(link.arguments, link.signature, args, kwargs)


def finish(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """Run the forward hooks of a call during which a Python hook was registered (C-7), and return the result. Called by .NET."""
    call = HookedCall(target(by_id(id)), args, kwargs, result)
    try:
        call.run_forward_hooks()
    except Exception:  # as in PyTorch, not after KeyboardInterrupt or SystemExit
        call.recover()
        raise
    return call.result


def recover(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, done: tuple[int, ...]) -> None:
    """Run the always_call forward hooks of a call that failed (A-3), except those with a key in ``done``. Called by .NET."""
    module = by_id(id).mirror()
    if module is not None:
        HookedCall(module, args, kwargs, result, done).recover()
