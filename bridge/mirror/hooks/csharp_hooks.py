"""C# hooks as entries of PyTorch's dictionaries."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch.nn.modules import module as global_hooks

from bridge.clr import DotNetRuntime
from bridge.clr.call import boundary
from bridge.mirror.crossing import conversion
from bridge.mirror.hooks import module_handles, torch_function_modes
from bridge.mirror.link import Link, by_id
from bridge.mirror.tree.entries import stand_in

_TYPED, _KWARGS, _PREPEND, _ALWAYS, _REMOVE = (
    boundary.flag("HookFlags", name) for name in ("typed", "with_kwargs", "prepend", "always_call", "remove")
)
KINDS: Final = boundary.members("HookKind")
#: What a hook of each kind is given after the module (``tensor`` and ``accumulated`` have none).
TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "pre": ("args",),
    "forward": ("args", "output"),
    "backward_pre": ("grad_output",),
    "backward": ("grad_input", "grad_output"),
    "legacy": ("grad_input", "grad_output"),
    "tensor": ("grad",),
    "accumulated": ("tensor",),
}
#: The method of a module that registers a hook of each kind, the function for all modules, and the options that they have.
_METHODS: Final[Mapping[str, tuple[str, Callable[..., Any]]]] = {
    "pre": ("register_forward_pre_hook", global_hooks.register_module_forward_pre_hook),
    "forward": ("register_forward_hook", global_hooks.register_module_forward_hook),
    "backward_pre": ("register_full_backward_pre_hook", global_hooks.register_module_full_backward_pre_hook),
    "backward": ("register_full_backward_hook", global_hooks.register_module_full_backward_hook),
    "legacy": ("register_backward_hook", global_hooks.register_module_backward_hook),
}
_handles: dict[int, Any] = {}
#: What represents a module in C# for hooks with types, by the module that these were registered on.
_represented: weakref.WeakKeyDictionary[torch.nn.Module, dict[int, Link]] = weakref.WeakKeyDictionary()
_here = threading.local()


class CSharpHook:
    """One C# hook as a callable. PyTorch calls it like any other; .NET keeps it as long as this object lives.

    ``takes`` are the names of its arguments in messages, ``module`` among them if it has one. A copied module shares it, as it shares any
    function (I-1).
    """

    def __init__(self, host: DotNetRuntime, number: int, name: str, takes: tuple[str, ...]) -> None:
        self._host, self.number, self._name, self._takes = host, number, name, takes
        self._kwargs = takes.index("kwargs") if "kwargs" in takes else None
        self._has_module = takes[0] == "module"
        weakref.finalize(self, _forget, host, number).atexit = False

    @conversion.outside_graphs
    def __call__(self, *given: Any) -> Any:
        if len(given) != len(self._takes):
            raise TypeError(f"{self._name} takes ({', '.join(self._takes)}), but {len(given)} arguments were given")
        if not self._has_module:
            return self._run(0, *given)
        result = self._run(module_handles.number(self._host, given[0]), *given[1:])
        if self._kwargs is None:
            return result
        changed, named = result  # what it wrote into the kwargs is there by now (P-5)
        if "output" in self._takes:
            return changed
        return None if changed is None else (changed, given[self._kwargs] if named is None else named)

    def _run(self, id: int, *values: Any) -> Any:
        """Runs it; who follows the call around it sees what it does, too."""
        hook = self._host.exports.hook
        follower = torch_function_modes.sees(self._host, values)
        if follower is None:
            return hook(self.number, id, *values)
        with follower:
            return hook(self.number, id, *values)

    def fits(self, takes: tuple[str, ...]) -> bool:
        """Whether these are its arguments, after the module."""
        return self._takes == ("module", *takes)

    def __deepcopy__(self, memo: dict[int, Any]) -> CSharpHook:
        return self

    def __repr__(self) -> str:
        return f"<C# hook {self._name}>"


class TypedHook(CSharpHook):
    """A C# hook with the types of one module's ``forward``: it has every argument at its place."""

    def __init__(self, host: DotNetRuntime, id: int, number: int, forward: bool) -> None:
        name = f"{'forward' if forward else 'forward pre'} hook {number}"
        super().__init__(host, number, name, ("module", *TAKES["forward" if forward else "pre"]))
        link = by_id(id)
        self._id, self._path, self._arguments, self._forward = id, link.path, link.arguments, forward

    @conversion.outside_graphs
    def __call__(self, module: torch.nn.Module, args: tuple[Any, ...], *rest: Any) -> Any:
        """``rest`` is what else PyTorch passes: kwargs, unless the hook was removed in its own phase (D-2), and the result."""
        kwargs = rest[0] if len(rest) > self._forward else None
        id = module_handles.mirrored(module) or self._represented(module)
        if kwargs:
            args = conversion.bind(self._arguments, self._path, args, kwargs)
        if self._forward:
            return self._run(id, *args, rest[-1])
        changed = self._run(id, *args)
        return changed if changed is None or kwargs is None else (changed, {})

    def _represented(self, module: torch.nn.Module) -> int:
        """A copied module has the hook too, and the hook sees the copy (I-1): PyTorch's copy of a built-in has no object of C#'s own."""
        links = _represented.setdefault(module, {})
        link = links.get(self._id)
        if link is None:
            link = links[self._id] = stand_in(self._host, module, self._path, hook=self.number)
        return link.id


