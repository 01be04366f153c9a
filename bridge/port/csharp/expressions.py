"""Expressions of the IR in C#: names, properties and conversions, and a table of the functions that lower each kind of node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from torch import nn

from bridge.port.csharp import construction, literals, tree
from bridge.port.csharp.building import call, is_plain, path, refused
from bridge.port.csharp.calls import layers, module_calls, torch_calls
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import SIZES, is_struct
from bridge.port.csharp.values import arithmetic, builtins, comparisons, containers, formats, indexing, strings, truth
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, OBJECT, STR, TENSOR, UNKNOWN

#: Properties of tensors that TorchSharp has by the same name.
_PROPERTIES: Final = frozenset(
    {"shape", "dtype", "device", "T", "mT", "H", "ndim", "real", "imag", "grad", "is_sparse", "requires_grad"}
)
_OF_PACKED: Final = frozenset({"data", "batch_sizes", "sorted_indices", "unsorted_indices"})


def lower(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return an expression in C#. Raises Untranslatable if it has no translation."""
    room = _LOWERED.get(type(node))
    if room is None:
        why = node.why if isinstance(node, ir.UnsupportedValue) else f"no translation of {type(node).__name__}"
        raise refused(node, why)
    return room(emission, node)


# -- Names and parts -------------------------------------------------------------------------------------------------------


def lower_local(emission: Emission, node: ir.Local) -> tree.Expression:
    """Return a variable."""
    made = tree.Name(node.name)
    return tree.Member(made, "Value") if node.name in emission.boxed else made


def lower_self(emission: Emission, node: ir.Self) -> tree.Expression:
    """Return the module itself."""
    return tree.Name("this")


def lower_field(emission: Emission, node: ir.Field) -> tree.Expression:
    """Return a field of the module itself."""
    return emission.field_name(node.name)


def lower_training(emission: Emission, node: ir.Training) -> tree.Expression:
    """Return the property ``training`` of a module."""
    return (
        emission.field_name("training")
        if node.module is None
        else tree.Member(_module(emission, node.module), "training")
    )


def lower_property(emission: Emission, node: ir.Property) -> tree.Expression:
    """Return a property of a tensor, or a member of another module."""
    found, name = node.value.type, node.name
    if found == TENSOR:
        return _of_tensor(emission, node)
    if isinstance(found, types.ModulesOf):
        if not found.kind.__name__.endswith("Dict"):
            raise refused(node, f"the attribute {name} of a {found}")
        entry = ir.Item(node.value, ir.Literal(name, type=STR), type=node.type, origin=node.origin)
        return emission.expression(entry)
    if isinstance(found, types.ModuleOf):
        made = tree.Member(_module(emission, node.value), name)
        # TorchSharp declares it as nullable
        may_be_null = name == "bias" and found.kind.__module__.startswith("torch.nn")
        return tree.Unary("!", made, postfix=True) if may_be_null and node.type == TENSOR else made
    if found == types.DEVICE and name == "type":
        return call(call(path_of(emission, node.value, "type"), "ToString"), "ToLowerInvariant")
    if found == types.DEVICE and name == "index":
        return path_of(emission, node.value, "index")
    if found == types.PACKED and name in _OF_PACKED:
        return path_of(emission, node.value, name)
    if isinstance(found, types.TupleOf):
        if name in found.names:
            item = ir.TupleItem(node.value, found.names.index(name), type=node.type, origin=node.origin)
            return emission.expression(item)
        if name in ("Key", "Value"):
            return path_of(emission, node.value, name)
    raise refused(node, f"the attribute {name} of a {found}")


def path_of(emission: Emission, value: ir.Expression, name: str) -> tree.Expression:
    """Return a member of a value."""
    return tree.Member(emission.expression(value), name)


def _of_tensor(emission: Emission, node: ir.Property) -> tree.Expression:
    value = emission.expression(node.value)
    if node.name == "data":
        return call(value, "detach")
    if node.name in ("is_cuda", "is_cpu"):
        kind = path(f"DeviceType.{node.name.removeprefix('is_').upper()}")
        return tree.Binary("==", tree.Member(value, "device_type"), kind)
    if node.name not in _PROPERTIES:
        raise refused(node, f"the attribute {node.name} of a tensor")
    return tree.Member(value, node.name)


