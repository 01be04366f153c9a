"""One module run by itself: what is below it gives back what PyTorch recorded, and what it was given there is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge
from torch.utils._python_dispatch import _disable_current_modes

from bridge.compare.isolate.copies import Fresh, duplicate, mapped, shares, tensors, version_of
from bridge.compare.isolate.listener import Listener
from bridge.compare.isolate.matching import result_for
from bridge.compare.isolate.record import NOTHING, Call
from bridge.compare.isolate.state_guard import buffers_of, is_torchs, set_buffers
from bridge.mirror import link_of
from bridge.mirror.crossing.conversion import bind
from bridge.mirror.hooks import torch_function_modes


@dataclass(slots=True, eq=False)
class Received:
    """What a child was given, copied: ``call`` is PyTorch's recorded call (None: there is none any more), ``direct`` whether the judged
    module makes it itself. ``live`` are the very tensors, for their graph; ``flow`` whether gradients were wanted."""

    path: str
    module: torch.nn.Module
    call: Call | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    direct: bool
    live: list[torch.Tensor]
    flow: bool = True


@dataclass(slots=True, eq=False)
class Outcome:
    """What one module did by itself. ``written`` are the places of the tensors among its arguments that it changed in place, ``aliases``
    pairs of a result's and an argument's places that share memory, ``gradients`` by name (None: not asked for)."""

    result: Any = NOTHING
    raised: BaseException | None = None
    received: list[Received] = field(default_factory=list)
    after: dict[str, torch.Tensor] = field(default_factory=dict)
    written: tuple[int, ...] = ()
    aliases: tuple[tuple[int, int], ...] = ()
    gradients: dict[str, torch.Tensor | None] | None = None
    no_flow: bool = False


def run_alone(
    module: torch.nn.Module,
    call: Call,
    arguments: tuple[tuple[Any, ...], dict[str, Any]],
    places: dict[torch.nn.Module, tuple[str, ...]],
    *,
    backward: bool = False,
    listener: Listener | None = None,
    carries: Callable[[torch.Tensor], bool] = lambda _: True,
) -> Outcome:
    """Runs ``module``, a counterpart of ``call``'s or the very one, on ``arguments`` (copies that were kept).

    ``places`` are the recorded paths of each module below it. With ``backward`` the gradients of what it was given, of its children's
    results and of its own parameters are taken, for random directions of what it gave, to its children too, as far as it ``carries`` any.
    Buffers and the random state are those of the call; the module's own buffers come back.
    """
    outcome = Outcome()
    fresh = Fresh(backward)
    own = not is_torchs(module)
    before = buffers_of(module, recurse=not own)
    replays = _Replays(call, fresh, outcome, listener)
    args, kwargs = fresh(arguments[0]), fresh(arguments[1])
    given = tensors((args, kwargs))
    versions = [version_of(tensor) for tensor in given]
    set_buffers(module, call.before)
    if call.entry is not None:
        call.entry.restore()
    try:
        with replays.replaying(module, places if own else {}), torch.set_grad_enabled(call.flow):
            try:
                if listener is None:
                    outcome.result = forward(module, args, kwargs)
                else:
                    listener.given((args, kwargs))
                    with listener.listening():
                        outcome.result = forward(module, args, kwargs)
                    listener.returned(outcome.result)
            except Exception as error:
                outcome.raised = error
        outcome.after = buffers_of(module, recurse=not own)
        pairs = enumerate(zip(given, versions, strict=True))
        outcome.written = tuple(place for place, (tensor, version) in pairs if version_of(tensor) != version)
        outcome.aliases = shares(given, tensors(outcome.result)) if outcome.raised is None else ()
        if backward and outcome.raised is None:
            _flow_back(module, call, outcome, fresh, carries)
    finally:
        set_buffers(module, before)
    return outcome


def forward(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs the module's own ``forward``, in C# where it is C#'s: without its hooks, which have seen these arguments already."""
    link = link_of(module)
    if link is None or "forward" in vars(module):
        return module.forward(*args, **kwargs)
    if kwargs:
        args = bind(link.arguments, link.path, args, kwargs)
    if torch_function_modes.needed(args, {}):
        with torch_function_modes.followed(link.host):
            return link.host.exports.forward(link.id, *args)
    return link.host.exports.forward(link.id, *args)


