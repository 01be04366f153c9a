"""Python's part of a call whose hooks are all C#'s, so that C# makes it: list the hooks, and continue the call where C# cannot.

The functions that run hooks do what PyTorch's ``Module._call_impl`` does from the point where C# has stopped.
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
#: The arguments of a hook after the module, without and with kwargs.
_PRE = (("args",), ("args", "kwargs"))
_FORWARD = (("args", "output"), ("args", "kwargs", "output"))


def plan_hooks(id: int) -> tuple[_Entries, _Entries] | None:
    """Return the entries of a module's forward pre hooks and forward hooks: key, number, with kwargs, always called. Called by .NET.

    Returns None if C# cannot call all of them.
    """
    module = by_id(id).mirror()
    if module is None or module.__dict__.get("_compiled_call_impl") is not None:
        return None
    # A class that derives from the mirror's may have its own forward.
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
    """Return whether a hook is registered with kwargs now. Called by .NET."""
    module = by_id(id).mirror()
    return module is not None and key in (
        module._forward_hooks_with_kwargs if forward else module._forward_pre_hooks_with_kwargs
    )


def is_always_called(id: int, key: int) -> bool:
    """Return whether a forward hook is registered with always_call now. Called by .NET."""
    module = by_id(id).mirror()
    return module is not None and key in module._forward_hooks_always_called


def bind(id: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments in the order of the parameters. Raises TypeError when they do not fit. Called by .NET."""
    link = by_id(id)
    return conversion.bind(link.arguments, link.path, args, kwargs)


def finish(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """Run the forward hooks of a call, among them hooks of Python's that were registered during the call (C-7b). Called by .NET."""
    module = target(by_id(id))
    # The keys of hooks that were registered with always_call when they ran.
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
    """Run the forward hooks with always_call after a call failed (A-3), except those in ``done``, which ran before. Called by .NET."""
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
            except Exception as error:  # the first error is raised, so this one becomes a warning
                warnings.warn(
                    f"{prefix}module forward hook with ``always_call=True`` raised an exception "
                    f"that was silenced as another error was raised in forward: {error}",
                    stacklevel=2,
                )
