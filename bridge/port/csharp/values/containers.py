"""Containers: literals, iteration, comprehensions, and the methods of lists, dictionaries, sets and tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from torch import nn

from bridge.port.csharp import tree
from bridge.port.csharp.building import ZERO, call, int32, is_plain, lambda_of, path, refused, static, without
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import is_narrow, wide
from bridge.port.csharp.types import SIZES as ARRAY
from bridge.port.csharp.types import array, is_struct
from bridge.port.csharp.values.comparisons import is_comparable
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.ranges import is_nonnegative
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.ir.types import FLOAT, INT, SIZES, STR, TENSOR, UNKNOWN
from hook_contract.output.sentences import plural

Method = Callable[["Emission", ir.ContainerCall], tree.Expression]


# -- Literals --------------------------------------------------------------------------------------------------------------


def lower_list(emission: Emission, node: ir.ListLiteral) -> tree.Expression:
    """Return ``new List<T> { a, b }``."""
    kind = emission.type_of(types.required(node.type), node.origin)
    if not node.items:
        return tree.New(kind)
    if any(isinstance(one, ir.Spread) for one in node.items):
        return tree.Cast(kind, tree.Collection(_items(emission, node.items)))
    return tree.New(kind, (), _items(emission, node.items))


def _items(emission: Emission, items: tuple[ir.Expression | ir.Spread, ...]) -> tuple[tree.Expression, ...]:
    return tuple(
        tree.Spread(without(walked(emission, one.value), "ToArray"))
        if isinstance(one, ir.Spread)
        else emission.expression(one)
        for one in items
    )


def lower_tuple(emission: Emission, node: ir.TupleLiteral) -> tree.Expression:
    """Return ``(a, b)``; sizes as an array; a tuple of one item as the item."""
    spread = any(isinstance(one, ir.Spread) for one in node.items)
    if isinstance(node.type, types.ListOf):
        return lower_list(emission, ir.ListLiteral(node.items, type=node.type, origin=node.origin))
    if node.type == SIZES:
        if not spread:
            return tree.New(ARRAY, (), _items(emission, node.items))
        alone = node.items[0]
        if len(node.items) == 1 and isinstance(alone, ir.Spread) and alone.value.type == SIZES:
            return emission.expression(alone.value)
        return tree.Cast(ARRAY, tree.Collection(_items(emission, node.items)))
    items: list[ir.Expression] = []
    for one in node.items:
        items += _spread(one) if isinstance(one, ir.Spread) else [one]
    if not items:
        raise refused(node, "a tuple without items")
    if len(items) == 1:
        return emission.expression(items[0])
    return tree.Tuple(tuple(wide(emission, one) for one in items))


def _spread(node: ir.Spread) -> list[ir.Expression]:
    """Return the items of ``*value`` in a tuple."""
    value = node.value
    if not isinstance(value.type, types.TupleOf) or not is_plain(value):
        raise refused(node, f"a {value.type} is spread in a tuple")
    return [ir.TupleItem(value, place, type=one, origin=node.origin) for place, one in enumerate(value.type.items)]


def lower_set(emission: Emission, node: ir.SetLiteral) -> tree.Expression:
    """Return ``new HashSet<T> { a, b }``."""
    return tree.New(emission.type_of(node.type, node.origin), (), emission.expressions(node.items) or None)


def lower_dict(emission: Emission, node: ir.DictLiteral) -> tree.Expression:
    """Return ``new Dictionary<K, V> { [key] = value }``."""
    entries = tuple((emission.expression(key), emission.expression(one)) for key, one in node.entries)
    return tree.New(emission.type_of(node.type, node.origin), (), entries or None)


# -- Iteration -------------------------------------------------------------------------------------------------------------


def walked(emission: Emission, node: ir.Expression, ordered: bool = True) -> tree.Expression:
    """Return a sequence of the elements over which Python iterates. Raises Untranslatable.

    The order of a set of numbers differs between Python and C#: a set of numbers is refused unless the order has no effect on the result
    (``ordered`` is false). The order of other sets differs from run to run in Python, too.
    """
    found = node.type
    if (
        ordered
        and isinstance(found, types.SetOf)
        and (types.is_number(found.element) or isinstance(found.element, types.TupleOf))
    ):
        raise refused(node, f"the order of a {found}")
    if found == TENSOR:
        return call(emission.expression(node), "unbind")
    if isinstance(node, (ir.ListLiteral, ir.TupleLiteral)) and isinstance(found, (types.ListOf, types.TupleOf)):
        return array_of(emission, node)
    if isinstance(found, types.TupleOf):
        return array_of(emission, node)
    if found == STR:
        return emission.helper("Characters", emission.expression(node))
    if isinstance(found, types.DictOf):
        return tree.Member(emission.expression(node), "Keys")
    if isinstance(found, types.ModulesOf) and found.kind.__name__.endswith("Dict"):
        return call(emission.expression(node), "keys")
    if is_chain(found):
        return children(emission, node)
    if found == SIZES or isinstance(found, (types.ListOf, types.SetOf, types.IteratorOf, types.ModulesOf)):
        return emission.expression(node)
    raise refused(node, f"a {found} is walked over")


def is_chain(found: types.Type) -> bool:
    """Return whether values of the type are ``nn.Sequential``, which C# can enumerate only by ``children``."""
    return isinstance(found, types.ModulesOf) and issubclass(found.kind, nn.Sequential)


