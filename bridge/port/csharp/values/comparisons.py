"""Comparisons by Python's rules: equality, order, identity and membership."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.building import ZERO, call, chained, is_plain, negated, refused, static
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import as_number, is_narrow, wide
from bridge.port.csharp.types import SIZES
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.effects import effects
from bridge.port.ir.types import BOOL, DEVICE, DTYPE, FLOAT, INT, NONE, STR, TENSOR

_OF_TENSORS: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_REFLECTED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
#: The comparison that is true exactly if another is false; ``<`` has none, since ``a >= b`` is false with NaN, too.
OPPOSITES: Final = {
    "==": "!=", "!=": "==", "is": "is-not", "is-not": "is", "in": "not-in", "not-in": "in",
}  # fmt: skip
_WHOLE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_PRIMITIVES: Final = (INT, FLOAT, BOOL, STR)


def lower_compare(emission: Emission, node: ir.Compare) -> tree.Expression:
    """Return a comparison."""
    if node.operator in ("is", "is-not"):
        return _identity(emission, node)
    if node.operator in ("in", "not-in"):
        return _membership(emission, node)
    if TENSOR in (node.left.type, node.right.type):
        return _of_tensors(emission, node)
    return _compared(emission, node)


def opposite(node: ir.Compare) -> ir.Compare | None:
    """Return the comparison that is true exactly if ``node`` is false; None if C# has to negate ``node``."""
    if TENSOR in (node.left.type, node.right.type) and node.operator not in ("is", "is-not"):
        return None
    found = OPPOSITES.get(node.operator)
    if found is None and node.left.type == node.right.type == INT:
        found = _WHOLE.get(node.operator)
    return None if found is None else replace(node, operator=found)


# -- Identity --------------------------------------------------------------------------------------------------------------


def _identity(emission: Emission, node: ir.Compare) -> tree.Expression:
    left, right, holds = node.left, node.right, node.operator == "is"
    if _is_none(left):
        left, right = right, left
    if _is_none(right):
        return _is_null(emission, node, left, holds)
    if isinstance(right, ir.Literal) and isinstance(right.value, bool):
        return _is_bool(emission, node, left, right.value == holds)
    if left.type == right.type == DTYPE:
        return tree.Binary("==" if holds else "!=", *emission.expressions((left, right)))
    objects = (types.required(left.type), types.required(right.type))
    if any(one in _PRIMITIVES or one in (types.SIZES, DEVICE) or isinstance(one, types.TupleOf) for one in objects):
        raise refused(node, f"the identity of a {left.type} and a {right.type}")
    if not (
        is_plain(left) and is_plain(right)
    ):  # a call of PyTorch may return its argument, unlike a call of TorchSharp
        raise refused(node, "the identity of the result of a call")
    same = static("ReferenceEquals", *emission.expressions((left, right)))
    return same if holds else negated(same)


def _is_none(node: ir.Expression) -> bool:
    return isinstance(node, ir.Literal) and node.value is None


def _is_null(emission: Emission, node: ir.Compare, value: ir.Expression, holds: bool) -> tree.Expression:
    if _is_none(value):
        return tree.Literal(holds)
    found = value.type
    if found == NONE or isinstance(found, types.OptionalOf) or found == types.UNKNOWN:
        return tree.Binary("is" if holds else "is not", emission.expression(value), tree.Literal(None))
    if is_plain(value):  # never None
        return tree.Literal(not holds)
    raise refused(node, f"a {found}, which is never None, is compared with it")


def _is_bool(emission: Emission, node: ir.Compare, value: ir.Expression, wanted: bool) -> tree.Expression:
    """Return ``is`` or ``is not`` of a value and a bool; ``wanted`` is the result if the value is True."""
    made = emission.expression(value)
    if value.type == BOOL:
        return made if wanted else negated(made)
    if value.type == types.OptionalOf(BOOL):
        holds = node.operator == "is"
        literal = tree.Literal(wanted == holds)
        return tree.Binary("==" if holds else "!=", made, literal)
    raise refused(node, f"the identity of a {value.type} and a bool")


# -- Membership ------------------------------------------------------------------------------------------------------------


def _membership(emission: Emission, node: ir.Compare) -> tree.Expression:
    holds = node.operator == "in"
    literals = _literals(node.right)
    if literals is not None and all(_may_be_pattern(node.left.type, one) for one in literals):
        return _pattern(emission, node, literals, holds)
    made = _contained(emission, node)
    return made if holds else negated(made)


