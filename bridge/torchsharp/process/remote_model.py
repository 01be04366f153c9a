"""A model in the process of TorchSharp, which receives Python's changes to its state with the next call."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import torch

from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.requests import to_exception
from bridge.torchsharp.process.values import Packing

Reference: TypeAlias = weakref.ref[torch.nn.Module]
_numbers = itertools.count(1)
_REMOTE: Final = "the model runs in the process of TorchSharp"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The origin of a model: the assembly's full path, the type's name, and the constructor's arguments as JSON."""

    path: str
    type_name: str
    arguments: list[Any]


@dataclass(frozen=True, slots=True)
class Slot:
    """The location of a parameter or buffer: its module, the module's dictionary, its name there and in the model."""

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
            raise RuntimeError(f"{_REMOTE}, and Python has removed '{self.path}': that cannot be sent")
        return tensor


class RemoteModel:
    """A model, loaded in the current process and given Python's changes.

    Its modules refer to it, and it refers to them weakly: it ends with the last of them, and the process then releases the model.
    """

    def __init__(self, exchange: Exchange, recipe: Recipe) -> None:
        self.exchange = exchange
        self.recipe = recipe
        self._number = next(_numbers)
        self._generation = 0
        self._slots: tuple[Slot, ...] = ()
        self._places: tuple[tuple[Reference, str, str, Reference], ...] = ()
        self._modules: tuple[tuple[str, Reference], ...] = ()
        self._parts: tuple[tuple[str, Reference, str, Reference], ...] = ()
        self._sent: dict[str, tuple[torch.Tensor, int, int]] = {}
        self._modes: list[bool] = []
        #: Receives the events of each call, and a function that unpacks their values; if set, calls are traced.
        self.traced: Callable[[list[dict[str, Any]], Callable[[Any], Any]], None] | None = None
        weakref.finalize(self, exchange.drop, self._number).atexit = False

    @property
    def title(self) -> str:
        """Return what the model runs on."""
        return self.exchange.host.title

    def load(self, draws: bool = True) -> list[dict[str, Any]]:
        """Create the model in the process and return its modules as described by ``load`` of ``ModelMethods.cs``, with their tensors.

        With ``draws``, Python's generator provides the random initial weights.
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
                            # A copy, since the block is as large as the whole model.
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

        ``parts`` are modules that only Python has, each with the path of the C# module that it belongs to.
        """
        self._slots = slots
        refer = {path: weakref.ref(module) for path, module in modules.items()}
        self._modules = tuple(refer.items())
        self._parts = tuple((path, weakref.ref(part), owner, refer[owner]) for path, (owner, part) in parts.items())
        everything = {**refer, **{path: part for path, part, _, _ in self._parts}}
        places = []
        for path, module in everything.items():
            if path:
                above, _, name = path.rpartition(".")
                places.append((everything[above], name, path, module))
        self._places = tuple(places)
        self._modes = [module.training for module in modules.values()]
        for slot in slots:
            self._remember(slot)

    def call(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a module of the model. Raises as :meth:`Exchange.ask`, and RuntimeError for a change by Python that cannot be sent."""
        host = self.exchange.host
        with host.turn():
            host.start()
            if host.generation != self._generation:
                self.load(draws=False)
                self._sent.clear()
                self._modes = []
            modules = self._live_modules()
            changed: list[Slot] = []

            def write(packing: Packing) -> dict[str, Any]:
                arguments = [
                    [packing.pack(value) for value in args],
                    {name: packing.pack(value) for name, value in kwargs.items()},
                ]
                members: dict[str, Any] = {"model": self._number, "path": path, "arguments": arguments}
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
                self._modes = []  # unknown in the process now
                raise

    def _mode_members(self, modules: Mapping[str, torch.nn.Module]) -> dict[str, Any]:
        """Return a call's members about modes: changed training modes, grad mode, buffers to return, tracing."""
        members: dict[str, Any] = {}
        modes = [module.training for module in modules.values()]
        if modes != self._modes:
            members["training"] = [[at, module.training] for at, module in modules.items()]
            self._modes = modes
        if torch.is_grad_enabled():
            members["grad"] = True
        having = (*modules.values(), *(part() for _, part, _, _ in self._parts))
        if any(module is not None and module.training and module._buffers for module in having):
            members["buffers"] = True
        if self.traced is not None:
            # Sums depend on the number of threads.
            members |= {"trace": True, "threads": torch.get_num_threads()}
        return members

    def _live_modules(self) -> dict[str, torch.nn.Module]:
        """Return the modules that still exist in Python, where parts of a model may be collected."""
        return {path: module for path, refer in self._modules if (module := refer()) is not None}

    def _refresh(self, result: dict[str, Any], unpack: Callable[[Any], Any]) -> None:
        """Copy the call's changes to parameters, buffers and training modes."""
        if result["state"]:
            with torch.no_grad():
                for slot in self._slots:
                    if slot.path in result["state"] and (tensor := slot.tensor()) is not None:
                        value = unpack(result["state"][slot.path])
                        if value is None or (value.shape, value.dtype) != (tensor.shape, tensor.dtype):
                            raise RuntimeError(
                                f"{_REMOTE}, and C# has changed the shape or dtype of '{slot.path}', or disposed it: that cannot be sent"
                            )
                        tensor.copy_(value)
                        self._remember(slot)
        if result["training"]:
            modules = self._live_modules()
            for path, training in result["training"]:
                if path in modules:
                    modules[path].training = training
            for _, part, _, owner in self._parts:
                if (below := part()) is not None and (module := owner()) is not None:
                    below.training = module.training
            self._modes = [module.training for module in modules.values()]

    def _changed(self) -> list[Slot]:
        for above, name, path, refer in self._places:
            if (having := above()) is not None:
                module = refer()
                if module is None or having._modules.get(name) is not module:
                    raise RuntimeError(f"{_REMOTE}, and Python has replaced '{path}': that cannot be sent")
        for path, refer, whole, owner in self._parts:
            part, module = refer(), owner()
            if part is not None and module is not None and part.training != module.training:
                whole_name = f"'{whole}'" if whole else "the model"
                raise RuntimeError(
                    f"{_REMOTE}, where '{path}' is part of {whole_name}: both must have the same training mode"
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
    """Return a pair that changes with each write; the address is included since ``.data`` replaces elements without a new version."""
    return (-1 if tensor.is_inference() else tensor._version, tensor.data_ptr())
