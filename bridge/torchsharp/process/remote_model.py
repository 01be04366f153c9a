"""A model in the process of TorchSharp, with what Python has of it: which of that Python changed goes there with the next call."""

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
_SAID: Final = "the model runs in the process of TorchSharp"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model is made from: the assembly's full path, the type's name, and the arguments of its constructor as JSON has them."""

    path: str
    type_name: str
    arguments: list[Any]


@dataclass(frozen=True, slots=True)
class Slot:
    """Locate a parameter or buffer: the module that has it, in which of its dictionaries, its name there and in the model."""

    owner: weakref.ref[torch.nn.Module]
    kind: Literal["_parameters", "_buffers"]
    name: str
    path: str

    def tensor(self) -> torch.Tensor | None:
        """Return the tensor as it is now; None where Python has dropped the module. Raises RuntimeError where it took the tensor away."""
        owner = self.owner()
        if owner is None:
            return None
        tensor: torch.Tensor | None = getattr(owner, self.kind).get(self.name)
        if tensor is None:
            raise RuntimeError(f"{_SAID}, which has '{self.path}', and Python has taken it away: that does not cross")
        return tensor


class RemoteModel:
    """One model: loaded in whichever process there is now, and given there what Python has changed since.

    Its modules have it, and it has them weakly: with the last of them it ends, at once, and the process forgets the model.
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
        #: Gets the events of each call, and what reads their values; where it is set, calls are traced.
        self.traced: Callable[[list[dict[str, Any]], Callable[[Any], Any]], None] | None = None
        weakref.finalize(self, exchange.drop, self._number).atexit = False

    @property
    def title(self) -> str:
        """What it runs on."""
        return self.exchange.host.title

    def load(self, draws: bool = True) -> list[dict[str, Any]]:
        """Make the model; its modules as ``load`` of ``ModelMethods.cs`` gives them, their tensors read already.

        If ``draws``, Python's generator has drawn its first weights.
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
                            # Of its own: a block is as large as the whole model.
                            module[kind][name] = unpack(value).clone()
            return result["modules"]  # type: ignore[no-any-return]  # JSON has no type

        modules = self.exchange.ask("load", write, read, kind=(self._number, "/load"), draws=draws)
        self._generation = self.exchange.host.generation
        return modules

    def follow(
        self,
        modules: Mapping[str, torch.nn.Module],
        slots: tuple[Slot, ...],
        parts: Mapping[str, tuple[str, torch.nn.Module]],
    ) -> None:
        """What Python has of the model, as it is there now.

        ``parts`` are modules that only Python has, each with the path of the one that C# has in its place.
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
            self._note(slot)

    def call(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a module of it. Raises what :meth:`Exchange.ask` raises; RuntimeError for what Python changed and cannot cross."""
        host = self.exchange.host
        with host.turn():
            host.start()
            if host.generation != self._generation:
                self.load(draws=False)
                self._sent.clear()
                self._modes = []
            modules = self._living()
            having = (*modules.values(), *(part() for _, part, _, _ in self._parts))
            buffers = any(module is not None and module.training and module._buffers for module in having)
            changed: list[Slot] = []

            def write(packing: Packing) -> dict[str, Any]:
                members: dict[str, Any] = {
                    "model": self._number,
                    "path": path,
                    "arguments": [
                        [packing.pack(value) for value in args],
                        {name: packing.pack(value) for name, value in kwargs.items()},
                    ],
                }
                changed.extend(self._changed())
                if changed:
                    members["state"] = {slot.path: packing.pack(slot.tensor()) for slot in changed}
                modes = [module.training for module in modules.values()]
                if modes != self._modes:
                    members["training"] = [[at, module.training] for at, module in modules.items()]
                    self._modes = modes
                if torch.is_grad_enabled():
                    members["grad"] = True
                if buffers:
                    members["buffers"] = True
                if self.traced is not None:
                    # Sums as here: with another number of threads they are split differently.
                    members |= {"trace": True, "threads": torch.get_num_threads()}
                return members

            def read(result: dict[str, Any], unpack: Callable[[Any], Any]) -> Any:
                for slot in changed:
                    self._note(slot)
                self._refresh(result, unpack)
                if self.traced is not None:
                    self.traced(result["events"], unpack)
                if "failure" in result:
                    raise to_exception(result["failure"])
                return unpack(result["value"])

            try:
                return self.exchange.ask("call", write, read, kind=(self._number, path))
            except BaseException:
                self._modes = []  # whether they arrived is not known
                raise

    def _living(self) -> dict[str, torch.nn.Module]:
        """Return the modules that Python still has: with a part of a model the rest of it may be gone."""
        return {path: module for path, refer in self._modules if (module := refer()) is not None}

    def _refresh(self, result: dict[str, Any], unpack: Callable[[Any], Any]) -> None:
        """Take over what the call has written to parameters and buffers, and which modules it has set to train."""
        if result["state"]:
            with torch.no_grad():
                for slot in self._slots:
                    if slot.path in result["state"] and (tensor := slot.tensor()) is not None:
                        value = unpack(result["state"][slot.path])
                        if value is None or (value.shape, value.dtype) != (tensor.shape, tensor.dtype):
                            raise RuntimeError(
                                f"{_SAID}, and its C# has given '{slot.path}' another shape or type, or ended it: that does not cross"
                            )
                        tensor.copy_(value)
                        self._note(slot)
        if result["training"]:
            modules = self._living()
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
                    raise RuntimeError(f"{_SAID}, and Python has replaced '{path}': that does not cross")
        for path, refer, whole, owner in self._parts:
            part, module = refer(), owner()
            if part is not None and module is not None and part.training != module.training:
                said = f"'{whole}'" if whole else "the model"
                raise RuntimeError(f"{_SAID}, where '{path}' is no module of its own: it trains or not as {said} does")
        found = []
        for slot in self._slots:
            if (tensor := slot.tensor()) is not None:
                sent = self._sent.get(slot.path)
                if sent is None or sent[0] is not tensor or sent[1:] != _state(tensor):
                    found.append(slot)
        return found

    def _note(self, slot: Slot) -> None:
        if (tensor := slot.tensor()) is not None:
            self._sent[slot.path] = (tensor, *_state(tensor))


def _state(tensor: torch.Tensor) -> tuple[int, int]:
    """What is another pair after a write, and where the elements are: ``.data`` gives other ones without a write."""
    return (-1 if tensor.is_inference() else tensor._version, tensor.data_ptr())
