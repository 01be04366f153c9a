"""``torch.nn`` as the module library of hook programs, with float64 tensors on the run's device."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as global_hooks
from torch.utils.checkpoint import checkpoint

from hook_contract.program import Json
from hook_contract.runtimes import nodes
from hook_contract.runtimes.values import number
from hook_contract.runtimes.world import ProgramRun

_GLOBALS = (
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
    "_global_forward_hooks_always_called",
    "_global_forward_hooks_with_kwargs",
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
)
#: For each kind of hook, the attribute in which a module keeps its hooks of that kind.
DICTIONARIES: Mapping[str, str] = {
    "pre": "_forward_pre_hooks",
    "forward": "_forward_hooks",
    "backward_pre": "_backward_pre_hooks",
    "backward": "_backward_hooks",
    "legacy": "_backward_hooks",
}
#: For each kind of hook, the method that registers a hook on a module, and the function that registers a global hook.
_METHODS: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "pre": ("register_forward_pre_hook", global_hooks.register_module_forward_pre_hook),
    "forward": ("register_forward_hook", global_hooks.register_module_forward_hook),
    "backward_pre": ("register_full_backward_pre_hook", global_hooks.register_module_full_backward_pre_hook),
    "backward": ("register_full_backward_hook", global_hooks.register_module_full_backward_hook),
    "legacy": ("register_backward_hook", global_hooks.register_module_backward_hook),
}


class TorchWorld:
    """The :class:`~hook_contract.runtimes.world.World` of ``torch.nn``."""

    tensor_type = torch.Tensor

    def __init__(self, device: str = "cpu") -> None:
        self.torch_device = torch.device(device)

    @property
    def device(self) -> str:
        return self.torch_device.type

    @contextmanager
    def without_global_hooks(self) -> Iterator[None]:
        outer = {name: getattr(global_hooks, name) for name in _GLOBALS}
        flag = global_hooks._global_is_full_backward_hook
        for name in _GLOBALS:
            setattr(global_hooks, name, OrderedDict())
        global_hooks._global_is_full_backward_hook = None
        try:
            yield
        finally:
            for name, value in outer.items():
                setattr(global_hooks, name, value)
            global_hooks._global_is_full_backward_hook = flag

    def vector(self, numbers: Sequence[float]) -> torch.Tensor:
        return torch.tensor(numbers, dtype=torch.float64, device=self.torch_device)

    def elements(self, tensor: torch.Tensor) -> Json:
        if tensor.device.type == "meta":
            return {"meta": list(tensor.shape)}
        if tensor.dim() > 1:
            return {"shape": list(tensor.shape)}
        plain = tensor.detach().cpu()
        return number(plain.item()) if plain.numel() == 1 else {"vector": [number(item) for item in plain.tolist()]}

    def device_of(self, value: Any) -> str:
        found: str = value.device.type
        return found

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> nn.Module:
        module: nn.Module = nodes.build(run, tree, {**nodes.kinds(nn.Module), **LIBRARY})
        return module

    def add_tensors(self, module: nn.Module, values: Mapping[str, float], *, trained: bool) -> None:
        for name, value in values.items():
            tensor = self.vector([float(value)])
            if trained:
                setattr(module, name, nn.Parameter(tensor))
            else:
                module.register_buffer(name, tensor)

    def register(
        self, module: nn.Module | None, kind: str, hook: Callable[..., Any], options: Mapping[str, bool]
    ) -> Any:
        name, register_globally = _METHODS[kind]
        return register_globally(hook, **options) if module is None else getattr(module, name)(hook, **options)

    def registry(self, module: nn.Module, kind: str) -> dict[Any, Callable[..., Any]]:
        found: dict[Any, Callable[..., Any]] = getattr(module, DICTIONARIES[kind])
        return found

    def rebind(self, kind: str) -> None:
        setattr(global_hooks, f"_global{DICTIONARIES[kind]}", OrderedDict())

    def functional_call(self, module: nn.Module, parameters: Mapping[str, Any], args: tuple[Any, ...]) -> Any:
        return torch.func.functional_call(module, dict(parameters), args)

    def checkpoint(self, module: nn.Module, args: Iterable[Any]) -> Any:
        return checkpoint(module, *args, use_reentrant=False)

    def grad(self, output: torch.Tensor, inputs: Sequence[torch.Tensor], **options: Any) -> tuple[Any, ...]:
        return torch.autograd.grad(output, inputs, **options)

    def no_grad(self) -> AbstractContextManager[None]:
        return torch.no_grad()

    def is_grad_enabled(self) -> bool:
        return torch.is_grad_enabled()

    def call_hookless_methods(self, module: nn.Module) -> None:
        module.apply(lambda _: None)
        module.train().eval()
        module.state_dict()
        module.zero_grad()
        module.to(torch.float64)
        dict(module.named_modules())


class Attention(nodes.ProgramModule, nn.Module):
    """A module that runs PyTorch's attention or encoder layer, with all parameters 0.5, and returns the sum of the layer's result."""

    def __init__(self, run: ProgramRun, node: nodes.Node) -> None:
        super().__init__(run, node)
        options: dict[str, Any] = {
            "dtype": torch.float64,
            "device": run.world.vector([0.0]).device,
            "batch_first": True,
        }
        if node["kind"] == "encoder":
            self.inner: nn.Module = nn.TransformerEncoderLayer(2, 2, 2, dropout=0.0, **options)
        else:
            self.inner = nn.MultiheadAttention(2, 2, **options)
        with torch.no_grad():
            for parameter in self.inner.parameters():
                parameter.fill_(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.enter(x)
        wide = x.expand(1, 2, 2)
        result: Any = self.inner(wide) if self.node["kind"] == "encoder" else self.inner(wide, wide, wide)[0]
        total: torch.Tensor = result.sum()
        return total.reshape(1)


LIBRARY: nodes.Kinds = {
    "sequential": lambda run, node: nn.Sequential(),
    "modulelist": lambda run, node: nn.ModuleList(),
    "attention": Attention,
    "encoder": Attention,
}