class _Replays:
    """Functions in place of ``forward`` below a module."""

    def __init__(self, call: Call, fresh: Fresh, outcome: Outcome, listener: Listener | None) -> None:
        self._call = call
        self._fresh = fresh
        self._outcome = outcome
        self._listener = listener
        self._waiting: dict[str, list[Call]] = defaultdict(list)
        self._over: set[int] = set()
        for inner in below(call):
            self._waiting[inner.path].append(inner)

    @contextmanager
    def replaying(self, module: torch.nn.Module, places: dict[torch.nn.Module, tuple[str, ...]]) -> Iterator[None]:
        done: list[tuple[torch.nn.Module, Any]] = []
        try:
            for inner in module.modules():
                if inner is module or inner not in places or isinstance(inner, torch.jit.ScriptModule):
                    continue
                own = vars(inner).get("forward", NOTHING)
                object.__setattr__(inner, "forward", partial(self._answer, inner, places[inner], own))
                done.append((inner, own))
            yield
        finally:
            for inner, own in done:
                _restore(inner, own)

    def _answer(
        self,
        module: torch.nn.Module,
        known: tuple[str, ...],
        own: Any,
        /,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            call = self._next(known)
            # An operator that a child's arguments take part in later may write them.
            kept_args, kept_kwargs = (_copied(some) for some in (args, kwargs))
            direct = call is not None and call.parent is self._call
            path = known[0] if call is None else call.path
            live = tensors((args, kwargs)) if self._fresh.gradients else []
            self._outcome.received.append(
                Received(path, module, call, kept_args, kept_kwargs, direct, live, torch.is_grad_enabled())
            )
            if call is not None and self._listener is not None:
                self._listener.entered(call, (args, kwargs))
            if call is not None and call.ended:
                self._over.update(inner.number for inner in below(call))
                result = self._fresh(result_for(module, call))
                if call.leave is not None:
                    call.leave.restore()
                if self._listener is not None:
                    self._listener.left(call, result)
                return result
        # By itself, as it was: a built-in that has a ``forward`` in Python runs that one, from C# too.
        answer = vars(module)["forward"]
        _restore(module, own)
        try:
            return forward(module, args, kwargs)
        finally:
            object.__setattr__(module, "forward", answer)

    def _next(self, known: tuple[str, ...]) -> Call | None:
        """The first recorded call at one of these paths that has not been answered."""
        waiting = [call for path in known for call in self._waiting.get(path, ()) if call.number not in self._over]
        found = min(waiting, key=lambda call: call.number, default=None)
        if found is not None:
            self._over.add(found.number)
        return found


def below(call: Call) -> Iterator[Call]:
    """The calls inside of a call, in the order in which they began."""
    for child in call.children:
        yield child
        yield from below(child)


def _restore(module: torch.nn.Module, own: Any) -> None:
    """Puts back the ``forward`` that the instance had, if it had one."""
    if own is NOTHING:
        object.__delattr__(module, "forward")
    else:
        object.__setattr__(module, "forward", own)


def _copied(value: Any) -> Any:
    try:
        return mapped(value, duplicate)
    except Exception:  # what cannot be copied is compared by what it is
        return value


def _flow_back(
    module: torch.nn.Module, call: Call, outcome: Outcome, fresh: Fresh, carries: Callable[[torch.Tensor], bool]
) -> None:
    """The gradients for a random direction of each result, and of each tensor that a child was given."""
    names: dict[str, torch.Tensor] = {}
    for place, kept in enumerate(tensors((call.args, call.kwargs))):
        if id(kept) in fresh.leaves:
            names.setdefault(f"argument {place + 1}", fresh.leaves[id(kept)])
    roots = [(one, _direction(one, call.number, place)) for place, one in enumerate(tensors(outcome.result))]
    for inner in outcome.received:
        if inner.call is None or not inner.call.ended:
            continue
        roots += [(one, _direction(one, inner.call.number, 100 + place)) for place, one in enumerate(inner.live)]
        for place, kept in enumerate(tensors(inner.call.result)):
            if id(kept) in fresh.leaves:
                names.setdefault(f"result {place + 1} of {inner.path}", fresh.leaves[id(kept)])
    own = module.named_parameters(recurse=is_torchs(module))
    names.update({f"parameter {name}": parameter for name, parameter in own if parameter.requires_grad})
    roots = [(one, way) for one, way in roots if _flows(one) and carries(one)]
    outcome.no_flow = not any(one.requires_grad for one in tensors(outcome.result))
    outcome.gradients = dict.fromkeys(names)
    if roots and names:
        ends, ways = [one for one, _ in roots], [way for _, way in roots]
        found = torch.autograd.grad(ends, list(names.values()), ways, allow_unused=True)
        outcome.gradients.update(zip(names, found, strict=True))


def _flows(tensor: torch.Tensor) -> bool:
    """Whether a gradient can begin here: a view that was made under ``no_grad`` may say that it wants one, and has nowhere to send it."""
    if not tensor.requires_grad:
        return False
    try:
        get_gradient_edge(tensor)
    except (RuntimeError, AssertionError):
        return False
    return True


def _direction(tensor: torch.Tensor, number: int, place: int) -> torch.Tensor:
    """The same numbers for the same place on both sides."""
    generator = torch.Generator().manual_seed(1000 * number + place)
    return torch.randn(tensor.shape, generator=generator, dtype=torch.float64).to(tensor.device, tensor.dtype)
