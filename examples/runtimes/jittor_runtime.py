"""Jittor as a runtime of hook programs: ``jittor.nn.Module`` with its own hooks, called by Jittor itself.

Jittor returns gradients (``jittor.grad``) and does not store them in tensors. A program's ``backward`` is ``jittor.grad`` for the tensors
and parameters of the program that require a gradient; this adapter adds the results to their ``grad``. Hooks run in ``jittor.grad``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import isolation
import jittor
import numpy as np
from jittor import Var, nn

from hook_contract.program import Json, Program
from hook_contract.runtimes import nodes
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.values import number
from hook_contract.runtimes.world import ProgramRun

#: For each kind of hook, the methods of a module that register and remove its only hook of that kind.
_METHODS: Mapping[str, tuple[str, str]] = {
    "pre": ("register_pre_forward_hook", "remove_pre_forward_hook"),
    "forward": ("register_forward_hook", "remove_forward_hook"),
    "backward": ("register_backward_hook", "remove_backward_hook"),
}


class Names(nn.Module):
    """A module with the names of PyTorch's methods that programs use. ``forward`` is ``execute``."""

    @property
    def forward(self) -> Any:
        return self.execute

    @forward.setter
    def forward(self, value: Any) -> None:
        self.execute = value

    def get_submodule(self, path: str) -> Any:
        found: Any = self
        for name in path.split(".") if path else ():
            found = getattr(found, name)
        return found


class Sequential(Names, nn.Sequential):
    """Jittor's Sequential, which is its ModuleList too."""


def kinds() -> nodes.Kinds:
    """Return the module classes of programs: their ``forward`` is Jittor's ``execute``."""
    found: dict[str, Any] = {
        name: type(made.__name__, (Names, made), {"execute": made.forward})
        for name, made in nodes.kinds(nn.Module).items()
    }
    return found | {"sequential": lambda run, node: Sequential(), "modulelist": lambda run, node: Sequential()}


KINDS: nodes.Kinds = kinds()


class Handle:
    """The removal of a hook. Jittor has a method of the module for it, and no handles."""

    def __init__(self, remove: Callable[[], None]) -> None:
        self.remove = remove


class JittorWorld:
    """The World of ``jittor.nn``, with float64 tensors."""

    tensor_type = Var
    device = "cpu"

    def __init__(self) -> None:
        self.made: list[Var] = []
        self.run: Any = None

    def vector(self, numbers: Sequence[float]) -> Var:
        found = jittor.array(np.array(numbers, dtype=np.float64))
        self.made.append(found.stop_grad())  # as PyTorch's: Jittor's require a gradient
        return found

    def elements(self, tensor: Var) -> Json:
        plain = tensor.numpy()
        if plain.ndim > 1:
            return {"shape": list(plain.shape)}
        return number(plain.item()) if plain.size == 1 else {"vector": [number(item) for item in plain.tolist()]}

    def device_of(self, value: Any) -> str:
        if not isinstance(value, Var):
            raise AttributeError(f"a {type(value).__name__} has no device")
        return "cuda" if jittor.flags.use_cuda else "cpu"  # a flag of the process: a tensor has no device of its own

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Any:
        self.run = run
        return nodes.build(run, tree, KINDS)

    def add_tensors(self, module: Any, values: Mapping[str, float], *, trained: bool) -> None:
        for name, value in values.items():
            tensor = self.vector([value])
            tensor.requires_grad = trained
            setattr(module, name, tensor)

    def register(self, module: Any, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Handle:
        register, remove = _METHODS[kind]
        getattr(module, register)(hook)
        return Handle(getattr(module, remove))

    def registry(self, module: Any, kind: str) -> dict[Any, Callable[..., Any]]:
        raise NotImplementedError

    def rebind(self, kind: str) -> None:
        raise NotImplementedError

    def functional_call(self, module: Any, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        raise NotImplementedError

    def checkpoint(self, module: Any, args: Iterable[Any]) -> Any:
        raise NotImplementedError

    def grad(self, output: Var, inputs: Sequence[Var], **options: Any) -> tuple[Any, ...]:
        return tuple(jittor.grad(output, list(inputs)))  # it always makes a graph, and gives 0 for what is not used

    def backward(self, output: Var, gradient: Any, *, retain_graph: Any, create_graph: bool, inputs: Any) -> None:
        """Add the gradients of the program's leaves to their ``grad``. A ``gradient`` weighs the elements of the output."""
        copied = [item for root in self.run.roots.values() for item in root.parameters()]
        found = {id(item): item for item in (*self.made, *copied) if item.requires_grad}
        leaves = list(found.values()) if inputs is None else inputs
        loss = output if gradient is None else (output * gradient).sum()
        for leaf, grad in zip(leaves, jittor.grad(loss, leaves), strict=True):
            leaf.grad = grad if leaf.grad is None else leaf.grad + grad

    @contextmanager
    def without_global_hooks(self) -> Iterator[None]:
        """Give Jittor's tensors ``backward`` and ``grad``, which Jittor has only to say what to use instead, inside a block.

        Jittor has no global hooks.
        """
        before = Var.backward, Var.grad
        Var.backward, Var.grad = (lambda *args, **options: self.backward(*args, **options)), None
        try:
            yield
        finally:
            Var.backward, Var.grad = before

    def no_grad(self) -> AbstractContextManager[None]:
        found: AbstractContextManager[None] = jittor.no_grad()
        return found

    def is_grad_enabled(self) -> bool:
        return not jittor.flags.no_grad

    def call_hookless_methods(self, module: Any) -> None:
        module.apply(lambda _: None)
        module.train()
        module.eval()
        module.state_dict()
        dict(module.named_modules())


class Jittor:
    """The runtime ``jittor``: Jittor's modules on the CPU, called by Jittor itself."""

    name = "jittor"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        **dict.fromkeys(("global", "step:rebind"), "Jittor has no hooks for all modules"),
        **dict.fromkeys(("option:prepend", "option:by"), "Jittor keeps one hook of a kind, and no order"),
        **dict.fromkeys(("step:ids", "step:with", "step:handle_copy"), "Jittor has no handles of hooks"),
        "option:always_call": "Jittor has no hooks that run after an exception",
        "option:with_kwargs": "Jittor passes keyword arguments to every hook of a call that has any, after the output",
        "hook:backward_pre": "Jittor's hooks on the gradient of outputs get no module",
        "hook:legacy": "Jittor has one kind of backward hooks",
        "hook:accumulated": "Jittor does not accumulate gradients in tensors",
        "step:retain_grad": "Jittor does not store gradients in tensors",
        "read:grad_fn": "Jittor's tensors do not show their operation",
        "step:functional_call": "Jittor has no functional_call",
        "step:checkpoint": "Jittor has no checkpoint",
        "node:attention": "Jittor's MultiheadAttention has other children",
        "node:encoder": "Jittor has no TransformerEncoderLayer",
    }

    def version(self) -> str:
        return f"Jittor {jittor.__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        with jittor.flag_scope(auto_convert_64_to_32=0):
            return {"": isolation.run(program, JittorWorld)}


RUNTIME: Runtime = Jittor()
