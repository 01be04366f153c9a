"""The nodes of a program's tree as ``torch.nn`` modules."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import torch

from bridge.program import Json
from bridge.runtimes.programs.errors import RAISED, Error

nn = torch.nn


class Recorder(Protocol):
    """Who is told that a ``forward`` begins, and who registers hooks."""

    device: torch.device

    def entered(self, module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None: ...

    def register(self, registration: Mapping[str, Json]) -> None: ...


class Part(nn.Module):
    """A node of a program's tree."""

    def __init__(self, session: Recorder, node: Mapping[str, Json]) -> None:
        super().__init__()
        self.session = session
        self.node = node

    def enter(self, *args: Any, **kwargs: Any) -> None:
        self.session.entered(self, args, {key: value for key, value in kwargs.items() if value is not None})

    def constants(self, **values: float) -> None:
        for name, value in values.items():
            tensor = torch.tensor([float(value)], dtype=torch.float64, device=self.session.device)
            if self.node.get("parameters"):
                setattr(self, name, nn.Parameter(tensor))
            else:
                self.register_buffer(name, tensor)


class Leaf(Part):
    weight: torch.Tensor
    bias: torch.Tensor

    def __init__(self, session: Recorder, node: Mapping[str, Json]) -> None:
        super().__init__(session, node)
        self.constants(weight=node.get("k", 2), bias=node.get("c", 1))

    def compute(self, x: torch.Tensor) -> torch.Tensor:
        return operand(x) * self.weight + self.bias

    def forward(self, x: torch.Tensor) -> Any:
        self.enter(x)
        return self.compute(x)


class Detach(Leaf):
    def compute(self, x: torch.Tensor) -> torch.Tensor:
        return super().compute(torch.Tensor.detach(x))


class Identity(Part):
    def forward(self, x: Any) -> Any:
        self.enter(x)
        return x


class Inputs(Part):
    one: torch.Tensor
    two: torch.Tensor
    four: torch.Tensor

    def __init__(self, session: Recorder, node: Mapping[str, Json]) -> None:
        super().__init__(session, node)
        self.constants(one=1, two=2, four=4)

    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor | None = None) -> torch.Tensor:
        self.enter(a, b, c=c)
        result = operand(a) * self.one + operand(b) * self.two
        return result if c is None else result + operand(c) * self.four


class Keyword(Part):
    def forward(self, x: torch.Tensor, *, scale: Any = None, shift: Any = None) -> torch.Tensor:
        self.enter(x, scale=scale, shift=shift)
        result = x if scale is None else operand(x) * operand(scale)
        return result if shift is None else operand(result) + operand(shift)


class Give(Leaf):
    def forward(self, x: torch.Tensor) -> Any:
        self.enter(x)
        first, second = self.compute(x), operand(x) * self.weight
        match self.node["form"]:
            case "tuple":
                return first, second
            case "list":
                return [first, second]
            case "dict":
                return {"a": first, "b": second}
            case "nested":
                return (first,), second
            case "unused":
                return first, second.detach()
            case "none":
                return None
            case _:
                return 7


class Raise(Part):
    def forward(self, *args: Any) -> Any:
        self.enter(*args)
        raise RAISED[self.node.get("error", "Error")](self.node.get("message", "boom"))


class Composite(Part):
    """Has children; ``run`` calls one as the node says."""

    def run(self, child: nn.Module, *args: Any) -> Any:
        return child.forward(*args) if self.node.get("by") == "forward" else child(*args)


class Sequence(Composite):
    def forward(self, *args: Any) -> Any:
        self.enter(*args)
        for name in names(self.node):
            args = (self.run(getattr(self, name), *args),)
        return args[0]


class Parallel(Composite):
    def forward(self, *args: Any) -> Any:
        self.enter(*args)
        total, *others = (self.run(getattr(self, name), *args) for name in names(self.node))
        for result in others:
            total = operand(total) + operand(result)
        return total


class Swallow(Composite):
    def forward(self, x: Any) -> Any:
        self.enter(x)
        try:
            return self.run(getattr(self, names(self.node)[0]), x)
        except Error:
            return x


class Opaque(Composite):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.enter(x)
        child: Leaf = getattr(self, names(self.node)[0])
        return operand(x) * child.weight + child.bias


class Recurse(Leaf):
    def __init__(self, session: Recorder, node: Mapping[str, Json]) -> None:
        super().__init__(session, node)
        self.state = Depth()

    def forward(self, x: torch.Tensor) -> Any:
        self.enter(x)
        if self.state.left is None:
            self.state.left = self.node.get("depth", 1)
            try:
                return self.deeper(x)
            finally:
                self.state.left = None
        return self.deeper(x)

    def deeper(self, x: torch.Tensor) -> Any:
        if not self.state.left:
            return self.compute(x)
        self.state.left -= 1
        return self(x)


class Depth(threading.local):
    """How often a recursion still goes down; of each thread its own."""

    left: int | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Depth:
        return Depth()


class Register(Leaf):
    def forward(self, x: torch.Tensor) -> Any:
        self.enter(x)
        if "done" not in self.__dict__:
            self.done = True
            self.session.register(self.node["register"])
        return self.compute(x)


class Attention(Part):
    """Runs the library's attention; its values do not count, so a number is widened to a sequence of two vectors."""

    def __init__(self, session: Recorder, node: Mapping[str, Json]) -> None:
        super().__init__(session, node)
        options: dict[str, Any] = {"dtype": torch.float64, "device": session.device, "batch_first": True}
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


def operand(value: Any) -> torch.Tensor:
    """What a node computes with: a tensor or a number. Raises TypeError for all else, of which Python would repeat or join some."""
    if not isinstance(value, (torch.Tensor, int, float)):
        raise TypeError(f"arithmetic with {type(value).__name__}")
    return value  # type: ignore[return-value]  # a number computes as a tensor does


KINDS: dict[str, Callable[[Recorder, Mapping[str, Json]], nn.Module]] = {
    "leaf": Leaf,
    "identity": Identity,
    "inputs": Inputs,
    "give": Give,
    "keyword": Keyword,
    "raise": Raise,
    "sequence": Sequence,
    "parallel": Parallel,
    "recurse": Recurse,
    "swallow": Swallow,
    "register": Register,
    "detach": Detach,
    "opaque": Opaque,
    "sequential": lambda session, node: nn.Sequential(),
    "modulelist": lambda session, node: nn.ModuleList(),
    "attention": Attention,
    "encoder": Attention,
}


def names(node: Mapping[str, Json]) -> list[str]:
    """The names of a node's children, in order."""
    return [child["name"] for child in node.get("children", ())]


def build(session: Recorder, tree: Mapping[str, Json]) -> nn.Module:
    """The tree as ``torch.nn`` modules."""
    made: dict[str, nn.Module] = {}

    def make(node: Mapping[str, Json], path: str) -> nn.Module:
        if "same" in node:
            return made[node["same"]]
        module = made[path] = KINDS[node["kind"]](session, node)
        for child in node.get("children", ()):
            name = child["name"]
            module.add_module(name, make(child, f"{path}.{name}" if path else name))
        return module

    return make(tree, "")
