"""Arguments that lie: of other types, shapes, devices and layouts than they should be, in every place."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import torch

from attack.case import Case, Side
from attack.comparing import Raised
from attack.kinds.inputs import STATEFUL, simple, tensor


class Subclass(torch.Tensor):
    """A tensor of a class of the user's own."""


class Wrapped:
    """Claims to be a tensor."""

    shape = (2, 4)
    dtype = torch.float32
    requires_grad = False

    @property  # type: ignore[misc]  # an object's class can be assigned
    def __class__(self) -> type:
        return torch.Tensor


class Number(int):
    """An int that raises when it is asked."""

    def __int__(self) -> int:
        raise ValueError("not for you")

    __index__ = __float__ = __int__


class Text(str):
    """A str of a class of its own."""


def _expanded(rng: Random) -> Any:
    return torch.ones(1, 4).expand(3, 4)


TENSORS: dict[str, Callable[[Random], Any]] = {
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
    "expanded": _expanded,
    "negative": lambda rng: torch._neg_view(torch.ones(2, 4)),
    "conjugate": lambda rng: torch.ones(2, 4, dtype=torch.complex64).conj(),
    "subclass": lambda rng: tensor(rng).as_subclass(Subclass),
    "parameter": lambda rng: torch.nn.Parameter(tensor(rng)),
    "inference": lambda rng: _inference(rng),
    "lazy clone": lambda rng: torch._lazy_clone(tensor(rng)),
}


def _inference(rng: Random) -> Any:
    with torch.inference_mode():
        return tensor(rng)


OTHERS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "text",
    "surrogate": lambda: "\ud800",
    "own text": lambda: Text("x"),
    "long text": lambda: "x" * 100_000,
    "bytes": lambda: b"bytes",
    "int": lambda: 7,
    "huge": lambda: 1 << 200,
    "beyond": lambda: 1 << 63,
    "own int": lambda: Number(3),
    "float": lambda: 1.5,
    "nan": lambda: float("nan"),
    "complex": lambda: 1j,
    "list": lambda: [1, 2, 3],
    "itself": lambda: _itself(),
    "deep": lambda: _deep(),
    "dict": lambda: {"a": 1},
    "int dict": lambda: {1: torch.ones(1)},
    "set": lambda: {1},
    "object": object,
    "type": lambda: torch.Tensor,
    "module": lambda: torch.nn.Linear(1, 1),
    "array": lambda: np.ones((2, 4), dtype=np.float32),
    "array of objects": lambda: np.array([None, object()], dtype=object),
    "wrapped": Wrapped,
    "pointer": lambda: ctypes.c_void_p(1),
    "generator": lambda: (x for x in (1, 2)),
    "exception": lambda: ValueError("an argument"),
    "slots": lambda: slice(1, 2),
}


def _itself() -> Any:
    items: list[Any] = []
    items.append(items)
    return items


def _deep() -> Any:
    items: Any = 1
    for _ in range(3000):
        items = [items]
    return items


def lies(case: Case) -> None:
    """Call with invalid arguments: the result is PyTorch's or an error, and the next valid call is right."""
    how = case.rng.choice(("tensor", "tensor", "other", "options", "counts", "lists", "keywords"))
    if how in ("tensor", "other", "counts"):
        # Of the last ones only the mirror is called: what a call changes before it fails is no difference.
        stateful = ("Keeping", "Normed") if how == "tensor" else STATEFUL
        sides = case.pair(*simple(case.rng, "Branches parallel", "Branches tasks", "Shared", *stateful))
    else:
        sides = case.pair("Lists" if how == "lists" else "Options")
    tensors = [case.rng.choice(list(TENSORS)) for _ in range(3)]
    others = [case.rng.choice(list(OTHERS)) for _ in range(3)]
    grad = case.rng.random() < 0.3

    def script(side: Side) -> None:
        model = side.model
        side.note(f"{how} {tensors} {others}")
        if how == "tensor":
            for name in tensors:
                x = TENSORS[name](side.rng)
                if (
                    grad
                    and isinstance(x, torch.Tensor)
                    and x.is_floating_point()
                    and x.is_leaf
                    and not x.is_inference()
                ):
                    x.requires_grad_()
                side.attempt(name, lambda: _plain(model(x)))  # noqa: B023  # called at once
            return
        given = [OTHERS[name]() for name in others]
        good = tensor(side.rng)
        calls: dict[str, Callable[[], Any]] = {
            "other": lambda: model(given[0]),
            "counts": lambda: model(*([good] * side.rng.choice((0, 2, 5, 40)))),
            "options": lambda: model(good, given[0], *given[1:]),
            "lists": lambda: model([good, given[0], TENSORS[tensors[0]](side.rng)]),
            "keywords": lambda: model(good, good, **{"wrong": given[0], "flip": given[1], "\ud800": 1}),
        }
        side.attempt(how, lambda: _plain(calls[how]()))

    if how == "tensor":
        case.both(script, sides)
    else:
        script(sides[0])  # PyTorch itself crashes for some of these
        _refused(case, sides)
    sides[0].model.zero_grad()
    if how in ("tensor", "other", "counts"):
        case.settled(sides)
    else:
        x = tensor(case.rng)
        arguments: tuple[Any, ...] = ([x],) if how == "lists" else (x, x)
        for side in sides:
            side.log.clear()
            side.attempt("good", lambda: side.model(*arguments))  # noqa: B023  # called at once
        case.both(lambda side: None, sides)


def _refused(case: Case, sides: Any) -> None:
    """Check a refusal: C# is typed and refuses more, by TypeError, never by a crash, an internal error or in silence."""
    for entry in sides[0].log:
        last = entry[-1]
        if isinstance(last, Raised):
            fine = (TypeError, ValueError, RuntimeError, RecursionError, OverflowError, AttributeError, IndexError)
            case.check(None if issubclass(last.type, fine) else f"it raised {last}")
            internal = ("SystemError", "NullReference", "AccessViolation", "InvalidProgram", "MissingMethod")
            # A model's own code that uses what is null, as Python's would use None.
            owns = re.search(r"NullReference.*\n\s+at Attack\.", last.text)
            case.check(f"it raised {last}" if any(word in last.text for word in internal) and not owns else None)


def _plain(value: Any) -> Any:
    """Return a tensor's elements, whatever its class; the type of other values."""
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.is_nested or value.is_sparse:
            return str(value.layout)
        return value.as_subclass(torch.Tensor).resolve_conj().resolve_neg()
    return type(value).__name__
