"""C# hooks as entries of PyTorch's hook dictionaries. Codes such as I-1 are clauses of the contract (docs/contract.md)."""

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
from hook_contract.output.sentences import plural

_TYPED, _KWARGS, _PREPEND, _ALWAYS, _REMOVE = (
    boundary.flag("HookFlags", name) for name in ("typed", "with_kwargs", "prepend", "always_call", "remove")
)
KINDS: Final = boundary.members("HookKind")
#: The arguments of a hook of each kind. Before these, a hook gets the module, unless its kind is ``tensor`` or ``accumulated``.
ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "pre": ("args",),
    "forward": ("args", "output"),
    "backward_pre": ("grad_output",),
    "backward": ("grad_input", "grad_output"),
    "legacy": ("grad_input", "grad_output"),
    "tensor": ("grad",),
    "accumulated": ("tensor",),
}
#: For each kind of module hook, the method that registers a hook on a module, and the function that registers a global hook.
_METHODS: Final[Mapping[str, tuple[str, Callable[..., Any]]]] = {
    "pre": ("register_forward_pre_hook", global_hooks.register_module_forward_pre_hook),
    "forward": ("register_forward_hook", global_hooks.register_module_forward_hook),
    "backward_pre": ("register_full_backward_pre_hook", global_hooks.register_module_full_backward_pre_hook),
    "backward": ("register_full_backward_hook", global_hooks.register_module_full_backward_hook),
    "legacy": ("register_backward_hook", global_hooks.register_module_backward_hook),
}
#: PyTorch's RemovableHandle of each C# hook, by the hook's number.
_handles: dict[int, Any] = {}
#: For each Python module with typed hooks, the C# objects (proxies) that represent the module in those hooks, by ``TypedHook._id``.
_proxies: weakref.WeakKeyDictionary[torch.nn.Module, dict[int, Link]] = weakref.WeakKeyDictionary()
_thread = threading.local()


class CSharpHook:
    """A C# hook as a callable for PyTorch. .NET keeps the hook as long as this object lives.

    ``takes`` are the names of the hook's arguments; the first is ``module`` if the hook gets the module. Like a function, the object is not
    copied by :func:`copy.deepcopy`, so a module and its copies share it (I-1).
    """

    def __init__(self, runtime: DotNetRuntime, number: int, name: str, takes: tuple[str, ...]) -> None:
        self._runtime, self.number, self._name, self._takes = runtime, number, name, takes
        self._kwargs = takes.index("kwargs") if "kwargs" in takes else None
        self._has_module = takes[0] == "module"
        weakref.finalize(self, _forget, runtime, number).atexit = False

    @conversion.outside_graphs
    def __call__(self, *given: Any) -> Any:
        if len(given) != len(self._takes):
            raise TypeError(
                f"{self._name} takes ({', '.join(self._takes)}), but it was called with {plural(len(given), 'argument')}"
            )
        if not self._has_module:
            return self._run(0, *given)
        result = self._run(module_handles.handle_of(self._runtime, given[0]), *given[1:])
        if self._kwargs is None:
            return result
        changed, new_kwargs = result  # in-place changes of kwargs are written back already (P-5)
        if "output" in self._takes:
            return changed
        return None if changed is None else (changed, given[self._kwargs] if new_kwargs is None else new_kwargs)

    def _run(self, id: int, *values: Any) -> Any:
        """Run the hook. Active PyTorch modes and ``torch.jit.trace`` see the hook's operators."""
        hook = self._runtime.exports.run_hook
        context = torch_function_modes.hook_context(self._runtime, values)
        if context is None:
            return hook(self.number, id, *values)
        with context:
            return hook(self.number, id, *values)

    def takes_arguments(self, takes: tuple[str, ...]) -> bool:
        """Return whether the hook gets the module and then the arguments of these names."""
        return self._takes == ("module", *takes)

    def __deepcopy__(self, memo: dict[int, Any]) -> CSharpHook:
        return self

    def __repr__(self) -> str:
        return f"<C# hook {self._name}>"


class TypedHook(CSharpHook):
    """A C# hook that takes the arguments of a module's ``forward`` one by one, with their C# types, instead of the tuple ``args``."""

    def __init__(self, runtime: DotNetRuntime, id: int, number: int, forward: bool) -> None:
        name = f"{'forward' if forward else 'forward pre'} hook {number}"
        super().__init__(runtime, number, name, ("module", *ARGUMENTS["forward" if forward else "pre"]))
        link = by_id(id)
        # The id of the module on which the hook was registered.
        self._id = id
        self._path, self._arguments, self._forward = link.path, link.arguments, forward
        self._signature = link.signature

    @conversion.outside_graphs
    def __call__(self, module: torch.nn.Module, args: tuple[Any, ...], *rest: Any) -> Any:
        """Run the hook with the arguments by position.

        ``rest`` has the call's kwargs, then, for a forward hook, the call's result. The kwargs are absent if the hook was removed while
        hooks of its kind were running (D-2).
        """
        kwargs = rest[0] if len(rest) > self._forward else None
        id = module_handles.mirror_id(module) or self._proxy_id(module)
        if kwargs:
            args = conversion.bind(self._arguments, self._signature, args, kwargs)
        if self._forward:
            return self._run(id, *args, rest[-1])
        new_args = self._run(id, *args)
        return new_args if new_args is None or kwargs is None else (new_args, {})

    def _proxy_id(self, module: torch.nn.Module) -> int:
        """Return the id of the C# object that represents a Python module.

        A typed hook may be on a Python module: a deep copy of a C# Linear, for example, is a Python module and keeps the hook (I-1).
        """
        links = _proxies.setdefault(module, {})
        link = links.get(self._id)
        if link is None:
            link = links[self._id] = create_proxy(self._runtime, module, self._path, hook=self.number)
        return link.id


def handle_of(hook: CSharpHook) -> Any:
    """Return PyTorch's RemovableHandle of a C# hook."""
    return _handles[hook.number]


def latest_handle() -> Any:
    """Return the RemovableHandle of the C# hook that was last registered on this thread."""
    return _thread.handle


def _forget(runtime: DotNetRuntime, number: int) -> None:
    # The function is looked up at each call, since ``Exports.disable`` replaces it in a forked child.
    runtime.exports.forget_hook(number)


def change_hook(runtime: DotNetRuntime, id: int, number: int, kind: int, flags: int) -> None:
    """Register or remove a C# hook. Called by .NET.

    ``id`` is a handle of ``module_handles``: the hook is registered on that module, or globally if ``id`` is 0. ``flags`` are HookFlags of
    ``boundary.json``. A second removal does nothing (H-3).
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
    # A freed hook needs no handle.
    weakref.finalize(hook, _handles.pop, hook.number, None).atexit = False