def children(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return the modules of a Sequential in order: ``layers.children().Cast<Module<Tensor, Tensor>>()``."""
    made = tree.Member(call(emission.expression(node), "children"), "Cast")
    return tree.Call(made, (), (emission.type_of(element_of(node.type), node.origin),))


def element_of(found: types.Type) -> types.Type:
    """Return the type of the elements over which Python iterates; UNKNOWN for another type."""
    if isinstance(found, types.DictOf):
        return found.key
    if isinstance(found, types.TupleOf):
        return types.join(found.items) or UNKNOWN
    if isinstance(found, types.ModulesOf) and found.kind.__name__.endswith("Dict"):
        return STR
    if isinstance(found, (types.ListOf, types.SetOf, types.IteratorOf, types.ModulesOf)):
        return found.element
    return INT if found == SIZES else found if found in (STR, TENSOR) else UNKNOWN


def array_of(emission: Emission, node: ir.Expression, ordered: bool = True) -> tree.Expression:
    """Return a tuple or a list literal as an array; another container as ``walked`` returns it."""
    parts: tuple[ir.Expression | ir.Spread, ...]
    if isinstance(node, (ir.ListLiteral, ir.TupleLiteral)):
        parts = node.items
    elif isinstance(node.type, types.TupleOf) and is_plain(node):
        parts = tuple(ir.TupleItem(node, at, type=one) for at, one in enumerate(node.type.items))
    else:
        return walked(emission, node, ordered)
    if not parts or any(isinstance(one, ir.Spread) for one in parts):
        return emission.expression(node)
    element = types.join([one.type for one in parts if isinstance(one, ir.Expression)])
    if element is None:
        raise refused(node, f"a {node.type} of several types is walked over")
    kind = emission.type_of(element, node.origin)
    return tree.New(array(kind), (), _items(emission, parts))


# -- Comprehensions --------------------------------------------------------------------------------------------------------


def lower_comprehension(emission: Emission, node: ir.Comprehension) -> tree.Expression:
    """Return a comprehension as a query of ``Where`` and ``Select``, converted to its container."""
    if isinstance(node.type, types.DictOf):
        return _dictionary(emission, node)
    made = _query(emission, node.generators, node.element)
    if isinstance(node.type, types.ListOf):
        return call(made, "ToList")
    return call(made, "ToHashSet") if isinstance(node.type, types.SetOf) else made


def _dictionary(emission: Emission, node: ir.Comprehension) -> tree.Expression:
    """Return a dictionary; for a key that occurs again, the last value is kept, as in Python."""
    assert node.key is not None
    pair = ir.TupleLiteral((node.key, node.element), type=types.TupleOf((node.key.type, node.element.type)))
    return emission.helper("ToDictionary", _query(emission, node.generators, pair))


def _query(emission: Emission, generators: tuple[ir.Generator, ...], element: ir.Expression) -> tree.Expression:
    (first, *others) = generators
    conditions, rest = first.conditions, tuple(others)
    name, renamed = _parameter(first, element, rest)
    made = _source(emission, first, element)
    for one in conditions:
        made = call(made, "Where", lambda_of(name, emission.expression(renamed(one))))
    if rest:
        inner = _query(emission, tuple(map(renamed, rest)), renamed(element))
        return call(made, "SelectMany", lambda_of(name, inner))
    body = renamed(element)
    if isinstance(body, ir.Local) and body.name == name:
        return made
    return call(made, "Select", lambda_of(name, wide(emission, body)))


def _source(emission: Emission, generator: ir.Generator, element: ir.Expression) -> tree.Expression:
    """Return the source of a query; for ``items()``, the dictionary itself, as the names become ``Key`` and ``Value`` of its entries."""
    source = generator.source
    if _are_entries(generator):
        assert isinstance(source, ir.ContainerCall)
        return emission.expression(source.value)
    is_range = isinstance(source, ir.BuiltinCall) and source.name == "range" and len(source.arguments) == 1
    if (
        is_range and (element.type == TENSOR or _is_module(element.type)) and isinstance(source, ir.BuiltinCall)
    ):  # with other elements, C# might infer int for them
        (count,) = source.arguments
        if is_nonnegative(count, emission.nonnegative):
            number = emission.expression(count)
            return static("Enumerable.Range", ZERO, number if is_narrow(count) else int32(number))
    return walked(emission, source)


def _is_module(found: types.Type) -> bool:
    return isinstance(found, (types.ModuleOf, types.ModulesOf))


def _are_entries(generator: ir.Generator) -> bool:
    source, target = generator.source, generator.target
    pair = isinstance(target, ir.TupleTarget) and len(target.items) == 2 and target.star < 0
    items = isinstance(source, ir.ContainerCall) and source.name == "items"
    return pair and items and isinstance(source, ir.ContainerCall) and isinstance(source.value.type, types.DictOf)


def _parameter(
    generator: ir.Generator, element: ir.Expression, rest: tuple[ir.Generator, ...]
) -> tuple[str, Callable[[Any], Any]]:
    """Return the parameter of the lambdas, and a function that replaces the names of a tuple target with the parameter's parts."""
    target = generator.target
    if isinstance(target, ir.LocalTarget):
        return target.name, lambda node: node
    used = {
        node.name for one in (element, *generator.conditions, *rest) for node in walk(one) if isinstance(node, ir.Local)
    }
    name = next(one for one in ("one", "each", "every", "part", "entry") if one not in used)
    whole = ir.Local(name, type=element_of(generator.source.type))
    parts: dict[str, ir.Expression] = {}
    if _are_entries(generator) and isinstance(target, ir.TupleTarget):
        for one, place in zip(target.items, ("Key", "Value"), strict=True):
            _named(one, ir.Property(whole, place, type=UNKNOWN), parts)
    else:
        _named(target, whole, parts)
    return name, lambda node: _put(node, parts)


def _named(target: ir.Target, value: ir.Expression, parts: dict[str, ir.Expression]) -> None:
    """Set in ``parts`` the part of the element ``value`` that each name of a target stands for."""
    if isinstance(target, ir.LocalTarget):
        parts[target.name] = replace(value, type=target.type)
        return
    if not isinstance(target, ir.TupleTarget) or target.star >= 0:
        raise refused(target, "such a target in a comprehension")
    found = value.type if value.type != UNKNOWN else types.TupleOf((UNKNOWN,) * len(target.items))
    items = found.items if isinstance(found, types.TupleOf) else (element_of(found),) * len(target.items)
    if len(items) != len(target.items):
        raise refused(target, f"{plural(len(target.items), 'name')} for a {found}")
    for place, (one, kind) in enumerate(zip(target.items, items, strict=True)):
        if isinstance(found, types.TupleOf):
            _named(one, ir.TupleItem(replace(value, type=found), place, type=kind), parts)
        elif found == SIZES or isinstance(found, types.ListOf):
            _named(one, ir.Item(value, ir.Literal(place, type=INT), type=kind), parts)
        else:
            raise refused(target, f"{plural(len(target.items), 'name')} for a {found}")


def _put(node: Any, parts: Mapping[str, ir.Expression]) -> Any:
    """Return a node in which each variable is replaced with its part."""
    if isinstance(node, ir.Local):
        return parts.get(node.name, node)
    return rebuilt(node, lambda one: _put(one, parts))


# -- Methods ---------------------------------------------------------------------------------------------------------------


def lower_container_call(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    """Return a call of a method of a list, dictionary, set or tuple."""
    found = types.required(node.value.type)
    kind = "sizes" if found == SIZES else type(found).__name__
    if isinstance(found, types.ModulesOf):
        kind = "modules"
    if (
        node.name in _HELD
        and isinstance(found, (types.ModuleOf, types.ModulesOf))
        and (kind, node.name) not in _METHODS
    ):
        return _held(emission, node)
    method = _METHODS.get((kind, node.name))
    if method is None:
        raise refused(node, f"a call of {found}.{node.name}")
    if node.keywords and (kind, node.name) not in _WITH_KEYWORDS:
        raise refused(node, f"a call of {node.name} with {node.keywords[0].name}")
    return method(emission, node)


def _held(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    """Return a call such as ``module.modules()``; without a receiver for the module itself."""
    arguments = emission.expressions(node.arguments)
    if isinstance(node.value, ir.Self):
        return tree.Call(tree.Name(node.name), tuple(map(tree.Argument, arguments)))
    return call(emission.expression(node.value), node.name, *arguments)


def _plain(name: str, count: int = -1) -> Method:
    """Return the lowering to C#'s method ``name`` with the same arguments; ``count`` is their number, or -1 for any number."""

    def lower(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
        if count >= 0 and len(node.arguments) != count:
            raise refused(node, f"{node.name} with {plural(len(node.arguments), 'argument')}")
        return call(emission.expression(node.value), name, *emission.expressions(node.arguments))

    return lower


def _helper(name: str, least: int, most: int, compares: bool = False) -> Method:
    """Return the lowering to a helper, which takes the container, and then ``least`` to ``most`` arguments."""

    def lower(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
        if not least <= len(node.arguments) <= most:
            raise refused(node, f"{node.name} with {plural(len(node.arguments), 'argument')}")
        if compares and not is_comparable(element_of(node.value.type)):
            raise refused(node, f"{node.name} of a {node.value.type}, whose elements C# compares otherwise")
        return emission.helper(name, *emission.expressions((node.value, *node.arguments)))

    return lower


def _walking(name: str, end: str = "") -> Method:
    """Return the lowering to a method that iterates over its argument; ``end`` converts the result."""

    def lower(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
        if len(node.arguments) != 1:
            raise refused(node, f"{node.name} with {plural(len(node.arguments), 'argument')}")
        made = call(emission.expression(node.value), name, walked(emission, node.arguments[0], ordered=False))
        return call(made, end) if end else made

    return lower


def _insert(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    place, value = node.arguments
    if isinstance(place, ir.Literal) and place.value == 0:
        return call(emission.expression(node.value), "Insert", ZERO, emission.expression(value))
    return emission.helper("Insert", *emission.expressions((node.value, place, value)))


def _sort(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    if not node.keywords and element_of(node.value.type) in (INT, FLOAT):
        return call(emission.expression(node.value), "Sort")
    sorted_ = ir.BuiltinCall("sorted", (node.value,), node.keywords, type=node.value.type, origin=node.origin)
    return emission.helper("Replace", *emission.expressions((node.value, sorted_)))


def _keys(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    return tree.Member(emission.expression(node.value), "Keys")


def _values(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    return tree.Member(emission.expression(node.value), "Values")


def _entries(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    parts = tree.Tuple((path("entry.Key"), path("entry.Value")))
    return call(emission.expression(node.value), "Select", lambda_of("entry", parts))


def _module_entries(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    """Return names and modules, by ``Zip``: a dictionary of modules is enumerable in two ways, between which C# cannot choose."""
    if not is_plain(node.value):
        raise refused(node, "the entries of a dictionary of modules that is computed")
    value = emission.expression(node.value)
    return call(call(value, "keys"), "Zip", call(value, "values"))


def _get(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    found = node.value.type
    assert isinstance(found, types.DictOf)
    alone = len(node.arguments) == 1 or node.arguments[1].type == types.NONE
    if alone and found.value != UNKNOWN and is_struct(emission.type_of(found.value, node.origin)):
        return emission.helper("GetOrNull", *emission.expressions((node.value, node.arguments[0])))
    given = node.arguments[:1] if alone else node.arguments
    return call(emission.expression(node.value), "GetValueOrDefault", *emission.expressions(given))


def _copy_dict(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    return tree.New(emission.type_of(node.type, node.origin), (tree.Argument(emission.expression(node.value)),))


def _update(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    if node.keywords or len(node.arguments) != 1 or not isinstance(node.arguments[0].type, types.DictOf):
        raise refused(node, "an update of a dictionary by something else")
    return emission.helper("Update", *emission.expressions((node.value, node.arguments[0])))


def _append_from(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    (source,) = node.arguments
    return call(emission.expression(node.value), "AddRange", walked(emission, source))


def _product(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    body = tree.Binary("*", tree.Name("product"), tree.Name("size"))
    return call(
        emission.expression(node.value), "Aggregate", tree.Literal(1, "L"), tree.Lambda(("product", "size"), body)
    )


#: Methods of a module that have the same name in Python and C#.
_HELD: Final = frozenset(
    {"parameters", "buffers", "named_parameters", "named_buffers", "children", "modules", "named_children"} | {"apply"}
)
_WITH_KEYWORDS: Final = frozenset({("ListOf", "sort"), ("DictOf", "update")})
_METHODS: Final[dict[tuple[str, str], Method]] = {
    ("ListOf", "append"): _plain("Add", 1),
    ("ListOf", "extend"): _append_from,
    ("ListOf", "insert"): _insert,
    ("ListOf", "pop"): _helper("Pop", 0, 1),
    ("ListOf", "remove"): _helper("Remove", 1, 1, compares=True),
    ("ListOf", "index"): _helper("IndexOf", 1, 1, compares=True),
    ("ListOf", "count"): _helper("Count", 1, 1, compares=True),
    ("ListOf", "clear"): _plain("Clear", 0),
    ("ListOf", "copy"): _plain("ToList", 0),
    ("ListOf", "reverse"): _plain("Reverse", 0),
    ("ListOf", "sort"): _sort,
    ("DictOf", "items"): _entries,
    ("DictOf", "keys"): _keys,
    ("DictOf", "values"): _values,
    ("DictOf", "get"): _get,
    ("DictOf", "pop"): _helper("Pop", 1, 2),
    ("DictOf", "setdefault"): _helper("SetDefault", 2, 2),
    ("DictOf", "update"): _update,
    ("DictOf", "clear"): _plain("Clear", 0),
    ("DictOf", "copy"): _copy_dict,
    ("SetOf", "add"): _plain("Add", 1),
    ("SetOf", "discard"): _plain("Remove", 1),
    ("SetOf", "remove"): _helper("Remove", 1, 1),
    ("SetOf", "clear"): _plain("Clear", 0),
    ("SetOf", "copy"): _plain("ToHashSet", 0),
    ("SetOf", "update"): _walking("UnionWith"),
    ("SetOf", "union"): _walking("Union", "ToHashSet"),
    ("SetOf", "intersection"): _walking("Intersect", "ToHashSet"),
    ("SetOf", "difference"): _walking("Except", "ToHashSet"),
    ("SetOf", "issubset"): _walking("IsSubsetOf"),
    ("SetOf", "issuperset"): _walking("IsSupersetOf"),
    ("SetOf", "isdisjoint"): lambda emission, node: tree.Unary("!", _walking("Overlaps")(emission, node)),
    ("sizes", "index"): _helper("IndexOf", 1, 1),
    ("sizes", "count"): _helper("Count", 1, 1),
    ("sizes", "numel"): _product,
    ("modules", "items"): _module_entries,
    ("modules", "keys"): _plain("keys", 0),
    ("modules", "values"): _plain("values", 0),
    ("modules", "append"): _plain("append", 1),
    ("modules", "add_module"): _plain("append", 2),
    ("modules", "extend"): _walking("extend"),
    ("modules", "insert"): _plain("Insert", 2),
}
