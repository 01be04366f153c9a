"""Every mode that PyTorch pushes, around the load, the call and the backward pass, several at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from random import Random
from typing import Any

import torch
from torch.func import functional_call, grad, jacfwd, jacrev, jvp, vjp, vmap
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from attack.case import Case, Side
from attack.kinds.inputs import simple, tensor

#: Threads of C#'s have modes of their own.
UNORDERED = ("Branches parallel", "Branches tasks", "Shared")


class Counting(TorchDispatchMode):
    """Sees every operator, and passes it on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


class Looking(TorchFunctionMode):
    """Sees every function, and passes it on."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class ModeError(Exception):
    """What a mode raises below C#'s operators."""


class Raising(TorchDispatchMode):
    """Raises at the operator of some number among those of a name: C# and Python use others for sums."""

    def __init__(self, number: int, name: str, error: type[BaseException]) -> None:
        super().__init__()
        self.left, self.name, self.error = number, name, error

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.left -= self.name in str(func)
        if self.left == 0:
            self.left = -1
            raise self.error("below C#")
        return func(*args, **(kwargs or {}))


def _saved() -> AbstractContextManager[Any]:
    return torch.autograd.graph.saved_tensors_hooks(lambda x: (x.clone(), x.dtype), lambda packed: packed[0])


class _Deterministic:
    def __enter__(self) -> None:
        torch.use_deterministic_algorithms(True)

    def __exit__(self, *_: object) -> None:
        torch.use_deterministic_algorithms(False)


class _Type:
    def __enter__(self) -> None:
        torch.set_default_dtype(torch.float64)

    def __exit__(self, *_: object) -> None:
        torch.set_default_dtype(torch.float32)


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
    "deterministic": _Deterministic,
    "double": _Type,
    "dispatch": Counting,
    "function": Looking,
    "saved": _saved,
    "on cpu": torch.autograd.graph.save_on_cpu,
    "device": lambda: torch.device("cpu"),
    "no function": torch._C.DisableTorchFunctionSubclass,
    "no functions": torch._C.DisableTorchFunction,
    "profile": lambda: torch.profiler.record_function("attack"),
    "one thread": lambda: torch.autograd.set_multithreading_enabled(False),
    "fallback": nullcontext,
}


def _pushed(rng: Random, most: int) -> list[str]:
    return [rng.choice(list(MODES)) for _ in range(rng.randrange(most + 1))]


def _enter(stack: ExitStack, names: list[str]) -> list[Any]:
    return [stack.enter_context(MODES[name]()) for name in names]


def around(case: Case) -> None:
    """Push modes around the load, a call and a backward pass, with hooks that read them."""
    loading = _pushed(case.rng, 2) if case.rng.random() < 0.3 else []
    with ExitStack() as stack:
        _enter(stack, loading)
        sides = case.pair(*simple(case.rng, *UNORDERED))
    calling, backward, hooked = _pushed(case.rng, 3), _pushed(case.rng, 2), case.rng.random() < 0.5

    def script(side: Side) -> None:
        side.note(f"{loading} {calling} {backward}")
        if hooked:
            for module in side.model.modules():
                if side.rng.random() < 0.5:
                    module.register_forward_hook(lambda module, args, y: _look(side))
        for _ in range(2):
            x = tensor(side.rng).requires_grad_()
            with ExitStack() as stack:
                entered = _enter(stack, calling)
                y = side.attempt("call", lambda: side.model(x))  # noqa: B023  # called at once
                for mode in entered:
                    if isinstance(mode, Counting):
                        side.note(sorted(name for name in mode.seen if "mm" in name or "tanh" in name))
            if isinstance(y, torch.Tensor):
                side.note(y.requires_grad, y.is_inference(), y.is_leaf)
                if y.requires_grad:
                    with ExitStack() as stack:
                        _enter(stack, backward)
                        side.attempt("backward", lambda: y.float().sum().backward())  # noqa: B023  # the same
                    side.note(x.grad)

    case.both(script, sides)
    if "inference" not in loading:
        case.settled(sides)


def _look(side: Side) -> None:
    side.note(
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.is_anomaly_enabled(),
        torch.get_default_dtype(),
        torch._C._len_torch_dispatch_stack(),
    )


