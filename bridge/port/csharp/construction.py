"""Constructors of collections of modules, the registration of buffers, and frozen parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.bodies.rows import shorten
from bridge.port.csharp.building import call, chained
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.values.containers import walked
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import DictOf, IteratorOf, ListOf, ModulesOf, OptionalOf


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
        return tree.New(tree.Type("ModuleList", types), _arguments(emission, made))
    name = next(one.__name__ for one in _KINDS if issubclass(node.kind, one))
    return tree.Call(tree.Name(name), _arguments(emission, made), types)


def lower_modules_from(emission: Emission, node: ir.ModulesFrom) -> tree.Expression:
    """Return a collection of the modules in a list or dictionary: ``Sequential(layers)``, ``new ModuleList<T>([.. layers])`` and so on."""
    source, found = node.source, node.type
    assert isinstance(found, ModulesOf)
    if issubclass(node.kind, nn.ParameterDict) or (
        issubclass(node.kind, nn.ParameterList) and not isinstance(source, ir.Comprehension)
    ):
        raise Untranslatable(node.origin, f"a {node.kind.__name__} of a {source.type} that is a value")
    source = _unlisted(source)
    made = emission.expression(source) if isinstance(source, ir.ListLiteral) else walked(emission, source)
    if isinstance(source.type, DictOf):
        entry = tree.Name("entry")
        value: tree.Expression = tree.Member(entry, "Value")
        if source.type.value != found.element:
            value = tree.Cast(emission.type_of(found.element, node.origin), value)
        pair = tree.Lambda(("entry",), tree.Tuple((tree.Member(entry, "Key"), value)))
        made = call(emission.expression(source), "Select", pair)
    if issubclass(node.kind, nn.Sequential):
        return tree.Call(tree.Name("Sequential"), (tree.Argument(made),))
    whole = (tree.Argument(tree.Collection((tree.Spread(made),))),)
    if issubclass(node.kind, nn.ParameterList):
        return tree.Call(tree.Name("ParameterList"), whole)
    element = emission.type_of(found.element, node.origin)
    if issubclass(node.kind, nn.ModuleDict):
        return tree.Call(tree.Name("ModuleDict"), whole, (element,))
    return tree.New(tree.Type("ModuleList", (element,)), whole)


def _unlisted(node: ir.Expression) -> ir.Expression:
    """Return a list comprehension as an iterator, also within a list literal: C# only iterates over it, and need not create the list."""
    if isinstance(node, ir.Comprehension) and isinstance(node.type, ListOf):
        return replace(node, type=IteratorOf(node.type.element))
    if isinstance(node, ir.ListLiteral):
        items = (replace(one, value=_unlisted(one.value)) if isinstance(one, ir.Spread) else one for one in node.items)
        return replace(node, items=tuple(items))
    return node


_KINDS = (nn.Sequential, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)


def _arguments(emission: Emission, made: Sequence[tree.Expression]) -> tuple[tree.Argument, ...]:
    """Return the modules as arguments, or as one collection if some of them are created by ``Select``."""
    items = shorten(emission, made)
    if any(isinstance(item, tree.Spread) for item in items):
        return (tree.Argument(tree.Collection(items)),)
    return tuple(map(tree.Argument, items))


def lower_freeze(emission: Emission, node: ir.Freeze) -> tuple[tree.Statement, ...]:
    """Return the loop over parameters that sets ``requires_grad``: to false for frozen parameters, to true for all others."""
    parameter = emission.fresh("parameter")
    grad = tree.Member(tree.Name(parameter), "requires_grad")
    if not (node.names or node.paths):
        off = tree.Assign(grad, tree.Literal(False))
        return (tree.ForEach(parameter, tree.Call(tree.Name("parameters")), (off,)),)
    word = emission.fresh("name")
    name = tree.Name(word)
    tests: list[tree.Expression] = [tree.Binary("==", name, tree.Literal(one)) for one in node.names]
    tests += [tree.Call(tree.Member(name, "StartsWith"), (tree.Argument(tree.Literal(one)),)) for one in node.paths]
    frozen = chained("||", tests)
    if isinstance(frozen, tree.Binary) and frozen.operator == "==":
        kept = tree.Assign(grad, replace(frozen, operator="!="))
    else:
        kept = tree.Assign(grad, tree.Unary("!", frozen))
    pair = tree.DeclaredTuple((word, parameter))
    return (tree.ForEach(pair, tree.Call(tree.Name("named_parameters")), (kept,)),)


def lower_register_components(emission: Emission, node: ir.RegisterComponents) -> tuple[tree.Statement, ...]:
    """Return the call of ``RegisterComponents``, which registers the modules, parameters and buffers in fields."""
    return (tree.Evaluate(tree.Call(tree.Name("RegisterComponents"))),)


def lower_tie(emission: Emission, node: ir.Tie) -> tuple[tree.Statement, ...]:
    """Return the call of the method by which a class replaces its parameter."""
    method = tree.Member(emission.expression(node.module), tie_of(node.name))
    return (tree.Evaluate(tree.Call(method, (tree.Argument(emission.expression(node.value)),))),)


def tie_of(name: str) -> str:
    """Return the name of the method by which a class replaces the parameter ``name``."""
    return f"tie_{name}"


def lower_register_buffer(emission: Emission, node: ir.RegisterBuffer) -> tuple[tree.Statement, ...]:
    """Return the field's assignment and its registration by name, where its value is not null."""
    place = emission.field_name(node.name)
    persistent = () if node.persistent else (tree.Argument(tree.Literal(False), "persistent"),)
    call = tree.Call(
        tree.Name("register_buffer"), (tree.Argument(tree.Literal(node.name)), tree.Argument(place), *persistent)
    )
    made: tree.Statement = tree.Evaluate(call)
    if isinstance(node.value.type, OptionalOf):
        made = tree.If(tree.Binary("is not", place, tree.Literal(None)), (made,))
    return tree.Assign(place, emission.expression(node.value)), made


def lower_replace_buffer(emission: Emission, node: ir.ReplaceBuffer) -> tuple[tree.Statement, ...]:
    """Return the call that gives a buffer other elements."""
    return (tree.Evaluate(emission.helper("ReplaceBuffer", *emission.expressions((node.place, node.value)))),)
