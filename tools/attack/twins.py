"""The counterparts in PyTorch of the C# models in ``models``, by the same names."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def make(name: str, *arguments: Any) -> nn.Module:
    """Return the PyTorch counterpart of a C# model."""
    module: nn.Module = globals()[name](*arguments)
    return module


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.r, self.b = nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Any:
        x = self.a(x)
        x = self.r(x)
        return self.b(x)


class Normed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential()
        self.features.add_module("lin", nn.Linear(4, 4))
        self.features.add_module("norm", nn.BatchNorm1d(4))
        self.drop, self.head = nn.Dropout(0.5), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        x = self.features(x)
        x = self.drop(x)
        return self.head(x)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 4)

    def forward(self, x: Tensor) -> Any:
        y, (h, c) = self.lstm(x.unsqueeze(1))
        total = (h + c).sum()
        return self.head(y.squeeze(1)) + total


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = self.two = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        x = self.one(x).tanh()
        return self.two(x)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin, self.act = nn.Linear(4, 4), nn.GELU()

    def forward(self, x: Tensor) -> Any:
        y = self.lin(x)
        return x + self.act(y)


class Blocks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.items = nn.ModuleList(Block() for _ in range(3))

    def forward(self, x: Tensor) -> Any:
        for item in self.items:
            x = item(x)
        return x


class Reading(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.r = nn.Linear(4, 4), nn.ReLU()

    def forward(self, x: Tensor) -> Any:
        return self.r(x).matmul(self.a.weight.t()) + self.a.bias


class ReadingList(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.items, self.r = nn.ModuleList(nn.Linear(4, 4) for _ in range(3)), nn.ReLU()

    def forward(self, x: Tensor) -> Any:
        x = self.r(x)
        for place in range(len(self.items)):
            item: Any = self.items[place]
            x = x.matmul(item.weight.t())
            if item.bias is not None:
                x = x + item.bias
        return x


class Counting(nn.Module):
    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: Tensor) -> Any:
        with torch.no_grad():
            self.count.add_(1)
        return self.a(x) + self.count.clone()


class Keeping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.__dict__["last"] = None

    def forward(self, x: Tensor) -> Any:
        y = self.a(x)
        total = y if self.last is None else y + self.last
        self.__dict__["last"] = y.detach()
        return total


class Disposing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        y = (self.a(x) * 0.5).relu()
        return self.b(y) * 2


class Inplace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.r = nn.Linear(4, 4), nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Any:
        y = self.a(x)
        y = self.r(y) * 3
        return y.add_(1).mul_(2)


class Options(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x: Tensor, y: Tensor, times: int = 2, plus: float = 0.5, flip: bool = False) -> Any:
        return (y * plus, self.a(x) * times) if flip else (self.a(x) * times, y * plus)


class Lists(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x: list[Tensor]) -> Any:
        return [*(self.a(item) for item in x), *x]


def _threaded(works: list[Callable[[], Any]], at_once: bool) -> list[Any]:
    """Run each function on a new thread, as C# does: thread-local modes of the caller do not apply."""
    results: list[Any] = [None] * len(works)
    errors: list[BaseException] = []

    def run(place: int) -> None:
        try:
            results[place] = works[place]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
        if not at_once:
            thread.join()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


class Branches(nn.Module):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.items = nn.ModuleList(Block() for _ in range(4))
        self.how = how

    def forward(self, x: Tensor) -> Any:
        if self.how == "plain":
            # By their places, as C# does: a hook may put another list there, or what is none.
            parts = [self.items[place](x) for place in range(len(self.items))]
        else:
            parts = _threaded([lambda item=item: item(x) for item in self.items], self.how != "async")  # type: ignore[misc]  # mypy knows no defaults of lambdas
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


class Shared(nn.Module):
    def __init__(self, threads: int) -> None:
        super().__init__()
        self.child, self.threads = Block(), threads

    def forward(self, x: Tensor) -> Any:
        total = self.child(x * 0)
        for place in range(1, self.threads):
            total = total + self.child(x * place)
        return total


class Linear4(nn.Module):
    def __init__(self, *_: Any) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        return self.a(x)


Straying = Linear4


class Static(Linear4):
    def forward(self, x: Tensor) -> Any:
        return self.a(x) + x.detach() * 1 - x.detach()


class Finalizing(Linear4):
    def forward(self, x: Tensor) -> Any:
        return self.a(x) * 2


class Waiting(Linear4):
    def forward(self, x: Tensor) -> Any:
        return self.a(x) * 1


Dropping = Abroad = Linear4


class Borrowing(Linear4):
    def forward(self, x: Tensor) -> Any:
        return self.a(x) + torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float32)


class Racing(Linear4):
    def forward(self, x: Tensor) -> Any:
        return self.a(x) * 2


