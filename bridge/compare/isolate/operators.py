"""The ATen operators that a module's own ``forward`` calls, with their arguments, results and source locations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge.compare.isolate.copies import duplicate, find_writes, tensors, version_of
from bridge.compare.isolate.listener import Listener
from bridge.compare.isolate.record import RecordedCall
from bridge.compare.isolate.source_location import NOWHERE, SourceLocation
from bridge.compare.isolate.value_comparison import is_near

#: The beginnings of the names of operators whose results are uninitialized.
_UNINITIALIZED: Final = ("empty", "new_empty")
#: Names of the functions that users call, by ATen's names.
_USER_NAMES: Final = {
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
    # PyTorch's norm calls linalg_vector_norm, TorchSharp's calls norm.
    "linalg_vector_norm": "norm",
}
#: Argument names to replace, by operator: PyTorch's norm names the argument ``ord``, TorchSharp's names it ``p``.
_ARGUMENT_NAMES: Final = {"linalg_vector_norm": {"ord": "p"}}


@dataclass(slots=True, eq=False)
class TensorSnapshot:
    """A copy of a tensor at one time."""

    data: torch.Tensor
    #: A description such as ``the result of fc``; empty for the result of an operator.
    origin: str
    #: The operator that returned the tensor, if any.
    operator: OperatorCall | None = None
    #: The location of the child call that returned the tensor, if any.
    source: str = ""
    #: The number of the last child call before the copy; -1 if there is none.
    segment: int = -1

    @property
    def made_at(self) -> str:
        """Return the location of the child call or operator that returned the tensor; empty if neither did, as for a parameter."""
        return self.source or (self.operator.location.source if self.operator is not None else "")


@dataclass(slots=True, eq=False)
class OperatorCall:
    """A call of an operator."""

    index: int
    #: The name that users write, such as ``conv``.
    name: str
    #: The name in ATen, such as ``convolution``.
    aten: str
    #: The number of the last child call before the operator; -1 if there is none.
    segment: int
    #: The arguments by name, with a TensorSnapshot in place of each tensor.
    arguments: dict[str, Any]
    #: The tensors among the arguments.
    inputs: tuple[TensorSnapshot, ...]
    location: SourceLocation
    grad_enabled: bool
    outputs: tuple[TensorSnapshot, ...] = ()
    raised: bool = False
    #: The indices of the module's argument tensors that the operator wrote in place.
    written: tuple[int, ...] = ()

    @property
    def is_uninitialized(self) -> bool:
        """Return whether the elements of the result have no defined value."""
        return self.aten.startswith(_UNINITIALIZED)

    @property
    def is_in_place(self) -> bool:
        """Return whether the operator writes its first argument in place."""
        return self.aten.endswith("_") and not self.aten.startswith("_")

    def has_same_tensors(self, other: OperatorCall) -> bool:
        """Return whether both calls run operators of the same name on near tensors. Scalars and tensors without dimensions may differ.

        False if the operator takes no tensor with dimensions.
        """
        mine, theirs = ([item.data for item in call.inputs if item.data.ndim] for call in (self, other))
        return self.name == other.name and len(mine) == len(theirs) > 0 and all(map(is_near, mine, theirs))


@dataclass(slots=True, eq=False)
class Sink:
    """Values that the module hands on: the arguments of the child call ``call``, or the module's result if ``call`` is None."""

    call: RecordedCall | None
    inputs: tuple[TensorSnapshot, ...]
    location: SourceLocation = NOWHERE

    def depends_on(self, operator: OperatorCall) -> bool:
        """Return whether the sink was computed from an operator's result, without a child call in between."""
        seen: set[int] = set()
        pending = list(self.inputs)
        while pending:
            item = pending.pop()
            if id(item) in seen:
                continue
            seen.add(id(item))
            if item.operator is operator:
                return True
            if item.operator is not None:
                pending += item.operator.inputs
        return False


