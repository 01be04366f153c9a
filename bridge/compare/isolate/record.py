"""PyTorch's run once more, with what each call took and gave: copies as they were at that moment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import torch

from bridge.compare.io.inputs import spread
from bridge.compare.isolate.copies import Keeper, NotCopiedError, shares, tensors, version_of
from bridge.compare.isolate.state_guard import Randomness, buffers_of, is_torchs, randomness
from bridge.runtimes.recording import paths

#: A call that gave nothing: it raised, or was not kept.
NOTHING: Final = object()


@dataclass(slots=True, eq=False)
class Call:
    """One call of one of PyTorch's modules. ``args``, ``kwargs``, ``result`` and buffers are copies; ``refused`` says why there are none.

    ``number`` counts the calls in the order in which they began; ``written`` are the places of those tensors among the arguments that the
    call changed in place, ``aliases`` the places of results and of the arguments whose memory they share, ``bytes`` what copies take.
    """

    number: int
    path: str
    module: torch.nn.Module
    parent: Call | None
    flow: bool
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    entry: Randomness | None = None
    leave: Randomness | None = None
    before: dict[str, torch.Tensor] = field(default_factory=dict)
    after: dict[str, torch.Tensor] = field(default_factory=dict)
    result: Any = NOTHING
    children: list[Call] = field(default_factory=list)
    written: tuple[int, ...] = ()
    aliases: tuple[tuple[int, int], ...] = ()
    refused: str = ""
    bytes: int = 0

    @property
    def ended(self) -> bool:
        return self.result is not NOTHING


class Capture:
    """The calls of one run. ``wanted`` are the numbers of those that are copied (None: all, until ``budget`` bytes are reached)."""

    def __init__(self, model: torch.nn.Module, wanted: Collection[int] | None, budget: int) -> None:
        self.calls: list[Call] = []
        self.full = False
        self._paths = paths({"": model})
        self._wanted = wanted
        self._budget = budget
        self._keeper = Keeper()
        self._open: list[Call] = []
        self._random: Randomness | None = None
        self._on_cuda = any(parameter.is_cuda for parameter in model.parameters())

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Meanwhile the calls of the model's modules are captured, by a ``forward`` of the instances."""
        done: list[tuple[torch.nn.Module, Any]] = []
        try:
            for module, path in self._paths.items():
                if _runs(module):
                    own = vars(module).get("forward", NOTHING)
                    forward = module.forward
                    object.__setattr__(module, "forward", partial(self._forward, module, path, forward))
                    done.append((module, own))
            yield
        finally:
            for module, own in done:
                if own is NOTHING:
                    object.__delattr__(module, "forward")
                else:
                    object.__setattr__(module, "forward", own)

    def _forward(
        self, module: torch.nn.Module, path: str, forward: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Any:
        parent = self._open[-1] if self._open else None
        call = Call(len(self.calls), path, module, parent, torch.is_grad_enabled())
        self.calls.append(call)
        if parent is not None:
            parent.children.append(call)
        kept = self._keeps(call)
        given = tensors((args, kwargs))
        versions = [version_of(tensor) for tensor in given]
        if kept:
            self._enter(call, args, kwargs)
        self._open.append(call)
        try:
            result = forward(*args, **kwargs)
        finally:
            self._open.pop()
        call.written = tuple(
            place
            for place, (tensor, version) in enumerate(zip(given, versions, strict=True))
            if version_of(tensor) != version
        )
        if kept and not self.full:
            self._leave(call, result)
        call.aliases = shares(given, tensors(result))
        call.bytes = _size((args, kwargs)) + _size(result)
        return result

    def _keeps(self, call: Call) -> bool:
        return not self.full and (self._wanted is None or call.number in self._wanted)

    def _enter(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        call.entry = self._now()
        call.before = _own(call.module)
        try:
            call.args, call.kwargs = self._keeper.keep(args), self._keeper.keep(kwargs)
        except NotCopiedError as error:
            call.refused = f"it takes {error}, which cannot be copied"

    def _leave(self, call: Call, result: Any) -> None:
        call.leave = self._now()
        call.after = _own(call.module)
        try:
            call.result = self._keeper.keep(result)
        except NotCopiedError as error:
            call.refused = call.refused or f"it gives {error}, which cannot be copied"
        if self._wanted is None and self._keeper.bytes > self._budget:
            self._drop()

    def _drop(self) -> None:
        """Too much: this run only measures, and others take it in parts."""
        self.full = True
        self._keeper.forget()
        for call in self.calls:
            call.args, call.kwargs, call.before, call.after = (), {}, {}, {}
            call.entry = call.leave = None
            call.result = NOTHING

    def _now(self) -> Randomness:
        """One object as long as nothing was drawn."""
        now = randomness(self._on_cuda)
        if self._random is None or not now.is_same(self._random):
            self._random = now
        return self._random


def captured(
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    *,
    seed: int,
    flow: bool,
    wanted: Collection[int] | None = None,
    budget: int,
) -> Capture:
    """Runs ``model`` as a comparison does, and gives what was captured, until an exception ended it."""
    capture = Capture(model, wanted, budget)
    args, kwargs = spread(model, {name: _leaf(value, flow) for name, value in arguments.items()})
    torch.manual_seed(seed)
    try:
        with torch.set_grad_enabled(flow), capture.listening():
            model(*args, **kwargs)
    except Exception:  # the comparison has said what it was
        pass
    return capture


def _leaf(value: Any, flow: bool) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    own = value.detach().clone()
    return own.requires_grad_() if flow and (own.is_floating_point() or own.is_complex()) else own


def _own(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return buffers_of(module, recurse=is_torchs(module))


def _runs(module: torch.nn.Module) -> bool:
    """A ``forward`` can be put in its place, and there is one."""
    forward = getattr(type(module), "forward", None)
    plain = forward is not torch.nn.Module.forward and not isinstance(module, torch.jit.ScriptModule)
    return (plain and forward is not None) or "forward" in vars(module)


def _size(value: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors(value))
