"""Conversion between the JSON values of a program and the tensors and containers of a :class:`~hook_contract.runtimes.world.World`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hook_contract.program import Json
from hook_contract.runtimes.world import World


def make(value: Json, world: World, find: Callable[[str], Any]) -> Any:
    """Convert a program's JSON value to a Python value, with tensors of ``world``. ``find`` returns the value of a name."""
    if value is None:
        return None
    if not isinstance(value, dict):
        return world.vector([float(value)])
    ((form, content),) = value.items()
    match form:
        case "tuple" | "list":
            return {"tuple": tuple, "list": list}[form](make(item, world, find) for item in content)
        case "dict":
            return {key: make(item, world, find) for key, item in content.items()}
        case "vector":
            return world.vector([float(item) for item in content])
        case "name":
            return find(content)
        case _:
            return content  # "plain" and "text"


class Writer:
    """A converter of Python values to JSON. With ``identity``, it numbers the tensor objects in the order in which it meets them.

    A tensor that is not on the run's device is written with its device. No expected trace has such a value, so the program fails.
    """

    def __init__(self, world: World, identity: bool) -> None:
        self._world, self._device = world, world.device
        self._ids: dict[int, int] | None = {} if identity else None
        # Keeps the numbered tensors alive, since Python reuses the id() of a freed object.
        self._numbered: list[Any] = []

    def __call__(self, value: Any) -> Json:
        match value:
            case None:
                return None
            case bool() | int() | float():
                return {"plain": number(value)}
            case str():
                return {"text": value}
            case tuple() | list():
                return {"tuple" if isinstance(value, tuple) else "list": [self(item) for item in value]}
            case dict():
                return {"dict": {key: self(item) for key, item in value.items()}}
        if not isinstance(value, self._world.tensor_type):
            return {"object": type(value).__name__}
        written, device = self._world.elements(value), self._world.device_of(value)
        if device != self._device:
            return {"value": written, "device": device}
        if self._ids is None:
            return written
        if id(value) not in self._ids:
            self._ids[id(value)] = len(self._ids)
            self._numbered.append(value)
        return {"value": written, "id": self._ids[id(value)]}


def number(value: float) -> float | int:
    """Convert a float without fraction to an integer, since runtimes differ in which numbers are floats."""
    return int(value) if not isinstance(value, bool) and value == value // 1 else value


def plus(value: Any, n: float) -> Any:
    """Return ``value + n``. In a tuple or list, ``n`` is added to the first item, in a dict to the first value."""
    if isinstance(value, dict):
        first = next(iter(value))
        return {**value, first: plus(value[first], n)}
    if isinstance(value, (tuple, list)):
        return type(value)((plus(value[0], n), *value[1:]))
    return value + n
