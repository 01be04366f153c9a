"""A ``torch.nn.Module`` for a module of TorchSharp in this process."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any, Final, NoReturn

import torch

from bridge.mirror.crossing import conversion
from bridge.mirror.crossing.objects import DotNetObject
from bridge.mirror.synchronization.dirty_tracking import HOOK_DICTS
from bridge.mirror.tree.class_members import representation
from bridge.torchsharp.in_process import hooks, objects
from bridge.torchsharp.in_process.modes import defaults, refuse_modes
from bridge.torchsharp.process.remote_module import forward_method
from hook_contract.output.sentences import with_article

#: The keys of a module's description that determine its class.
_CLASS_KEYS: Final = ("type", "library", "callable", "arguments", "types", "signature", "hooked", "called", "members")


class InProcessModule(torch.nn.Module):
    """A module of TorchSharp in this process. Its parameters and buffers are TorchSharp's own.

    Each call from Python runs Python's hooks once, and so does each ``call`` in C#. A :class:`Bare` has no ``call``, and ``call`` cannot
    run some overloads of ``forward``: in these cases, calls in C# run no hooks. Public fields and properties of the C# class are attributes
    if their type is a number, bool, char, string, enum or tensor, or an array of these. Python can set an attribute if C# can set it.
    """

    #: Whether hooks can be registered.
    _hooked = True
    #: For a class of TorchSharp itself, the class of torch.nn with the same name; None if there is none.
    _counterpart: type[torch.nn.Module] | None = None

    def __init__(self, functions: dict[str, Any], entry: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(
            _functions=functions,
            _id=entry["id"],
            _path=entry["path"],
            _signature=entry["signature"],
            _parameters_of_forward=[(name, optional) for name, optional, *_ in entry["arguments"]],
            _overloads=[[(name, optional) for name, optional in overload] for overload in entry["overloads"]],
            _state=None,
        )
        hooks.modules[entry["id"]] = self

    @property
    def dotnet(self) -> DotNetObject:
        """Return the C# module itself, to use its public and internal fields, properties and methods: ``model.dotnet.Generate(x)``."""
        own = self.__dict__
        return objects.module_object(own["_functions"], own["_id"], type(self).__name__)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the C# ``forward``, without this module's hooks."""
        return self._run(args, kwargs, 0)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        if own["_overloads"] and own["_functions"]["bypasses_call"](own["_id"], *hooks.bind(self, args, kwargs)):
            # C#'s call cannot run this overload, so PyTorch runs the hooks.
            return super()._call_impl(*args, **kwargs)  # type: ignore[no-untyped-call]  # untyped in PyTorch
        return self._run(args, kwargs, 1)

    @conversion.outside_graphs
    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any], with_hooks: int) -> Any:
        own = self.__dict__
        refuse_modes((*args, *kwargs.values()) if kwargs else args)
        own["_state"].synchronize()
        given = hooks.bind(self, args, kwargs)
        with hooks.calling(own["_id"], args, kwargs):
            return own["_functions"]["call"](own["_id"], with_hooks, *defaults(), *given)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "training":
            self.__dict__["_state"].modes_changed = True
        elif name == "forward":
            raise AttributeError(
                "the forward of a C# module cannot be replaced: use hooks, or load the model without the argument runtime"
            )
        elif self._is_unknown_setting(name):
            raise AttributeError(f"TorchSharp's {type(self).__name__} has no '{name}' that can be set")
        super().__setattr__(name, value)
        if name in HOOK_DICTS and (state := self.__dict__["_state"]) is not None:
            state.watch_hooks(self._id)

    def _is_unknown_setting(self, name: str) -> bool:
        """Return whether PyTorch's class has a setting of this name, and the C# class does not, so that a write would change nothing."""
        kind: Any = self._counterpart
        if kind is None or name not in _settings(kind) or hasattr(type(self), name):
            return False
        return name not in self._parameters and name not in self._buffers

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a model of TorchSharp in this process cannot be copied or pickled: save its state_dict()")

    def _replicate_for_data_parallel(self) -> NoReturn:
        raise TypeError("DataParallel cannot copy a model of TorchSharp in this process: load one on each device")


