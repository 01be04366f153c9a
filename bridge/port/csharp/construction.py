"""Collections of modules, buffers and frozen parameters."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.building import chained
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import ModulesOf

#: How many equal modules in a row are made by one expression.
_ROW = 3


def lower_modules(emission: Emission, node: ir.Modules) -> tree.Expression:
    """Return ``Sequential(…)``, ``new ModuleList<T>(…)``, ``ModuleDict<T>(…)``, ``ParameterList(…)`` or ``ParameterDict(…)``."""
    made = [emission.expression(value) for _, value in node.entries]
    numbered = [name for name, _ in node.entries] == [str(place) for place in range(len(node.entries))]
    named = issubclass(node.kind, (nn.ModuleDict, nn.ParameterDict)) or not numbered
    if named:
        if issubclass(node.kind, nn.ModuleList):
            raise Untranslatable(node.origin, "a ModuleList whose children have names of their own")
        pairs = zip(node.entries, made, strict=True)
        made = [tree.Tuple((tree.Literal(name), value)) for (name, _), value in pairs]
    types: tuple[tree.Type, ...] = ()
    if issubclass(node.kind, (nn.ModuleList, nn.ModuleDict)) and isinstance(node.type, ModulesOf):
        types = (emission.type_of(node.type.element, node.origin),)
    if issubclass(node.kind, nn.ModuleList):
        return tree.New(tree.Type("ModuleList", types), _row(made))
    name = next(one.__name__ for one in _KINDS if issubclass(node.kind, one))
    return tree.Call(tree.Name(name), tuple(map(tree.Argument, made)), types)


_KINDS = (nn.Sequential, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)


def _row(made: Sequence[tree.Expression]) -> tuple[tree.Argument, ...]:
    """Return the arguments; equal ones in a row as one that is made so many times."""
    if len(made) < _ROW or any(one != made[0] for one in made):
        return tuple(map(tree.Argument, made))
    counted = tree.Call(
        tree.Member(tree.Name("Enumerable"), "Range"),
        (tree.Argument(tree.Literal(0)), tree.Argument(tree.Literal(len(made)))),
    )
    each = tree.Call(tree.Member(counted, "Select"), (tree.Argument(tree.Lambda(("_",), made[0])),))
    return (tree.Argument(tree.Collection((tree.Spread(each),))),)


def lower_freeze(emission: Emission, node: ir.Freeze) -> tuple[tree.Statement, ...]:
    """Return the loop that turns the gradients of parameters off."""
    grad = tree.Member(tree.Name("parameter"), "requires_grad")
    if not (node.names or node.paths):
        off = tree.Assign(grad, tree.Literal(False))
        return (tree.ForEach("parameter", tree.Call(tree.Name("parameters")), (off,)),)
    name = tree.Name("name")
    tests: list[tree.Expression] = [tree.Binary("==", name, tree.Literal(one)) for one in node.names]
    tests += [tree.Call(tree.Member(name, "StartsWith"), (tree.Argument(tree.Literal(one)),)) for one in node.paths]
    kept = tree.Assign(grad, tree.Unary("!", chained("||", tests)))
    pair = tree.DeclaredTuple(("name", "parameter"))
    return (tree.ForEach(pair, tree.Call(tree.Name("named_parameters")), (kept,)),)


def lower_register_buffer(emission: Emission, node: ir.RegisterBuffer) -> tuple[tree.Statement, ...]:
    """Return the field's assignment and its registration by name."""
    place = emission.field_name(node.name)
    persistent = () if node.persistent else (tree.Argument(tree.Literal(False), "persistent"),)
    call = tree.Call(
        tree.Name("register_buffer"), (tree.Argument(tree.Literal(node.name)), tree.Argument(place), *persistent)
    )
    return tree.Assign(place, emission.expression(node.value)), tree.Evaluate(call)
