"""C# hooks as entries of PyTorch's hook dictionaries."""

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
from bridge.mirror.tree.entries import create_proxy

_TYPED, _KWARGS, _PREPEND, _ALWAYS, _REMOVE = (
    boundary.flag("HookFlags", name) for name in ("typed", "with_kwargs", "prepend", "always_call", "remove")
)
KINDS: Final = boundary.members("HookKind")
#: The arguments of a hook of each kind after the module; hooks of the kinds ``tensor`` and ``accumulated`` get no module.
ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "pre": ("args",),
    "forward": ("args", "output"),
    "backward_pre": ("grad_output",),
    "backward": ("grad_input", "grad_output"),
    "legacy": ("grad_input", "grad_output"),
    "tensor": ("grad",),
    "accumulated": ("tensor",),
}
#: For each kind, the method that registers a hook on a module, and the function that registers a global one.
_METHODS: Final[Mapping[str, tuple[str, Callable[..., Any]]]] = {
    "pre": ("register_forward_pre_hook", global_hooks.register_module_forward_pre_hook),
    "forward": ("register_forward_hook", global_hooks.register_module_forward_hook),
    "backward_pre": ("register_full_backward_pre_hook", global_hooks.register_module_full_backward_pre_hook),
    "backward": ("register_full_backward_hook", global_hooks.register_module_full_backward_hook),
    "legacy": ("register_backward_hook", global_hooks.register_module_backward_hook),
}
_handles: dict[int, Any] = {}
#: Links of the C# objects that represent a module for typed hooks, by the id of the module on which the hook was registered.
_proxies: weakref.WeakKeyDictionary[torch.nn.Module, dict[int, Link]] = weakref.WeakKeyDictionary()
_thread = threading.local()


class CSharpHook:
    """A C# hook as a callable for PyTorch. .NET keeps the hook as long as this object lives.

    ``takes`` are the names of its arguments, for messages, with ``module`` first if it takes one. Copies of a module share the hook, as
    they share any function (I-1).
    """

    def __init__(self, runtime: DotNetRuntime, number: int, name: str, takes: tuple[str, ...]) -> None:
        self._runtime, self.number, self._name, self._takes = runtime, number, name, takes
        self._kwargs = takes.index("kwargs") if "kwargs" in takes else None
        self._has_module = takes[0] == "module"
        weakref.finalize(self, _forget, runtime, number).atexit = False

    @conversion.outside_graphs
    def __call__(self, *given: Any) -> Any:
        if len(given) != len(self._takes):
            raise TypeError(f"{self._name} takes ({', '.join(self._takes)}), but {len(given)} arguments were given")
        if not self._has_module:
            return self._run(0, *given)
        result = self._run(module_handles.handle_of(self._runtime, given[0]), *given[1:])
        if self._kwargs is None:
            return result
        changed, new_kwargs = result  # kwargs that it changed in place are written back already (P-5)
        if "output" in self._takes:
            return changed
        return None if changed is None else (changed, given[self._kwargs] if new_kwargs is None else new_kwargs)

    def _run(self, id: int, *values: Any) -> Any:
        """Run the hook; modes and traces around the call see its operators, too."""
        hook = self._runtime.exports.run_hook
        context = torch_function_modes.hook_context(self._runtime, values)
        if context is None:
            return hook(self.number, id, *values)
        with context:
            return hook(self.number, id, *values)

    def takes_arguments(self, takes: tuple[str, ...]) -> bool:
        """Return whether these are the hook's arguments, after the module."""
        return self._takes == ("module", *takes)

    def __deepcopy__(self, memo: dict[int, Any]) -> CSharpHook:
        return self

    def __repr__(self) -> str:
        return f"<C# hook {self._name}>"


