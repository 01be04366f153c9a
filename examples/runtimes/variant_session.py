"""Runs of hook programs on PyTorch whose calls go through wrappers. Events are recorded by an operator of PyTorch.

Compilers keep operators, but drop Python code, or end a graph at it. So hooks can run inside of graphs, and what is left of them shows.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.distributed.tensor import DTensor

from bridge.runtimes.pytorch.world import TorchWorld
from hook_contract.program import Json
from hook_contract.program import steps as every_step
from hook_contract.runtimes.hook import Hook
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.values import make
from hook_contract.runtimes.world import FIELDS

#: Makes a wrapper of a module. The arguments are those of its first call, for compilers that run the module.
Wrap = Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], nn.Module]

_library: Any = torch.library.Library("pytorch_variants", "DEF")  # type: ignore[no-untyped-call]  # torch has no types for it
# CONSERVATIVE, so that the compiler of TorchScript keeps it, although it has no result.
_library.define("record(str event, Tensor[] tensors) -> ()", alias_analysis="CONSERVATIVE")
_operator = torch.ops.pytorch_variants.record
torch.library.register_fake("pytorch_variants::record", lambda event, tensors: None, lib=_library)
torch.fx.node.has_side_effect(_operator.default)


#: Has the attribute ``off`` while this thread makes a wrapper, for which compilers run the module.
_recording = threading.local()


@torch.library.impl(_library, "record", "CompositeExplicitAutograd")
def _record(event: str, tensors: Sequence[torch.Tensor]) -> None:
    # While Dynamo traces, PyTorch runs operators of constants at once.
    silent = getattr(_recording, "off", False) or torch._guards.TracingContext.try_get() is not None
    if not silent and VariantSession.current is not None:
        VariantSession.current.recorded(event, tensors)


def _text(value: Any, tensors: list[torch.Tensor]) -> str:
    """Return a value as JSON. ``{"tensor": n}`` is the n-th of ``tensors``. Dynamo can trace this function, but not ``json``."""
    if isinstance(value, torch.Tensor):
        tensors.append(value.to_local() if isinstance(value, DTensor) else value)
        return f'{{"tensor": {len(tensors) - 1}}}'
    if value is None:
        return "null"
    if isinstance(value, (bool, int, float)):
        return f'{{"plain": {str(value).lower()}}}'
    if isinstance(value, str):
        return f'{{"text": "{value}"}}'
    if isinstance(value, dict):
        return f'{{"dict": {_table(value, tensors)}}}'
    if isinstance(value, (tuple, list)):
        return f'{{"{"tuple" if isinstance(value, tuple) else "list"}": {_list(value, tensors)}}}'
    return f'{{"object": "{type(value).__name__}"}}'


def _list(items: Iterable[Any], tensors: list[torch.Tensor]) -> str:
    return f"[{', '.join([_text(item, tensors) for item in items])}]"


def _table(items: Mapping[str, Any], tensors: list[torch.Tensor]) -> str:
    return "{" + ", ".join([f'"{name}": {_text(item, tensors)}' for name, item in items.items()]) + "}"


class VariantWorld(TorchWorld):
    """PyTorch's World, and the wrappers of one run."""

    def __init__(self, device: str, wrap: Wrap, *, first: bool, replaces: bool) -> None:
        super().__init__(device)
        self._wrap, self._first, self._replaces = wrap, first, replaces
        self.wrappers: weakref.WeakKeyDictionary[nn.Module, nn.Module] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()
        self.refused = False

    def build(self, run: Any, tree: Mapping[str, Json]) -> nn.Module:
        run.roots[""] = root = super().build(run, tree)
        run.name_modules()
        if self._first:
            calls = (step for step in every_step(run.program.steps) if step["do"] == "call")
            call: Mapping[str, Json] = next(calls, {"args": [1]})
            args = tuple(self._example(item) for item in call.get("args", ()))
            kwargs = {name: self._example(item) for name, item in call.get("kwargs", {}).items()}
            try:
                made = self.wrapper(root, args, kwargs)
            except run.caught as error:
                name, key = run.describe_error(error)
                run.record({"event": "raise", "error": name, "key": key})
                self.refused = True
                return root
            if self._replaces:
                self.wrappers[made], self._original = made, root
                run.roots[""] = made
                run.name_modules()
                return made
        return root

    def _example(self, value: Json) -> Any:
        """Return a value like an argument of the first call. Saved values do not exist yet, and are numbers mostly."""
        return make(value, self, lambda name: self.vector([1.0]))

    def wrapper(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
        """Return the wrapper of a module, which is made at the first call."""
        with self._lock:
            if module not in self.wrappers:
                _recording.off = True
                try:
                    self.wrappers[module] = self._wrap(module, args, kwargs)
                finally:
                    _recording.off = False
            return self.wrappers[module]


class VariantHook(Hook):
    """A hook whose event has the values themselves, which :meth:`VariantSession.record` expects."""

    def _to_json(self, field: str, value: Any) -> Any:
        return value


class VariantSession(Session):
    """A run of a program whose step ``call`` calls wrappers. ``current`` is the run to which the operator's events belong."""

    current: VariantSession | None = None
    world: VariantWorld

    def record(self, event: dict[str, Any]) -> None:
        if event["event"] not in ("enter", *FIELDS):
            super().record(event)
            return
        tensors: list[torch.Tensor] = []
        parts = []
        for name, value in event.items():
            if name in ("event", "hook"):
                text = f'"{value}"'
            elif name == "module":
                text = f'"{getattr(value, "path_in_tree", type(value).__name__)}"'
            elif name == "kwargs":
                text = _table(value, tensors)
            else:
                text = _list(value, tensors) if name in ("args", "grad_input", "grad_output") else _text(value, tensors)
            parts.append(f'"{name}": {text}')
        _operator("{" + ", ".join(parts) + "}", tensors or [torch.zeros(0)])  # Dynamo drops graphs without tensors

    def recorded(self, event: str, tensors: Sequence[torch.Tensor]) -> None:
        """Record the event of a text that :meth:`record` made."""

        def fill(item: Json) -> Json:
            if isinstance(item, dict):
                found = item.get("tensor")
                return {key: fill(part) for key, part in item.items()} if found is None else self.write(tensors[found])
            return [fill(part) for part in item] if isinstance(item, list) else item

        super().record(fill(json.loads(event)))

    def entered(self, module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        event = {"event": "enter", "module": module, "args": args}
        self.record({**event, "kwargs": kwargs} if kwargs else event)

    def register(self, registration: Mapping[str, Json]) -> None:
        if registration["hook"] not in self.hooks:
            self.hooks[registration["hook"]] = VariantHook(self, registration)
        super().register(registration)

    do_register = register

    def run(self, steps: Iterable[Mapping[str, Json]]) -> None:
        if not self.world.refused:
            super().run(steps)

    def steps(self, steps: Iterable[Mapping[str, Json]], *, block: bool = False) -> None:
        for step in steps:
            super().steps([step], block=block)
            if step["do"] in ("deepcopy", "copy", "slice"):
                self.name_modules()

    def name_modules(self) -> None:
        """Write each module's path into the module, where Dynamo can read it."""
        for root in list(self.roots.values()):
            for module in root.modules():
                module.path_in_tree = self.path(module)

    def do_call(self, step: Mapping[str, Json]) -> None:
        module = self.module(step.get("module", ""))
        self._calls(step, lambda *args, **kwargs: self.world.wrapper(module, args, kwargs)(*args, **kwargs))

    def do_drop(self, step: Mapping[str, Json]) -> None:
        for module in self.roots[f"@{step['as']}"].modules():
            self.world.wrappers.pop(module, None)  # a wrapper keeps its module alive
        super().do_drop(step)
