"""Hook programs on modules of TorchSharp in this process (:mod:`bridge.torchsharp.in_process`), with hooks in Python.

C#'s modules tell Python when their ``forward`` begins. Tensors are shared, not copied. In the variant ``typed``, modules take tensors. In
the variant ``object``, modules take arguments of type ``object``. A variant is left out of a run if C#'s types do not allow the program's
module tree in the variant. TS-8 is a known difference of TorchSharp (docs/divergences.md).
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch

from bridge.clr import DotNetError, DotNetFailure, DotNetInterrupt, start
from bridge.runtimes.errors import UnsupportedTreeError
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.torchsharp.in_process import hooks
from bridge.torchsharp.in_process.library import load_library, loaded_title
from bridge.torchsharp.in_process.loader import open_model
from bridge.torchsharp.process.loader import find_library
from hook_contract.program import Json, Program
from hook_contract.runtimes.errors import RAISED
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.world import ProgramRun

#: The C# class that builds the modules.
CLASS: Final = "Bridge.Conformance.InProcessPrograms"
_FACTORY: Final = {"typed": f"{CLASS}.Typed", "object": f"{CLASS}.OverObject"}
_MODULES: Final = "Bridge.Conformance.Modules."
_NO_COPIES: Final = "a module of TorchSharp cannot be copied or sliced"
_NO_PARTS: Final = "attention is one native module, and so is an encoder (TS-8)"
_NO_ASSIGNMENT: Final = "a method of a C# object cannot be replaced by assignment"
#: The run whose modules are called.
_current: ProgramRun | None = None


def _from_csharp(word: str, *values: Any) -> None:
    """Record that a ``forward`` begins, or register a hook. Called by .NET."""
    assert _current is not None
    if word == "register":
        _current.register(json.loads(values[0]))
    else:
        module, args, names, kwargs = values
        _current.entered(hooks.modules[module], args, dict(zip(names, kwargs, strict=True)))


@cache
def connected_library() -> tuple[Path, Mapping[str, Callable[..., Any]]]:
    """Load TorchSharp and C#'s modules. Return the modules' assembly, and the functions of ``dotnet/src/Bridge.InProcess`` by name.

    Raises the exceptions of :func:`load_library` and :func:`find_library`.
    """
    assembly = start().assemblies / "Bridge.Conformance.TorchSharp.dll"
    functions = load_library(find_library(assembly, None))
    functions["connect"](str(assembly), CLASS, "Connect", _from_csharp)
    return assembly, functions


class InProcessWorld(TorchWorld):
    """The modules and tensors of programs whose modules TorchSharp runs in this process."""

    def __init__(self, form: str, device: str) -> None:
        super().__init__(device)
        self._form = form

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> torch.nn.Module:
        """Build the modules of a tree. Raises UnsupportedTreeError if C#'s types do not allow the tree."""
        global _current
        _current = run
        try:
            return open_model(
                connected_library()[0], _FACTORY[self._form], (json.dumps(tree), str(self.torch_device)), {}
            )
        except DotNetError as error:
            if error.dotnet_type == "System.NotSupportedException":
                raise UnsupportedTreeError from error
            raise


class InProcessSession(Session):
    """A run of a program whose modules TorchSharp runs."""

    caught = (*Session.caught, DotNetInterrupt)

    def describe_error(self, error: BaseException) -> tuple[str, str]:
        if not isinstance(error, DotNetFailure):
            return super().describe_error(error)
        name = error.dotnet_type.removeprefix(_MODULES)
        if name in RAISED:
            return name, error.dotnet_message
        kind = next((kind for kind in (TypeError, RecursionError, IndexError) if isinstance(error, kind)), RuntimeError)
        return kind.__name__, super().describe_error(error)[1]


class InProcess:
    """The runtime ``torchsharp-in-process``: TorchSharp's modules with Python's hooks."""

    name = "torchsharp-in-process"
    variants: tuple[str, ...] = ("typed", "object")
    lacks: Mapping[str, str] = {
        **{f"step:{word}": _NO_COPIES for word in ("deepcopy", "copy", "slice", "drop")},
        **dict.fromkeys(("step:assign_forward", "step:assign_call", "action:assign_forward"), _NO_ASSIGNMENT),
        "step:checkpoint": "checkpointing uses saved_tensors_hooks, whose exceptions inside a native operator would end the process",
        **dict.fromkeys(("node:attention", "node:encoder"), _NO_PARTS),
    }

    @property
    def devices(self) -> tuple[str, ...]:
        return ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)

    def version(self) -> str:
        """Return the versions of TorchSharp, PyTorch and Python. Raises the exceptions of :func:`connected_library`."""
        connected_library()
        return f"{loaded_title()}, PyTorch {torch.__version__}, Python {platform.python_version()}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        traces: dict[str, Events] = {}
        for form in _FACTORY:
            try:
                traces[form] = InProcessSession(program, InProcessWorld(form, device)).trace()
            except UnsupportedTreeError:
                continue
        return traces


RUNTIME: Runtime = InProcess()
