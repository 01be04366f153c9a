"""PyTorch's modes and transforms around the load, the call and the backward pass, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import functional_call, grad, jacfwd, jacrev, jvp, vjp, vmap
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from attack.case import THREADED, Case, Side, tensor
from attack.kind import attack


class OperatorMode(TorchDispatchMode):
    """Calls a function with the name of every operator, by default one that records it."""

    def __init__(self, see: Callable[[str], object] | None = None) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.see = see or self.seen.append

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.see(str(func))
        return func(*args, **(kwargs or {}))


class FunctionMode(TorchFunctionMode):
    """Passes every function on."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class ModeError(Exception):
    """An exception that neither PyTorch nor C# knows."""


class Countdown:
    """Returns its argument, and raises an error at the call of a number; with a name, only texts that contain it count."""

    def __init__(self, number: int, error: type[BaseException], name: str = "") -> None:
        self.left, self.error, self.name = number, error, name

    def __call__(self, value: Any) -> Any:
        if not self.name or self.name in value:
            self.left -= 1
            if self.left == 0:
                raise self.error("below C#")
        return value


@contextmanager
def _switched(switch: Callable[[Any], None], on: Any, off: Any) -> Iterator[None]:
    switch(on)
    try:
        yield
    finally:
        switch(off)


MODES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "no_grad": torch.no_grad,
    "enable_grad": torch.enable_grad,
    "inference": torch.inference_mode,
    "not inference": lambda: torch.inference_mode(False),
    "grad off": lambda: torch.set_grad_enabled(False),
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "autocast half": lambda: torch.autocast("cpu", dtype=torch.float16),
    "autocast off": lambda: torch.autocast("cpu", enabled=False),
    "anomaly": lambda: torch.autograd.detect_anomaly(check_nan=False),
    "deterministic": lambda: _switched(torch.use_deterministic_algorithms, True, False),
    "double": lambda: _switched(torch.set_default_dtype, torch.float64, torch.float32),
    "dispatch": OperatorMode,
    "function": FunctionMode,
    "saved": lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: (x.clone(),), lambda packed: packed[0]),
    "on cpu": torch.autograd.graph.save_on_cpu,
    "device": lambda: torch.device("cpu"),
    "no function": torch._C.DisableTorchFunctionSubclass,
    "no functions": torch._C.DisableTorchFunction,
    "profile": lambda: torch.profiler.record_function("attack"),
    "one thread": lambda: torch.autograd.set_multithreading_enabled(False),
}


@contextmanager
def _entered(names: list[str]) -> Iterator[list[Any]]:
    with ExitStack() as stack:
        yield [stack.enter_context(MODES[name]()) for name in names]


@attack("modes", 110)
def modes(case: Case) -> None:
    """Enter modes around the load, a call and a backward pass, with hooks that read them."""

    def draw(most: int) -> list[str]:
        return [case.choice(*MODES) for _ in range(case.rng.randrange(most + 1))]

    loading, calling, backward = draw(2) if case.chance(0.3) else [], draw(3), draw(2)
    hooked = case.chance(0.5)

    def script(side: Side) -> None:
        side.note(f"{loading} {calling} {backward}")
        for module in side.model.modules():
            if hooked and side.chance(0.5):
                module.register_forward_hook(lambda module, args, y: _note_modes(side))
        for _ in range(2):
            x = tensor(side.rng).requires_grad_()
            with _entered(calling) as entered:
                y = side.attempt("call", side.model, x)
            for mode in entered:
                if isinstance(mode, OperatorMode):
                    side.note(sorted(name for name in mode.seen if "mm" in name or "tanh" in name))
            if isinstance(y, torch.Tensor):
                side.note(y.requires_grad, y.is_inference(), y.is_leaf)
                if y.requires_grad:
                    with _entered(backward):
                        side.attempt("backward", y.float().sum().backward)
                    side.note(x.grad)

    with _entered(loading):
        sides = case.pair(case.draw(*THREADED))
    case.both(script, sides)
    if "inference" not in loading:
        case.settled(sides)


def _note_modes(side: Side) -> None:
    side.note(
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.is_anomaly_enabled(),
        torch.get_default_dtype(),
        torch._C._len_torch_dispatch_stack(),
    )


def _parameters(model: Any, plus: float = 0.0) -> dict[str, torch.Tensor]:
    return {name: parameter.detach() + plus for name, parameter in model.named_parameters()}