class TypedHook(CSharpHook):
    """A C# hook with the types of a module's ``forward``: it takes each argument in a parameter of its own."""

    def __init__(self, runtime: DotNetRuntime, id: int, number: int, forward: bool) -> None:
        name = f"{'forward' if forward else 'forward pre'} hook {number}"
        super().__init__(runtime, number, name, ("module", *ARGUMENTS["forward" if forward else "pre"]))
        link = by_id(id)
        self._id, self._path, self._arguments, self._forward = id, link.path, link.arguments, forward

    @conversion.outside_graphs
    def __call__(self, module: torch.nn.Module, args: tuple[Any, ...], *rest: Any) -> Any:
        """Run the hook with the arguments by position.

        ``rest`` are PyTorch's further arguments: kwargs, unless the hook was removed in its own phase (D-2), and the result.
        """
        kwargs = rest[0] if len(rest) > self._forward else None
        id = module_handles.mirror_id(module) or self._proxy_id(module)
        if kwargs:
            args = conversion.bind(self._arguments, self._path, args, kwargs)
        if self._forward:
            return self._run(id, *args, rest[-1])
        new_args = self._run(id, *args)
        return new_args if new_args is None or kwargs is None else (new_args, {})

    def _proxy_id(self, module: torch.nn.Module) -> int:
        """Return the id of the C# object that represents a copy of a built-in, which has the hook too (I-1) and is a Python module."""
        links = _proxies.setdefault(module, {})
        link = links.get(self._id)
        if link is None:
            link = links[self._id] = create_proxy(self._runtime, module, self._path, hook=self.number)
        return link.id


def handle_of(hook: CSharpHook) -> Any:
    """Return the handle of a C# hook's entry in its dictionary."""
    return _handles[hook.number]


def latest_handle() -> Any:
    """Return the handle of the entry that C# made last on this thread."""
    return _thread.handle


def _forget(runtime: DotNetRuntime, number: int) -> None:
    # Looked up now: in a forked child this function does nothing. There, .NET might compile code into memory that the parent shares.
    runtime.exports.forget_hook(number)


def change_hook(runtime: DotNetRuntime, id: int, number: int, kind: int, flags: int) -> None:
    """Add a C# hook to the dictionary of a module, or to the global one for the id 0, or remove it. Called by .NET.

    It is removed by its handle, so a second removal does nothing (H-3).
    """
    if flags & _REMOVE:
        handle = _handles.pop(number, None)
        if handle is not None:
            handle.remove()
        return
    kind_name = KINDS[kind]
    options = {"prepend": True} if flags & _PREPEND else {}
    if flags & _ALWAYS:
        options["always_call"] = True
    if flags & (_TYPED | _KWARGS):
        options["with_kwargs"] = True
    if flags & _TYPED:
        hook: CSharpHook = TypedHook(runtime, id, number, kind_name == "forward")
    else:
        hook = _create(runtime, number, kind_name, with_kwargs=bool(flags & _KWARGS))
    method, register_global = _METHODS[kind_name]
    register = register_global if id == 0 else getattr(module_handles.module_of(id), method)
    _note_handle(hook, register(hook, **options))


def register_on_tensor(runtime: DotNetRuntime, tensor: torch.Tensor, number: int, kind: int) -> None:
    """Register a C# hook on a tensor. Called by .NET."""
    kind_name = KINDS[kind]
    hook = _create(runtime, number, kind_name)
    register = tensor.register_hook if kind_name == "tensor" else tensor.register_post_accumulate_grad_hook
    _note_handle(hook, register(hook))  # type: ignore[no-untyped-call]  # PyTorch's methods have no types


def _create(runtime: DotNetRuntime, number: int, kind: str, *, with_kwargs: bool = False) -> CSharpHook:
    takes = ARGUMENTS[kind]
    if with_kwargs:
        takes = (takes[0], "kwargs", *takes[1:])
    return CSharpHook(runtime, number, f"{kind} hook {number}", ("module", *takes) if kind in _METHODS else takes)


def _note_handle(hook: CSharpHook, handle: Any) -> None:
    _handles[hook.number] = _thread.handle = handle
    # The handle refers weakly to its dictionary. When that is freed, so is the hook, and its handle is not needed any more.
    weakref.finalize(hook, _handles.pop, hook.number, None).atexit = False
