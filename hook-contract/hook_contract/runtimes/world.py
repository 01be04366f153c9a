"""The interface of module libraries, such as ``torch.nn``, for the interpreter of hook programs. Corresponds to C#'s ``IWorld.cs``.

Codes such as G-3 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from hook_contract.program import Json

#: The arguments of a hook of each kind, in order. With ``with_kwargs``, ``kwargs`` follows ``args``.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "pre": ("module", "args"),
    "forward": ("module", "args", "output"),
    "backward_pre": ("module", "grad_output"),
    "backward": ("module", "grad_input", "grad_output"),
    "legacy": ("module", "grad_input", "grad_output"),
    "tensor": ("grad",),
    "accumulated": ("value",),
}


class ProgramRun(Protocol):
    """The run of a program. Modules call :meth:`entered` when their ``forward`` begins, and :meth:`register` to register a hook."""

    @property
    def world(self) -> World: ...

    def entered(self, module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None: ...

    def register(self, registration: Mapping[str, Json]) -> None: ...


class World(Protocol):
    """A module library on which a program runs. Each run of a program has its own World.

    The library's modules and tensors have the methods and attributes of ``torch.nn.Module`` and ``torch.Tensor`` that programs use. The
    methods of this interface stand for functions of PyTorch, and for operations that differ between libraries.
    """

    #: The class of the library's tensors.
    tensor_type: type[Any]

    @property
    def device(self) -> str:
        """Return the type of the run's device, such as ``cpu``."""
        ...

    def without_global_hooks(self) -> AbstractContextManager[None]:
        """Empty the global hook registries inside a block and restore them afterwards (G-3)."""
        ...

    def vector(self, numbers: Sequence[float]) -> Any:
        """Return a one-dimensional float64 tensor."""
        ...

    def elements(self, tensor: Any) -> Json:
        """Return the elements of a tensor for a trace: a number for a single element, or ``{"vector": […]}``.

        For a tensor with more than one dimension, or on the device ``meta``, returns the shape instead.
        """
        ...

    def device_of(self, value: Any) -> str:
        """Return the type of a tensor's device. Raises AttributeError for a value without a device."""
        ...

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Any:
        """Build the modules of a tree."""
        ...

    def add_tensors(self, module: Any, values: Mapping[str, float], *, trained: bool) -> None:
        """Add one-element tensors to a module by name, as parameters if ``trained``, else as buffers."""
        ...

    def register(self, module: Any, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Any:
        """Register a hook on a module, or globally if ``module`` is None, and return its handle."""
        ...

    def registry(self, module: Any, kind: str) -> dict[Any, Callable[..., Any]]:
        """Return the dictionary of a module's hooks of a kind (O-5)."""
        ...

    def rebind(self, kind: str) -> None:
        """Replace the dictionary of the global hooks of a kind by an empty one."""
        ...

    def functional_call(self, module: Any, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        """Call a module with other parameters, as ``torch.func.functional_call`` does (I-17)."""
        ...

    def checkpoint(self, module: Any, args: Iterable[Any]) -> Any:
        """Call a module as ``torch.utils.checkpoint.checkpoint`` does with ``use_reentrant=False``."""
        ...

    def grad(self, output: Any, inputs: Sequence[Any], **options: Any) -> tuple[Any, ...]:
        """Return gradients as ``torch.autograd.grad`` does, with the options ``retain_graph``, ``create_graph`` and ``allow_unused``."""
        ...

    def no_grad(self) -> AbstractContextManager[None]: ...

    def is_grad_enabled(self) -> bool: ...

    def call_hookless_methods(self, module: Any) -> None:
        """Call ``train``, ``zero_grad`` and other methods of a module that run no hooks (C-8)."""
        ...