class Bare(InProcessModule):
    """A module whose class has a ``forward`` and no ``call``. PyTorch runs the module's hooks, but only in calls from Python."""

    _call_impl = torch.nn.Module._call_impl


class Uncallable(InProcessModule):
    """A module without ``forward``, such as ModuleList."""

    forward = torch.nn.Module.forward
    _call_impl = torch.nn.Module._call_impl


class Collection:
    """The length, the iteration and the entries of a collection of modules or parameters, such as Sequential.

    An index is the name or the position of an entry. Slices and the other methods of PyTorch's classes are missing.
    """

    _modules: dict[str, Any]
    _parameters: dict[str, Any]

    @property
    def _entries(self) -> dict[str, Any]:
        return self._parameters if type(self).__name__.startswith("Parameter") else self._modules

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries if type(self).__name__.endswith("Dict") else self._entries.values())

    def __getitem__(self, key: int | str) -> Any:
        if isinstance(key, str):
            return self._entries[key]
        if isinstance(key, int):
            return list(self._entries.values())[key]
        raise TypeError(f"an index must be an integer or a name, not {with_article(type(key).__name__)}")


class NativePart(torch.nn.Module):
    """A module that exists only in Python, for a part of a module that TorchSharp implements in C++.

    It holds tensors whose names in C# have dots, and is never called.
    """

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            "TorchSharp runs this module as a part of another one, without hooks: register the hook on the module that contains it"
        )

    register_forward_pre_hook = register_forward_hook = _refuse
    register_full_backward_pre_hook = register_full_backward_hook = register_backward_hook = _refuse


def module_class(entry: dict[str, Any]) -> type[InProcessModule]:
    """Return the Python class for a C# class, from C#'s description of a module."""
    return _module_class(json.dumps({key: entry[key] for key in _CLASS_KEYS}))


@cache
def _module_class(description: str) -> type[InProcessModule]:
    entry = json.loads(description)
    name, is_callable = entry["type"], entry["callable"]
    members = [member for member in entry["members"] if not hasattr(torch.nn.Module, member[0])]
    namespace: dict[str, Any] = {member: _property(name, member, writable) for member, writable, _ in members}
    namespace["_hooked"] = entry["hooked"] or not entry["called"]
    if is_callable:
        namespace["forward"] = forward_method(InProcessModule, entry)
    if shown := [member for member, _, is_shown in members if is_shown and not entry["library"]]:
        namespace["extra_repr"] = representation(shown)
    bases: tuple[type, ...] = (Uncallable if not is_callable else InProcessModule if entry["called"] else Bare,)
    if entry["library"]:
        namespace["_counterpart"] = getattr(torch.nn, name, None)
        if name in ("ModuleList", "ModuleDict", "Sequential", "ParameterList", "ParameterDict"):
            bases = (Collection, *bases)
    return type(name, bases, namespace)


def _property(owner: str, name: str, writable: bool) -> property:
    def get(module: Any) -> Any:
        return module._functions["get"](module._id, name)

    def set(module: Any, value: Any) -> None:
        if not writable:
            raise AttributeError(f"C# declares '{name}' of {owner} as read-only")
        module._functions["set"](module._id, name, value)

    return property(get, set)


@cache
def _settings(kind: Any) -> frozenset[str]:
    return frozenset(inspect.signature(kind.__init__).parameters) - {"self", "device", "dtype"}


def _checked(register: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that registers a hook, or raises NotImplementedError for a module whose calls run no hooks."""

    @wraps(register)
    def check(self: InProcessModule, *args: Any, **kwargs: Any) -> Any:
        if not self._hooked:
            raise NotImplementedError(
                f"TorchSharp runs no hooks on a {type(self).__name__}: register the hook on the module that contains it, or load "
                "the model without the argument runtime"
            )
        return register(self, *args, **kwargs)

    return check


for _name in (
    "register_forward_pre_hook",
    "register_forward_hook",
    "register_full_backward_pre_hook",
    "register_full_backward_hook",
    "register_backward_hook",
):
    setattr(InProcessModule, _name, _checked(getattr(torch.nn.Module, _name)))
