"""The tensors, children and training modes that a model has both in Python and in C#.

A change in one language is passed to the other, or refused. But a child, parameter or buffer that Python adds remains in Python only.
"""

from __future__ import annotations

import json
import threading
from typing import Any, Final

import torch

from bridge.mirror.synchronization import dirty_tracking
from bridge.torchsharp.in_process.modes import refuse_subclasses
from bridge.torchsharp.in_process.module import NativePart
from hook_contract.output.sentences import with_article

PARAMETER: Final = 0
#: The kind of a persistent buffer. The kind of a non-persistent buffer is 2.
BUFFER: Final = 1
_address: Final = id  # below, ``id`` is the number of a module
_KIND: Final = {PARAMETER: "_parameters", BUFFER: "_buffers", 2: "_buffers"}


class ModelState:
    """The state of one model. ``modules`` has the model's modules by their numbers, the root first."""

    def __init__(self, functions: dict[str, Any], modules: dict[int, torch.nn.Module]) -> None:
        self.modules = modules
        self.modes_changed = False
        self._functions = functions
        #: For each module: its parameters and buffers. Each has a name, a kind, and the number of its C# object.
        self._tensors: dict[int, list[tuple[str, int, int]]] = {}
        #: The tensor that each C# object refers to.
        self._bound: dict[int, torch.Tensor] = {}
        self._children: dict[int, dict[str, int]] = {}
        self._hooks: dict[int, list[Any]] = {}
        #: The result of :func:`dirty_tracking.epoch` when C# last got the tensors. None if C# must get them before each call.
        self._epoch: int | None = None
        self._lock = threading.RLock()

    def add(self, id: int, tensors: list[tuple[str, int, int]], children: dict[str, int]) -> None:
        """Give a module its parameters, buffers and children, and track its changes."""
        module = self.modules[id]
        self._children[id] = children
        for name, child in children.items():
            module.add_module(name, self.modules[child])
        self._take(id, tensors)
        dirty_tracking.track(module)
        self.watch_hooks(id)

    def watch_hooks(self, id: int) -> None:
        """Tell C# the addresses of a module's hook dictionaries."""
        module = self.modules[id]
        dictionaries = [module.__dict__[name] for name in dirty_tracking.HOOK_DICTS]
        self._functions["watch"](id, *map(_address, dictionaries))
        self._hooks[id] = dictionaries  # frees the old ones, which C# has read until now

    def synchronize(self) -> None:
        """Pass to C# what Python has changed since the last call.

        Raises RuntimeError for a child that was replaced or deleted, a missing tensor, a new tensor that :func:`refuse_subclasses` refuses,
        and tied tensors that are no longer one object. Raises TypeError for an object that is no tensor, and DotNetError for a new tensor
        in place of one that TorchSharp's native code keeps.
        """
        if self.modes_changed:
            self.modes_changed = False
            for id, module in self.modules.items():  # parents first: C# sets the modes of all descendants
                self._functions["train"](id, int(module.training))
        if dirty_tracking.epoch() != self._epoch:
            with self._lock:  # so that no other thread passes older tensors afterwards
                self._bind_tensors()

    def _bind_tensors(self) -> None:
        epoch = dirty_tracking.epoch()
        self._check_children()
        found: dict[int, tuple[torch.Tensor, str]] = {}
        is_stored = True
        for id, entries in self._tensors.items():
            for place, (name, kind, number) in enumerate(entries):
                tensor, stored = self._find(id, name, kind)
                is_stored &= stored
                path = self._path(id, name)
                other, first = found.setdefault(number, (tensor, path))
                if other is not tensor:
                    raise RuntimeError(
                        f"'{path}' and '{first}' are one tensor in C#, and were replaced by different ones in Python: "
                        "replace both by the same tensor"
                    )
                if tensor is not self._bound.get(number):
                    refuse_subclasses((tensor,))
                    self._functions["bind"](id, place, tensor)
                    self._bound[number] = tensor
        # A tensor that a parametrization computes at each access is read again before each call.
        self._epoch = epoch if is_stored else None

    def refresh(self, id: int) -> None:
        """Give the Python module the tensors and the training mode that C# has changed."""
        state = json.loads(self._functions["state"](id))
        self.modules[id].__dict__["training"] = state["training"]
        for name, kind, _ in self._tensors[id]:
            if all(name != other for other, _, _ in state["tensors"]):
                holder, own = self._holder(id, name)
                getattr(holder, _KIND[kind]).pop(own, None)
        self._take(id, state["tensors"])

    def _take(self, id: int, tensors: list[tuple[str, int, int]]) -> None:
        for place, (name, kind, number) in enumerate(tensors):
            module, own = self._holder(id, name)
            if number not in self._bound:
                tensor = self._functions["tensor"](id, place)
                old = getattr(module, _KIND[kind]).get(own)
                if kind == PARAMETER and old is not None and _is_converted(old, tensor):
                    # As in PyTorch, a conversion (`to`) keeps the Parameter, to which optimizers refer.
                    old.data, old.grad = tensor.data, tensor.grad
                    self._functions["bind"](id, place, old)
                    tensor = old
                self._bound[number] = tensor
            tensor = self._bound[number]
            if kind == PARAMETER:
                # In place: a tensor has one Python object, and that object must become the Parameter.
                tensor.__class__ = torch.nn.Parameter
                module._parameters[own] = tensor
            else:
                module.register_buffer(own, tensor, persistent=kind == BUFFER)
        self._tensors[id] = [(name, kind, number) for name, kind, number in tensors]

    def _holder(self, id: int, name: str) -> tuple[Any, str]:
        """Return the Python module that holds a tensor, and the tensor's name in that module.

        Tensors of TorchSharp's native modules may have names with dots. For each part of the name before the last, a NativePart is added if
        there is none. Raises ValueError if a part is also the name of another tensor, or of a child in C#.
        """
        module: Any = self.modules[id]
        *parts, own = name.split(".")
        for part in parts:
            if (
                part in module._parameters
                or part in module._buffers
                or (part in self._children[id] and module is self.modules[id])
            ):
                raise ValueError(f"{type(module).__name__} registers '{name}', and '{part}' too: rename one of them")
            if part not in module._modules:
                module.add_module(part, NativePart())
                dirty_tracking.track(module._modules[part])
            module = module._modules[part]
        return module, own

    def _find(self, id: int, name: str, kind: int) -> tuple[torch.Tensor, bool]:
        """Return the tensor of this name in Python, and whether the module stores it.

        A parametrized module does not store the tensor, but computes it at each access.
        """
        module, own = self._holder(id, name)
        # As in Python's lookup, properties and the module's ``__dict__`` come before parameters and buffers.
        stored = own not in module.__dict__ and not hasattr(type(module), own)
        tensor: Any = getattr(module, _KIND[kind]).get(own) if stored else getattr(module, own, None)
        if tensor is None and stored:
            tensor, stored = getattr(module, own, None), False
        if issubclass(type(tensor), torch.Tensor):  # isinstance would believe an object's ``__class__``
            return tensor, stored
        if tensor is None:
            raise RuntimeError(f"C# reads '{self._path(id, name)}', which is None in Python: assign a tensor")
        article = with_article(type(tensor).__name__)
        raise TypeError(f"'{self._path(id, name)}' is {article}, but .NET needs a tensor: assign one")

    def _check_children(self) -> None:
        for id, children in self._children.items():
            for name, child in children.items():
                if self.modules[id]._modules.get(name) is not self.modules[child]:
                    raise RuntimeError(
                        f"'{self._path(id, name)}' was replaced or deleted in Python, but TorchSharp calls the C# module: put it back, "
                        "or load the model without the argument runtime, so that C# calls the new module"
                    )

    def _path(self, id: int, name: str) -> str:
        path = self.modules[id].__dict__["_path"]
        return f"{path}.{name}" if path else name


def _is_converted(old: torch.Tensor, new: torch.Tensor) -> bool:
    """Return whether ``new`` may be ``old`` on another device or of another dtype."""
    return old.shape == new.shape and (old.dtype != new.dtype or old.device != new.device)
