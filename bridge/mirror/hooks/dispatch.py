"""Python's part of a module call whose hooks C# runs, since all hooks of the module are C# hooks.

:func:`plan_hooks` gives C# the list of the hooks. If a Python hook is registered during the call, :func:`finish` runs the forward hooks, as
PyTorch's ``Module._call_impl`` does.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch.nn.modules import module as global_hooks

from bridge.mirror.crossing import conversion
from bridge.mirror.hooks.csharp_hooks import CSharpHook, TypedHook
from bridge.mirror.link import by_id
from bridge.mirror.module import Mirror
from bridge.mirror.synchronization.placement import target

_Entries = tuple[tuple[int, int, bool, bool], ...]
#: The parameters after ``module``, without kwargs and with kwargs: of a forward pre hook, then of a forward hook.
_PRE = (("args",), ("args", "kwargs"))
_FORWARD = (("args", "output"), ("args", "kwargs", "output"))


def plan_hooks(id: int) -> tuple[_Entries, _Entries] | None:
    """Return a module's forward pre hooks and forward hooks: each hook's key, number, with_kwargs and always_call. Called by .NET.

    Returns None if Python must make the call.
    """
    module = by_id(id).mirror()
    if module is None or module.__dict__.get("_compiled_call_impl") is not None:
        return None
    # A Python class that derives from the mirror's class may override forward.
    if isinstance(module, Mirror) and type(module).forward.__code__ is not Mirror.forward.__code__:
        return None
    pre = _entries(module._forward_pre_hooks, module._forward_pre_hooks_with_kwargs, {}, _PRE)
    always = module._forward_hooks_always_called
    forward = _entries(module._forward_hooks, module._forward_hooks_with_kwargs, always, _FORWARD)
    return None if pre is None or forward is None else (pre, forward)


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
    """Return the arguments by position (:func:`.conversion.bind`). Raises TypeError when they do not fit. Called by .NET."""
    link = by_id(id)
    return conversion.bind(link.arguments, link.path, args, kwargs)


def finish(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """Run the forward hooks of a call during which a Python hook was registered (C-7b), and return the result. Called by .NET."""
    module = target(by_id(id))
    # The keys of the hooks with always_call that have started, and must not run again after an error.
    done = set()
    try:
        for key, hook in (*global_hooks._global_forward_hooks.items(), *module._forward_hooks.items()):
            if key in module._forward_hooks_always_called or key in global_hooks._global_forward_hooks_always_called:
                done.add(key)
            if key in module._forward_hooks_with_kwargs or key in global_hooks._global_forward_hooks_with_kwargs:
                changed = hook(module, args, kwargs, result)
            else:
                changed = hook(module, args, result)
            if changed is not None:
                result = changed
    except Exception:  # as in PyTorch: neither KeyboardInterrupt nor SystemExit
        _recover(module, args, kwargs, result, done)
        raise
    return result


def recover(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, done: tuple[int, ...]) -> None:
    """Run the always_call forward hooks of a call that failed (A-3), except those with a key in ``done``. Called by .NET."""
    module = by_id(id).mirror()
    if module is not None:
        _recover(module, args, kwargs, result, done)


def _recover(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, done: Collection[int]
) -> None:
    for prefix, hooks, always, with_kwargs in (
        ("global ", global_hooks._global_forward_hooks, global_hooks._global_forward_hooks_always_called, {}),
        ("", module._forward_hooks, module._forward_hooks_always_called, module._forward_hooks_with_kwargs),
    ):
        for key, hook in hooks.items():
            if key not in always or key in done:
                continue
            try:
                changed = hook(module, args, kwargs, result) if key in with_kwargs else hook(module, args, result)
                if changed is not None:
                    result = changed
            except Exception as error:  # the error of the call is raised; that of the hook becomes a warning
                warnings.warn(
                    f"{prefix}module forward hook with ``always_call=True`` raised an exception "
                    f"that was silenced as another error was raised in forward: {error}",
                    stacklevel=2,
                )
