"""Methods of a model's source, and observations of their expressions."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch.nn.utils.rnn import PackedSequence

#: The number of values that are kept of an expression; a module is also kept if no kept value has its class.
_KEPT: Final = 4
_PLAIN: Final = (bool, int, float, str, tuple, list, dict, type(None))


@dataclass(slots=True)
class Observation:
    """The values of one expression: the names of their types, the first few values that are no tensors, and their truth values.

    ``sample`` represents the type (:func:`sample`); ``shape`` is the shape of the tensor that ``sample`` was taken from, else empty.
    """

    types: set[str] = field(default_factory=set)
    values: list[Any] = field(default_factory=list)
    truths: set[bool] = field(default_factory=set)
    sample: Any = None
    shape: tuple[int, ...] = ()

    def add(self, value: Any) -> None:
        """Add a value that the expression had."""
        kind = type(value)
        if kind in _PLAIN and len(self.values) >= _KEPT and kind.__name__ in self.types and not self._lacks_sample():
            self.truths.add(bool(value))  # nothing else is new: an expression in a loop may have millions of values
            return
        self.types.add(name_type(value))
        if self._lacks_sample():  # a sample of a large dictionary takes long
            self.sample = sample(value)
            self.shape = tuple(value.shape) if isinstance(value, torch.Tensor) else ()
        if not isinstance(value, torch.Tensor):
            self._keep(value)
        if isinstance(value, torch.nn.Module):
            self.truths.add(True)
        elif isinstance(value, _PLAIN):
            self.truths.add(bool(value))

    def merge(self, other: Observation) -> None:
        """Add the values of another run."""
        self.types |= other.types
        if self._lacks_sample():
            self.sample, self.shape = other.sample, other.shape
        for value in other.values:
            self._keep(value)
        self.truths |= other.truths

    def _lacks_sample(self) -> bool:
        return self.sample is None or (isinstance(self.sample, (list, dict)) and not self.sample)

    def _keep(self, value: Any) -> None:
        known = any(one is value for one in self.values)
        if not known and (len(self.values) < _KEPT or _has_new_class(value, self.values)):
            self.values.append(value)


@dataclass(slots=True, eq=False)
class Method:
    """A function of Python's source: its tree, its place, and the observations of its expressions by node.

    ``given`` are the arguments of each call, tensors without their elements. ``decorators`` are the names of the decorators that change
    what the function does. ``stands_for`` is the class whose forward or constructor it replaces, ``original`` the function that it is a
    part of. ``watched`` is False if its runs could not be recorded.
    ``refused`` maps each line of the file that has no translation to the reason; a branch around that line throws if no run took it.
    ``within`` has the attributes whose functions are defined within it (:mod:`bridge.port.observe.stored_functions`). ``nested``
    are the functions within it, by the code that runs while it is watched; their parameters are in ``seen``, too.
    """

    function: types.FunctionType
    tree: ast.FunctionDef
    file: str
    line: int
    seen: dict[ast.expr | ast.arg, Observation]
    given: list[dict[str, Any]] = field(default_factory=list)
    stands_for: type | None = None
    original: types.FunctionType | None = None
    decorators: tuple[str, ...] = ()
    watched: bool = True
    refused: dict[int, str] = field(default_factory=dict)
    nested: dict[types.CodeType, ast.FunctionDef] = field(default_factory=dict)
    within: set[str] = field(default_factory=set)

    def at(self, node: ast.AST) -> str:
        """Return the place of a node: ``nets.py:57``."""
        return f"{Path(self.file).name}:{self.line + getattr(node, 'lineno', 1) - 1}"

    def merge(self, seen: dict[ast.expr | ast.arg, Observation], given: list[dict[str, Any]]) -> None:
        """Add the observations and the calls of another run."""
        for node, observation in seen.items():
            self.seen.setdefault(node, Observation()).merge(observation)
        self.given += given


def _has_new_class(value: Any, values: list[Any]) -> bool:
    """Return whether the value is a module of a class that none of the values has."""
    return isinstance(value, torch.nn.Module) and type(value) not in {type(one) for one in values}


def sample(value: Any) -> Any:
    """Return a value that represents the type of ``value``: its tensors have no elements, its lists at most one item."""
    if isinstance(value, torch.Tensor):
        part = value.detach()[:0] if value.dim() else value.detach()
        return part.clone()  # a view would keep the elements of all tensors of a run in memory
    if isinstance(value, tuple) and not isinstance(value, (torch.Size, PackedSequence)):
        parts = tuple(map(sample, value))
        return type(value)(*parts) if hasattr(value, "_fields") else parts
    if isinstance(value, list):
        return [sample(one) for one in value[:1]]
    if type(value) is dict:
        return {key: sample(one) for key, one in value.items()}
    return value


def name_type(value: Any) -> str:
    """Return the name of a value's type, the same for all tensors and for all modules."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    return "Module" if isinstance(value, torch.nn.Module) else type(value).__name__
