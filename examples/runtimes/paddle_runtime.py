"""PaddlePaddle as a runtime of hook programs: ``paddle.nn.Layer`` with its own hooks, called by Paddle itself.

A program calls methods of ``torch.Tensor`` that Paddle has under another name or with other parameters. They are aliases here, and exist
only while a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import isolation
import paddle
from paddle.distributed.fleet.utils import recompute
from paddle.nn import Layer

from hook_contract.program import Json, Program
from hook_contract.runtimes import nodes
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.values import number
from hook_contract.runtimes.world import ProgramRun

_METHODS: Mapping[str, str] = {"pre": "register_forward_pre_hook", "forward": "register_forward_post_hook"}
_DICTIONARIES: Mapping[str, str] = {"pre": "_forward_pre_hooks", "forward": "_forward_post_hooks"}
_backward, _add_ = paddle.Tensor.backward, paddle.Tensor.add_


def _backward_by_torch(
    tensor: paddle.Tensor, gradient: Any, *, retain_graph: bool | None, create_graph: bool, inputs: Any
) -> None:
    """Call Paddle's ``backward``. Options that Paddle does not have are passed only if they are used: then Paddle raises TypeError."""
    options = {"create_graph": create_graph} if create_graph else {}
    options |= {"inputs": inputs} if inputs is not None else {}
    _backward(tensor, gradient, bool(retain_graph), **options)


def _add_by_torch(tensor: paddle.Tensor, other: Any) -> paddle.Tensor:
    return _add_(tensor, other if isinstance(other, paddle.Tensor) else paddle.full_like(tensor, other))


_ALIASES: Mapping[str, Any] = {
    "retain_grad": paddle.Tensor.retain_grads,
    "backward": _backward_by_torch,
    "add_": _add_by_torch,
}


@contextmanager
def _aliases() -> Iterator[None]:
    """Give Paddle's tensors the names of :data:`_ALIASES` inside a block."""
    before = {name: getattr(paddle.Tensor, name, None) for name in _ALIASES}
    for name, method in _ALIASES.items():
        setattr(paddle.Tensor, name, method)
    try:
        yield
    finally:
        for name, method in before.items():
            if method is None:
                delattr(paddle.Tensor, name)
            else:
                setattr(paddle.Tensor, name, method)


class PaddleWorld:
    """The World of ``paddle.nn``, with float64 tensors."""

    tensor_type = paddle.Tensor
    device = "cpu"

    def without_global_hooks(self) -> AbstractContextManager[None]:
        return nullcontext()  # Paddle has no global hooks

    def vector(self, numbers: Sequence[float]) -> paddle.Tensor:
        return paddle.to_tensor(list(numbers), dtype="float64", place=paddle.CPUPlace())

    def elements(self, tensor: paddle.Tensor) -> Json:
        if tensor.dim() > 1:
            return {"shape": list(tensor.shape)}
        plain = tensor.detach()
        return number(plain.item()) if plain.size == 1 else {"vector": [number(item) for item in plain.tolist()]}

    def device_of(self, value: Any) -> str:
        return str(value.device).partition(":")[0]

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Layer:
        module: Layer = nodes.build(run, tree, {**nodes.kinds(Layer), **LIBRARY})
        return module

    def add_tensors(self, module: Layer, values: Mapping[str, float], *, trained: bool) -> None:
        for name, value in values.items():
            if trained:
                start = paddle.nn.initializer.Constant(float(value))
                module.add_parameter(name, module.create_parameter([1], dtype="float64", default_initializer=start))
            else:
                module.register_buffer(name, self.vector([value]))

    def register(self, module: Layer, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Any:
        return getattr(module, _METHODS[kind])(hook, **options)

    def registry(self, module: Layer, kind: str) -> dict[Any, Callable[..., Any]]:
        found: dict[Any, Callable[..., Any]] = getattr(module, _DICTIONARIES[kind])
        return found

    def rebind(self, kind: str) -> None:
        raise NotImplementedError

    def functional_call(self, module: Layer, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        raise NotImplementedError

    def checkpoint(self, module: Layer, args: Iterable[Any]) -> Any:
        return recompute(module, *args, use_reentrant=False)

    def grad(self, output: paddle.Tensor, inputs: Sequence[paddle.Tensor], **options: Any) -> tuple[Any, ...]:
        return tuple(paddle.grad(output, list(inputs), **options))

    def no_grad(self) -> AbstractContextManager[None]:
        return paddle.no_grad()

    def is_grad_enabled(self) -> bool:
        return bool(paddle.is_grad_enabled())

    def call_hookless_methods(self, module: Layer) -> None:
        module.apply(lambda _: None)
        module.train()
        module.eval()
        module.state_dict()
        module.clear_gradients()
        module.to(dtype="float64")
        dict(module.named_sublayers())


LIBRARY: nodes.Kinds = {
    "sequential": lambda run, node: paddle.nn.Sequential(),
    "modulelist": lambda run, node: paddle.nn.LayerList(),
}


class Paddle:
    """The runtime ``paddle``: Paddle's layers on the CPU, called by Paddle itself."""

    name = "paddle"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        "global": "Paddle has no hooks for all layers",
        "hook:backward": "Paddle's Layer has no backward hooks",
        "hook:backward_pre": "Paddle's Layer has no backward hooks",
        "hook:legacy": "Paddle's Layer has no backward hooks",
        "hook:accumulated": "Paddle's Tensor has no public hook after a gradient was accumulated",
        "step:functional_call": "Paddle has no functional_call",
        "step:ids": "Paddle's handles have no public id",
        "step:rebind": "Paddle has no hooks for all layers",
        "step:with": "Paddle's handles are no context managers",
        "node:attention": "not run: Paddle's MultiHeadAttention takes other parameters",
        "node:encoder": "not run: Paddle's TransformerEncoderLayer takes other parameters",
    }

    def version(self) -> str:
        return f"PaddlePaddle {paddle.__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        with _aliases():
            return {"": isolation.run(program, PaddleWorld)}


RUNTIME: Runtime = Paddle()
