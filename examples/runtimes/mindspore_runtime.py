"""MindSpore as a runtime of hook programs: ``mindspore.nn.Cell`` with its own hooks, in PyNative mode, called by MindSpore itself.

MindSpore computes gradients of functions: a tensor has no ``backward``. So the steps of a program before a backward pass are the function
that ``mindspore.grad`` differentiates, and this adapter adds the results to the ``grad`` of the program's tensors and parameters. Hooks run
in ``mindspore.grad``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import isolation
import mindspore
from mindspore import Parameter, Tensor, nn

from hook_contract.program import Json, Program
from hook_contract.runtimes import nodes
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.values import number
from hook_contract.runtimes.world import ProgramRun, World

mindspore.set_context(mode=mindspore.PYNATIVE_MODE, device_target="CPU")
mindspore.runtime.launch_blocking()  # otherwise a later call raises an operator's error

_METHODS: Mapping[str, str] = {
    "pre": "register_forward_pre_hook",
    "forward": "register_forward_hook",
    "backward_pre": "register_backward_pre_hook",
    "backward": "register_backward_hook",
}


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

    get_submodule = nn.Cell.get_sub_cell
    named_modules = nn.Cell.cells_and_names

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


_MADE: Mapping[str, Any] = nodes.kinds(nn.Cell)
#: The cell classes of programs. Their ``forward`` is MindSpore's ``construct``.
KINDS: nodes.Kinds = {
    **{name: type(name.title(), (Names, made), {"construct": made.forward}) for name, made in _MADE.items()},
    "sequential": lambda run, node: Sequential(),
    "modulelist": lambda run, node: CellList(),
}


class MindSporeWorld(World):
    """The World of ``mindspore.nn``, with float64 tensors."""

    tensor_type = Tensor
    device = "cpu"

    def without_global_hooks(self) -> AbstractContextManager[None]:
        Tensor.grad, Tensor.detach = None, mindspore.ops.stop_gradient  # in this process, which ends with the program
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

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Any:
        return nodes.build(run, tree, KINDS)

    def add_tensors(self, module: nn.Cell, values: Mapping[str, float], *, trained: bool) -> None:
        for name, value in values.items():
            if trained:
                module.insert_param_to_cell(name, Parameter(self.vector([value]), name=name))
            else:
                module.register_buffer(name, self.vector([value]))

    def register(self, module: nn.Cell, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]) -> Any:
        return getattr(module, _METHODS[kind])(hook, **options)

    def registry(self, module: nn.Cell, kind: str) -> Any:
        return module._forward_pre_hook if kind == "pre" else module._forward_hook

    def call_hookless_methods(self, module: nn.Cell) -> None:
        module.apply(lambda _: None)
        module.set_train(True)
        module.set_train(False)
        module.state_dict()
        module.to(mindspore.float64)
        dict(module.cells_and_names())


class Functions(Session):
    """A run in which the steps before a backward pass are a function that MindSpore differentiates."""

    before: tuple[list[Mapping[str, Json]], bool] = ([], False)

    def steps(self, steps: Iterable[Mapping[str, Json]], *, block: bool = False) -> None:
        before: list[Mapping[str, Json]] = []
        for step in steps:
            if step["do"] in ("backward", "grad"):
                self.before, before = (before, block), []
                super().steps([step], block=block)
            else:
                before.append(step)
        super().steps(before, block=block)

    def differentiate(self, step: Mapping[str, Json], inputs: Sequence[str] | None) -> list[tuple[Any, Any]]:
        """Run the steps before a backward pass, then the pass. Return pairs of a tensor and its gradient."""
        weights: list[Any] = []
        (before, block), self.before = self.before, ([], False)

        def function() -> Any:
            super(Functions, self).steps(before, block=block)
            found = [self._main.names.values(), *(root.get_parameters() for root in self.roots.values())]
            leaves = {id(item): item for items in found for item in items if isinstance(item, Parameter)}
            weights[:] = (
                [item for item in leaves.values() if item.requires_grad] if inputs is None else map(self.find, inputs)
            )
            output = self.find(step["of"])
            return (output * self.make(step["gradient"])).sum() if "gradient" in step else output

        return list(zip(weights, mindspore.grad(function, None, weights)(), strict=True))

    def do_tensor(self, step: Mapping[str, Json]) -> None:
        self.save(step["name"], Parameter(self.make(step["value"]), requires_grad=step.get("requires_grad", True)))

    def do_backward(self, step: Mapping[str, Json]) -> None:
        for leaf, grad in self.differentiate(step, step.get("inputs")):
            leaf.grad = grad if leaf.grad is None else leaf.grad + grad

    def do_grad(self, step: Mapping[str, Json]) -> None:
        self._returned(step, tuple(grad for _, grad in self.differentiate(step, step["inputs"])))


class MindSpore:
    """The runtime ``mindspore``: MindSpore's cells on the CPU, called by MindSpore itself."""

    name = "mindspore"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        **dict.fromkeys(("global", "step:rebind"), "MindSpore has no forward and backward hooks for all cells"),
        **dict.fromkeys(
            ("step:retain_grad", "step:checkpoint", "read:grad_fn"), "MindSpore computes gradients of functions"
        ),
        "read:requires_grad": "Only MindSpore's parameters say whether they require a gradient",
        "hook:legacy": "MindSpore has no backward hook without its pair of identities, as PyTorch's old one is",
        "hook:accumulated": "MindSpore's Tensor has no hook after a gradient was accumulated",
        **dict.fromkeys(("step:no_grad", "read:grad_mode"), "MindSpore has no public no_grad"),
        "step:functional_call": "MindSpore has no functional_call",
        "step:handle_copy": "MindSpore's handles refer to a registry by a weak reference, and have no protocol to copy it",
        "step:ids": "MindSpore's handles have no public id",
        "step:with": "MindSpore's handles are no context managers",
        **dict.fromkeys(("node:attention", "node:encoder"), "MindSpore's transformer layers have other children"),
    }

    def version(self) -> str:
        return f"MindSpore {mindspore.__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": isolation.run(program, MindSporeWorld, Functions)}


RUNTIME: Runtime = MindSpore()