class Writing(Linear4):
    def forward(self, x: Tensor) -> Any:
        x.numpy()[:] = 7
        return self.a(x)


class Typing(Linear4):
    def forward(self, x: Tensor) -> Any:
        torch.set_default_dtype(torch.float64)
        return self.a(x) + torch.ones(1)


class Lazy(Linear4):
    def forward(self, x: Tensor) -> Any:
        if not hasattr(self, "late"):
            late = nn.Linear(4, 4)
            with torch.no_grad():
                late.weight.fill_(0.25)
                late.bias.fill_(0.5)
            self.late = late
        x = self.a(x)
        return self.late(x)


class Two(nn.Module):
    def __init__(self, *_: Any) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        x = self.a(x)
        return self.b(x)


class Collecting(Two):
    """By the same name as the model in C#, which Python's hooks see."""


class Swapping(Two):
    """C# exchanges fields, which are not PyTorch's names: those stay."""

    def __init__(self) -> None:
        super().__init__()
        self.turned = False

    def forward(self, x: Tensor) -> Any:
        y = (self.b if self.turned else self.a)(x)
        self.turned = not self.turned
        first = (self.b if self.turned else self.a)(y)
        return first - (self.a if self.turned else self.b)(y)


class Catching(Two):
    def forward(self, x: Tensor) -> Any:
        try:
            return self.a(x)
        except Exception:
            return self.b(x)


class Recursing(nn.Module):
    def __init__(self, times: int) -> None:
        super().__init__()
        self.a, self.times, self.left = nn.Linear(4, 4), times, times

    def forward(self, x: Tensor) -> Any:
        if self.left == 0:
            self.left = self.times
            return x
        self.left -= 1
        x = self.a(x).tanh()
        return self(x)


class Throwing(Two):
    ERRORS = {  # noqa: RUF012  # never changed
        "index": IndexError,
        "key": KeyError,
        "value": ValueError,
        "type": TypeError,
        "zero": ZeroDivisionError,
        "todo": NotImplementedError,
    }

    def __init__(self, where: str, what: str) -> None:
        super().__init__()
        self.where, self.what, self.calls = where, what, 0

    def forward(self, x: Tensor) -> Any:
        self.calls += 1
        self._check("before")
        y = self.a(x)
        self._check("between")
        try:
            y = self.b(y)
            self._check("inside")
        finally:
            self._check("finally")
        self._check("after")
        return y

    def _check(self, here: str) -> None:
        if here == self.where and self.calls % 2 == 1:
            raise self.ERRORS.get(self.what, RuntimeError)("it throws")


class _Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return grads[0] * 2 * x


class Squaring(Two):
    def forward(self, x: Tensor) -> Any:
        x = _Doubled.apply(self.a(x))
        return self.b(x)


def _thrice(module: Any, inputs: Any, outputs: Any) -> Any:
    return (inputs[0] * 3,)


def _twice(module: Any, outputs: Any) -> Any:
    return (outputs[0] * 2,)


class Listening(Two):
    """The hooks of the C# class, in Python."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.fired, self.inside = 0, False
        a, b = self.a, self.b
        if how == "replace":
            a.register_forward_pre_hook(lambda module, args: args[0] * 2)
            a.register_forward_hook(lambda module, args, y: y + 1)
            b.register_full_backward_hook(_thrice)
            b.register_full_backward_pre_hook(_twice)
        elif how == "remove":
            self.handle = a.register_forward_hook(self._remove)
        elif how == "collect":
            a.register_forward_pre_hook(lambda module, args: None)
            a.register_forward_hook(lambda module, args, y: None)
            b.register_full_backward_hook(lambda module, inputs, outputs: None)
        elif how == "reenter":
            a.register_forward_hook(self._reenter)
        elif how == "throw":
            a.register_forward_hook(self._throw)
        elif how == "throw backward":
            b.register_full_backward_hook(self._throw)
        elif how == "register":
            a.register_forward_hook(self._register)
        elif how == "tensor":
            a.register_forward_hook(self._tensor)

    def _remove(self, module: Any, args: Any, y: Any) -> Any:
        self.handle.remove()
        return y + 10

    def _reenter(self, module: Any, args: Any, y: Any) -> Any:
        if self.inside:
            return y
        self.inside = True
        try:
            return y + self.b(y) + self.a(y)
        finally:
            self.inside = False

    def _throw(self, *_: Any) -> None:
        self.fired += 1
        if self.fired % 2 == 1:
            raise RuntimeError("from a hook")

    def _register(self, module: Any, args: Any, y: Any) -> None:
        self.fired += 1
        if self.fired <= 3:
            self.b.register_forward_hook(lambda module, args, z: z * 2)

    def _tensor(self, module: Any, args: Any, y: Any) -> None:
        if y.requires_grad:
            y.register_hook(lambda grad: grad * 2)
