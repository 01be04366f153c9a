"""A model in the process of TorchSharp. Each call also sends the parameters, buffers and training modes that Python has changed."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import torch

from bridge.mirror.crossing.objects import DotNetObject
from bridge.torchsharp.process.errors import HostError
from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.objects import RemoteAccess, Use, module_access
from bridge.torchsharp.process.requests import to_exception
from bridge.torchsharp.process.values import Packing

Reference: TypeAlias = weakref.ref[torch.nn.Module]
_numbers = itertools.count(1)
_REMOTE: Final = "the model runs in the process of TorchSharp"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The data from which each new process loads a model.

    Attributes:
        path: The full path of the assembly.
        type_name: The name of the type or static method, as for :func:`bridge.load`.
        arguments: A list of the constructor's arguments by position, and a dictionary of its arguments by name.
        objects: The .NET objects in the arguments. They are lost when their process ends.
    """

    path: str
    type_name: str
    arguments: list[Any]
    objects: tuple[DotNetObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """The location of a parameter or buffer.

    Attributes:
        owner: A weak reference to the module in Python that has the tensor.
        kind: The name of the module's dictionary that has the tensor.
        name: The key of the tensor in the dictionary.
        path: The path of the tensor in the model.
    """

    owner: weakref.ref[torch.nn.Module]
    kind: Literal["_parameters", "_buffers"]
    name: str
    path: str

    def tensor(self) -> torch.Tensor | None:
        """Return the current tensor; None if the module was collected. Raises RuntimeError if the tensor was removed."""
        owner = self.owner()
        if owner is None:
            return None
        tensor: torch.Tensor | None = getattr(owner, self.kind).get(self.name)
        if tensor is None:
            raise RuntimeError(
                f"{_REMOTE}, and Python has removed '{self.path}': assign a tensor of the same shape and dtype"
            )
        return tensor


class RemoteModel:
    """A model in the process of TorchSharp. The model is loaded again if a new process has started.

    The model's modules in Python hold references to this object, which holds weak references to the modules. When the last module is
    freed, the process releases the model.
    """

    def __init__(self, exchange: Exchange, recipe: Recipe) -> None:
        self.exchange = exchange
        self.recipe = recipe
        self._number = next(_numbers)
        self._generation = 0
        self._slots: tuple[Slot, ...] = ()
        #: The parent, name, path and module of each child.
        self._children: tuple[tuple[Reference, str, str, Reference], ...] = ()
        self._modules: tuple[tuple[str, Reference], ...] = ()
        #: Four items for each part (a module that only Python has): the part's path, the part, the path of the C# module to which the part
        #: belongs, and that module in Python.
        self._parts: tuple[tuple[str, Reference, str, Reference], ...] = ()
        #: The tensors that the process has, by path, each with its :func:`_state`.
        self._sent: dict[str, tuple[torch.Tensor, int, int]] = {}
        #: The training modes that the process has, in the order of the modules; [] if unknown.
        self._modes: list[bool] = []
        #: Called with the events of each call, and with a function that unpacks their values. If None, calls are not traced.
        self.traced: Callable[[list[dict[str, Any]], Callable[[Any], Any]], None] | None = None
        self._accesses: weakref.WeakValueDictionary[str, RemoteAccess] = weakref.WeakValueDictionary()
        exchange.models[self._number] = self
        weakref.finalize(self, exchange.drop, self._number).atexit = False

    @property
    def title(self) -> str:
        """Return the names and versions of the libraries that run the model."""
        return self.exchange.host.title

    def load(self, draws: bool = True) -> list[dict[str, Any]]:
        """Create the model in the process, and return the description of the model's modules, written by ``Load`` in ``ModelMethods.cs``.

        With ``draws``, Python's random generator advances by the random numbers that the constructor has drawn. Raises the exceptions of
        :meth:`Exchange.ask`.
        """

        def write(_: Packing) -> dict[str, Any]:
            recipe = self.recipe
            return {
                "model": self._number,
                "path": recipe.path,
                "type": recipe.type_name,
                "arguments": recipe.arguments,
            }

        def read(result: dict[str, Any], unpack: Callable[[Any], Any]) -> list[dict[str, Any]]:
            for module in result["modules"]:
                for kind in ("parameters", "buffers"):
                    for name, value in module.get(kind, {}).items():
                        if not isinstance(value, str):
                            # Without the copy, each tensor would keep the memory of the whole model alive.
                            module[kind][name] = unpack(value).clone()
            return result["modules"]  # type: ignore[no-any-return]  # JSON has no type

        modules = self.exchange.ask("load", write, read, kind=(self._number, "/load"), draws=draws)
        self._generation = self.exchange.host.generation
        return modules

    def track(
        self,
        modules: Mapping[str, torch.nn.Module],
        slots: tuple[Slot, ...],
        parts: Mapping[str, tuple[str, torch.nn.Module]],
    ) -> None:
        """Set the modules and tensors whose changes are sent.

        ``parts`` are modules that only Python has, by path, each with the path of the C# module to which it belongs.
        """
        self._slots = slots
        references = {path: weakref.ref(module) for path, module in modules.items()}
        self._modules = tuple(references.items())
        self._parts = tuple(
            (path, weakref.ref(part), owner, references[owner]) for path, (owner, part) in parts.items()
        )
        all_modules = {**references, **{path: part for path, part, _, _ in self._parts}}
        children = []
        for path, module in all_modules.items():
            if path:
                parent, _, name = path.rpartition(".")
                children.append((all_modules[parent], name, path, module))
        self._children = tuple(children)
        self._modes = [module.training for module in modules.values()]
        for slot in slots:
            self._remember(slot)

    def module_object(self, path: str, use: Use, type_name: str) -> DotNetObject:
        """Return the .NET object of the module at ``path``.

        ``use`` runs the operations of the object. While an object that an earlier call returned exists, the ``use`` of that call applies.
        """
        access = self._accesses.get(path)
        if access is None:
            access = self._accesses[path] = module_access(use, self, {"module": [self._number, path]})
        return DotNetObject(access, 0, type_name)

    def python_module(self, path: str) -> torch.nn.Module:
        """Return the module at ``path``. Raises RuntimeError if it was collected."""
        module = self._live_modules().get(path)
        if module is None:
            raise RuntimeError(
                f"C# returned the module '{path}', which no longer exists in Python: load the model again"
            )
        return module

    def call(
        self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any], operation: str = "", name: str = ""
    ) -> Any:
        """Call the module at ``path``, or run an ``operation`` of ``ObjectMethods.cs`` on it. Some operations take a member's ``name``.

        Raises the exceptions of :meth:`Exchange.ask`, the C# module's exception, HostError if .NET objects in the constructor's arguments
        were lost, and RuntimeError if a change in Python or C# cannot be passed on, or a module in the result was collected.
        """
        host = self.exchange.host
        with host.exclusive():
            host.start()
            if host.generation != self._generation:
                if self.recipe.objects:
                    raise HostError(
                        "the model's process of TorchSharp has ended, and with it the .NET objects that the constructor took: make them "
                        "again, and load the model again"
                    )
                self.load(draws=False)
                self._sent.clear()
                self._modes = []
            modules = self._live_modules()
            changed: list[Slot] = []

            def write(packing: Packing) -> dict[str, Any]:
                packing.owners.append(self)
                arguments = packing.pack_arguments(args, kwargs)
                members: dict[str, Any] = {"model": self._number, "path": path, "arguments": arguments}
                if operation:
                    members |= {"operation": operation, "name": name}
                changed.extend(self._changed())
                if changed:
                    members["state"] = {slot.path: packing.pack(slot.tensor()) for slot in changed}
                return members | self._mode_members(modules)

            def read(result: dict[str, Any], unpack: Callable[[Any], Any]) -> Any:
                for slot in changed:
                    self._remember(slot)
                self._refresh(result, unpack)
                if self.traced is not None:
                    self.traced(result["events"], unpack)
                if "failure" in result:
                    raise to_exception(result["failure"])
                return unpack(result["value"])

            try:
                return self.exchange.ask("call", write, read, kind=(self._number, path))
            except BaseException:
                self._modes = []
                raise

    def _mode_members(self, modules: Mapping[str, torch.nn.Module]) -> dict[str, Any]:
        """Return the items of a request that tell training modes (if one has changed), grad mode, tracing and whether to return buffers."""
        members: dict[str, Any] = {}
        modes = [module.training for module in modules.values()]
        if modes != self._modes:
            members["training"] = [[at, module.training] for at, module in modules.items()]
            self._modes = modes
        if torch.is_grad_enabled():
            members["grad"] = True
        with_parts = (*modules.values(), *(part() for _, part, _, _ in self._parts))
        if any(module is not None and module.training and module._buffers for module in with_parts):
            members["buffers"] = True
        if self.traced is not None:
            # Results depend on the number of threads, which may change the order of a summation.
            members |= {"trace": True, "threads": torch.get_num_threads()}
        return members

    def _live_modules(self) -> dict[str, torch.nn.Module]:
        """Return the modules that still exist in Python, by path."""
        return {path: module for path, reference in self._modules if (module := reference()) is not None}

    def _refresh(self, result: dict[str, Any], unpack: Callable[[Any], Any]) -> None:
        """Apply to Python's modules the changes of parameters, buffers and training modes that a call has made in C#."""
        if result["state"]:
            with torch.no_grad():
                for slot in self._slots:
                    if slot.path in result["state"] and (tensor := slot.tensor()) is not None:
                        value = unpack(result["state"][slot.path])
                        if value is None or (value.shape, value.dtype) != (tensor.shape, tensor.dtype):
                            raise RuntimeError(
                                f"{_REMOTE}, and C# has changed the shape or dtype of '{slot.path}', or disposed it: this is not supported"
                            )
                        tensor.copy_(value)
                        self._remember(slot)
        if result["training"]:
            modules = self._live_modules()
            for path, training in result["training"]:
                if path in modules:
                    modules[path].training = training
            for _, part_reference, _, owner in self._parts:
                if (part := part_reference()) is not None and (module := owner()) is not None:
                    part.training = module.training
            self._modes = [module.training for module in modules.values()]

    def _changed(self) -> list[Slot]:
        """Return the locations of tensors that Python has changed. Raises RuntimeError for a change that cannot be sent."""
        for parent_reference, name, path, reference in self._children:
            if (parent := parent_reference()) is not None:
                module = reference()
                if module is None or parent._modules.get(name) is not module:
                    raise RuntimeError(
                        f"{_REMOTE}, and Python has replaced or removed '{path}': load the model again, and keep its modules"
                    )
        for path, reference, owner_path, owner in self._parts:
            part, module = reference(), owner()
            if part is not None and module is not None and part.training != module.training:
                owner_name = f"'{owner_path}'" if owner_path else "the model"
                raise RuntimeError(
                    f"{_REMOTE}, where '{path}' is part of {owner_name}: both must have the same training mode"
                )
        found = []
        for slot in self._slots:
            if (tensor := slot.tensor()) is not None:
                sent = self._sent.get(slot.path)
                if sent is None or sent[0] is not tensor or sent[1:] != _state(tensor):
                    found.append(slot)
        return found

    def _remember(self, slot: Slot) -> None:
        if (tensor := slot.tensor()) is not None:
            self._sent[slot.path] = (tensor, *_state(tensor))


def _state(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the version and the address of a tensor; a write changes the version, and an assignment to ``.data`` the address.

    Some writes change neither, and are not noticed: writes through ``.data`` or a NumPy view, and writes to an inference tensor, whose
    version here is always -1.
    """
    return (-1 if tensor.is_inference() else tensor._version, tensor.data_ptr())
