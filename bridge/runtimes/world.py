"""The interface between the interpreter of hook programs and a module library; corresponds to ``IWorld.cs``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from bridge.program import Json

#: The arguments of a hook of each kind, in order; with ``with_kwargs``, ``kwargs`` follows ``args``.
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
    """The run of a program: its modules report the beginning of ``forward`` to it, and register hooks through it."""

    @property
    def world(self) -> World: ...

    def entered(self, module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None: ...

    def register(self, registration: Mapping[str, Json]) -> None: ...


class World(Protocol):
    """A module library that programs run on. A world serves one run.

    Its modules and tensors have the methods and attributes of ``torch.nn.Module`` and ``torch.Tensor`` that programs use. The methods here
    stand for PyTorch's functions and for what each library does differently. ``tensor_type`` is the class of its tensors, ``device`` the
    type of the run's device.
    """

    tensor_type: type[Any]

    @property
    def device(self) -> str: ...

    def alone(self) -> AbstractContextManager[None]:
        """Empty the global hook registries inside a block and restore them afterwards (G-3)."""
        ...

    def vector(self, numbers: Sequence[float]) -> Any:
        """Return a one-dimensional float64 tensor."""
        ...

    def elements(self, tensor: Any) -> Json:
        """Return the elements of a tensor for a trace: a number, or ``{"vector": […]}``."""
        ...

    def device_of(self, value: Any) -> str:
        """Return the type of a tensor's device. Raises AttributeError for a value without a device."""
        ...

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Any:
        """Build the modules of a tree."""
        ...

    def constants(self, module: Any, values: Mapping[str, float], *, trained: bool) -> None:
        """Set one-element tensors of a module by name: parameters if ``trained``, else buffers."""
        ...

    def register(self, module: Any, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Any:
        """Register a hook on a module, or globally if ``module`` is None, and return its handle."""
        ...

    def registry(self, module: Any, kind: str) -> dict[Any, Callable[..., Any]]:
        """Return the dictionary of a module's hooks of a kind (O-5)."""
        ...

    def rebind(self, kind: str) -> None:
        """Replace the global dictionary of a kind's hooks by an empty one."""
        ...

    def functional_call(self, module: Any, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        """Call ``torch.func.functional_call`` (I-17)."""
        ...

    def checkpoint(self, module: Any, args: Iterable[Any]) -> Any:
        """Call ``torch.utils.checkpoint.checkpoint`` with ``use_reentrant=False``."""
        ...

    def grad(self, output: Any, inputs: Sequence[Any], **options: Any) -> tuple[Any, ...]:
        """Call ``torch.autograd.grad`` for one output; options are ``retain_graph``, ``create_graph``, ``allow_unused``."""
        ...

    def no_grad(self) -> AbstractContextManager[None]: ...

    def is_grad_enabled(self) -> bool: ...

    def methods(self, module: Any) -> None:
        """Call methods of a module that run no hooks (C-8)."""
        ...
