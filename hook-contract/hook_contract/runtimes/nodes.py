"""The module classes of the nodes in a program's tree (docs/programs.md). Those of C# are in Bridge.Conformance/Modules.

Each class is a mixin. :func:`kinds` combines it with the ``Module`` class of a library, which provides ``__call__`` and the hooks. Codes
such as C-3 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

from hook_contract.program import Json
from hook_contract.runtimes.errors import RAISED, Error
from hook_contract.runtimes.world import ProgramRun

Node = Mapping[str, Json]
Kinds = Mapping[str, Callable[[ProgramRun, Node], Any]]


class ProgramModule:
    """The module of a node in a run of a program."""

    def __init__(self, run: ProgramRun, node: Node) -> None:
        super().__init__()
        self.run, self.node = run, node
        if constants := self.constants():
            run.world.add_tensors(self, constants, trained=node.get("parameters", False))

    def constants(self) -> dict[str, float]:
        """Return the module's constants by name. Each becomes a parameter or buffer of the module."""
        return {}

    def enter(self, *args: Any, **kwargs: Any) -> None:
        self.run.entered(self, args, {name: value for name, value in kwargs.items() if value is not None})

    def operand(self, value: Any) -> Any:
        """Return a tensor or number unchanged. Raises TypeError for other types, since Python would repeat or concatenate sequences."""
        if not isinstance(value, (self.run.world.tensor_type, int, float)):
            raise TypeError(f"arithmetic with {type(value).__name__}")
        return value


class Leaf(ProgramModule):
    weight: Any
    bias: Any

    def constants(self) -> dict[str, float]:
        return {"weight": self.node.get("k", 2), "bias": self.node.get("c", 1)}

    def compute(self, x: Any) -> Any:
        return self.operand(x) * self.weight + self.bias

    def forward(self, x: Any) -> Any:
        self.enter(x)
        return self.compute(x)


class Detach(Leaf):
    def compute(self, x: Any) -> Any:
        if not isinstance(x, self.run.world.tensor_type):
            raise TypeError(f"{type(x).__name__} cannot be detached")
        return super().compute(x.detach())


class Identity(ProgramModule):
    def forward(self, x: Any) -> Any:
        self.enter(x)
        return x


class Inputs(ProgramModule):
    one: Any
    two: Any
    four: Any

    def constants(self) -> dict[str, float]:
        return {"one": 1, "two": 2, "four": 4}

    def forward(self, a: Any, b: Any, c: Any = None) -> Any:
        self.enter(a, b, c=c)
        result = self.operand(a) * self.one + self.operand(b) * self.two
        return result if c is None else result + self.operand(c) * self.four


class Keyword(ProgramModule):
    def forward(self, x: Any, *, scale: Any = None, shift: Any = None) -> Any:
        self.enter(x, scale=scale, shift=shift)
        result = x if scale is None else self.operand(x) * self.operand(scale)
        return result if shift is None else self.operand(result) + self.operand(shift)


class Give(Leaf):
    def forward(self, x: Any) -> Any:
        self.enter(x)
        r, s = self.compute(x), self.operand(x) * self.weight
        if self.node["form"] == "unused":
            return r, s.detach()
        forms = {"tuple": (r, s), "list": [r, s], "dict": {"a": r, "b": s}, "nested": ((r,), s), "none": None}
        return forms.get(self.node["form"], 7)


class Raise(ProgramModule):
    def forward(self, *args: Any) -> Any:
        self.enter(*args)
        raise RAISED[self.node.get("error", "Error")](self.node.get("message", "boom"))


class Composite(ProgramModule):
    """A module with children."""

    def call(self, child: Any, *args: Any) -> Any:
        """Run a child, by ``forward`` if the node has ``"by": "forward"``, else by ``__call__`` (C-3)."""
        return child.forward(*args) if self.node.get("by") == "forward" else child(*args)


def children_of(module: Composite) -> list[Any]:
    """Return the children of a module in order. This is not a method, since a child could have the method's name."""
    return [getattr(module, child["name"]) for child in module.node.get("children", ())]


class Sequence(Composite):
    def forward(self, *args: Any) -> Any:
        self.enter(*args)
        for child in children_of(self):
            args = (self.call(child, *args),)
        return args[0]


class Parallel(Composite):
    def forward(self, *args: Any) -> Any:
        self.enter(*args)
        first, *others = [self.call(child, *args) for child in children_of(self)]
        return reduce(lambda total, result: self.operand(total) + self.operand(result), others, first)


class Swallow(Composite):
    def forward(self, x: Any) -> Any:
        self.enter(x)
        try:
            return self.call(children_of(self)[0], x)
        except Error:
            return x


class Opaque(Composite):
    """A module that uses its child's constants and never calls the child (Z-1)."""

    def forward(self, x: Any) -> Any:
        self.enter(x)
        child = children_of(self)[0]
        return self.operand(x) * child.weight + child.bias


class Recurse(Leaf):
    """A module that calls itself. Each thread has its own remaining depth (X-4)."""

    def __init__(self, run: ProgramRun, node: Node) -> None:
        super().__init__(run, node)
        self.depth = Depth()

    def forward(self, x: Any) -> Any:
        self.enter(x)
        if self.depth.left is None:
            self.depth.left = self.node.get("depth", 1)
            try:
                return self.deeper(x)
            finally:
                self.depth.left = None
        return self.deeper(x)

    def deeper(self, x: Any) -> Any:
        if not self.depth.left:
            return self.compute(x)
        self.depth.left -= 1
        module: Any = self
        return module(x)


class Depth(threading.local):
    """The remaining depth of a recursion for each thread, None outside of a call."""

    left: int | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Depth:
        return Depth()


class Register(Leaf):
    """A module that registers a hook in its first ``forward``."""

    registered = False

    def forward(self, x: Any) -> Any:
        self.enter(x)
        if not self.registered:
            self.registered = True
            self.run.register(self.node["register"])
        return self.compute(x)


_NODES: tuple[type[ProgramModule], ...] = (
    Leaf, Identity, Inputs, Give, Keyword, Raise, Sequence, Parallel, Recurse, Swallow, Register, Detach, Opaque,
)  # fmt: skip


@cache
def kinds(base: type[Any]) -> Kinds:
    """Return the module classes by their names in a program, each derived from ``base``, the module class of a library."""
    return {node.__name__.lower(): type(node.__name__, (node, base), {}) for node in _NODES}


def build(run: ProgramRun, tree: Node, kinds: Kinds) -> Any:
    """Build the modules of a tree. A node with ``same`` stands for the module that was built earlier at the path in ``same``."""
    made: dict[str, Any] = {}

    def make(node: Node, path: str) -> Any:
        if "same" in node:
            return made[node["same"]]
        module = made[path] = kinds[node["kind"]](run, node)
        for child in node.get("children", ()):
            name = child["name"]
            module.add_module(name, make(child, f"{path}.{name}" if path else name))
        return module

    return make(tree, "")
