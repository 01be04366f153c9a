"""Effects of nodes: the variables that they read and write, and what else they change or may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Node
from bridge.port.ir.traversal import children, walk
from bridge.port.ir.types import TENSOR, ListOf, required

#: Functions of PyTorch that draw random numbers.
_RANDOM: Final = frozenset(
    [
        "alpha_dropout", "bernoulli", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout",
        "feature_dropout", "gumbel_softmax", "multinomial", "normal", "poisson", "rand", "rand_like", "randint",
        "randint_like", "randn", "randn_like", "randperm", "rrelu", "seed", "manual_seed",
    ]
)  # fmt: skip
#: Built-in functions that change nothing, and raise nothing for values of the types that they are given.
_HARMLESS: Final = frozenset(
    {"len", "bool", "isinstance", "abs", "min", "max", "range", "enumerate", "zip", "reversed", "str"}
)
#: Built-in functions that print or warn.
_PRINTING: Final = frozenset({"print", "warnings.warn"})
#: Methods of containers that change nothing.
_READING: Final = frozenset(
    [
        "copy", "count", "endswith", "format", "get", "index", "items", "join", "keys", "lower", "lstrip", "replace",
        "rstrip", "split", "startswith", "strip", "title", "upper", "values",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a node.

    ``reads`` and ``writes`` are variables, ``fields`` says that fields of the module are written, ``mutates`` that a tensor or a
    container is changed in place, ``raises`` that an exception is possible, ``acts`` that hooks, generators, the console or code of
    unknown effect are involved, ``leaves`` that control leaves the block.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    fields: bool = False
    mutates: bool = False
    raises: bool = False
    acts: bool = False
    leaves: bool = False

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.reads | other.reads,
            self.writes | other.writes,
            self.fields or other.fields,
            self.mutates or other.mutates,
            self.raises or other.raises,
            self.acts or other.acts,
            self.leaves or other.leaves,
        )

    @property
    def pure(self) -> bool:
        """Return whether nothing is changed and nothing happens but, possibly, an exception."""
        return not (self.writes or self.fields or self.mutates or self.acts or self.leaves)

    @property
    def removable(self) -> bool:
        """Return whether a value that nothing reads may be left out."""
        return self.pure and not self.raises


def effects(*found: Node) -> Effects:
    """Return the effects of nodes and of all nodes below them."""
    whole = Effects()
    for node in found:
        whole = whole | _own(node)
        for child in children(node):
            whole = whole | effects(child)
    return whole


def is_in_place(call: nodes.TorchCall) -> bool:
    """Return whether a call of PyTorch's changes a tensor that it is given."""
    name = str(getattr(call.function, "__name__", ""))
    if (name.endswith("_") and not name.endswith("__")) or name == "__setitem__":
        return True
    return any(
        one.name == "out"
        or (one.name == "inplace" and not (isinstance(one.value, nodes.Literal) and one.value.value is False))
        for one in call.arguments
    )


def _own(node: Node) -> Effects:
    """Return the effects of a node without the effects of the nodes below it."""
    match node:
        case nodes.Local(name):
            return Effects(reads=frozenset({name}))
        case nodes.LocalTarget(name):
            return Effects(writes=frozenset({name}))
        case nodes.Bind(name):
            return Effects(reads=frozenset({name}), writes=frozenset({name}))
        case nodes.CountingLoop(name):
            return Effects(reads=frozenset({name}), writes=frozenset({name}))
        case nodes.Augment(target=nodes.LocalTarget(name, kind)):
            return Effects(reads=frozenset({name}), mutates=required(kind) == TENSOR or isinstance(kind, ListOf))
        case nodes.ReplaceBuffer():
            return Effects(fields=True, mutates=True, raises=True)
        case nodes.PlaceTarget(nodes.Field()):
            return Effects(fields=True)
        case nodes.PlaceTarget():
            return Effects(mutates=True, raises=True)
        case nodes.Break() | nodes.Continue() | nodes.Return():
            return Effects(leaves=True)
        case nodes.Raise() | nodes.Assert() | nodes.Unsupported():
            return Effects(raises=True, leaves=not isinstance(node, nodes.Assert))
        case nodes.Expression():
            return _of_expression(node)
        case _:
            return Effects()


def _of_expression(node: nodes.Expression) -> Effects:
    match node:
        case nodes.TorchCall(function):
            drawn = str(getattr(function, "__name__", "")) in _RANDOM
            return Effects(mutates=is_in_place(node), raises=True, acts=drawn)
        case nodes.ModuleCall() | nodes.MethodCall() | nodes.FunctionCall() | nodes.ValueCall():
            return Effects(fields=True, mutates=True, raises=True, acts=True)
        case nodes.Construct():  # its initial values are random
            return Effects(raises=True, acts=True)
        case nodes.BuiltinCall(name, arguments):
            of_elements = name in ("min", "max") and len(arguments) == 1  # without elements, they raise
            return Effects(raises=name not in _HARMLESS or of_elements, acts=name in _PRINTING)
        case nodes.ContainerCall(name=name):
            return Effects(mutates=name not in _READING, raises=True)
        case nodes.Item() | nodes.TensorIndex() | nodes.UnsupportedValue():
            return Effects(raises=True)
        case nodes.Binary(operator, left, right):
            divides = operator in ("/", "//", "%") and isinstance(right, nodes.Literal) and right.value not in (0, None)
            plain = (operator in ("+", "-", "*") or divides) and TENSOR not in (left.type, right.type)
            return Effects(raises=not plain)
        case nodes.Truth(value):
            return Effects(raises=required(value.type) == TENSOR)
        case nodes.Comprehension():
            return Effects(raises=True)
        case _:
            return Effects()


def reads_after(name: str, statements: tuple[nodes.Statement, ...]) -> bool:
    """Return whether any of the statements may read the variable, whatever was assigned before."""
    return any(
        (isinstance(one, (nodes.Local, nodes.Bind)) and one.name == name)
        or (isinstance(one, nodes.Augment) and isinstance(one.target, nodes.LocalTarget) and one.target.name == name)
        for statement in statements
        for one in walk(statement)
    )
