"""The ATen operators that one ``forward`` calls itself, with what they took and gave, and the places in the code that called them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge.compare.isolate.copies import duplicate, tensors, version_of
from bridge.compare.isolate.record import Call
from bridge.compare.isolate.source_location import Place

#: Operators whose elements mean nothing yet, and those that only pass on what they get.
_EMPTY: Final = ("empty", "new_empty")
_PASSING: Final = frozenset({"detach", "alias", "lift_fresh", "lift_fresh_copy", "_to_copy", "clone", "copy_", "set_"})
#: ATen's names of what a user calls otherwise.
_NAMES: Final = {
    "constant_pad_nd": "pad",
    "reflection_pad1d": "pad",
    "reflection_pad2d": "pad",
    "replication_pad1d": "pad",
    "replication_pad2d": "pad",
    "_unsafe_view": "view",
    "_reshape_alias": "view",
    "convolution": "conv",
    "_to_copy": "to",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "native_batch_norm": "batch_norm",
    "_native_batch_norm_legit": "batch_norm",
    "_native_batch_norm_legit_no_training": "batch_norm",
    "native_dropout": "dropout",
    "max_pool2d_with_indices": "max_pool2d",
    # PyTorch's norm calls the one, TorchSharp's the other.
    "linalg_vector_norm": "norm",
}
#: Names of arguments of one operator that another one of the same name has under another.
_ARGUMENTS: Final = {"linalg_vector_norm": {"ord": "p"}}


@dataclass(slots=True, eq=False)
class Value:
    """A tensor at one moment, copied: ``words`` say where it came from; ``maker`` is the operator that gave it, if one did, and
    ``source`` the place of the child's call that did; ``segment`` is the number of the child's call that had ended last by then."""

    data: torch.Tensor
    words: str
    maker: Operator | None = None
    source: str = ""
    segment: int = -1


@dataclass(slots=True, eq=False)
class Operator:
    """One call of an operator. ``arguments`` are by the schema's names, a :class:`Value` in place of each tensor.

    ``segment`` is the number of the child's call that ended last before it, -1 for none; ``source`` its place in the user's code, in a
    ``method``, ``flow`` whether gradients are wanted there, ``failed`` whether it raised, ``wrote`` the places of the module's arguments
    that it changed in place.
    """

    number: int
    name: str
    aten: str
    segment: int
    arguments: dict[str, Any]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...] = ()
    source: str = ""
    line: str = ""
    method: str = ""
    flow: bool = True
    failed: bool = False
    wrote: tuple[int, ...] = ()

    @property
    def passes(self) -> bool:
        """It gives the elements that it gets."""
        return self.aten in _PASSING

    @property
    def hollow(self) -> bool:
        return self.aten.startswith(_EMPTY)


@dataclass(slots=True, eq=False)
class Handed:
    """What a child was given, or what the module returns (``call`` is None); ``source`` is the place of the child's call."""

    call: Call | None
    segment: int
    values: tuple[Value, ...]
    source: str = ""
    line: str = ""
    method: str = ""


class Recorded(TorchDispatchMode):  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    """The operators of one run of one module. ``where`` gives the place in the code that calls.

    ``handed`` are what its children were given and what it returned, ``values`` all tensors that were seen.
    """

    def __init__(self, where: Callable[[], Place]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the same
        self.operators: list[Operator] = []
        self.handed: list[Handed] = []
        self.values: list[Value] = []
        self._where = where
        self._segment = -1
        self._given: list[torch.Tensor] = []
        self._versions: list[int] = []
        # The tensors are held, so that no other one gets the id of one that is known.
        self._known: dict[int, tuple[torch.Tensor, int, Value]] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        with self:
            yield

    def given(self, value: Any) -> None:
        """The arguments of the module."""
        self._given = tensors(value)
        self._versions = [version_of(tensor) for tensor in self._given]
        for place, tensor in enumerate(self._given):
            self._add(tensor, f"argument {place + 1}" if place else "the first argument")

    def entered(self, child: Call, received: Any) -> None:
        self._note_writes()
        values = tuple(self._value(tensor) for tensor in tensors(received))
        self.handed.append(Handed(child, self._segment, values, *self._where()))

    def left(self, child: Call, result: Any) -> None:
        self._segment = child.number
        found = tensors(result)
        for place, tensor in enumerate(found):
            number = f" {place + 1}" if len(found) > 1 else ""
            self._add(tensor, f"{'' if number else 'the '}result{number} of {child.path}").source = self.handed[
                -1
            ].source

    def returned(self, result: Any) -> None:
        self._note_writes()
        self.handed.append(Handed(None, self._segment, tuple(self._value(tensor) for tensor in tensors(result))))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._note_writes()
        kwargs = kwargs or {}
        aten = func._schema.name.partition("::")[2]
        arguments = dict(zip((one.name for one in func._schema.arguments), args, strict=False)) | kwargs
        arguments = {_ARGUMENTS.get(aten, {}).get(name, name): value for name, value in arguments.items()}
        inputs: list[Value] = []
        plain = {name: self._plain(value, inputs) for name, value in arguments.items()}
        made = Operator(len(self.operators), named(aten), aten, self._segment, plain, tuple(inputs))
        made.source, made.line, made.method = self._where()
        made.flow = torch.is_grad_enabled()
        self.operators.append(made)
        try:
            result = func(*args, **kwargs)
        except Exception:  # noted, and raised again
            made.failed = True
            raise
        made.outputs = tuple(self._add(tensor, "", made) for tensor in tensors(result))
        return result

    def _note_writes(self) -> None:
        """What the last operator changed: a tensor's version counts after the operator has been seen."""
        now = [version_of(tensor) for tensor in self._given]
        if self.operators and now != self._versions:
            places = enumerate(zip(self._versions, now, strict=True))
            self.operators[-1].wrote += tuple(place for place, (before, after) in places if before != after)
        self._versions = now

    def _plain(self, value: Any, inputs: list[Value]) -> Any:
        if isinstance(value, torch.Tensor):
            inputs.append(self._value(value))
            return inputs[-1]
        if isinstance(value, (tuple, list)):
            return [self._plain(item, inputs) for item in value]
        return value

    def _value(self, tensor: torch.Tensor) -> Value:
        known = self._known.get(id(tensor))
        if known is not None and known[1] == version_of(tensor):
            return known[2]
        # Seen for the first time, written since through a view, or another object for the same tensor.
        for value in reversed(self.values):
            if value.maker is not None and value.data.shape == tensor.shape and same(value.data, tensor):
                self._known[id(tensor)] = (tensor, version_of(tensor), value)
                return value
        return self._add(tensor, "a parameter or buffer" if known is None else "what was written in place")

    def _add(self, tensor: torch.Tensor, words: str, maker: Operator | None = None) -> Value:
        value = Value(duplicate(tensor), words, maker, segment=self._segment)
        self.values.append(value)
        self._known[id(tensor)] = (tensor, version_of(tensor), value)
        return value


def named(aten: str) -> str:
    """An operator's name as a user writes it."""
    known = _NAMES.get(aten)
    return known if known is not None else aten.strip("_")


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    with torch.no_grad():
        return a.dtype == b.dtype and torch.equal(a.detach(), b.detach())
