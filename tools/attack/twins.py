"""The PyTorch twins of the C# models in ``models``, by the same names.

The layers are called in statements of their own: in ``self.b(self.a(x))`` Python would read ``self.b`` before the hooks of ``a`` run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor, nn

_linear: Final = partial(nn.Linear, 4, 4)
ONE: Final = {"a": _linear}
TWO: Final = {"a": _linear, "b": _linear}


def parse(text: str) -> tuple[str, list[Any]]:
    """Return the name and the constructor's arguments of a text such as ``"Shared 2"``."""
    name, *arguments = text.split()
    return name, [int(item) if item.isdigit() else item for item in arguments]


def make(text: str, *arguments: Any) -> nn.Module:
    """Return the twin of a C# model."""
    name, more = parse(text)
    module: nn.Module = globals()[name](*more, *arguments)
    return module


def model(*parameters: str, **members: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make a class of the decorated ``forward``.

    ``parameters`` are the parameters of its constructor, which become attributes. ``members`` are attributes too: a callable returns
    the value.
    """

    def make_class(forward: Callable[..., Any]) -> Any:
        def __init__(self: Any, *arguments: Any) -> None:
            nn.Module.__init__(self)
            for name, value in (*zip(parameters, arguments, strict=True), *members.items()):
                setattr(self, name, value() if callable(value) else value)

        return type(forward.__name__, (nn.Module,), {"__init__": __init__, "forward": forward, "__module__": __name__})

    return make_class


@model(a=partial(nn.Linear, 4, 8), r=nn.ReLU, b=partial(nn.Linear, 8, 4))
def Chain(self: Any, x: Tensor) -> Any:
    x = self.a(x)
    x = self.r(x)
    return self.b(x)


@model(
    features=lambda: nn.Sequential(OrderedDict(lin=_linear(), norm=nn.BatchNorm1d(4))),
    drop=nn.Dropout,
    head=_linear,
)
def Normed(self: Any, x: Tensor) -> Any:
    x = self.features(x)
    x = self.drop(x)
    return self.head(x)


@model(lstm=partial(nn.LSTM, 4, 5, batch_first=True), head=partial(nn.Linear, 5, 4))
def Recurrent(self: Any, x: Tensor) -> Any:
    y, (h, c) = self.lstm(x.unsqueeze(1))
    return self.head(y.squeeze(1)) + (h + c).sum()


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = self.two = _linear()

    def forward(self, x: Tensor) -> Any:
        x = self.one(x).tanh()
        return self.two(x)


@model(lin=_linear, act=nn.GELU)
def Block(self: Any, x: Tensor) -> Any:
    y = self.lin(x)
    return x + self.act(y)


@model(items=lambda: nn.ModuleList(Block() for _ in range(3)))
def Blocks(self: Any, x: Tensor) -> Any:
    for item in self.items:
        x = item(x)
    return x


@model(a=_linear, r=nn.ReLU)
def Reading(self: Any, x: Tensor) -> Any:
    return self.r(x).matmul(self.a.weight.t()) + self.a.bias


@model(items=lambda: nn.ModuleList(_linear() for _ in range(3)), r=nn.ReLU)
def ReadingList(self: Any, x: Tensor) -> Any:
    x = self.r(x)
    for place in range(len(self.items)):
        item = self.items[place]
        x = x.matmul(item.weight.t())
        if item.bias is not None:
            x = x + item.bias
    return x


@model(**ONE, count=lambda: nn.Buffer(torch.zeros(1)))
def Counting(self: Any, x: Tensor) -> Any:
    with torch.no_grad():
        self.count.add_(1)
    return self.a(x) + self.count.clone()


@model(**ONE, last=None)
def Keeping(self: Any, x: Tensor) -> Any:
    y = self.a(x)
    total = y if self.last is None else y + self.last
    self.last = y.detach()
    return total


@model(**TWO)
def Disposing(self: Any, x: Tensor) -> Any:
    x = (self.a(x) * 0.5).relu()
    return self.b(x) * 2


@model(a=_linear, r=partial(nn.ReLU, inplace=True))
def Inplace(self: Any, x: Tensor) -> Any:
    x = self.a(x)
    return (self.r(x) * 3).add_(1).mul_(2)


@model(**ONE)
def Options(self: Any, x: Tensor, y: Tensor, times: int = 2, plus: float = 0.5, flip: bool = False) -> Any:
    return (y * plus, self.a(x) * times) if flip else (self.a(x) * times, y * plus)


@model(**ONE)
def Lists(self: Any, x: list[Tensor]) -> Any:
    return [*(self.a(item) for item in x), *x]


def _sum(parts: list[Tensor]) -> Tensor:
    return sum(parts[1:], start=parts[0])


@model("how", items=lambda: nn.ModuleList(Block() for _ in range(4)))
def Branches(self: Any, x: Tensor) -> Any:
    def run(place: int) -> Any:
        return self.items[place](x)  # by index, as in C#: a hook may replace the list

    places = range(len(self.items))
    if self.how == "plain":
        return _sum([run(place) for place in places])
    # The caller's thread-local modes do not apply on other threads.
    with ThreadPoolExecutor(1 if self.how == "async" else len(places)) as threads:
        return _sum(list(threads.map(run, places)))


@model("threads", child=Block)
def Shared(self: Any, x: Tensor) -> Any:
    return _sum([self.child(x * place) for place in range(self.threads)])


@model(**ONE)
def Static(self: Any, x: Tensor) -> Any:
    return self.a(x) + x.detach() * 1 - x.detach()


@model(**ONE)
def OneLayer(self: Any, x: Tensor) -> Any:
    return self.a(x)


Straying = Waiting = Dropping = OneLayer


@model("what", "waits", **ONE)
def Finalizing(self: Any, x: Tensor) -> Any:
    return self.a(x) * 2


@model("what", **ONE)
def Runtime(self: Any, x: Tensor) -> Any:
    if self.what == "write":
        x.numpy()[:] = 7
    if self.what == "type":
        torch.set_default_dtype(torch.float64)
    y = self.a(x)
    if self.what == "race":
        return y * 2
    plus = {"borrow": torch.tensor([1, 2, 3, 4], dtype=torch.float32), "type": torch.ones(1)}
    return y + plus[self.what] if self.what in plus else y


@model(**TWO)
def Collecting(self: Any, x: Tensor) -> Any:
    x = self.a(x)
    return self.b(x)


@model(**TWO, names=lambda: ["a", "b"])
def Swapping(self: Any, x: Tensor) -> Any:
    # C# exchanges the values of its fields, not the names of the children.
    y = getattr(self, self.names[0])(x)
    self.names.reverse()
    first = getattr(self, self.names[0])(y)
    return first - getattr(self, self.names[1])(y)


@model(**TWO)
def Catching(self: Any, x: Tensor) -> Any:
    try:
        return self.a(x)
    except Exception:  # as the C# model catches
        return self.b(x)


@model("times", **ONE, left=None)
def Recursing(self: Any, x: Tensor) -> Any:
    self.left = self.times if self.left is None else self.left
    if self.left == 0:
        self.left = self.times
        return x
    self.left -= 1
    return self(self.a(x).tanh())


ERRORS: Final = {
    "index": IndexError,
    "key": KeyError,
    "value": ValueError,
    "type": TypeError,
    "zero": ZeroDivisionError,
    "todo": NotImplementedError,
}


@model("where", "what", **TWO, calls=0)
def Throwing(self: Any, x: Tensor) -> Any:
    def throw_at(place: str) -> None:
        if place == self.where and self.calls % 2 == 1:
            raise ERRORS.get(self.what, RuntimeError)("it throws")

    self.calls += 1
    throw_at("before")
    y = self.a(x)
    throw_at("between")
    try:
        y = self.b(y)
        throw_at("inside")
    finally:
        throw_at("finally")
    throw_at("after")
    return y


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2 * ctx.saved_tensors[0]


@model(**TWO)
def Squaring(self: Any, x: Tensor) -> Any:
    x = Square.apply(self.a(x))
    return self.b(x)


class Listening(nn.Module):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.a, self.b, self.fired, self.inside = _linear(), _linear(), 0, False
        pre, forward = self.a.register_forward_pre_hook, self.a.register_forward_hook
        backward, backward_pre = self.b.register_full_backward_hook, self.b.register_full_backward_pre_hook
        hooks: dict[str, list[tuple[Any, Any]]] = {
            "replace": [
                (pre, lambda module, args: args[0] * 2),
                (forward, lambda module, args, y: y + 1),
                (backward, lambda module, inputs, outputs: (inputs[0] * 3,)),
                (backward_pre, lambda module, outputs: (outputs[0] * 2,)),
            ],
            "order": [
                (forward, lambda module, args, y: y + 1),
                (forward, lambda module, args, y: y * 2),
                (partial(forward, prepend=True), lambda module, args, y: y - 3),
            ],
            "collect": [(register, lambda *_: None) for register in (pre, forward, backward)],
            "remove": [(forward, self._remove)],
            "reenter": [(forward, self._reenter)],
            "throw": [(forward, self._throw)],
            "throw-backward": [(backward, self._throw)],
            "register": [(forward, self._register)],
            "tensor": [(forward, self._double_gradient)],
        }
        self.handles = [register(hook) for register, hook in hooks[how]]

    def forward(self, x: Tensor) -> Any:
        x = self.a(x)
        return self.b(x)

    def _remove(self, module: Any, args: Any, y: Any) -> Any:
        self.handles[0].remove()
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

    def _double_gradient(self, module: Any, args: Any, y: Any) -> None:
        if y.requires_grad:
            y.register_hook(lambda grad: grad * 2)
