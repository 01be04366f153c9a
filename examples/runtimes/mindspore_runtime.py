"""MindSpore as a runtime of hook programs: ``mindspore.nn.Cell`` with its own hooks, in PyNative mode, called by MindSpore itself.

MindSpore computes gradients of functions (``mindspore.grad``): a tensor has no ``backward``, so programs with a backward pass do not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import mindspore
from mindspore import Parameter, Tensor, nn

from hook_contract.program import Json, Program
from hook_contract.runtimes import nodes
from hook_contract.runtimes.interpreter import run
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.values import number
from hook_contract.runtimes.world import ProgramRun

mindspore.set_context(mode=mindspore.PYNATIVE_MODE, device_target="CPU")
mindspore.runtime.launch_blocking()  # otherwise a later call raises an operator's error

_METHODS: Mapping[str, str] = {
    "pre": "register_forward_pre_hook",
    "forward": "register_forward_hook",
    "backward_pre": "register_backward_pre_hook",
    "backward": "register_backward_hook",
}
_DICTIONARIES: Mapping[str, str] = {"pre": "_forward_pre_hook", "forward": "_forward_hook"}


class Names(nn.Cell):
    """A cell with the names of PyTorch's methods that programs use. ``forward`` is ``construct``."""

    @property
    def forward(self) -> Any:
        return self.construct

    @forward.setter
    def forward(self, value: Any) -> None:
        self.construct = value

    def add_module(self, name: str, module: nn.Cell) -> None:
        self.insert_child_to_cell(name, module)

    def get_submodule(self, path: str) -> nn.Cell:
        return self.get_sub_cell(path)

    def named_modules(self) -> Iterator[tuple[str, nn.Cell]]:
        yield from self.cells_and_names()

    def train(self) -> None:
        self.set_train(True)

    def eval(self) -> None:
        self.set_train(False)


class Sequential(Names, nn.SequentialCell):
    """MindSpore's SequentialCell. It calls the cells of a list that its own ``append`` keeps."""

    def add_module(self, name: str, module: nn.Cell) -> None:
        super().add_module(name, module)
        self.cell_list = list(self._cells.values())


class CellList(Names, nn.CellList):
    """MindSpore's CellList."""


def kinds() -> nodes.Kinds:
    """Return the cell classes of programs: their ``forward`` is MindSpore's ``construct``."""
    found: dict[str, Any] = {
        name: type(made.__name__, (Names, made), {"construct": made.forward})
        for name, made in nodes.kinds(nn.Cell).items()
    }
    return found | {"sequential": lambda run, node: Sequential(), "modulelist": lambda run, node: CellList()}


KINDS: nodes.Kinds = kinds()


class MindSporeWorld:
    """The World of ``mindspore.nn``, with float64 tensors."""

    tensor_type = Tensor
    device = "cpu"

    def without_global_hooks(self) -> AbstractContextManager[None]:
        return nullcontext()  # MindSpore has no global hooks

    def vector(self, numbers: Sequence[float]) -> Tensor:
        return Tensor(list(numbers), mindspore.float64)

    def elements(self, tensor: Tensor) -> Json:
        if tensor.ndim > 1:
            return {"shape": list(tensor.shape)}
        plain = tensor.asnumpy()
        return number(plain.item()) if plain.size == 1 else {"vector": [number(item) for item in plain.tolist()]}

    def device_of(self, value: Any) -> str:
        return str(value.device).partition(":")[0].lower()

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> nn.Cell:
        module: nn.Cell = nodes.build(run, tree, KINDS)
        return module

    def add_tensors(self, module: nn.Cell, values: Mapping[str, float], *, trained: bool) -> None:
        for name, value in values.items():
            if trained:
                module.insert_param_to_cell(name, Parameter(self.vector([value]), name=name))
            else:
                module.register_buffer(name, self.vector([value]))

    def register(self, module: nn.Cell, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Any:
        return getattr(module, _METHODS[kind])(hook, **options)

    def registry(self, module: nn.Cell, kind: str) -> dict[Any, Callable[..., Any]]:
        found: dict[Any, Callable[..., Any]] = getattr(module, _DICTIONARIES[kind])
        return found

    def rebind(self, kind: str) -> None:
        raise NotImplementedError

    def functional_call(self, module: nn.Cell, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        raise NotImplementedError

    def checkpoint(self, module: nn.Cell, args: Iterable[Any]) -> Any:
        raise NotImplementedError

    def grad(self, output: Tensor, inputs: Sequence[Tensor], **options: Any) -> tuple[Any, ...]:
        raise NotImplementedError

    def no_grad(self) -> AbstractContextManager[None]:
        raise NotImplementedError

    def is_grad_enabled(self) -> bool:
        raise NotImplementedError

    def call_hookless_methods(self, module: nn.Cell) -> None:
        module.apply(lambda _: None)
        module.set_train(True)
        module.set_train(False)
        module.state_dict()
        module.to(mindspore.float64)
        dict(module.cells_and_names())


_NO_TAPE = "MindSpore computes gradients of functions, and has no backward of a tensor"
_NO_GLOBAL = "MindSpore has no forward and backward hooks for all cells"


class MindSpore:
    """The runtime ``mindspore``: MindSpore's cells on the CPU, called by MindSpore itself."""

    name = "mindspore"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        "global": _NO_GLOBAL,
        "step:rebind": _NO_GLOBAL,
        **dict.fromkeys(("step:backward", "step:grad", "step:retain_grad", "step:checkpoint", "step:zero"), _NO_TAPE),
        **dict.fromkeys(("read:grad", "read:grad_fn", "read:requires_grad"), _NO_TAPE),
        "hook:legacy": "MindSpore has no backward hook without its pair of identities, as PyTorch's old one is",
        "hook:accumulated": "MindSpore's Tensor has no hook after a gradient was accumulated",
        "step:no_grad": "MindSpore has no public no_grad",
        "read:grad_mode": "MindSpore has no public grad mode",
        "step:functional_call": "MindSpore has no functional_call",
        "step:handle_copy": "MindSpore's handles refer to a registry by a weak reference, and have no protocol to copy it",
        "step:ids": "MindSpore's handles have no public id",
        "step:with": "MindSpore's handles are no context managers",
        "node:attention": "MindSpore's MultiheadAttention has other children",
        "node:encoder": "MindSpore's TransformerEncoderLayer has other children",
    }

    def version(self) -> str:
        return f"MindSpore {mindspore.__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": run(program, MindSporeWorld())}


RUNTIME: Runtime = MindSpore()