class OperatorRecorder(TorchDispatchMode, Listener):  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    """A recorder of the operators, :class:`Sink` objects and tensors of one run; ``locate`` returns the current source location."""

    def __init__(self, locate: Callable[[], SourceLocation]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch's is untyped
        self.operators: list[OperatorCall] = []
        self.sinks: list[Sink] = []
        self.snapshots: list[TensorSnapshot] = []
        self._locate = locate
        self._segment = -1
        self._given: list[torch.Tensor] = []
        self._versions: list[int] = []
        # Maps a tensor's id to the tensor, its version and its snapshot. The reference to the tensor keeps the id from being reused.
        self._known: dict[int, tuple[torch.Tensor, int, TensorSnapshot]] = {}

    def module_called(self, arguments: Any) -> None:
        """Record the arguments of the module."""
        self._given = tensors(arguments)
        self._versions = [version_of(tensor) for tensor in self._given]
        for place, tensor in enumerate(self._given):
            self._add(tensor, f"argument {place + 1}" if place else "the first argument")

    def child_called(self, call: RecordedCall, arguments: Any) -> None:
        """Record the arguments of a child call."""
        self._note_writes()
        self.sinks.append(Sink(call, tuple(map(self._snapshot, tensors(arguments))), self._locate()))

    def child_returned(self, call: RecordedCall, result: Any) -> None:
        """Record the result of a child call."""
        self._segment = call.number
        found = tensors(result)
        for place, tensor in enumerate(found, 1):
            origin = f"result {place} of {call.path}" if len(found) > 1 else f"the result of {call.path}"
            self._add(tensor, origin).source = self.sinks[-1].location.source

    def module_returned(self, result: Any) -> None:
        """Record the result of the module."""
        self._note_writes()
        self.sinks.append(Sink(None, tuple(map(self._snapshot, tensors(result)))))

    def sink_of(self, number: int | None) -> Sink | None:
        """Return the sink of the child call with this number; if ``number`` is None, the sink of the module's result."""
        return next((sink for sink in self.sinks if (sink.call.number if sink.call else None) == number), None)

    def source_of(self, number: int) -> str:
        """Return the location of the child call with this number; empty if it is not known."""
        sink = self.sink_of(number)
        return "" if sink is None else sink.location.source

    def consumers_of(self, operator: OperatorCall) -> Iterator[OperatorCall]:
        """Yield the later operators that take a result of ``operator``."""
        for later in self.operators[operator.index + 1 :]:
            if any(output in later.inputs for output in operator.outputs):
                yield later

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._note_writes()
        kwargs = kwargs or {}
        aten = aten_name(func)
        named = dict(zip((argument.name for argument in func._schema.arguments), args, strict=False)) | kwargs
        inputs: list[TensorSnapshot] = []
        renamed = _ARGUMENT_NAMES.get(aten, {})
        arguments = {renamed.get(name, name): self._replace_tensors(value, inputs) for name, value in named.items()}
        operator = OperatorCall(
            len(self.operators),
            user_name(aten),
            aten,
            self._segment,
            arguments,
            tuple(inputs),
            self._locate(),
            torch.is_grad_enabled(),
        )
        self.operators.append(operator)
        try:
            result = func(*args, **kwargs)
        except Exception:
            operator.raised = True
            raise
        operator.outputs = tuple(self._add(tensor, "", operator) for tensor in tensors(result))
        return result

    def _note_writes(self) -> None:
        """Assign new writes to the last operator: PyTorch increments version counters only after the dispatch."""
        written = find_writes(self._given, self._versions)
        if written:
            self._versions = [version_of(tensor) for tensor in self._given]
            if self.operators:
                self.operators[-1].written += written

    def _replace_tensors(self, value: Any, inputs: list[TensorSnapshot]) -> Any:
        if isinstance(value, torch.Tensor):
            inputs.append(self._snapshot(value))
            return inputs[-1]
        if isinstance(value, (tuple, list)):
            return [self._replace_tensors(item, inputs) for item in value]
        return value

    def _snapshot(self, tensor: torch.Tensor) -> TensorSnapshot:
        known = self._known.get(id(tensor))
        if known is not None and known[1] == version_of(tensor):
            return known[2]
        # The tensor may be a new Python object for a known tensor, or may have been written through a view, so it is searched by content.
        for item in reversed(self.snapshots):
            if item.operator is not None and item.data.shape == tensor.shape and _equal(item.data, tensor):
                self._known[id(tensor)] = (tensor, version_of(tensor), item)
                return item
        return self._add(tensor, "a parameter or buffer" if known is None else "a tensor that was written in place")

    def _add(self, tensor: torch.Tensor, origin: str, operator: OperatorCall | None = None) -> TensorSnapshot:
        item = TensorSnapshot(duplicate(tensor), origin, operator, segment=self._segment)
        self.snapshots.append(item)
        self._known[id(tensor)] = (tensor, version_of(tensor), item)
        return item


def aten_name(func: Any) -> str:
    """Return an operator's name in ATen, without namespace and overload."""
    name: str = func._schema.name
    return name.partition("::")[2]


def user_name(aten: str) -> str:
    """Return the name of the function that a user calls for an operator."""
    known = _USER_NAMES.get(aten)
    return known if known is not None else aten.strip("_")


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    with torch.no_grad():
        return a.dtype == b.dtype and torch.equal(a.detach(), b.detach())