def entry(hook: CSharpHook) -> Any:
    """The handle of a C# hook's entry in its dictionary."""
    return _handles[hook.number]


def latest() -> Any:
    """The handle of the entry that C# made last on this thread."""
    return _here.handle


def _forget(host: DotNetRuntime, number: int) -> None:
    # Looked up now: in a forked child this does nothing. If it ran there, .NET might compile code into memory that the parent shares.
    host.exports.forget_hook(number)


def change(host: DotNetRuntime, id: int, number: int, kind: int, flags: int) -> None:
    """Enters a C# hook into a module's dictionary, or the global one for the id 0, or removes it.

    Removal is by the handle, so doing it twice does nothing (H-3).
    """
    if flags & _REMOVE:
        handle = _handles.pop(number, None)
        if handle is not None:
            handle.remove()
        return
    word = KINDS[kind]
    options = {"prepend": True} if flags & _PREPEND else {}
    if flags & _ALWAYS:
        options["always_call"] = True
    if flags & (_TYPED | _KWARGS):
        options["with_kwargs"] = True
    if flags & _TYPED:
        hook: CSharpHook = TypedHook(host, id, number, word == "forward")
    else:
        hook = _made(host, number, word, with_kwargs=bool(flags & _KWARGS))
    method, everywhere = _METHODS[word]
    _enter(
        hook, everywhere(hook, **options) if id == 0 else getattr(module_handles.module(id), method)(hook, **options)
    )


def on_tensor(host: DotNetRuntime, tensor: torch.Tensor, number: int, kind: int) -> None:
    """Registers a C# hook on a tensor."""
    word = KINDS[kind]
    hook = _made(host, number, word)
    register = tensor.register_hook if word == "tensor" else tensor.register_post_accumulate_grad_hook
    _enter(hook, register(hook))  # type: ignore[no-untyped-call]  # PyTorch's methods have no types


def _made(host: DotNetRuntime, number: int, word: str, *, with_kwargs: bool = False) -> CSharpHook:
    takes = TAKES[word]
    if with_kwargs:
        takes = (takes[0], "kwargs", *takes[1:])
    return CSharpHook(host, number, f"{word} hook {number}", ("module", *takes) if word in _METHODS else takes)


def _enter(hook: CSharpHook, handle: Any) -> None:
    _handles[hook.number] = _here.handle = handle
    # The handle knows its dictionary weakly; when the hook dies with it, so does this entry.
    weakref.finalize(hook, _handles.pop, hook.number, None).atexit = False