def _literals(node: ir.Expression) -> list[ir.Literal] | None:
    """Return the items of a tuple, list or set if all are literals; None for another expression."""
    if isinstance(node, ir.Literal) and isinstance(node.value, (tuple, list, frozenset)):
        kinds = {int: INT, float: FLOAT, bool: BOOL, str: STR}
        return [ir.Literal(one, type=kinds.get(type(one), NONE)) for one in node.value]
    if not isinstance(node, (ir.TupleLiteral, ir.ListLiteral, ir.SetLiteral)):
        return None
    items = [one for one in node.items if isinstance(one, ir.Literal)]
    return items if len(items) == len(node.items) else None


def _may_be_pattern(found: types.Type, literal: ir.Literal) -> bool:
    inner = types.required(found)
    if literal.value is None:
        return isinstance(found, types.OptionalOf)
    return inner in (INT, STR, BOOL) and inner == literal.type


def _pattern(emission: Emission, node: ir.Compare, literals: list[ir.Literal], holds: bool) -> tree.Expression:
    if not literals:
        if is_plain(node.left):
            return tree.Literal(not holds)
        raise refused(node, "an empty tuple, which contains nothing")
    fits = all(is_narrow(one) for one in literals if one.type == INT)
    value = emission.expression(node.left) if fits else wide(emission, node.left)  # an int matches no long pattern
    if len(literals) == 1 and literals[0].value is not None:
        return tree.Binary("==" if holds else "!=", value, emission.expression(literals[0]))
    alternatives = [emission.expression(one) for one in literals]
    made = tree.Binary("is", value, chained("or", alternatives))
    return made if holds else negated(made)


def _contained(emission: Emission, node: ir.Compare) -> tree.Expression:
    value, container = node.left, node.right
    if isinstance(container, ir.ContainerCall) and container.name == "keys":
        container = container.value
    found = container.type
    if isinstance(found, types.DictOf) or (isinstance(found, types.ModulesOf) and _is_keyed(found)):
        return call(emission.expression(container), "ContainsKey", emission.expression(value))
    if found == STR and value.type == STR:
        return call(emission.expression(container), "Contains", emission.expression(value))
    # Python evaluates all items before it compares; || would leave out those behind the first that is equal
    if (
        isinstance(container, (ir.TupleLiteral, ir.ListLiteral))
        and is_plain(value)
        and effects(*container.items[1:]).removable
    ):
        return _any_of(emission, node, container)
    element = INT if found == types.SIZES else getattr(found, "element", None)
    if not is_comparable(element) or not _matches(value.type, element):
        raise refused(node, f"a {value.type} in a {found}")
    return call(emission.expression(container), "Contains", emission.expression(value))


def _is_keyed(found: types.ModulesOf) -> bool:
    return found.kind.__name__.endswith("Dict")


def _matches(value: types.Type, element: types.Type | None) -> bool:
    return value == element or (value == INT and element == FLOAT)


def _any_of(emission: Emission, node: ir.Compare, container: ir.TupleLiteral | ir.ListLiteral) -> tree.Expression:
    """Return ``x == a || x == b``, each compared by its own type."""
    tests: list[tree.Expression] = []
    for one in container.items:
        if isinstance(one, ir.Spread) or TENSOR in (one.type, node.left.type):
            raise refused(node, f"a {node.left.type} in a {container.type}")
        equal = ir.Compare("==", node.left, one, type=BOOL, origin=node.origin)
        tests.append(lower_compare(emission, equal))
    return chained("||", tests) if tests else tree.Literal(False)


# -- Equality and order ----------------------------------------------------------------------------------------------------


def _of_tensors(emission: Emission, node: ir.Compare) -> tree.Expression:
    left, right, operator = node.left, node.right, node.operator
    if left.type != TENSOR:  # Python calls the operator of the tensor on the right
        left, right, operator = right, left, _REFLECTED[operator]
        if not (is_plain(left) or is_plain(right)):
            raise refused(node, "a tensor at the right of a comparison, whose sides C# would evaluate in another order")
    if right.type != TENSOR and not types.is_number(right.type):
        raise refused(node, f"a tensor is compared with a {right.type}")
    made = emission.expression(right)
    if right.type == BOOL:
        made = tree.Cast(tree.Type("Scalar"), made)
    return call(emission.expression(left), _OF_TENSORS[operator], made)


