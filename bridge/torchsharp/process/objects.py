"""Python's access to .NET objects in the process of TorchSharp: objects of models' own classes, and modules."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from bridge.mirror.crossing.objects import DotNetObject, ObjectAccess
from bridge.torchsharp.process.gradients import any_requires_grad, refuse_gradients

#: Runs an operation of ``ObjectMethods.cs`` on a module: takes the operation, the name of a member, and the arguments.
Use: TypeAlias = Callable[[str, str, tuple[Any, ...], dict[str, Any]], Any]


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class RemoteAccess(ObjectAccess):
    """The access to the objects of a process, or to one module.

    Attributes:
        owner: The :class:`RemoteObjects` of the process, or the model of the module.
        reference: Returns the JSON that stands for an object in a request's arguments.
    """

    owner: Any
    reference: Callable[[int], dict[str, Any]]


class RemoteObjects:
    """The .NET objects of a process. Python refers to each by a number.

    ``ask`` is :meth:`Exchange.ask`.
    """

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask
        self._descriptions: dict[int, str] = {}
        # The objects to release. Finalizers run on any thread and during requests, so they make no request: they remove the object's
        # description and append here.
        self._released: deque[int] = deque()
        self.access = _make_access(self._use, self, lambda number: {"object": [number]}, self._release)

    def wrap(self, number: int, type_name: str) -> DotNetObject:
        """Return the Python object of a .NET object."""
        return DotNetObject(self.access, number, type_name)

    def create(self, members: dict[str, Any], type_name: str) -> DotNetObject:
        """Create an object by the request ``new`` with the parameters ``members``."""
        return self._make("new", lambda _: dict(members), type_name)

    def hold(self, value: Any) -> DotNetObject:
        """Return the .NET object for a value, such as a tensor. Raises the exceptions of :meth:`Packing.pack` and ``ask``."""
        if isinstance(value, DotNetObject) and value._access is self.access:
            return value
        return self._make("hold", lambda packing: {"value": packing.pack(value)}, type(value).__name__)

    def _make(self, method: str, write: Callable[[Any], dict[str, Any]], type_name: str) -> DotNetObject:
        def read(result: dict[str, Any], _: Any) -> DotNetObject:
            return self.wrap(result["object"], type_name)

        made: DotNetObject = self._ask(method, write, read, kind=(0, method))
        return made

    def take_released(self) -> list[int]:
        """Return the numbers of the objects that were freed since the last call."""
        return [self._released.popleft() for _ in range(len(self._released))]

    def _release(self, number: int) -> None:
        self._descriptions.pop(number, None)
        self._released.append(number)

    def _use(self, number: int, operation: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if operation == "describe" and number in self._descriptions:
            return self._descriptions[number]

        def write(packing: Any) -> dict[str, Any]:
            arguments = packing.pack_arguments(args, kwargs)
            members = {"object": number, "operation": operation, "name": name, "arguments": arguments}
            return members | ({"grad": True} if torch.is_grad_enabled() else {})

        value = self._ask("object", write, lambda result, unpack: unpack(result["value"]), kind=(0, operation))
        if operation == "describe":
            value = self._descriptions[number] = sys.intern(value)
        needs_gradients = operation == "call" and torch.is_grad_enabled() and any_requires_grad((args, kwargs))
        return refuse_gradients(value) if needs_gradients else value


def module_access(use: Use, model: Any, reference: dict[str, Any]) -> RemoteAccess:
    """Return the access to a module of ``model``. ``reference`` is the JSON that stands for the module in arguments."""

    def run(_: int, operation: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return use(operation, name, args, kwargs)

    return _make_access(run, model, lambda _: reference, lambda _: None)


def _make_access(
    run: Callable[[int, str, str, tuple[Any, ...], dict[str, Any]], Any],
    owner: Any,
    reference: Callable[[int], dict[str, Any]],
    release: Callable[[int], None],
) -> RemoteAccess:
    return RemoteAccess(
        describe=lambda number: run(number, "describe", "", (), {}),
        get=lambda number, name: run(number, "get", name, (), {}),
        set=lambda number, name, value: run(number, "set", name, (value,), {}),
        call=lambda number, name, args, kwargs: run(number, "call", name, args, kwargs),
        items=lambda number: run(number, "items", "", (), {}),
        text=lambda number: run(number, "text", "", (), {}),
        equal=lambda first, second: run(first, "equal", "", (Reference(reference(second)),), {}),
        hash=lambda number: run(number, "hash", "", (), {}),
        release=release,
        in_this_process=False,
        owner=owner,
        reference=reference,
    )


@dataclass(frozen=True, slots=True)
class Reference:
    """An argument that is JSON already."""

    json: dict[str, Any]
