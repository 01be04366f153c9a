"""Replay: run one module on recorded arguments, while its child modules return PyTorch's recorded results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import torch
from torch.autograd.graph import get_gradient_edge
from torch.utils._python_dispatch import _disable_current_modes

from bridge.compare.isolate.copies import (
    FreshCopies,
    duplicate,
    find_aliases,
    find_writes,
    map_tensors,
    tensors,
    version_of,
)
from bridge.compare.isolate.listener import Listener
from bridge.compare.isolate.matching import result_for
from bridge.compare.isolate.record import NO_RESULT, RecordedCall
from bridge.compare.isolate.state_guard import copy_buffers, is_builtin, replace_forwards, set_buffers, set_forward
from bridge.mirror import link_of
from bridge.mirror.crossing.conversion import bind
from bridge.mirror.hooks import torch_function_modes

Arguments: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
#: Maps each module to the paths at which its calls are recorded.
ModulePaths: TypeAlias = Mapping[torch.nn.Module, tuple[str, ...]]
#: Gradients by name; None for a tensor that no gradient reaches.
Gradients: TypeAlias = Mapping[str, torch.Tensor | None]


@dataclass(slots=True, eq=False)
class ChildCall:
    """A call of a module inside the replayed module."""

    path: str
    module: torch.nn.Module
    #: The matching PyTorch call; None if no unmatched call is left at the module's paths.
    recorded: RecordedCall | None
    #: Copies of the arguments, or the arguments themselves if they cannot be copied.
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    #: Whether ``recorded`` is directly inside the replayed call, not inside another child call.
    direct: bool
    #: The tensors among the arguments, not copied; empty if no gradients are computed.
    tensors: list[torch.Tensor]
    grad_enabled: bool


@dataclass(slots=True, eq=False)
class Outcome:
    """The outcome of a replay."""

    result: Any = NO_RESULT
    raised: BaseException | None = None
    child_calls: list[ChildCall] = field(default_factory=list)
    #: Copies of the buffers after the replay.
    buffers: dict[str, torch.Tensor] = field(default_factory=dict)
    #: The indices of the argument tensors that the replay wrote in place.
    written: tuple[int, ...] = ()
    #: Pairs of the index of a result tensor and the index of an argument tensor that share storage.
    aliases: tuple[tuple[int, int], ...] = ()
    #: None if no gradients were computed.
    gradients: Gradients | None = None
    #: The exception of the backward pass.
    backward_raised: BaseException | None = None


def replay(
    module: torch.nn.Module,
    call: RecordedCall,
    arguments: Arguments,
    paths: ModulePaths,
    *,
    backward: bool = False,
    listener: Listener | None = None,
    carries_gradient: Callable[[torch.Tensor], bool] = lambda _: True,
) -> Outcome:
    """Run ``module``, which is the module of ``call`` or its C# counterpart, on copies of ``arguments``.

    The run starts with the recorded buffers, random state and gradient mode. An exception of ``forward`` or of the backward pass is stored
    in the outcome. The module's buffers are restored.

    With ``backward``, compute the gradients of the module's arguments and parameters and of its children's results. Backward starts with
    fixed random gradients at the module's result and its children's arguments, except at tensors that ``carries_gradient`` rejects.
    """
    listener = listener or Listener()
    outcome = Outcome()
    copies = FreshCopies(backward)
    builtin = is_builtin(module)
    buffers = copy_buffers(module, recurse=builtin)
    children = _RecordedChildren(call, copies, outcome, listener)
    args, kwargs = copies(arguments[0]), copies(arguments[1])
    inputs = tensors((args, kwargs))
    versions = [version_of(tensor) for tensor in inputs]
    set_buffers(module, call.buffers_before)
    if call.random_before is not None:
        call.random_before.restore()
    try:
        forwards = {} if builtin else children.forwards(module, paths)
        with replace_forwards(forwards), torch.set_grad_enabled(call.grad_enabled):
            try:
                listener.module_called((args, kwargs))
                with listener:
                    outcome.result = call_forward(module, args, kwargs)
                listener.module_returned(outcome.result)
            except Exception as error:
                outcome.raised = error
        outcome.buffers = copy_buffers(module, recurse=builtin)
        outcome.written = find_writes(inputs, versions)
        if outcome.raised is None:
            outcome.aliases = find_aliases(inputs, tensors(outcome.result))
            if backward:
                try:
                    outcome.gradients = _compute_gradients(module, call, outcome, copies, carries_gradient)
                except Exception as error:
                    outcome.backward_raised = error
    finally:
        set_buffers(module, buffers)
    return outcome


def call_forward(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module's ``forward`` without hooks, since the arguments were recorded after the pre hooks."""
    link = link_of(module)
    if link is None or "forward" in vars(module):
        return module.forward(*args, **kwargs)
    if kwargs:
        args = bind(link.arguments, link.path, args, kwargs)
    if torch_function_modes.are_active(args, {}):
        with torch_function_modes.dispatch_through_python(link.runtime):
            return link.runtime.exports.forward(link.id, *args)
    return link.runtime.exports.forward(link.id, *args)


