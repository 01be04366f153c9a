"""PyTorch's own wrappers and compilers of modules as runtimes of hook programs: what is left of a module's hooks there.

Modules, hooks and tensors are those of the runtime ``pytorch``. But each step ``call`` calls what a wrapper made of the called module. (Other
steps, such as ``forward`` and ``checkpoint``, and calls by hooks use the module itself.) There are two variants of most runtimes:

- ``hooks-first``: hooks are registered on the module, and the wrapper is made at the module's first call.
- ``wrapped-first``: the root's wrapper is made before the program's first step. Hooks are registered on the modules inside the wrapper. A
  compiler that makes modules of its own (``torch.jit.trace``, ``torch.export``) has the original's names for them, and hooks are
  registered on those.

The path of a module in a trace is its path in the original tree. A wrapper that is a module itself has the name of its class there.

Events are recorded by an operator, since compilers keep operators and drop or break at other Python code. So hooks run inside of graphs.
"""

from __future__ import annotations

import atexit
import json
import logging
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from bridge.runtimes.pytorch.world import TorchWorld
from hook_contract.program import Json, Program
from hook_contract.program import steps as every_step
from hook_contract.runtimes.hook import Hook
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.values import make
from hook_contract.runtimes.world import FIELDS, ProgramRun

#: Makes a wrapper of a module. The arguments are those of its first call, for compilers that run the module.
Wrap = Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], nn.Module]
HOOKS_FIRST, WRAPPED_FIRST = "hooks-first", "wrapped-first"

# -- The operator that records -------------------------------------------------------------------------------------------------------

_library = torch.library.Library("pytorch_variants", "DEF")
# CONSERVATIVE, so that the compiler of TorchScript keeps it, although it has no result.
_library.define("record(str event, Tensor[] tensors) -> ()", alias_analysis="CONSERVATIVE")
_operator = torch.ops.pytorch_variants.record
torch.library.register_fake("pytorch_variants::record", lambda event, tensors: None, lib=_library)
torch.fx.node.has_side_effect(_operator.default)


@torch.library.impl(_library, "record", "CompositeExplicitAutograd")
def _record(event: str, tensors: Sequence[torch.Tensor]) -> None:
    if _Session.recording is not None:
        _Session.recording.recorded(event, tensors)


