"""A ``torch.nn.Module`` whose ``forward`` runs in the process of TorchSharp, and whose weights are in Python's process."""

from __future__ import annotations

import copy
import inspect
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from bridge.mirror.crossing.objects import DotNetObject
from bridge.mirror.tree.class_members import signature
from bridge.torchsharp.process.gradients import any_requires_grad, refuse_gradients
from bridge.torchsharp.process.remote_model import RemoteModel, Slot

_HOOK_DICTS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
#: The attributes that a deep copy does not take from the original: :func:`build` sets them, and PyTorch never copies the compiled call.
_BUILT = frozenset({"_model", "_path", "_parameters", "_buffers", "_modules", "_compiled_call_impl"})


class RemotePart(torch.nn.Module):
    """A module that exists only in Python, for a part of a module that TorchSharp implements in C++.

    It holds tensors whose names in C# have dots, and cannot be called.
    """


class RemoteModule(torch.nn.Module):
    """A module of a model in the process of TorchSharp.

    Its parameters and buffers are in Python's process. Python's changes to them are sent with the next call, and each call returns C#'s
    changes. Python hooks run only on the module that Python calls. If a descendant of that module has Python hooks, the call raises
    RuntimeError.
    """

    def __init__(self, model: RemoteModel, path: str) -> None:
        super().__init__()
        self.__dict__["_model"] = model
        self.__dict__["_path"] = path

    @property
    def runtime(self) -> str:
        """Return the libraries that run the model, such as ``TorchSharp 0.107.0, libtorch 2.10.0.0, own process``."""
        return str(self.__dict__["_model"].title)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module in the process of TorchSharp, with its C# hooks. The result shares no memory with the arguments."""
        model: RemoteModel = self.__dict__["_model"]
        self._refuse_hooks()
        return self._without_gradients(model.call(self.__dict__["_path"], args, kwargs), args, kwargs)

    @property
    def dotnet(self) -> DotNetObject:
        """Return the C# module itself, to use its public and internal fields, properties and methods: ``model.dotnet.Generate(x)``."""
        model: RemoteModel = self.__dict__["_model"]
        return model.module_object(self.__dict__["_path"], self._use, type(self).__name__)

    def _use(self, operation: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run an operation of ``ObjectMethods.cs`` on the C# module."""
        model: RemoteModel = self.__dict__["_model"]
        if operation != "call":
            return model.call(self.__dict__["_path"], args, kwargs, operation, name)
        self._refuse_hooks()
        value = model.call(self.__dict__["_path"], args, kwargs, operation, name)
        return self._without_gradients(value, args, kwargs)

    def _refuse_hooks(self) -> None:
        """Raise RuntimeError if a descendant of this module has Python hooks."""
        for path, module in self.named_modules():
            if path and any(getattr(module, name) for name in _HOOK_DICTS):
                raise RuntimeError(
                    f"'{path}' has Python hooks, which cannot run, since C# calls the module in the process of TorchSharp: "
                    "remove the hooks, and use bridge.record to see the calls. Hooks run only on the module that Python calls"
                )

    def _without_gradients(self, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return ``value``. If PyTorch would record gradients for it, the backward pass of its tensors raises RuntimeError."""
        if not torch.is_grad_enabled():
            return value
        needed = any(parameter.requires_grad for parameter in self.parameters()) or any_requires_grad((args, kwargs))
        return refuse_gradients(value) if needed else value

    def extra_repr(self) -> str:
        """Return ``runtime`` for the root module, "" for other modules."""
        return "" if self.__dict__["_path"] else self.runtime

    def __deepcopy__(self, memo: dict[int, Any]) -> torch.nn.Module:
        model: RemoteModel = self.__dict__["_model"]
        if self.__dict__["_path"]:
            raise TypeError(
                f"'{self.__dict__['_path']}' is part of a model in the process of TorchSharp: copy the whole model"
            )
        copied: RemoteModule = build(RemoteModel(model.exchange, model.recipe), draws=False)
        copied.load_state_dict(self.state_dict())
        for parameter, own in zip(copied.parameters(), self.parameters(), strict=True):
            parameter.requires_grad_(own.requires_grad)
        modules = list(zip(copied.modules(), self.modules(), strict=True))
        memo.update((id(original), module) for module, original in modules)
        for module, original in modules:
            for name, value in vars(original).items():
                if name not in _BUILT:
                    module.__dict__[name] = copy.deepcopy(value, memo)
        return copied

    def __reduce__(self) -> NoReturn:
        raise TypeError("a model in the process of TorchSharp cannot be pickled: save its state_dict()")


def build(model: RemoteModel, draws: bool = True) -> RemoteModule:
    """Load a model, create its modules in Python, and return the root; ``draws`` as in :meth:`RemoteModel.load`."""
    described = model.load(draws)
    modules: dict[str, RemoteModule] = {}
    tensors: dict[str, torch.Tensor] = {}
    slots: list[Slot] = []
    parts: dict[str, tuple[str, torch.nn.Module]] = {}
    for entry in described:
        path: str = entry["path"]
        same = entry.get("same")
        module = modules[same] if same is not None else _make_class(entry)(model, path)
        if path:
            parent, _, name = path.rpartition(".")
            modules[parent].add_module(name, module)
        if same is not None:
            continue
        modules[path] = module
        module.training = entry["training"]
        prefix = f"{path}." if path else ""
        for name, value in entry["parameters"].items():
            parameter = tensors[value] if isinstance(value, str) else _parameter(value)
            tensors.setdefault(prefix + name, parameter)
            owner, own = _owner(module, path, name, parts)
            owner._parameters[own] = parameter  # type: ignore[assignment]  # ``tensors[value]`` is a Parameter
            slots += [] if isinstance(value, str) else [Slot(weakref.ref(owner), "_parameters", own, prefix + name)]
        for name, value in entry["buffers"].items():
            buffer = tensors[value] if isinstance(value, str) else value
            tensors.setdefault(prefix + name, buffer)
            owner, own = _owner(module, path, name, parts)
            owner.register_buffer(own, buffer)
            slots += [] if isinstance(value, str) else [Slot(weakref.ref(owner), "_buffers", own, prefix + name)]
    model.track(modules, tuple(slots), parts)
    return modules[""]


def _owner(
    module: torch.nn.Module, path: str, name: str, parts: dict[str, tuple[str, torch.nn.Module]]
) -> tuple[torch.nn.Module, str]:
    """Return the Python module that holds the tensor ``name`` of ``module``, and the tensor's name in the returned module.

    Unlike PyTorch, libtorch allows dots in ``name``. Each part of ``name`` before a dot names a child. A child that does not exist yet is
    created as a RemotePart, and added to ``parts``.
    """
    *part_names, own = name.split(".")
    part_path = path
    for part_name in part_names:
        part_path = f"{part_path}.{part_name}" if part_path else part_name
        part = module._modules.get(part_name)
        if part is None:
            part = RemotePart()
            part.training = module.training
            module.add_module(part_name, part)
            parts[part_path] = (path, part)
        module = part
    return module, own


def _make_class(entry: dict[str, Any]) -> type[RemoteModule]:
    return type(entry["type"], (RemoteModule,), {"forward": forward_method(RemoteModule, entry)})


def forward_method(base: Any, entry: dict[str, Any]) -> Callable[..., Any]:
    """Return a method that calls ``base.forward``, and has the C# signature in ``entry``, the description of a module."""

    def run(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        return base.forward(self, *args, **kwargs)

    run.__doc__ = inspect.cleandoc(base.forward.__doc__) + (
        f"\n\nIn C#: {entry['signature']}" if entry["types"] else ""
    )
    if entry["types"] and (found := signature(entry)) is not None:
        run.__signature__ = found  # type: ignore[attr-defined]  # inspect reads it
    return run


def _parameter(value: torch.Tensor) -> torch.nn.Parameter:
    return torch.nn.Parameter(value, requires_grad=value.is_floating_point() or value.is_complex())
