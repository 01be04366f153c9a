"""The module library on which the runtime ``model`` runs hook programs: module trees on top of ``dispatcher``.

Codes such as G-3 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from hook_contract.program import Json
from hook_contract.runtimes import nodes
from hook_contract.runtimes.model import dispatcher
from hook_contract.runtimes.model.autograd import GRAD, Tensor, grad_mode
from hook_contract.runtimes.model.dispatcher import GLOBAL_HOOKS, Hooked
from hook_contract.runtimes.model.handle import Handle
from hook_contract.runtimes.values import number
from hook_contract.runtimes.world import ProgramRun


class Module(dispatcher.Module):
    """A module, with its tensors and child modules by name in ``parts``. Its methods are named as in ``torch.nn.Module``."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        try:
            return vars(self)["parts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def add_module(self, name: str, module: Module) -> None:
        self.parts[name] = module

    def get_submodule(self, path: str) -> Any:
        found: Any = self
        for name in path.split(".") if path else ():
            found = getattr(found, name)
        return found

    def named_modules(self, path: str = "") -> Iterator[tuple[str, Module]]:
        """Yield the modules with their paths, parents first. A shared module occurs at each of its paths."""
        yield path, self
        for name, part in self.parts.items():
            if isinstance(part, Module):
                yield from part.named_modules(f"{path}.{name}" if path else name)

    def train(self) -> None:
        """Do nothing: no module here depends on the training mode (C-8)."""

    eval = train


class Sequential(Module):
    def forward(self, input: Any) -> Any:
        for child in self.parts.values():
            input = child(input)  # I-15
        return input

    def __getitem__(self, places: slice) -> Sequential:
        result = Sequential()
        result.parts.update(list(self.parts.items())[places])
        return result


class ModelWorld:
    """The :class:`~hook_contract.runtimes.world.World` of the runtime ``model``."""

    tensor_type = Tensor
    device = Tensor.device

    @contextmanager
    def without_global_hooks(self) -> Iterator[None]:
        before = dict(vars(GLOBAL_HOOKS))
        vars(GLOBAL_HOOKS).update(vars(Hooked()))
        try:
            yield
        finally:
            vars(GLOBAL_HOOKS).update(before)

    def vector(self, numbers: Sequence[float]) -> Tensor:
        return Tensor(list(numbers))

    def elements(self, tensor: Tensor) -> Json:
        numbers = [number(item) for item in tensor.data]
        return numbers[0] if len(numbers) == 1 else {"vector": numbers}

    def device_of(self, value: Any) -> str:
        found: str = value.device
        return found

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> Module:
        library: nodes.Kinds = {"sequential": lambda run, node: Sequential(), "modulelist": lambda run, node: Module()}
        module: Module = nodes.build(run, tree, {**nodes.kinds(Module), **library})
        return module

    def add_tensors(self, module: Module, values: Mapping[str, float], *, trained: bool) -> None:
        for name, value in values.items():
            module.parts[name] = self.vector([float(value)])
            module.parts[name].requires_grad = trained

    def register(
        self, module: Module | None, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]
    ) -> Handle:
        return (GLOBAL_HOOKS if module is None else module).register(kind, hook, options)

    def registry(self, module: Module, kind: str) -> dict[Any, Callable[..., Any]]:
        return module.hooks[kind.replace("legacy", "backward")]

    def rebind(self, kind: str) -> None:
        GLOBAL_HOOKS.hooks[kind.replace("legacy", "backward")] = OrderedDict()  # G-3

    def functional_call(self, module: Module, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        """Call a module with other parameters (I-17)."""
        given, before = dict(parameters), []
        own = {
            ".".join(filter(None, (path, name))): (part.parts, name)
            for path, part in module.named_modules()
            for name in part.parts
        }
        for name in parameters:  # a shared tensor has the same value under all its names
            parts, last = own[name]
            given |= {other: given[name] for other, (more, item) in own.items() if more.get(item) is parts[last]}
        for name, tensor in given.items():
            parts, last = own[name]
            before.append((parts, last, parts[last]))
            parts[last] = tensor
        try:
            return module(*args)
        finally:
            for parts, last, tensor in before:  # I-17a: PyTorch restores in this order, not in reverse
                parts[last] = tensor

    def checkpoint(self, module: Module, args: Iterable[Any]) -> Any:
        raise NotImplementedError(
            "the runtime 'model' keeps the tensors that operations save, and cannot recompute them"
        )

    def grad(self, output: Tensor, inputs: Sequence[Tensor], **options: Any) -> tuple[Any, ...]:
        return output.gradients(None, inputs, **options)

    def no_grad(self) -> AbstractContextManager[None]:
        return grad_mode(False)

    def is_grad_enabled(self) -> bool:
        return GRAD.on

    def call_hookless_methods(self, module: Module) -> None:
        for _, found in module.named_modules():  # C-8: of these methods, only zero_grad has a visible effect
            for part in found.parts.values():
                part.grad = None
