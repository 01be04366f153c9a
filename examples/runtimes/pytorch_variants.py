"""PyTorch's own wrappers and compilers of modules as runtimes of hook programs: what is left of a module's hooks there.

Modules, hooks and tensors are those of the runtime ``pytorch``. But each step ``call`` calls what a wrapper made of the called module.
Other steps, such as ``forward`` and ``checkpoint``, and calls by hooks use the module itself. Most runtimes have two variants:

- ``hooks-first``: hooks are registered on the module, and the wrapper is made at the module's first call.
- ``wrapped-first``: the root's wrapper is made before the first step. Hooks are registered on the modules inside the wrapper. A compiler
  that makes modules of its own (``torch.jit.trace``, ``torch.export``) names them as in the original, and hooks are registered on those.

``torch.compile`` compiles at the first call. Its variants are ``function``, ``torch.compile(module)``, and ``method``,
``module.compile()``. Of TorchScript, ``torch.jit.trace`` is here: ``torch.jit.script`` compiles the source of
``forward``, and refuses that of the programs' modules, which record events.

The path of a module in a trace is its path in the original tree, and that of a wrapper which is a module is the name of its class. To run
one, in this folder: ``python -m hook_contract run --runtime pytorch_variants:DDP --ledger pytorch_variants.toml``.
"""

from __future__ import annotations

import atexit
import logging
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

import torch
from torch import distributed, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.nn.parallel import DistributedDataParallel
from variant_session import VariantSession, VariantWorld, Wrap

from hook_contract.program import Program
from hook_contract.runtimes.runtime import Events

HOOKS_FIRST, WRAPPED_FIRST = "hooks-first", "wrapped-first"


@cache
def _one_process() -> DeviceMesh:
    """Start a group of one process, and return its mesh."""
    folder = tempfile.TemporaryDirectory()
    distributed.init_process_group("gloo", (Path(folder.name) / "store").as_uri(), rank=0, world_size=1)
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
        if not isinstance(submodule, (nn.ModuleList, FSDPModule)):
            fully_shard(submodule, mesh=_one_process())
    return module


def _compile(module: nn.Module, args: Any, kwargs: Any) -> nn.Module:
    compiled: Any = torch.compile(module, backend="eager")  # Dynamo alone, which decides about hooks
    return cast(nn.Module, compiled)


def _compile_in_place(module: nn.Module, args: Any, kwargs: Any) -> nn.Module:
    module.compile(backend="eager")
    return module


def _export(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
    return torch.export.export(module, args, kwargs).module()


def _trace(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
    options: dict[str, Any] = {"check_trace": False, "strict": False, "example_kwarg_inputs": kwargs or None}
    trace: Callable[..., nn.Module] = torch.jit.trace
    return trace(module, None if kwargs else args, **options)


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
        world = VariantWorld(device, self.wraps[name], first=name == WRAPPED_FIRST, replaces=self.replaces)
        VariantSession.current = session = VariantSession(program, world)
        try:
            return session.trace()
        finally:
            VariantSession.current = None


def _both(wrap: Wrap) -> Mapping[str, Wrap]:
    return {HOOKS_FIRST: wrap, WRAPPED_FIRST: wrap}


logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
DATA_PARALLEL = Variant(
    "pytorch-dataparallel", "nn.DataParallel without a GPU", _both(lambda module, *_: nn.DataParallel(module))
)
DDP = Variant("pytorch-ddp", "DistributedDataParallel of one process (gloo)", _both(_ddp))
FSDP = Variant("pytorch-fsdp2", "fully_shard of one process (gloo)", _both(_fsdp))
COMPILED = Variant(
    "pytorch-compile", "torch.compile with the backend eager", {"function": _compile, "method": _compile_in_place}
)
EXPORTED = Variant("pytorch-export", "torch.export", _both(_export), replaces=True)
SCRIPTED = Variant("pytorch-jit", "torch.jit.trace", _both(_trace), replaces=True)
