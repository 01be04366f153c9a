"""What Python does for a call with hooks that C# makes itself, where all of them are C#'s: it lists them, and goes on where C# cannot.

The functions that run hooks are PyTorch's ``Module._call_impl`` from the place on where C# has stopped.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch.nn.modules import module as globals_

from bridge.mirror.crossing import conversion
from bridge.mirror.hooks.csharp_hooks import CSharpHook, TypedHook
from bridge.mirror.link import by_id
from bridge.mirror.module import Mirror

_Entries = tuple[tuple[int, int, bool, bool], ...]
#: What follows the module in the arguments of a hook, without and with kwargs.
_PRE = (("args",), ("args", "kwargs"))
_FORWARD = (("args", "output"), ("args", "kwargs", "output"))


def planned(id: int) -> tuple[_Entries, _Entries] | None:
    """Key, number, whether it takes kwargs and whether it is always called, of each forward pre hook and forward hook of a module.

    None if C# cannot call them.
    """
    module = by_id(id).mirror()
    if module is None or module.__dict__.get("_compiled_call_impl") is not None:
        return None
    # A class made of the mirror's may have a forward of its own.
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
    found = []
    for key, hook in tuple(hooks.items()):
        kwargs = key in with_kwargs
        if not (
            type(key) is int
            and isinstance(hook, CSharpHook)
            and hook.fits(takes[0] if isinstance(hook, TypedHook) else takes[kwargs])
        ):
            return None
        found.append((key, hook.number, kwargs, key in always))
    return tuple(found)


def takes_kwargs(id: int, key: int, forward: bool) -> bool:
    """Whether a hook is registered with kwargs now."""
    module = by_id(id).mirror()
    return module is not None and key in (
        module._forward_hooks_with_kwargs if forward else module._forward_pre_hooks_with_kwargs
    )


def is_always_called(id: int, key: int) -> bool:
    """Whether a forward hook is registered to run when the call fails, too, now."""
    module = by_id(id).mirror()
    return module is not None and key in module._forward_hooks_always_called


def bind(id: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments at the places of the parameters. Raises TypeError when they do not fit."""
    link = by_id(id)
    return conversion.bind(link.arguments, link.path, args, kwargs)


def finish(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """The forward hooks of a call, some of them Python's: a hook or ``forward`` registered them meanwhile (C-7b)."""
    module = by_id(id).target()
    # Those that were always called ones when they ran.
    done = set()
    try:
        for key, hook in (*globals_._global_forward_hooks.items(), *module._forward_hooks.items()):
            if key in module._forward_hooks_always_called or key in globals_._global_forward_hooks_always_called:
                done.add(key)
            if key in module._forward_hooks_with_kwargs or key in globals_._global_forward_hooks_with_kwargs:
                changed = hook(module, args, kwargs, result)
            else:
                changed = hook(module, args, result)
            if changed is not None:
                result = changed
    except Exception:  # as in PyTorch: not what only ends the process
        _recover(module, args, kwargs, result, done)
        raise
    return result


def recover(id: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, done: tuple[int, ...]) -> None:
    """The hooks that are always called, after a call failed (A-3), but those that ran as such before."""
    module = by_id(id).mirror()
    if module is not None:
        _recover(module, args, kwargs, result, done)


def _recover(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, done: Collection[int]
) -> None:
    for everywhere, hooks, always, with_kwargs in (
        ("global ", globals_._global_forward_hooks, globals_._global_forward_hooks_always_called, {}),
        ("", module._forward_hooks, module._forward_hooks_always_called, module._forward_hooks_with_kwargs),
    ):
        for key, hook in hooks.items():
            if key not in always or key in done:
                continue
            try:
                changed = hook(module, args, kwargs, result) if key in with_kwargs else hook(module, args, result)
                if changed is not None:
                    result = changed
            except Exception as error:  # a warning, since the first error is raised
                warnings.warn(
                    f"{everywhere}module forward hook with ``always_call=True`` raised an exception "
                    f"that was silenced as another error was raised in forward: {error}",
                    stacklevel=2,
                )