def _squared_loss(model: Any) -> Callable[[Any, Any], Any]:
    return lambda parameters, x: functional_call(model, parameters, (x,)).square().sum()


#: Transforms of a model, applied to one input or to a stack of two.
TRANSFORMS: dict[str, Callable[[Any, torch.Tensor], Any]] = {
    "vmap": lambda model, x: vmap(model)(torch.stack([x, x + 1])),
    "grad": lambda model, x: grad(lambda x: model(x).sum())(x),
    "per sample": lambda model, x: vmap(grad(_squared_loss(model)), in_dims=(None, 0))(
        _parameters(model), torch.stack([x, x + 1])
    ),
    "jvp": lambda model, x: jvp(model, (x,), (torch.ones_like(x),)),
    "vjp": lambda model, x: vjp(model, x)[1](torch.ones_like(x)),
    "jacrev": lambda model, x: jacrev(model)(x),
    "jacfwd": lambda model, x: jacfwd(model)(x),
    "vmap grad": lambda model, x: vmap(vmap(grad(lambda x: model(x.unsqueeze(0)).sum())))(torch.stack([x, x])),
    "functional": lambda model, x: functional_call(model, _parameters(model, plus=1), (x,)),
}


@attack("transforms", 60)
def transforms(case: Case) -> None:
    """Apply function transforms: vmap, gradients and Jacobians."""
    name, hooked = case.choice(*TRANSFORMS), case.chance(0.4)

    def script(side: Side) -> None:
        for module in side.model.modules():
            if hooked and side.chance(0.5):
                module.register_forward_hook(lambda module, args, y: side.note("hook"))
        side.attempt(name, TRANSFORMS[name], side.model, tensor(side.rng))

    case.run(case.draw(*THREADED, "Counting", "Keeping", "Normed", "Inplace", "Static", "Squaring"), script)


@attack("fake and meta", 40)
def without_data(case: Case) -> None:
    """Use fake tensors and the meta device: shapes without elements."""
    what = case.choice("fake", "fake load", "meta", "meta load", "meta then real")
    fake = FakeTensorMode(allow_non_fake_inputs=True)

    def script(side: Side) -> None:
        x = tensor(side.rng)
        side.note(what, [(name, tuple(p.shape), p.device.type) for name, p in side.model.named_parameters()])
        if what == "fake":
            with fake:
                side.attempt("fake", lambda: _describe(side.model(fake.from_tensor(x))))
        if what in ("meta", "meta then real"):
            side.model.to("meta")
        if "meta" in what:
            side.attempt("meta", side.model, x.to("meta"))
        if what == "meta then real":
            side.model.to_empty(device="cpu")
            with torch.no_grad():
                for item in (*side.model.parameters(), *side.model.buffers()):
                    item.fill_(1)
            side.attempt("real", side.model, x)

    modes: dict[str, AbstractContextManager[Any]] = {"fake load": fake, "meta load": torch.device("meta")}
    with ExitStack() as stack:
        if what in modes:
            stack.enter_context(modes[what])
        sides = case.pair(case.draw(*THREADED, "Static", "Branches"))
    case.both(script, sides)
    if what in ("fake", "meta then real"):
        case.settled(sides)


def _describe(y: torch.Tensor) -> Any:
    return tuple(y.shape), str(y.dtype), type(y).__name__


@attack("raising modes", 30)
def raising_modes(case: Case) -> None:
    """Raise in a mode below an operator that C# calls, and in hooks for saved tensors."""
    number = case.rng.randrange(1, 4)
    name = case.choice("mm", "aten.t.", "add_", "mul")  # operators that occur equally often in C# and in Python
    error = case.choice(ModeError, KeyboardInterrupt, ValueError, RuntimeError)
    saved = case.chance(0.4)

    def script(side: Side) -> None:
        for count in range(2):
            x = tensor(side.rng).requires_grad_()
            raising_hook, raising_mode = Countdown(number, error), OperatorMode(Countdown(number + count, error, name))
            with torch.autograd.graph.saved_tensors_hooks(raising_hook, lambda x: x) if saved else raising_mode:
                side.attempt("call", side.model, x)
        side.attempt("again", side.model, x)

    case.run(case.draw(*THREADED, "Static", "Normed"), script)