def _compared(emission: Emission, node: ir.Compare) -> tree.Expression:
    left, right = node.left.type, node.right.type
    inner = (types.required(left), types.required(right))
    equality = node.operator in ("==", "!=")
    if NONE in (left, right) and equality:
        identity = replace(node, operator="is" if node.operator == "==" else "is-not")
        return _identity(emission, identity)
    if inner != (left, right) and not equality:
        raise refused(node, f"'{node.operator}' of a {left} and a {right}")
    if all(types.is_number(one) for one in inner):
        return _numbers(emission, node)
    if inner == (STR, STR):
        return _strings(emission, node)
    if not equality and inner[0] == inner[1] and isinstance(inner[0], types.TupleOf) and set(inner[0].items) <= {INT}:
        order = call(emission.expression(node.left), "CompareTo", emission.expression(node.right))
        return tree.Binary(node.operator, order, ZERO)
    if equality and all(map(_is_sequence, inner)):
        return _sequences(emission, node)
    if equality and inner[0] == inner[1]:
        return _equal(emission, node, inner[0])
    raise refused(node, f"'{node.operator}' of a {left} and a {right}")


def _numbers(emission: Emission, node: ir.Compare) -> tree.Expression:
    left, right = types.required(node.left.type), types.required(node.right.type)
    if left == right == BOOL and node.operator in ("==", "!="):
        return tree.Binary(node.operator, *emission.expressions((node.left, node.right)))
    if BOOL in (left, right) and (left, right) != (node.left.type, node.right.type):
        raise refused(node, f"'{node.operator}' of a {node.left.type} and a {node.right.type}")
    return tree.Binary(node.operator, as_number(emission, node.left), as_number(emission, node.right))


def _strings(emission: Emission, node: ir.Compare) -> tree.Expression:
    left, right = emission.expressions((node.left, node.right))
    if node.operator in ("==", "!="):
        return tree.Binary(node.operator, left, right)
    return tree.Binary(node.operator, static("string.CompareOrdinal", left, right), ZERO)


def _is_sequence(found: types.Type) -> bool:
    return found == types.SIZES or (isinstance(found, types.TupleOf) and all(one == INT for one in found.items))


def _sequences(emission: Emission, node: ir.Compare) -> tree.Expression:
    """Return whether two tuples of whole numbers have the same elements."""
    if node.left.type != types.SIZES and node.right.type != types.SIZES:
        return _equal(emission, node, types.required(node.left.type))
    if any(isinstance(one.type, types.OptionalOf) for one in (node.left, node.right)):
        raise refused(node, f"'{node.operator}' of a {node.left.type} and a {node.right.type}")
    same = call(_array(emission, node.left), "SequenceEqual", _array(emission, node.right))
    return same if node.operator == "==" else negated(same)


def _array(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return a tuple of whole numbers as an array."""
    if node.type == types.SIZES:
        return emission.expression(node)
    if isinstance(node, ir.TupleLiteral):
        return emission.expression(replace(node, type=types.SIZES))
    if not is_plain(node) or not isinstance(node.type, types.TupleOf):
        raise refused(node, f"a {node.type} is compared with sizes")
    items = [ir.TupleItem(node, place, type=INT) for place in range(len(node.type.items))]
    return tree.New(SIZES, (), emission.expressions(items))


def is_comparable(found: types.Type | None) -> bool:
    """Return whether C#'s equality of values of the type agrees with Python's."""
    if isinstance(found, types.TupleOf):
        return all(map(is_comparable, found.items))
    return found in (*_PRIMITIVES, DTYPE) or isinstance(found, types.ModuleOf)


def _equal(emission: Emission, node: ir.Compare, found: types.Type) -> tree.Expression:
    left, right = emission.expressions((node.left, node.right))
    optional = node.left.type != node.right.type or isinstance(node.left.type, types.OptionalOf)
    if isinstance(found, types.ModuleOf):
        same: tree.Expression = static("ReferenceEquals", left, right)
    elif found == DEVICE:
        same = static("Equals", call(left, "ToString"), call(right, "ToString"))
        if optional:
            raise refused(node, "a device that may be None is compared")
    elif isinstance(found, types.ListOf) and is_comparable(found.element) and not optional:
        same = call(left, "SequenceEqual", right)
    elif isinstance(found, types.SetOf) and is_comparable(found.element) and not optional:
        same = call(left, "SetEquals", right)
    elif is_comparable(found):
        return tree.Binary(node.operator, left, right)
    else:
        raise refused(node, f"'{node.operator}' of a {node.left.type} and a {node.right.type}")
    return same if node.operator == "==" else negated(same)
