"""Tests by Python's rules: the truth of values, ``not``, ``and``, ``or``, and conditional expressions."""

from __future__ import annotations

from bridge.port.csharp import tree
from bridge.port.csharp.building import ZERO, call, chained, is_plain, negated, refused, static, unsupported
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import wide
from bridge.port.csharp.types import is_struct
from bridge.port.csharp.values.comparisons import opposite
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, STR, TENSOR


def lower_truth(emission: Emission, node: ir.Truth) -> tree.Expression:
    """Return the test whether a value is true by Python's rules."""
    return _tested(emission, node.value, holds=True)


def lower_not(emission: Emission, node: ir.Not) -> tree.Expression:
    """Return the negation of a test, for a comparison by the opposite operator if there is one."""
    inner = node.value
    if isinstance(inner, ir.Not):
        return emission.expression(inner.value)
    if isinstance(inner, ir.Truth):
        return _tested(emission, inner.value, holds=False)
    if isinstance(inner, ir.Compare) and (found := opposite(inner)) is not None:
        return emission.expression(found)
    if isinstance(inner, ir.Literal) and isinstance(inner.value, bool):
        return tree.Literal(not inner.value)
    return negated(emission.expression(inner))


def lower_logical(emission: Emission, node: ir.Logical) -> tree.Expression:
    """Return ``a && b`` or ``a || b`` of bools."""
    if any(one.type != BOOL for one in node.values):
        raise refused(node, f"'{node.operator}' as a value of type {node.type}")
    operator = "&&" if node.operator == "and" else "||"
    return chained(operator, [emission.expression(one) for one in node.values])


def lower_conditional(emission: Emission, node: ir.Conditional) -> tree.Expression:
    """Return ``test ? body : other``, with a cast if C# does not infer the type from the branches."""
    test = emission.expression(node.test)
    if isinstance(_plain(node.body), ir.UnsupportedValue) or isinstance(_plain(node.other), ir.UnsupportedValue):
        return tree.Conditional(test, *(_or_thrown(emission, one) for one in (node.body, node.other)))
    branches = [wide(emission, one) for one in (node.body, node.other)]
    if node.type != NONE and _needs_type(emission, node):
        wanted = emission.type_of(node.type, node.origin)
        place = 1 if _is_none(node.body) else 0
        branches[place] = tree.Cast(wanted, branches[place])
    return _coalesced(test, *branches) or tree.Conditional(test, *branches)


def _coalesced(test: tree.Expression, body: tree.Expression, other: tree.Expression) -> tree.Expression | None:
    """Return ``x ?? y`` for ``x is null ? y : x`` and ``x is not null ? x : y``; None for other branches."""
    if not isinstance(test, tree.Binary) or test.operator not in ("is", "is not") or test.right != tree.Literal(None):
        return None
    value, default = (other, body) if test.operator == "is" else (body, other)
    named = isinstance(test.left, tree.Name) and value in (test.left, tree.Member(test.left, "Value"))
    return tree.Binary("??", test.left, default) if named else None


def _plain(node: ir.Expression) -> ir.Expression:
    return _plain(node.value) if isinstance(node, ir.Convert) else node


def _or_thrown(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return a branch; if it has no translation, a throw expression, so that C# takes the type of the other branch."""
    inner = _plain(node)
    if isinstance(inner, ir.UnsupportedValue):
        return tree.Thrown(unsupported(f"{inner.origin}: {inner.why}"))
    return wide(emission, node)


def _is_none(node: ir.Expression) -> bool:
    return isinstance(node, ir.Literal) and node.value is None


def _needs_type(emission: Emission, node: ir.Conditional) -> bool:
    """Return whether C# cannot infer the type from the branches, such as modules of several classes, or null and a struct."""
    kinds = {types.required(one.type) for one in (node.body, node.other) if not _is_none(one)}
    if _is_none(node.body) or _is_none(node.other):
        inner = types.required(node.type)
        return inner != NONE and is_struct(emission.type_of(inner, node.origin))
    modules = [one for one in kinds if isinstance(one, types.ModuleOf)]
    optional = {isinstance(one.type, types.OptionalOf) for one in (node.body, node.other)}
    if len(optional) > 1 and types.required(node.type) != NONE:
        return False  # C# converts T to T?
    return len(modules) > 1 or any(isinstance(one, types.FunctionOf) for one in kinds)


# -- Truth of a value ------------------------------------------------------------------------------------------------------


def _tested(emission: Emission, value: ir.Expression, holds: bool) -> tree.Expression:
    if value.type == BOOL:
        return emission.expression(value) if holds else lower_not(emission, ir.Not(value, origin=value.origin))
    if types.is_choice(value.type):
        return _as(emission.expression(value), holds)
    if isinstance(value.type, types.OptionalOf):
        return _tested_optional(emission, value, value.type.inner, holds)
    if value.type in (INT, FLOAT):
        return tree.Binary("!=" if holds else "==", emission.expression(value), ZERO)
    if value.type == TENSOR:  # if it has several elements, both languages raise
        return _as(call(emission.expression(value), "ToBoolean"), holds)
    if (counted := count_of(value.type)) is not None:
        made = tree.Member(emission.expression(value), counted)
        return tree.Binary(">" if holds else "==", made, ZERO)
    known = _known(value.type)
    if known is None or not is_plain(value):
        raise refused(value, f"a {value.type} is tested")
    return tree.Literal(known == holds)


def _as(test: tree.Expression, holds: bool) -> tree.Expression:
    return test if holds else negated(test)


def count_of(found: types.Type) -> str | None:
    """Return the property that counts the elements of a container; None for another type."""
    if found in (STR, types.SIZES):
        return "Length"
    return "Count" if isinstance(found, (types.ListOf, types.SetOf, types.DictOf, types.ModulesOf)) else None


def _known(found: types.Type) -> bool | None:
    """Return True if every value of the type is true, False if no value is, and None if it depends on the value."""
    if found == NONE:
        return False
    if isinstance(found, types.TupleOf):
        return bool(found.items)
    if isinstance(found, types.ModuleOf):
        return None if hasattr(found.kind, "__len__") or hasattr(found.kind, "__bool__") else True
    always = found in (types.DTYPE, types.DEVICE) or isinstance(found, (types.FunctionOf, types.IteratorOf))
    return True if always else None


def _tested_optional(emission: Emission, value: ir.Expression, inner: types.Type, holds: bool) -> tree.Expression:
    """Return the truth of a nullable value, by C#'s lifted operators: null is not equal to a value, nor greater, nor less."""
    made = emission.expression(value)
    if inner == BOOL:
        return tree.Binary("==" if holds else "!=", made, tree.Literal(True))
    if inner in (INT, FLOAT):
        return tree.Binary("!=" if holds else "==", tree.Binary("??", made, ZERO), ZERO)
    if inner == STR:
        return _as(static("string.IsNullOrEmpty", made), not holds)
    if inner == TENSOR:
        asked = tree.Call(tree.Member(made, "ToBoolean", null_conditional=True))
        return tree.Binary("==" if holds else "!=", asked, tree.Literal(True))
    if (counted := count_of(inner)) is not None:
        test = tree.Binary(">", tree.Member(made, counted, null_conditional=True), ZERO)
        return _as(test, holds)
    if _known(inner):
        return tree.Binary("is not" if holds else "is", made, tree.Literal(None))
    raise refused(value, f"a {value.type} is tested")