class _RecordedChildren:
    """Replacements for the ``forward`` of a module's descendants.

    They return the recorded results, each once, in the recorded order. A child without an unused recorded result runs its own ``forward``.
    """

    def __init__(self, call: RecordedCall, copies: FreshCopies, outcome: Outcome, listener: Listener) -> None:
        self._call = call
        self._copies = copies
        self._outcome = outcome
        self._listener = listener
        self._recorded: dict[str, list[RecordedCall]] = defaultdict(list)
        self._used: set[int] = set()
        for inner in call.descendants():
            self._recorded[inner.path].append(inner)

    def forwards(self, module: torch.nn.Module, paths: ModulePaths) -> dict[torch.nn.Module, Callable[..., Any]]:
        """Return a replacement for each descendant that has a path and is not a ScriptModule."""
        return {
            inner: partial(self._return_recorded, inner, paths[inner], vars(inner).get("forward"))
            for inner in module.modules()
            if inner is not module and inner in paths and not isinstance(inner, torch.jit.ScriptModule)
        }

    def _return_recorded(
        self,
        module: torch.nn.Module,
        paths: tuple[str, ...],
        own: Callable[..., Any] | None,
        /,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            call = self._next(paths)
            child = ChildCall(
                paths[0] if call is None else call.path,
                module,
                call,
                # Copied at once, since a later operator may write the arguments in place.
                _copy_or_keep(args),
                _copy_or_keep(kwargs),
                direct=call is not None and call.parent is self._call,
                tensors=tensors((args, kwargs)) if self._copies.gradients else [],
                grad_enabled=torch.is_grad_enabled(),
            )
            self._outcome.child_calls.append(child)
            if call is not None:
                self._listener.child_called(call, (args, kwargs))
                if call.has_result:
                    self._used.update(inner.number for inner in call.descendants())
                    result = self._copies(result_for(module, call))
                    if call.random_after is not None:
                        call.random_after.restore()
                    self._listener.child_returned(call, result)
                    return result
        # Without a recorded result, the child itself runs. Its own ``forward`` is restored first, since call_forward would otherwise call
        # the replacement.
        replaced = vars(module)["forward"]
        set_forward(module, own)
        try:
            return call_forward(module, args, kwargs)
        finally:
            set_forward(module, replaced)

    def _next(self, paths: tuple[str, ...]) -> RecordedCall | None:
        """Return the first unused recorded call at one of the paths, and mark it as used."""
        unused = [call for path in paths for call in self._recorded.get(path, ()) if call.number not in self._used]
        call = min(unused, key=lambda call: call.number, default=None)
        if call is not None:
            self._used.add(call.number)
        return call


def _copy_or_keep(value: Any) -> Any:
    try:
        return map_tensors(value, duplicate)
    except Exception:  # the value cannot be copied, so it is compared as it is
        return value


def _compute_gradients(
    module: torch.nn.Module,
    call: RecordedCall,
    outcome: Outcome,
    copies: FreshCopies,
    carries_gradient: Callable[[torch.Tensor], bool],
) -> Gradients:
    sources: dict[str, torch.Tensor] = {}
    outputs = list(_with_gradients(outcome.result, call.number, 0))

    def add_sources(prefix: str, suffix: str, recorded: Any) -> None:
        for place, tensor in enumerate(tensors(recorded), 1):
            if id(tensor) in copies.leaves:
                sources.setdefault(f"{prefix} {place}{suffix}", copies.leaves[id(tensor)])

    add_sources("argument", "", (call.args, call.kwargs))
    for child in outcome.child_calls:
        if child.recorded is not None and child.recorded.has_result:
            outputs += _with_gradients(child.tensors, child.recorded.number, 100)
            add_sources("result", f" of {child.path}", child.recorded.result)
    parameters = module.named_parameters(recurse=is_builtin(module))
    sources.update({f"parameter {name}": parameter for name, parameter in parameters if parameter.requires_grad})
    outputs = [(tensor, gradient) for tensor, gradient in outputs if _has_graph(tensor) and carries_gradient(tensor)]
    found: dict[str, torch.Tensor | None] = dict.fromkeys(sources)
    if outputs and sources:
        ends, gradients = zip(*outputs, strict=True)
        values = torch.autograd.grad(ends, list(sources.values()), gradients, allow_unused=True)
        found.update(zip(sources, values, strict=True))
    return found


def _with_gradients(value: Any, number: int, first: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield each tensor of a value with a random gradient, seeded by ``number`` and the tensor's index, which counts from ``first``."""
    for place, tensor in enumerate(tensors(value), first):
        generator = torch.Generator().manual_seed(1000 * number + place)
        gradient = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
        yield tensor, gradient.to(tensor.device, tensor.dtype)


def _has_graph(tensor: torch.Tensor) -> bool:
    """Return whether backward can start at the tensor. A view made under ``no_grad`` can require a gradient without having a graph."""
    if not tensor.requires_grad:
        return False
    try:
        get_gradient_edge(tensor)
    except (RuntimeError, AssertionError):
        return False
    return True
