"""Classes of C#, and the files that hold them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from bridge.port.csharp import tree
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.methods import summary
from bridge.port.ir import nodes as ir
from bridge.port.ir.types import TENSOR, TupleOf, required

_USINGS = ("TorchSharp", "TorchSharp.Modules", "static TorchSharp.torch", "static TorchSharp.torch.nn")
_FUNCTIONAL = "F = TorchSharp.torch.nn.functional"


def lower_class(
    emission: Emission, found: ir.Class, base: tree.Type, methods: Sequence[tree.MethodDeclaration]
) -> tree.ClassDeclaration:
    """Return the class with its fields, its constructor and methods that are lowered already. Raises Untranslatable."""
    emission.names = {one.name for one in found.parameters}
    fields = [_field(emission, one) for one in found.fields if one.role not in ("constant", "state")]
    state = [_state(emission, one) for one in found.fields if one.role == "state"]
    constants = [_constant(emission, one) for one in found.fields if one.role == "constant"]
    members = (*constants, *fields, *state, _constructor(emission, found), *methods)
    return tree.ClassDeclaration(found.name, "public sealed", summary(found.doc), bases=(base,), members=members)


def _constant(emission: Emission, found: ir.FieldDefinition) -> tree.FieldDeclaration:
    value = emission.expression(found.value) if found.value is not None else None
    return tree.FieldDeclaration(found.name, "private const", type=emission.type_of(found.type), value=value)


def _field(emission: Emission, found: ir.FieldDefinition) -> tree.FieldDeclaration:
    access = "internal" if found.shared else "private"
    kind = emission.type_of(found.type)
    if found.role == "parameter":
        kind = dataclasses.replace(kind, name="Parameter")
    kind = tree.Type("List", (_entry_type(kind),)) if found.role == "entries" else kind
    return tree.FieldDeclaration(found.name, f"{access} readonly", type=kind)


def _entry_type(found: tree.Type) -> tree.Type:
    """Return the type of a child with its name, of which there is a list."""
    (pair,) = found.arguments
    return tree.TupleType("", pair.arguments, names=("name", "child"))


def _state(emission: Emission, found: ir.FieldDefinition) -> tree.Declaration:
    """Return what a method assigns: a property where it holds tensors, for RegisterComponents makes buffers of fields."""
    kind = emission.type_of(found.type)
    holds = required(found.type) == TENSOR or isinstance(required(found.type), TupleOf)
    if not holds:
        return tree.FieldDeclaration(found.name, "internal" if found.shared else "private", type=kind)
    return tree.PropertyDeclaration(found.name, "public", "As the last call left it.", type=kind, setter="private")


def _constructor(emission: Emission, found: ir.Class) -> tree.ConstructorDeclaration:
    parameters = tuple(_parameter(emission, one) for one in found.parameters)
    register = tree.Evaluate(tree.Call(tree.Name("RegisterComponents")))
    body = (
        *emission.statements(found.constructor),
        *_entries(found),
        register,
        *emission.statements(found.later),
    )
    return tree.ConstructorDeclaration(
        found.name, "public", parameters=parameters, arguments=(tree.Literal(found.name),), body=body
    )


def _parameter(emission: Emission, found: ir.Parameter) -> tree.Parameter:
    default = None if found.default is None else emission.expression(found.default)
    kind = emission.type_of(found.type)
    if found.spread:
        kind = tree.ArrayType("", (_entry_type(kind),))
    return tree.Parameter(kind, found.name, default, found.spread)


def _entries(found: ir.Class) -> Iterator[tree.Statement]:
    """Yield the loop that registers the children of a class that is a list of them."""
    for one in found.fields:
        if one.role == "entries":
            call = tree.Call(
                tree.Name("register_module"), (tree.Argument(tree.Name("name")), tree.Argument(tree.Name("child")))
            )
            yield tree.ForEach(tree.DeclaredTuple(("name", "child")), tree.Name(one.name), (tree.Evaluate(call),))


def file_of(namespace: str, found: tree.ClassDeclaration) -> tree.File:
    """Return the file of a class."""
    usings = (*_USINGS, *([_FUNCTIONAL] if _names(found, "F") else []))
    return tree.File(usings, namespace, (found,))


def _names(node: object, name: str) -> bool:
    """Return whether a node, or a tuple of nodes, uses a name."""
    if isinstance(node, tree.Name):
        return node.name == name
    if isinstance(node, tuple):
        return any(_names(one, name) for one in node)
    return isinstance(node, tree.Node) and any(
        _names(getattr(node, one.name), name) for one in dataclasses.fields(node)
    )
