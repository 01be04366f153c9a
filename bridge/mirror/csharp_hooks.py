"""C# hooks as entries of a mirror's dictionaries."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from bridge.clr import Host, boundary
from bridge.mirror import crossing
from bridge.mirror.links import Link, by_id

_FORWARD, _PREPEND, _ALWAYS, _REMOVE = (
    boundary.flag("HookFlags", name) for name in ("forward", "prepend", "always_call", "remove")
)
_handles: dict[int, Any] = {}


class DotNetHook:
    """One C# hook. PyTorch calls it like any other; it stays in the dictionary until either language removes it.

    A copied module shares it, as it shares any function (I-1).
    """

    def __init__(self, host: Host, id: int, number: int, forward: bool) -> None:
        self._host, self._id, self._forward = host, id, forward
        self.number = number
        weakref.finalize(self, _forget, host, number).atexit = False

    def __call__(self, module: torch.nn.Module, args: tuple[Any, ...], *rest: Any) -> Any:
        """``rest`` is what else PyTorch passes: kwargs, unless the hook was removed in its own phase (D-2), and the result."""
        kwargs = rest[0] if len(rest) > self._forward else None
        # A copied module has the hook too, and the hook sees the copy (I-1).
        link = vars(module).get("_link")
        id = self._id if link is None else link.id
        if kwargs:
            # A C# hook is typed as `forward` is: it has every argument at its place.
            target = by_id(id)
            args = crossing.bind(target.arguments, target.path, args, kwargs)
        if self._forward:
            return self._host.exports.hook(self.number, id, *args, rest[-1])
        changed = self._host.exports.hook(self.number, id, *args)
        return changed if changed is None or kwargs is None else (changed, {})

    def __deepcopy__(self, memo: dict[int, Any]) -> DotNetHook:
        return self

    def __repr__(self) -> str:
        return f"<C# {'forward' if self._forward else 'forward pre'} hook {self.number}>"


def entry(hook: DotNetHook) -> Any:
    """The handle of a C# hook's entry in its mirror's dictionary."""
    return _handles[hook.number]


def _forget(host: Host, number: int) -> None:
    # Looked up now: in a forked child this does nothing. If it ran there, .NET might compile code into memory that the parent shares.
    host.exports.forget_hook(number)


def change(link: Link, number: int, flags: int) -> None:
    """Enters a C# hook into its mirror's dictionary, or removes it (by the handle, so twice does nothing, H-3)."""
    if flags & _REMOVE:
        handle = _handles.pop(number, None)
        if handle is not None:
            handle.remove()
        return
    mirror = link.mirror()
    if mirror is None:
        raise ReferenceError(f"the mirror of module '{link.path}' was collected")
    hook = DotNetHook(link.host, link.id, number, bool(flags & _FORWARD))
    if flags & _FORWARD:
        handle = mirror.register_forward_hook(
            hook, prepend=bool(flags & _PREPEND), with_kwargs=True, always_call=bool(flags & _ALWAYS)
        )
    else:
        handle = mirror.register_forward_pre_hook(hook, prepend=bool(flags & _PREPEND), with_kwargs=True)
    _handles[number] = handle
    # The handle knows its dictionary weakly; when the hook dies with it, so does this entry.
    weakref.finalize(hook, _handles.pop, number, None).atexit = False
