"""What the interpreter of hook programs needs from a library of modules, tensors and hooks; corresponds to ``IWorld.cs``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from bridge.program import Json

#: What a hook of each kind is called with, in order; with ``with_kwargs``, ``kwargs`` follows ``args``.
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
    """The run that modules belong to: they report to it when a ``forward`` begins, and register hooks through it."""

    @property
    def world(self) -> World: ...

    def entered(self, module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None: ...

    def register(self, registration: Mapping[str, Json]) -> None: ...


class World(Protocol):
    """A library that programs can run on. One world serves one run.

    Its modules and tensors have the methods and attributes of ``torch.nn.Module`` and ``torch.Tensor`` that programs use, by the same
    names. The members below are what PyTorch has as functions, and what each library does in its own way.

    ``tensor_type`` is the class of its tensors, ``device`` the type of the device on which the run makes them.
    """

    tensor_type: type[Any]

    @property
    def device(self) -> str: ...

    def alone(self) -> AbstractContextManager[None]:
        """Empties the global registries for the length of a block; afterwards they are as before (G-3)."""
        ...

    def vector(self, numbers: Sequence[float]) -> Any:
        """A one-dimensional tensor of float64."""
        ...

    def elements(self, tensor: Any) -> Json:
        """The elements of a tensor as a trace has them: a number, or ``{"vector": […]}``."""
        ...

    def device_of(self, value: Any) -> str:
        """The type of the device that a tensor is on. Raises AttributeError for what has no device."""
        ...

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Any:
        """The modules of a tree."""
        ...

    def constants(self, module: Any, values: Mapping[str, float], *, trained: bool) -> None:
        """Gives a module one-element tensors by name: parameters when ``trained``, buffers otherwise."""
        ...

    def register(self, module: Any, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Any:
        """Registers a hook on a module, or for all modules when ``module`` is None; its handle."""
        ...

    def registry(self, module: Any, kind: str) -> dict[Any, Callable[..., Any]]:
        """The dictionary that holds a module's hooks of a kind (O-5)."""
        ...

    def rebind(self, kind: str) -> None:
        """Replaces a global dictionary with an empty one."""
        ...

    def functional_call(self, module: Any, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        """``torch.func.functional_call`` (I-17)."""
        ...

    def checkpoint(self, module: Any, args: Iterable[Any]) -> Any:
        """``torch.utils.checkpoint.checkpoint`` without re-entry."""
        ...

    def grad(self, output: Any, inputs: Sequence[Any], **options: Any) -> tuple[Any, ...]:
        """``torch.autograd.grad`` of one output; the options are ``retain_graph``, ``create_graph``, ``allow_unused``."""
        ...

    def no_grad(self) -> AbstractContextManager[None]: ...

    def is_grad_enabled(self) -> bool: ...

    def methods(self, module: Any) -> None:
        """Calls the methods of a module that run no hooks (C-8)."""
        ...
