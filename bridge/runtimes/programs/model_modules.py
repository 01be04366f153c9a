"""The nodes of a program's tree as modules of the model, as ``modules`` has them in ``torch.nn``."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any, Protocol

from bridge.program import Json
from bridge.runtimes.model import Module, Tensor
from bridge.runtimes.programs.errors import RAISED, Error

Node = Mapping[str, Json]


class Recorder(Protocol):
    """Who is told that a ``forward`` begins, and who registers hooks."""

    def entered(self, module: Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None: ...

    def register(self, step: Node) -> None: ...


class Part(Module):
    """A node of a program's tree: what its ``forward`` does is the method with the name of its kind."""

    def __init__(self, session: Recorder, node: Node) -> None:
        super().__init__()
        self.session, self.node = session, node
        self.parts: dict[str, Any] = {}  # its tensors and children by name
        self.left: dict[int, int] = {}  # how often a recursion still goes down, by thread
        self.registered = False
        values = {"one": 1, "two": 2, "four": 4} if node["kind"] == "inputs" else {}
        if node["kind"] in ("leaf", "give", "recurse", "register", "detach"):
            values = {"weight": node.get("k", 2), "bias": node.get("c", 1)}
        for name, value in values.items():
            self.parts[name] = Tensor([float(value)])
            self.parts[name].requires_grad = node.get("parameters", False)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, f"forward_{self.node['kind']}")(*args, **kwargs)

    def enter(self, *args: Any, **kwargs: Any) -> None:
        self.session.entered(self, args, {name: value for name, value in kwargs.items() if value is not None})

    def call(self, child: Module, *args: Any) -> Any:
        return child.forward(*args) if self.node.get("by") == "forward" else child(*args)

    def children(self) -> list[Part]:
        return [part for part in self.parts.values() if isinstance(part, Part)]

    def walk(self, path: str = "") -> Iterator[tuple[str, Part]]:
        """The modules with their paths, parents first."""
        yield path, self
        for name, part in self.parts.items():
            if isinstance(part, Part):
                yield from part.walk(f"{path}.{name}" if path else name)

    def part(self, path: str) -> Any:
        """The module, parameter or buffer at a path."""
        found: Any = self
        for name in path.split(".") if path else ():
            if name not in found.parts:
                raise AttributeError(name)
            found = found.parts[name]
        return found

    def compute(self, x: Any) -> Any:
        return operand(x) * self.parts["weight"] + self.parts["bias"]

    def forward_leaf(self, x: Any) -> Any:
        self.enter(x)
        return self.compute(x)

    def forward_detach(self, x: Any) -> Any:
        self.enter(x)
        if not isinstance(x, Tensor):
            raise TypeError(f"{type(x).__name__} cannot be detached")
        return self.compute(x.detach())

    def forward_identity(self, x: Any) -> Any:
        self.enter(x)
        return x

    def forward_inputs(self, a: Any, b: Any, c: Any = None) -> Any:
        self.enter(a, b, c=c)
        result = operand(a) * self.parts["one"] + operand(b) * self.parts["two"]
        return result if c is None else result + operand(c) * self.parts["four"]

    def forward_keyword(self, x: Any, *, scale: Any = None, shift: Any = None) -> Any:
        self.enter(x, scale=scale, shift=shift)
        result = x if scale is None else operand(x) * operand(scale)
        return result if shift is None else operand(result) + operand(shift)

    def forward_give(self, x: Any) -> Any:
        self.enter(x)
        r, s = self.compute(x), operand(x) * self.parts["weight"]
        if self.node["form"] == "unused":
            return r, s.detach()
        forms = {"tuple": (r, s), "list": [r, s], "dict": {"a": r, "b": s}, "nested": ((r,), s), "none": None}
        return forms.get(self.node["form"], 7)

    def forward_raise(self, *args: Any) -> Any:
        self.enter(*args)
        raise RAISED[self.node.get("error", "Error")](self.node.get("message", "boom"))

    def forward_sequence(self, *args: Any) -> Any:
        self.enter(*args)
        for child in self.children():
            args = (self.call(child, *args),)
        return args[0]

    def forward_parallel(self, *args: Any) -> Any:
        self.enter(*args)
        first, *others = [self.call(child, *args) for child in self.children()]
        return reduce(lambda total, result: operand(total) + operand(result), others, first)

    def forward_recurse(self, x: Any) -> Any:
        self.enter(x)
        thread = threading.get_ident()
        outermost = thread not in self.left
        left = self.left.setdefault(thread, self.node.get("depth", 1))
        try:
            if not left:
                return self.compute(x)
            self.left[thread] -= 1
            return self(x)
        finally:
            if outermost:
                del self.left[thread]

    def forward_swallow(self, x: Any) -> Any:
        self.enter(x)
        try:
            return self.call(self.children()[0], x)
        except Error:
            return x

    def forward_register(self, x: Any) -> Any:
        self.enter(x)
        if not self.registered:
            self.registered = True
            self.session.register(self.node["register"])
        return self.compute(x)

    def forward_opaque(self, x: Any) -> Any:
        self.enter(x)
        child = self.children()[0]
        return operand(x) * child.part("weight") + child.part("bias")

    def forward_sequential(self, input: Any) -> Any:
        for child in self.children():
            input = child(input)  # I-15
        return input

    def forward_modulelist(self, *input: Any) -> Any:
        return super().forward(*input)


def build(session: Recorder, tree: Node) -> Part:
    """The tree as modules of the model."""
    made: dict[str, Part] = {}

    def make(node: Node, path: str) -> Part:
        if "same" in node:
            return made[node["same"]]
        part = made[path] = Part(session, node)
        for child in node.get("children", ()):
            name = child["name"]
            part.parts[name] = make(child, f"{path}.{name}" if path else name)
        return part

    return make(tree, "")


def operand(value: Any) -> Any:
    """What a node computes with. Raises TypeError for all else, of which Python would repeat or join some."""
    if not isinstance(value, (Tensor, int, float)):
        raise TypeError(f"arithmetic with {type(value).__name__}")
    return value
