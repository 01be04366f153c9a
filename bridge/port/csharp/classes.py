"""Classes of C#, and the files that hold them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from bridge.port.csharp import tree
from bridge.port.csharp.bodies import assignments
from bridge.port.csharp.bodies.tidying import walk
from bridge.port.csharp.construction import tie_of
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.methods import names, summary
from bridge.port.ir import nodes as ir
from bridge.port.ir.types import BOOL, DTYPE, FLOAT, INT, NONE, TENSOR, OptionalOf, TupleOf, required

_USINGS = ("TorchSharp", "TorchSharp.Modules", "static TorchSharp.torch", "static TorchSharp.torch.nn")
_FUNCTIONAL = "F = TorchSharp.torch.nn.functional"
#: ``null!``, the initial value of a field that is assigned by a method that the constructor calls.
_LATER = tree.Unary("!", tree.Literal(None), postfix=True)
_OF_SETTINGS = "Settings that the original reads from its {}. The shapes of the model follow from them."
_VALUES = (INT, FLOAT, BOOL, DTYPE)


def lower_class(
    emission: Emission, found: ir.Class, base: tree.Type, methods: Sequence[tree.MethodDeclaration]
) -> tree.ClassDeclaration:
    """Return the class with its fields, its constructor and ``methods``, which are lowered already. Raises Untranslatable."""
    emission.names, emission.boxed = names(ir.Function(found.name, found.parameters, NONE, found.constructor)), set()
    fields = [_field(emission, one) for one in found.fields if one.role not in ("constant", "state")]
    state = [_state(emission, one) for one in found.fields if one.role == "state"]
    constants = [_constant(emission, one) for one in found.fields if one.role == "constant"]
    ties = [_tie(emission, one) for one in found.fields if one.tied]
    members = (*constants, *fields, *state, _constructor(emission, found), *ties, *methods)
    return tree.ClassDeclaration(found.name, "public sealed", summary(found.doc), bases=(base,), members=members)


def settings_classes(emission: Emission) -> list[tree.ClassDeclaration]:
    """Return a class of constants for each class of settings objects whose numbers and bools the project uses."""
    found: dict[str, list[tree.FieldDeclaration]] = {}
    for path, one in sorted(emission.settings.items(), key=lambda entry: entry[0]):
        kind, _, name = path.partition(".")
        made = tree.FieldDeclaration(
            name, "internal const", type=emission.type_of(one.type), value=emission.expression(one)
        )
        found.setdefault(kind, []).append(made)
    return [
        tree.ClassDeclaration(kind, "internal static", summary(_OF_SETTINGS.format(kind)), members=tuple(members))
        for kind, members in found.items()
    ]


def _constant(emission: Emission, found: ir.FieldDefinition) -> tree.FieldDeclaration:
    value = emission.expression(found.value) if found.value is not None else None
    return tree.FieldDeclaration(found.name, "private const", type=emission.type_of(found.type), value=value)


def _field(emission: Emission, found: ir.FieldDefinition) -> tree.FieldDeclaration:
    access = "internal" if found.shared else "private"
    kind = emission.type_of(found.type)
    if found.role == "parameter":
        kind = dataclasses.replace(kind, name="Parameter")
    kind = tree.Type("List", (_entry_type(kind),)) if found.role == "entries" else kind
    if found.settled:
        return tree.FieldDeclaration(found.name, access if found.tied else f"{access} readonly", type=kind)
    none = None if found.type in _VALUES or isinstance(found.type, OptionalOf) else _LATER
    return tree.FieldDeclaration(found.name, access, type=kind, value=none)


def _entry_type(found: tree.Type) -> tree.Type:
    """Return ``(string name, T child)``, the element type of a list of named children."""
    (pair,) = found.arguments
    return tree.TupleType("", pair.arguments, names=("name", "child"))


def _tie(emission: Emission, found: ir.FieldDefinition) -> tree.MethodDeclaration:
    """Return the method by which another class replaces a parameter, under the name under which it is registered."""
    field, value = emission.field_name(found.name), tree.Name("value" if found.name != "value" else "parameter")
    given = (tree.Argument(tree.Literal(found.name)), tree.Argument(field))
    body = (
        tree.Assign(field, value),
        tree.Evaluate(tree.Call(tree.Name("ConditionallyRegisterParameter"), given)),
    )
    return tree.MethodDeclaration(
        tie_of(found.name),
        "internal",
        "Makes the parameter one with that of another module.",
        result=tree.Type("void"),
        parameters=(tree.Parameter(tree.Type("Parameter"), value.name),),
        body=body,
    )


def _state(emission: Emission, found: ir.FieldDefinition) -> tree.Declaration:
    """Return the member that methods assign: a property for tensors, since RegisterComponents makes buffers of fields; else a field."""
    kind = emission.type_of(found.type)
    holds = required(found.type) == TENSOR or isinstance(required(found.type), TupleOf)
    if not holds:
        return tree.FieldDeclaration(found.name, "internal" if found.shared else "private", type=kind)
    return tree.PropertyDeclaration(found.name, "public", "As the last call left it.", type=kind, setter="private")


def _constructor(emission: Emission, found: ir.Class) -> tree.ConstructorDeclaration:
    parameters, defaults = assignments.parameters(emission, [one for one in found.parameters if not one.spread])
    spread = tuple(_spread(emission, one) for one in found.parameters if one.spread)
    place = next(at for at, one in enumerate(found.constructor) if isinstance(one, ir.RegisterComponents))
    before, after = found.constructor[:place], found.constructor[place:]
    body = (*defaults, *emission.statements(before), *_entries(emission, found), *emission.statements(after))
    return tree.ConstructorDeclaration(
        found.name, "public", parameters=(*parameters, *spread), arguments=(tree.Literal(found.name),), body=body
    )


def _spread(emission: Emission, found: ir.Parameter) -> tree.Parameter:
    return tree.Parameter(tree.ArrayType("", (_entry_type(emission.type_of(found.type)),)), found.name, None, True)


def _entries(emission: Emission, found: ir.Class) -> Iterator[tree.Statement]:
    """Yield the loop that registers the children, for a class whose constructor takes any number of them."""
    for one in found.fields:
        if one.role == "entries":
            name, child = emission.fresh("name"), emission.fresh("child")
            given = (tree.Argument(tree.Name(name)), tree.Argument(tree.Name(child)))
            call = tree.Call(tree.Name("register_module"), given)
            yield tree.ForEach(tree.DeclaredTuple((name, child)), tree.Name(one.name), (tree.Evaluate(call),))


def file_of(namespace: str, found: tree.ClassDeclaration) -> tree.File:
    """Return the file of a class."""
    usings = (*_USINGS, *([_FUNCTIONAL] if tree.Name("F") in walk(found) else []))
    return tree.File(usings, namespace, (found,))
