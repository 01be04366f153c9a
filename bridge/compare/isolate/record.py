"""Record: run the PyTorch model again, and copy the arguments and the result of each module call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import torch

from bridge.compare.errors import NotCopiedError
from bridge.compare.io.inputs import split_arguments
from bridge.compare.isolate.copies import CopyCache, find_aliases, find_writes, leaf_copy, size_of, tensors, version_of
from bridge.compare.isolate.state_guard import (
    RandomState,
    copy_buffers,
    get_random_state,
    is_builtin,
    is_on_cuda,
    replace_forwards,
)
from bridge.runtimes.recording import paths

#: The result of a call that raised, or whose result was not copied.
NO_RESULT: Final = object()


@dataclass(slots=True, eq=False)
class RecordedCall:
    """A recorded call of a PyTorch module. ``args``, ``kwargs``, ``result`` and the buffers are copies."""

    #: The index of the call in the run, in the order in which calls start.
    number: int
    path: str
    module: torch.nn.Module
    #: The enclosing call; None for an outermost call.
    parent: RecordedCall | None
    grad_enabled: bool
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    random_before: RandomState | None = None
    random_after: RandomState | None = None
    buffers_before: dict[str, torch.Tensor] = field(default_factory=dict)
    buffers_after: dict[str, torch.Tensor] = field(default_factory=dict)
    result: Any = NO_RESULT
    children: list[RecordedCall] = field(default_factory=list)
    #: The indices of the argument tensors that the call wrote in place.
    written: tuple[int, ...] = ()
    #: Pairs of the index of a result tensor and the index of an argument tensor that share storage.
    aliases: tuple[tuple[int, int], ...] = ()
    #: Why the arguments or the result could not be copied; empty if there was no error.
    copy_error: str = ""
    #: The number of bytes of the tensors in the arguments and the result.
    size: int = 0

    @property
    def has_result(self) -> bool:
        """Return whether the call returned and its result was copied."""
        return self.result is not NO_RESULT

    def descendants(self) -> Iterator[RecordedCall]:
        """Yield the calls inside this call, in the order in which they started."""
        for child in self.children:
            yield child
            yield from child.descendants()

    def discard_copies(self) -> None:
        """Drop the copies; the sizes and the tree of calls stay."""
        self.args, self.kwargs, self.result = (), {}, NO_RESULT
        self.buffers_before, self.buffers_after = {}, {}
        self.random_before = self.random_after = None


class Capture:
    """The recorded calls of one run.

    If ``wanted`` is a set of numbers, only the calls with these numbers are copied. If ``wanted`` is None, all calls are copied; if the
    copies then exceed ``budget`` bytes, they are discarded and ``over_budget`` is set.
    """

    def __init__(self, model: torch.nn.Module, wanted: Collection[int] | None, budget: int) -> None:
        self.calls: list[RecordedCall] = []
        self.over_budget = False
        self._wanted = wanted
        self._budget = budget
        self._copies = CopyCache()
        self._stack: list[RecordedCall] = []
        self._random: RandomState | None = None
        self._on_cuda = is_on_cuda(model)

    def forwards(self, model: torch.nn.Module) -> dict[torch.nn.Module, Callable[..., Any]]:
        """Return, for each module of the model that has a ``forward``, a function that records the call and runs this ``forward``."""
        return {
            module: partial(self._forward, module, path, module.forward)
            for module, path in paths({"": model}).items()
            if _has_forward(module)
        }

    def _forward(
        self, module: torch.nn.Module, path: str, forward: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Any:
        parent = self._stack[-1] if self._stack else None
        call = RecordedCall(len(self.calls), path, module, parent, torch.is_grad_enabled())
        self.calls.append(call)
        if parent is not None:
            parent.children.append(call)
        copied = not self.over_budget and (self._wanted is None or call.number in self._wanted)
        inputs = tensors((args, kwargs))
        versions = [version_of(tensor) for tensor in inputs]
        if copied:
            self._copy_arguments(call, args, kwargs)
        self._stack.append(call)
        try:
            result = forward(*args, **kwargs)
        finally:
            self._stack.pop()
        call.written = find_writes(inputs, versions)
        if copied and not self.over_budget:
            self._copy_result(call, result)
        call.aliases = find_aliases(inputs, tensors(result))
        call.size = size_of((args, kwargs)) + size_of(result)
        return result

    def _copy_arguments(self, call: RecordedCall, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        call.random_before = self._random_state()
        call.buffers_before = _buffers_of(call.module)
        try:
            call.args, call.kwargs = self._copies.copy(args), self._copies.copy(kwargs)
        except NotCopiedError as error:
            call.copy_error = f"its arguments contain {error}, which cannot be copied"

    def _copy_result(self, call: RecordedCall, result: Any) -> None:
        call.random_after = self._random_state()
        call.buffers_after = _buffers_of(call.module)
        try:
            call.result = self._copies.copy(result)
        except NotCopiedError as error:
            call.copy_error = call.copy_error or f"its result contains {error}, which cannot be copied"
        if self._wanted is None and self._copies.size > self._budget:
            # From here on, this run copies nothing; further runs copy the calls in parts.
            self.over_budget = True
            self._copies.clear()
            for other in self.calls:
                other.discard_copies()

    def _random_state(self) -> RandomState:
        """Return the random state, as the same object until random numbers are drawn."""
        state = get_random_state(self._on_cuda)
        if self._random is None or not state.is_same(self._random):
            self._random = state
        return self._random


def record_calls(
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    *,
    seed: int,
    grad_enabled: bool,
    budget: int,
    wanted: Collection[int] | None = None,
) -> Capture:
    """Run ``model`` and record its module calls. If the model raises, return the calls up to the exception."""
    capture = Capture(model, wanted, budget)
    args, kwargs = split_arguments(model, {name: leaf_copy(value, grad_enabled) for name, value in arguments.items()})
    torch.manual_seed(seed)
    try:
        with torch.set_grad_enabled(grad_enabled), replace_forwards(capture.forwards(model)):
            model(*args, **kwargs)
    except Exception:  # the comparison of the whole models has reported the exception
        pass
    return capture


def _buffers_of(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return copy_buffers(module, recurse=is_builtin(module))


def _has_forward(module: torch.nn.Module) -> bool:
    """Return whether the module has a ``forward`` that can be replaced on the instance."""
    forward = getattr(type(module), "forward", None)
    unusable = forward is None or forward is torch.nn.Module.forward or isinstance(module, torch.jit.ScriptModule)
    return not unusable or "forward" in vars(module)