def _text(value: Any, tensors: list[torch.Tensor]) -> str:
    """Return a value as JSON. ``{"tensor": n}`` is the n-th of ``tensors``. Dynamo can trace this function, but not ``json``."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return f'{{"tensor": {len(tensors) - 1}}}'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return '{"plain": true}' if value else '{"plain": false}'
    if isinstance(value, (int, float)):
        return f'{{"plain": {value}}}'
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


# -- Runs ----------------------------------------------------------------------------------------------------------------------------


class _World(TorchWorld):
    """PyTorch's World, and the wrappers of one run."""

    def __init__(self, device: str, wrap: Wrap, *, first: bool, replaces: bool) -> None:
        super().__init__(device)
        self._wrap, self._first, self._replaces = wrap, first, replaces
        self._wrappers: weakref.WeakKeyDictionary[nn.Module, nn.Module] = weakref.WeakKeyDictionary()
        self.refused = False

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> nn.Module:
        assert isinstance(run, _Session)
        run.roots[""] = root = super().build(run, tree)
        run.name_modules()
        if self._first:
            call = next((step for step in every_step(run.program.steps) if step["do"] == "call"), {"args": [1]})
            args = tuple(self._example(item) for item in call.get("args", ()))
            try:
                made = self.wrapper(root, args, {name: self._example(item) for name, item in call.get("kwargs", {}).items()})
            except run.caught as error:
                name, key = run.describe_error(error)
                run.record({"event": "raise", "error": name, "key": key})
                self.refused = True
                return root
            if self._replaces:
                self._wrappers[made], self._original = made, root
                run.roots[""] = made
                run.name_modules()
                return made
        return root

    def _example(self, value: Json) -> Any:
        """Return a value like an argument of the first call. Saved values do not exist yet, and are numbers mostly."""
        return make(value, self, lambda name: self.vector([1.0]))

    def wrapper(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
        """Return the wrapper of a module, which is made at the first call. Nothing is recorded meanwhile."""
        if module not in self._wrappers:
            recording, _Session.recording = _Session.recording, None
            try:
                self._wrappers[module] = self._wrap(module, args, kwargs)
            finally:
                _Session.recording = recording
        return self._wrappers[module]

    def forget(self, module: nn.Module) -> None:
        """Forget the wrappers of a module and its submodules, which keep these alive."""
        for submodule in module.modules():
            self._wrappers.pop(submodule, None)


class _Hook(Hook):
    """A hook whose event has the values themselves, which :meth:`_Session.record` expects."""

    def _to_json(self, field: str, value: Any) -> Any:
        return value


class _Session(Session):
    """A run of a program whose step ``call`` calls wrappers. ``recording`` is the run that records: none while a wrapper is made."""

    recording: _Session | None = None
    world: _World

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
        _operator("{" + ", ".join(parts) + "}", tensors)

    def recorded(self, event: str, tensors: Sequence[torch.Tensor]) -> None:
        """Record the event of a text that :meth:`record` made."""

        def fill(item: Json) -> Json:
            if isinstance(item, dict):
                number = item.get("tensor")
                return {key: fill(part) for key, part in item.items()} if number is None else self.write(tensors[number])
            return [fill(part) for part in item] if isinstance(item, list) else item

        super().record(fill(json.loads(event)))

    def entered(self, module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        event = {"event": "enter", "module": module, "args": args}
        self.record({**event, "kwargs": kwargs} if kwargs else event)

    def register(self, registration: Mapping[str, Json]) -> None:
        if registration["hook"] not in self.hooks:
            self.hooks[registration["hook"]] = _Hook(self, registration)
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
        self.world.forget(self.roots[f"@{step['as']}"])
        super().do_drop(step)


# -- Wrappers ------------------------------------------------------------------------------------------------------------------------


@cache
def _one_process() -> DeviceMesh:
    """Start a group of one process, and return its mesh."""
    folder = tempfile.TemporaryDirectory()
    store = distributed.FileStore(str(Path(folder.name) / "store"), 1)
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    atexit.register(folder.cleanup)
    atexit.register(distributed.destroy_process_group)
    return init_device_mesh("cpu", (1,))


def _ddp(module: nn.Module, args: Any, kwargs: Any) -> nn.Module:
    """Wrap a module by DDP, which refuses one without parameters: such a module gets a parameter that it does not use."""
    _one_process()
    if not any(parameter.requires_grad for parameter in module.parameters()):
        module.register_parameter("idle", nn.Parameter(torch.zeros(1, dtype=torch.float64)))
    return DistributedDataParallel(module, find_unused_parameters=True)


def _fsdp(module: nn.Module, args: Any, kwargs: Any) -> nn.Module:
    """Shard a module and its submodules, the innermost first, as PyTorch's tutorial does. A ModuleList cannot be sharded."""
    for submodule in reversed(list(module.modules())):
        if not isinstance(submodule, nn.ModuleList):
            fully_shard(submodule, mesh=_one_process())
    return module


def _compile(module: nn.Module, args: Any, kwargs: Any) -> nn.Module:
    compiled: nn.Module = torch.compile(module, backend="eager")
    return compiled


def _compile_in_place(module: nn.Module, args: Any, kwargs: Any) -> nn.Module:
    module.compile(backend="eager")
    return module


def _export(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
    return torch.export.export(module, args, kwargs).module()


def _trace(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
    traced: nn.Module = torch.jit.trace(
        module, None if kwargs else args, check_trace=False, strict=False, example_kwarg_inputs=kwargs or None
    )
    return traced


@dataclass(frozen=True)
class Variant:
    """A runtime whose modules are called through a wrapper. ``wraps`` has the wrapper for each variant."""

    name: str
    title: str
    wraps: Mapping[str, Wrap]
    replaces: bool = False
    lacks: Mapping[str, str] = field(default_factory=dict)
    devices = ("cpu",)

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(self.wraps)

    def version(self) -> str:
        return f"{self.title}, PyTorch {torch.__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {name: self._run(program, device, name) for name in self.wraps}

    def _run(self, program: Program, device: str, name: str) -> Events:
        torch.compiler.reset()  # programs share the code of their modules, and Dynamo compiles a function only a few times
        world = _World(device, self.wraps[name], first=name == WRAPPED_FIRST, replaces=self.replaces)
        _Session.recording = session = _Session(program, world)
        try:
            return session.trace()
        finally:
            _Session.recording = None


def _both(wrap: Wrap) -> Mapping[str, Wrap]:
    return {HOOKS_FIRST: wrap, WRAPPED_FIRST: wrap}


logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
DATA_PARALLEL = Variant("pytorch-dataparallel", "nn.DataParallel without a GPU", _both(lambda module, *_: nn.DataParallel(module)))
DDP = Variant("pytorch-ddp", "DistributedDataParallel of one process (gloo)", _both(_ddp))
FSDP = Variant("pytorch-fsdp2", "fully_shard of one process (gloo)", _both(_fsdp))
COMPILED = Variant("pytorch-compile", "torch.compile with the backend eager", {"function": _compile, "method": _compile_in_place})
EXPORTED = Variant("pytorch-export", "torch.export", _both(_export), replaces=True)
TRACED = Variant("pytorch-jit", "torch.jit.trace", _both(_trace), replaces=True)
PLAIN = Variant("pytorch-plain", "x", _both(lambda m, *_: m), replaces=True)
COMPILED_M = Variant("pytorch-compile", "torch.compile with the backend eager", {"method": _compile_in_place})
COMPILED_F = Variant("pytorch-compile", "torch.compile with the backend eager", {"function": _compile})