def _module(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return a module whose members are read; an item of nn.Sequential is cast to its own class."""
    made = emission.expression(node)
    whole = node.value.type if isinstance(node, ir.Item) else None
    if isinstance(whole, types.ModulesOf) and issubclass(whole.kind, nn.Sequential):
        return tree.Cast(emission.type_of(node.type, node.origin), made)
    return made


def lower_container_call(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    """Return a call of a method of a container or of a string."""
    room = strings.lower_method if types.required(node.value.type) == STR else containers.lower_container_call
    return room(emission, node)


# -- Values ----------------------------------------------------------------------------------------------------------------


def lower_bind(emission: Emission, node: ir.Bind) -> tree.Expression:
    """Return ``(name = value)``."""
    return tree.Assigned(tree.Name(node.name), emission.expression(node.value))


def lower_lambda(emission: Emission, node: ir.Lambda) -> tree.Expression:
    """Return ``(a, b) => body``; the name of a function, if the body only calls that with the parameters."""
    if (named := _function_of(emission, node)) is not None:
        return named
    return tree.Lambda(node.parameters, literals.wide(emission, node.body))


def _function_of(emission: Emission, node: ir.Lambda) -> tree.Expression | None:
    """Return the name of the function that a lambda calls with its own parameters in order; None for another lambda."""
    if not isinstance(node.body, ir.FunctionCall):
        return None
    given = [one.value.name if isinstance(one.value, ir.Local) else "" for one in node.body.arguments]
    name = emission.function_name(node.body.function, node.origin)
    taken = [one.name for one in emission.headers.get(node.body.function, ())]
    alone = [one.name for one in node.body.arguments] == taken
    return name if alone and given == list(node.parameters) else None


def lower_value_call(emission: Emission, node: ir.ValueCall) -> tree.Expression:
    """Return a call of a function that is a value."""
    made = [
        call(value, "ToList") if isinstance(one, ir.Local) and one.name in emission.arrays else value
        for one, value in zip(node.arguments, emission.expressions(node.arguments), strict=True)
    ]
    return tree.Call(emission.expression(node.function), tuple(map(tree.Argument, made)))


def lower_convert(emission: Emission, node: ir.Convert) -> tree.Expression:
    """Return a value, converted to another type."""
    value, wanted, found = node.value, node.type, node.value.type
    if types.is_choice(wanted) and found != wanted:
        return emission.expression(value) if found == BOOL else tree.Literal(found != NONE)
    if found in (wanted, NONE) or UNKNOWN in (found, wanted):
        return emission.expression(value)
    if isinstance(found, types.OptionalOf):
        if isinstance(wanted, types.OptionalOf):
            if types.join([found, wanted]) != wanted:
                raise refused(node, f"a {found} as a {wanted}")
            return emission.expression(value)
        return _converted(emission, node, _present(emission, node, found.inner), found.inner, wanted)
    return _converted(emission, node, None, found, types.required(wanted))


def _present(emission: Emission, node: ir.Convert, inner: types.Type) -> tree.Expression:
    """Return a nullable value as its non-nullable type: ``x.Value`` for a struct, else ``x!``, or ``x`` after a test for null."""
    made = emission.expression(node.value)
    if is_struct(emission.type_of(inner, node.origin)):
        return tree.Member(made, "Value")
    if node.proven and isinstance(node.value, (ir.Local, ir.Field)):  # C#'s flow analysis has seen the test
        return made
    return tree.Unary("!", made, postfix=True)


def _converted(
    emission: Emission, node: ir.Convert, made: tree.Expression | None, found: types.Type, wanted: types.Type
) -> tree.Expression:
    """Return a value of type ``found``, converted to type ``wanted``; ``made`` is its C# if it is already lowered, else None."""
    value = replace(node.value, type=found) if found != node.value.type else node.value
    whole = made
    if wanted == OBJECT:
        return literals.wide(emission, value) if whole is None else whole
    if found == OBJECT:
        whole = emission.expression(value) if whole is None else whole
        return tree.Cast(emission.type_of(wanted, node.origin), whole)
    if wanted == FLOAT and found in (INT, BOOL):
        return literals.as_double(emission, value) if whole is None else tree.Cast(tree.Type("double"), whole)
    if wanted == INT and found == BOOL:
        return literals.as_number(emission, value)
    if wanted == INT and found == FLOAT and node.proven:  # an int in a variable that holds floats elsewhere
        return tree.Cast(tree.Type("long"), emission.expression(value) if whole is None else whole)
    if isinstance(value, (ir.ListLiteral, ir.TupleLiteral, ir.Conditional)) and whole is None and _is_container(wanted):
        return _literal_as(emission, value, wanted)
    whole = emission.expression(value) if whole is None else whole
    if wanted == found or _is_wider(found, wanted):
        return whole
    if isinstance(wanted, (types.ModuleOf, types.ModulesOf)) and isinstance(found, types.ModuleOf):
        return tree.Cast(emission.type_of(wanted, node.origin), whole)
    if wanted == types.SIZES and found in (types.ListOf(INT), types.IteratorOf(INT)):
        return call(whole, "ToArray")
    if wanted == types.SIZES and isinstance(found, types.TupleOf) and is_plain(value) and set(found.items) <= {INT}:
        items = [ir.TupleItem(value, place, type=INT) for place in range(len(found.items))]
        return tree.New(SIZES, (), emission.expressions(items))
    if isinstance(wanted, types.ListOf) and found in (types.SIZES, types.IteratorOf(wanted.element)):
        return call(whole, "ToList")
    raise refused(node, f"a {found} as a {wanted}")


def _is_container(found: types.Type) -> bool:
    return found == types.SIZES or isinstance(found, (types.ListOf, types.TupleOf, types.OptionalOf))


def _literal_as(
    emission: Emission, value: ir.ListLiteral | ir.TupleLiteral | ir.Conditional, wanted: types.Type
) -> tree.Expression:
    """Return a list, tuple or conditional expression as type ``wanted``, by conversion of its parts."""
    if isinstance(value, ir.Conditional):
        body, other = (ir.Convert(one, type=wanted, origin=value.origin) for one in (value.body, value.other))
        return emission.expression(replace(value, body=body, other=other, type=wanted))
    if wanted == types.SIZES:
        return emission.expression(ir.TupleLiteral(value.items, type=wanted, origin=value.origin))
    if isinstance(wanted, types.TupleOf):
        pairs = zip(value.items, wanted.items, strict=True)
        items = tuple(one if isinstance(one, ir.Spread) else _as(one, kind) for one, kind in pairs)
        return emission.expression(ir.TupleLiteral(items, type=wanted, origin=value.origin))
    element = containers.element_of(wanted)
    items = tuple(one if isinstance(one, ir.Spread) else _as(one, element) for one in value.items)
    return emission.expression(ir.ListLiteral(items, type=wanted, origin=value.origin))


def _as(node: ir.Expression, wanted: types.Type) -> ir.Expression:
    return node if node.type == wanted else ir.Convert(node, type=wanted, origin=node.origin)


def _is_wider(found: types.Type, wanted: types.Type) -> bool:
    """Return whether C# needs no cast from ``found`` to ``wanted``, for example from a module to its base class, or in items of a tuple."""
    if isinstance(found, types.TupleOf) and isinstance(wanted, types.TupleOf):
        pairs = zip(found.items, wanted.items, strict=False)
        return len(found.items) == len(wanted.items) and all(
            one == other or _is_wider(one, other) for one, other in pairs
        )
    if isinstance(found, (types.ModuleOf, types.ModulesOf)) and isinstance(wanted, types.ModuleOf):
        return issubclass(found.kind, wanted.kind)
    if isinstance(found, types.ModulesOf) and isinstance(wanted, types.ModuleOf):
        plain = issubclass(found.kind, nn.Sequential) and wanted.kind is nn.Module
        return plain or wanted == types.ANY_MODULE
    if isinstance(found, (types.ListOf, types.SetOf, types.DictOf, types.IteratorOf)) and type(found) is type(wanted):
        empty = types.join([found, wanted]) == wanted and UNKNOWN in (
            getattr(found, "element", None),
            getattr(found, "value", None),
        )
        return empty or (isinstance(found, types.IteratorOf) and types.join([found, wanted]) == wanted)
    return isinstance(wanted, types.OptionalOf) and (
        found == NONE or found == wanted.inner or (found, wanted.inner) == (INT, FLOAT)
    )


_LOWERED: Final[dict[type, Callable[[Any, Any], tree.Expression]]] = {
    ir.Modules: construction.lower_modules,
    ir.ModulesFrom: construction.lower_modules_from,
    ir.Literal: literals.lower_literal,
    ir.Local: lower_local,
    ir.Self: lower_self,
    ir.Field: lower_field,
    ir.Training: lower_training,
    ir.Property: lower_property,
    ir.TupleItem: indexing.lower_tuple_item,
    ir.Item: indexing.lower_item,
    ir.Slice: indexing.lower_slice,
    ir.TensorIndex: indexing.lower_tensor_index,
    ir.Unary: arithmetic.lower_unary,
    ir.Binary: arithmetic.lower_binary,
    ir.Compare: comparisons.lower_compare,
    ir.Truth: truth.lower_truth,
    ir.Not: truth.lower_not,
    ir.Logical: truth.lower_logical,
    ir.Conditional: truth.lower_conditional,
    ir.Bind: lower_bind,
    ir.Convert: lower_convert,
    ir.ValueCall: lower_value_call,
    ir.TorchCall: torch_calls.lower,
    ir.ModuleCall: module_calls.lower,
    ir.MethodCall: module_calls.lower,
    ir.FunctionCall: module_calls.lower,
    ir.Construct: layers.lower,
    ir.BuiltinCall: builtins.lower_builtin,
    ir.ContainerCall: lower_container_call,
    ir.ListLiteral: containers.lower_list,
    ir.SetLiteral: containers.lower_set,
    ir.TupleLiteral: containers.lower_tuple,
    ir.DictLiteral: containers.lower_dict,
    ir.Comprehension: containers.lower_comprehension,
    ir.Lambda: lower_lambda,
    ir.Format: formats.lower_format,
}
