"""Invalid arguments: values of other types, shapes, devices and layouts than ``forward`` declares."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import torch

from attack.case import STATEFUL, THREADED, Case, Side, tensor
from attack.comparing import Raised
from attack.kind import attack


class TensorSubclass(torch.Tensor):
    """A tensor of a user's class."""


class FalseTensor:
    """An object that claims to be a tensor."""

    shape = (2, 4)
    dtype = torch.float32
    requires_grad = False

    @property  # type: ignore[misc]  # an object's class can be assigned
    def __class__(self) -> type:
        return torch.Tensor


class RaisingInt(int):
    """An int whose conversions raise."""

    def __int__(self) -> int:
        raise ValueError("not for you")

    __index__ = __float__ = __int__


class StrSubclass(str):
    """A str of a user's class."""


def _in_inference(rng: Random) -> torch.Tensor:
    with torch.inference_mode():
        return tensor(rng)


TENSORS: dict[str, Callable[[Random], torch.Tensor]] = {
    "good": tensor,
    "double": lambda rng: tensor(rng).double(),
    "half": lambda rng: tensor(rng).half(),
    "int": lambda rng: torch.ones(2, 4, dtype=torch.int64),
    "bool": lambda rng: torch.ones(2, 4, dtype=torch.bool),
    "complex": lambda rng: torch.ones(2, 4, dtype=torch.complex64),
    "wrong shape": lambda rng: torch.ones(2, 5),
    "scalar": lambda rng: torch.tensor(1.0),
    "vector": lambda rng: torch.ones(4),
    "empty": lambda rng: torch.ones(0, 4),
    "no columns": lambda rng: torch.ones(2, 0),
    "many dimensions": lambda rng: torch.ones([1] * 20 + [4]),
    "nan": lambda rng: torch.full((2, 4), float("nan")),
    "infinite": lambda rng: torch.full((2, 4), float("inf")),
    "huge": lambda rng: torch.full((2, 4), 3e38),
    "meta": lambda rng: torch.ones(2, 4, device="meta"),
    "sparse": lambda rng: torch.eye(4).to_sparse(),
    "strided": lambda rng: torch.ones(4, 8)[:, ::2],
    "transposed": lambda rng: tensor(rng, 4).t(),
    "expanded": lambda rng: torch.ones(1, 4).expand(3, 4),
    "negative": lambda rng: torch._neg_view(torch.ones(2, 4)),
    "conjugate": lambda rng: torch.ones(2, 4, dtype=torch.complex64).conj(),
    "subclass": lambda rng: tensor(rng).as_subclass(TensorSubclass),
    "parameter": lambda rng: torch.nn.Parameter(tensor(rng)),
    "inference": _in_inference,
    "lazy clone": lambda rng: torch._lazy_clone(tensor(rng)),
}


def _cyclic_list() -> Any:
    items: list[Any] = []
    items.append(items)
    return items


def _deep_list() -> Any:
    items: Any = 1
    for _ in range(3000):
        items = [items]
    return items


OTHERS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "text",
    "surrogate": lambda: "\ud800",
    "text subclass": lambda: StrSubclass("x"),
    "long text": lambda: "x" * 100_000,
    "bytes": lambda: b"bytes",
    "int": lambda: 7,
    "huge": lambda: 1 << 200,
    "too large for 64 bits": lambda: 1 << 63,
    "raising int": lambda: RaisingInt(3),
    "float": lambda: 1.5,
    "nan": lambda: float("nan"),
    "complex": lambda: 1j,
    "list": lambda: [1, 2, 3],
    "cyclic": _cyclic_list,
    "deep": _deep_list,
    "dict": lambda: {"a": 1},
    "int dict": lambda: {1: torch.ones(1)},
    "set": lambda: {1},
    "object": object,
    "type": lambda: torch.Tensor,
    "module": lambda: torch.nn.Linear(1, 1),
    "array": lambda: np.ones((2, 4), dtype=np.float32),
    "array of objects": lambda: np.array([None, object()], dtype=object),
    "false tensor": FalseTensor,
    "pointer": lambda: ctypes.c_void_p(1),
    "generator": lambda: (x for x in (1, 2)),
    "exception": lambda: ValueError("an argument"),
    "slice": lambda: slice(1, 2),
}


@attack("invalid tensors", 40)
def invalid_tensors(case: Case) -> None:
    """Call with unusual tensors: the results and errors are PyTorch's."""
    names, differentiate = [case.choice(*TENSORS) for _ in range(3)], case.chance(0.3)

    def script(side: Side) -> None:
        for name in names:
            x = TENSORS[name](side.rng)
            if differentiate and x.is_floating_point() and x.is_leaf and not x.is_inference():
                x.requires_grad_()
            side.attempt(name, lambda x: _comparable(side.model(x)), x)

    # Keeping would add its last result, of another shape or type.
    case.run(case.draw(*THREADED, "Keeping", "Normed"), script)


@attack("invalid arguments", 60)
def invalid_arguments(case: Case) -> None:
    """Call a .NET module with anything: it raises or not, and the next valid call is right.

    C# is typed and refuses more than PyTorch, which itself crashes for some of these arguments.
    """
    good, values = tensor(case.rng), [OTHERS[case.choice(*OTHERS)]() for _ in range(3)]
    unusual, count = TENSORS[case.choice(*TENSORS)](case.rng), case.choice(0, 2, 5, 40)
    name, valid, *invalid = case.choice(
        (case.draw(*THREADED, *STATEFUL), (good,), values[:1], [good] * count),
        ("Options", (good, good), [good, *values]),
        ("Lists", ([good],), [[good, values[0], unusual]]),
    )
    sides = case.pair(name)
    mirror = sides[0]
    for arguments in invalid:
        mirror.attempt("invalid", mirror.model, *arguments)
    mirror.attempt("keywords", lambda: mirror.model(*valid, **{"wrong": values[0], "flip": values[1], "\ud800": 1}))
    for _, result in mirror.log:
        _check_refusal(case, result)
    mirror.log.clear()
    mirror.model.zero_grad()
    case.both(lambda side: side.note(side.model(*valid)), sides)


def _check_refusal(case: Case, result: Any) -> None:
    """Check that an error is one of Python's, not an internal one."""
    if isinstance(result, Raised):
        usual = (TypeError, ValueError, RuntimeError, RecursionError, OverflowError, AttributeError, IndexError)
        internal = re.search("SystemError|NullReference|AccessViolation|InvalidProgram|MissingMethod", result.text)
        in_model = re.search(r"NullReference.*\n\s+at Attack\.", result.text)  # the model itself dereferences null
        case.check(issubclass(result.type, usual) and (not internal or in_model is not None), f"it raised {result}")


def _comparable(value: Any) -> Any:
    """Return a tensor's elements as a plain tensor, or the type of another value."""
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    if value.is_nested or value.is_sparse:
        return str(value.layout)
    return value.detach().as_subclass(torch.Tensor).resolve_conj().resolve_neg()