def transforms(case: Case) -> None:
    """Nest vmap, gradients and Jacobians of functions."""
    sides = case.pair(*simple(case.rng, *UNORDERED, "Counting", "Keeping", "Normed", "Inplace", "Static", "Squaring"))
    what = case.rng.choice(("vmap", "grad", "per sample", "jvp", "vjp", "jacrev", "jacfwd", "vmap grad", "functional"))
    hooked, rows = case.rng.random() < 0.4, case.rng.randrange(2, 4)

    def script(side: Side) -> None:
        model = side.model
        side.note(what)
        if hooked:
            for module in model.modules():
                if side.rng.random() < 0.5:
                    module.register_forward_hook(lambda module, args, y: side.note("hook"))
        x = tensor(side.rng, rows)
        parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}

        def loss(parameters: Any, x: Any) -> Any:
            return functional_call(model, parameters, (x,)).square().sum()

        calls: dict[str, Callable[[], Any]] = {
            "vmap": lambda: vmap(model)(torch.stack([x, x + 1])),
            "grad": lambda: grad(lambda x: model(x).sum())(x),
            "per sample": lambda: vmap(grad(loss), in_dims=(None, 0))(parameters, torch.stack([x, x + 1])),
            "jvp": lambda: jvp(model, (x,), (torch.ones_like(x),)),
            "vjp": lambda: vjp(model, x)[1](torch.ones(rows, 4)),
            "jacrev": lambda: jacrev(model)(x),
            "jacfwd": lambda: jacfwd(model)(x),
            "vmap grad": lambda: vmap(vmap(grad(lambda x: model(x.unsqueeze(0)).sum())))(torch.stack([x, x])),
            "functional": lambda: functional_call(model, {name: p + 1 for name, p in parameters.items()}, (x,)),
        }
        side.attempt(what, calls[what])

    case.both(script, sides)
    case.settled(sides)


def without_data(case: Case) -> None:
    """Use fake tensors and the meta device: shapes without elements."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    name = simple(case.rng, *UNORDERED, "Static", "Branches")
    what = case.rng.choice(("fake", "fake load", "meta", "meta load", "meta then real"))
    with ExitStack() as stack:
        if what == "fake load":
            stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        if what.startswith("meta load"):
            stack.enter_context(torch.device("meta"))
        sides = case.pair(*name)
    fake = FakeTensorMode(allow_non_fake_inputs=True)

    def script(side: Side) -> None:
        side.note(what)
        x = tensor(side.rng)
        side.note([(name, tuple(p.shape), p.device.type) for name, p in side.model.named_parameters()])
        if what == "fake":
            with fake:
                y = side.attempt("call", lambda: _shape(side.model(fake.from_tensor(x))))
        elif what == "fake load":
            y = None
        else:
            if what != "meta load":
                side.model.to("meta")
            y = side.attempt("call", lambda: side.model(x.to("meta")))
        side.note(y is None)
        if what == "meta then real":
            side.model.to_empty(device="cpu")
            with torch.no_grad():
                for item in (*side.model.parameters(), *side.model.buffers()):
                    item.fill_(1)
            side.attempt("real", lambda: side.model(x))

    case.both(script, sides)
    if what in ("fake", "meta then real"):
        case.settled(sides)


def _shape(y: Any) -> Any:
    return tuple(y.shape), str(y.dtype), type(y).__name__


def raising(case: Case) -> None:
    """Raise in a mode below an operator that C# calls, and in hooks for saved tensors."""
    sides = case.pair(*simple(case.rng, *UNORDERED, "Static", "Normed"))
    number, name = case.rng.randrange(1, 4), case.rng.choice(("mm", "aten.t.", "add_", "mul"))
    error = case.rng.choice((ModeError, KeyboardInterrupt, ValueError, RuntimeError))
    saved = case.rng.random() < 0.4

    def script(side: Side) -> None:
        for count in range(2):
            x = tensor(side.rng).requires_grad_()

            def run() -> Any:
                with (
                    torch.autograd.graph.saved_tensors_hooks(_failing(number, error), lambda packed: packed)
                    if saved
                    else Raising(number + count, name, error)  # noqa: B023  # called at once
                ):
                    return side.model(x)  # noqa: B023  # the same

            side.attempt("call", run)
        side.attempt("again", lambda: side.model(x))

    case.both(script, sides)
    case.settled(sides)


def _failing(number: int, error: type[BaseException]) -> Callable[[Any], Any]:
    left = number

    def pack(x: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise error("while saving")
        return x

    return pack
