"""Operators, whose results have types by Python's rules; if an operand is a tensor, the result is a tensor."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

import torch

from bridge.port.frontend.calls import formats
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.targets import element_of
from bridge.port.frontend.values import after, are_ints, as_bool, is_free, is_read, literal, may_drop, there
from bridge.port.ir.effects import effects
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Binary,
    Bind,
    Compare,
    DictLiteral,
    Expression,
    Lambda,
    Literal,
    Local,
    Logical,
    Not,
    TorchCall,
    Truth,
    TupleLiteral,
    Unary,
)
from bridge.port.ir.truths import truth
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    DictOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    SetOf,
    TupleOf,
    Type,
    is_choice,
    is_number,
    join,
    required,
)

SIGNS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is-not", ast.In: "in", ast.NotIn: "not-in",
}  # fmt: skip
_UNARY: Final[dict[type[ast.unaryop], str]] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


# -- Arithmetic ------------------------------------------------------------------------------------------------------------


def lower_binary(context: Context, node: ast.BinOp) -> Expression:
    """Lower ``left operator right``."""
    left, right = context.expression(node.left), context.expression(node.right)
    return binary(context, node, SIGNS[type(node.op)], left, right)


def binary(context: Context, node: ast.AST, operator: str, left: Expression, right: Expression) -> Expression:
    """Return the operation of two lowered operands; ``node`` is its source node, which may be an augmented assignment."""
    left, right = there(left), there(right)
    if operator == "%" and isinstance(left, Literal) and isinstance(left.value, str):
        if isinstance(node, ast.BinOp):
            formats.check_texts(context, node.right.elts if isinstance(node.right, ast.Tuple) else [node.right])
        return formats.lower_percent(context, node, left.value, right)
    for empty, other in ((left, right), (right, left)):
        if operator == "+" and isinstance(empty, TupleLiteral) and not empty.items and isinstance(other.type, TupleOf):
            return other  # C# has no empty tuple
    if operator == "*" and isinstance(left, TupleLiteral) and isinstance(right, Literal) and right.type == INT:
        items = [one for one in left.items if isinstance(one, Expression)] * max(right.value, 0)
        if effects(left).removable and len(items) == len(left.items) * max(right.value, 0):
            return TupleLiteral(tuple(items), type=TupleOf(tuple(one.type for one in items)), origin=left.origin)
    found = binary_type(operator, left, right)
    if found is None and operator == "**" and {left.type, right.type} <= {INT, BOOL}:
        found = observed_type(context, node)  # an int, or a float where the exponent is negative
        found = None if found not in (INT, FLOAT) else found
    if found is None:
        context.fail(node, f"{left.type} {operator} {right.type} in '{ast.unparse(node)}'")
    of_ints = {left.type, right.type} == {TENSOR, FLOAT} and not _is_of_floats(context, node, left.type == TENSOR)
    return Binary(operator, left, right, of_ints, type=found, origin=context.origin(node))


def _is_of_floats(context: Context, node: ast.AST, left: bool) -> bool:
    """Return whether an operand, the left or the right, was a tensor of floats in the run that observed it."""
    operand = getattr(node, "left" if left else "right", None)
    seen = None if operand is None else context.observation(operand).sample
    return isinstance(seen, torch.Tensor) and (seen.is_floating_point() or seen.is_complex())


def binary_type(operator: str, left: Expression, right: Expression) -> Type | None:
    """Return the type of an operation's result; None if Python has no such operation, or if the operands' types do not determine it."""
    kinds = (left.type, right.type)
    if TENSOR in kinds:
        other = right.type if left.type == TENSOR else left.type
        return TENSOR if other == TENSOR or is_number(other) else None
    if all(map(is_number, kinds)):
        return _type_of_numbers(operator, left, right)
    if STR in kinds:
        fits = kinds == (STR, STR) if operator == "+" else operator == "*" and set(kinds) == {STR, INT}
        return STR if fits else None
    if isinstance(left.type, SetOf) and isinstance(right.type, SetOf) and operator in ("|", "&", "-", "^"):
        return join(kinds)
    if isinstance(left.type, DictOf) and isinstance(right.type, DictOf) and operator == "|":
        return join(kinds)
    if operator == "+":
        return _type_of_concatenation(*kinds)
    if operator == "*" and INT in kinds:
        return _type_of_repetition(left, right) if right.type == INT else _type_of_repetition(right, left)
    return None


def _type_of_numbers(operator: str, left: Expression, right: Expression) -> Type | None:
    kinds = {left.type, right.type}
    if operator in ("&", "|", "^"):
        return None if FLOAT in kinds else BOOL if kinds == {BOOL} else INT
    if operator in ("<<", ">>"):
        return None if FLOAT in kinds else INT
    if operator == "@":
        return None
    if operator == "/" or FLOAT in kinds:
        return FLOAT
    if operator != "**":
        return INT
    if isinstance(right, Literal):
        return INT if right.value >= 0 else FLOAT
    return None


def _type_of_concatenation(left: Type, right: Type) -> Type | None:
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return join([left, right])
    if isinstance(left, TupleOf) and isinstance(right, TupleOf):
        return TupleOf(left.items + right.items)
    both_tuples = all(one == SIZES or isinstance(one, TupleOf) for one in (left, right))
    return SIZES if both_tuples and are_ints(left) and are_ints(right) else None


def _type_of_repetition(value: Expression, count: Expression) -> Type | None:
    if isinstance(value.type, ListOf):
        return value.type
    if isinstance(value.type, TupleOf) and isinstance(count, Literal):
        return TupleOf(value.type.items * max(count.value, 0))
    return SIZES if value.type == SIZES or (isinstance(value.type, TupleOf) and are_ints(value.type)) else None


def lower_unary(context: Context, node: ast.UnaryOp) -> Expression:
    """Lower ``-x``, ``+x``, ``~x`` and ``not x``; the negative of a literal is a literal."""
    origin = context.origin(node)
    if isinstance(node.op, ast.Not):
        test = as_bool(context.expression(node.operand))
        if isinstance(test, Not):
            return test.value
        return Not(test, origin=origin)
    value, operator = there(context.expression(node.operand)), _UNARY[type(node.op)]
    if isinstance(value, Literal) and type(value.value) in (int, float) and operator == "-" and not value.name:
        return Literal(-value.value, type=value.type, origin=origin)
    if (value.type != TENSOR and not is_number(value.type)) or (operator, value.type) == ("~", FLOAT):
        context.fail(node, f"{operator}{value.type} in '{ast.unparse(node)}'")
    found = INT if value.type == BOOL else value.type
    return Unary(operator, value, type=found, origin=origin)


# -- Truth -----------------------------------------------------------------------------------------------------------------


def logical(context: Context, node: ast.BoolOp, operator: str, found: tuple[Expression, ...]) -> Expression:
    """Return ``and`` or ``or`` of lowered operands, without operands of constant truth; of type UNKNOWN if they have no common type."""
    ending = operator == "or"
    *first, last = found
    kept = [one for one in first if truth(one) is None or (not is_read(one) and not _is_test(one))]
    if not kept:
        return last
    values = (*kept, last)
    if all(one.type == BOOL for one in values):
        return Logical(operator, values, type=BOOL, origin=context.origin(node))
    types = [required(one.type) if ending else one.type for one in kept]
    unknown = UNKNOWN in (*types, last.type)
    result = None if unknown else join([*(one for one in types if one != NONE or not ending), last.type])
    return Logical(operator, values, type=result or UNKNOWN, origin=context.origin(node))


def _is_test(value: Expression) -> bool:
    """Return whether an expression with a known truth is a test, which then consists of literals alone."""
    return isinstance(value, (Compare, Not, Logical))


# -- Comparisons -----------------------------------------------------------------------------------------------------------


def lower_compare(context: Context, node: ast.Compare) -> Expression:
    """Lower a comparison; a chain such as ``a < b < c`` is the ``and`` of its comparisons, with each operand evaluated once."""
    left = context.expression(node.left)
    links: list[Expression] = []
    for place, (operator, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if (known := _known(context, operator, left, comparator)) is not None and len(node.ops) == 1:
            return known
        right = context.expression(comparator)
        following = right
        if place < len(node.ops) - 1 and not is_read(right):
            target = context.scope.fresh("middle", right.type)
            following = Local(target.name, type=target.type, origin=right.origin)
            right = Bind(target.name, right, type=target.type, origin=right.origin)
        links.append(compared(context, node, _COMPARISONS[type(operator)], left, right))
        left = following
    if len(links) == 1:
        return links[0]
    values = tuple(as_bool(one) for one in links[:-1])
    last = links[-1] if all(one.type == BOOL for one in links) else as_bool(links[-1])
    if any(one.type == TENSOR for one in links):
        context.fail(node, f"'{ast.unparse(node)}', a chain of comparisons of tensors")
    return Logical("and", (*values, last), type=BOOL, origin=context.origin(node))


def _known(context: Context, operator: ast.cmpop, left: Expression, container: ast.expr) -> Expression | None:
    """Return whether a literal is a key in a table of functions of the source file (``in FUNCTIONS._mapping``); None for another test."""
    if not isinstance(operator, (ast.In, ast.NotIn)) or not isinstance(left, Literal):
        return None
    if isinstance(container, ast.Attribute):
        found = getattr(context.static(container.value), container.attr, None)
    else:
        found = context.static(container)
    if not isinstance(found, Mapping) or not found or not all(map(callable, found.values())):
        return None
    return Literal((left.value in found) == isinstance(operator, ast.In), type=BOOL, origin=left.origin)


def compared(context: Context, node: ast.AST, operator: str, left: Expression, right: Expression) -> Expression:
    """Return the comparison of two lowered operands."""
    if operator in ("is", "is-not"):
        return _same(context, node, operator, left, right)
    if operator in ("in", "not-in"):
        return _contained(context, node, operator, left, right)
    origin = context.origin(node)
    if TENSOR in (required(left.type), required(right.type)):
        if NONE in (left.type, right.type) and operator in ("==", "!="):  # the result is a bool in PyTorch, too
            return _same(context, node, "is" if operator == "==" else "is-not", left, right)
        left, right = there(left), there(right)
        other = right.type if left.type == TENSOR else left.type
        if other != TENSOR and not is_number(other):
            context.fail(node, f"{left.type} {operator} {right.type} in '{ast.unparse(node)}'")
        return Compare(operator, left, right, type=TENSOR, origin=origin)
    if operator in ("==", "!="):
        return _equal(context, node, operator, left, right)
    left, right = there(left), there(right)
    if not _is_ordered(left.type, right.type):
        context.fail(node, f"{left.type} {operator} {right.type} in '{ast.unparse(node)}'")
    return Compare(operator, left, right, type=BOOL, origin=origin)


def _same(context: Context, node: ast.AST, operator: str, left: Expression, right: Expression) -> Expression:
    """Return ``is`` or ``is not``: a literal if the types decide it; without None, only for values that have an identity in C#."""
    origin = context.origin(node)
    if left.type == NONE and right.type != NONE:
        left, right = right, left
    if right.type == NONE:
        if isinstance(left, Lambda):
            return Literal(operator == "is-not", type=BOOL, origin=origin)
        if left.type not in (NONE, UNKNOWN) and not isinstance(left.type, OptionalOf) and is_read(left):
            known = Literal(operator == "is-not", type=BOOL, origin=origin)
            return known if is_free(left) else after(left, known)
        if left.type == NONE and is_free(left):
            return Literal(operator == "is", type=BOOL, origin=origin)
        if is_choice(left.type):
            return as_bool(left) if operator == "is-not" else Not(as_bool(left), origin=origin)
        return Compare(operator, left, right, type=BOOL, origin=origin)
    if isinstance(left.type, ConstantOf) and isinstance(right.type, ConstantOf):
        return Literal((left.type == right.type) == (operator == "is"), type=BOOL, origin=origin)
    kinds = {required(left.type), required(right.type)}
    if kinds == {TENSOR} and context.method.stands_for is None:  # in PyTorch's own code it affects only rounding
        context.fail(node, f"the identity of tensors, which C# has several objects for: '{ast.unparse(node)}'")
    if len(kinds) == 1 and kinds <= {BOOL, DTYPE}:
        return _equal(context, node, "==" if operator == "is" else "!=", left, right)
    by_identity = [one == TENSOR or isinstance(one, (ModuleOf, ModulesOf, ListOf, DictOf, SetOf)) for one in kinds]
    if all(by_identity):
        return Compare(operator, left, right, type=BOOL, origin=origin)
    raise Untranslatable(
        context.origin(node), f"the identity of a {left.type} and a {right.type}: '{ast.unparse(node)}'"
    )


def _contained(context: Context, node: ast.AST, operator: str, left: Expression, right: Expression) -> Expression:
    right = there(right)
    if isinstance(right, DictLiteral) and isinstance(left, Literal):  # a name in kwargs
        keys = [key.value for key, _ in right.entries if isinstance(key, Literal)]
        if len(keys) == len(right.entries) and may_drop(value for _, value in right.entries):
            return Literal((left.value in keys) == (operator == "in"), type=BOOL, origin=context.origin(node))
    if right.type == TENSOR and (required(left.type) == TENSOR or is_number(left.type)):
        return _in_tensor(context, node, operator, left, right)
    element = element_of(right.type)
    if element is None or right.type == TENSOR or required(element) == TENSOR:
        mixed = isinstance(right, TupleLiteral) and all(
            one.type != TENSOR for one in right.items if isinstance(one, Expression)
        )
        if not mixed:
            context.fail(node, f"whether a {left.type} is in a {right.type}: '{ast.unparse(node)}'")
    return Compare(operator, left, right, type=BOOL, origin=context.origin(node))


def _in_tensor(context: Context, node: ast.AST, operator: str, left: Expression, right: Expression) -> Expression:
    """Return whether any element of a tensor equals a value, which is PyTorch's meaning of ``in``."""
    origin = context.origin(node)
    equal = compared(context, node, "==", left, right)
    found = Truth(TorchCall(torch.Tensor.any, equal, (), (), 0, type=TENSOR, origin=origin), origin=origin)
    return found if operator == "in" else Not(found, origin=origin)


def _equal(context: Context, node: ast.AST, operator: str, left: Expression, right: Expression) -> Expression:
    """Return ``==`` or ``!=``; a literal if no value of one type equals a value of the other."""
    origin = context.origin(node)
    one, other = required(left.type), required(right.type)
    if UNKNOWN in (one, other):
        context.fail(node, f"'{ast.unparse(node)}', of a value of no known type")
    if _holds_tensor(one) and _holds_tensor(other):
        context.fail(node, f"whether containers of tensors are equal: '{ast.unparse(node)}'")
    if NONE in (one, other) or all(isinstance(kind, ConstantOf) and callable(kind.value) for kind in (one, other)):
        return _same(context, node, "is" if operator == "==" else "is-not", left, right)
    if _can_equal(one, other):
        return Compare(operator, left, right, type=BOOL, origin=origin)
    if is_free(left) and is_free(right):
        never = literal(operator == "!=", origin)
        assert never is not None
        return never
    raise Untranslatable(context.origin(node), f"whether a {left.type} equals a {right.type}: '{ast.unparse(node)}'")


def _holds_tensor(found: Type) -> bool:
    parts = found.items if isinstance(found, TupleOf) else (found.element,) if isinstance(found, ListOf) else ()
    return any(required(one) == TENSOR or _holds_tensor(one) for one in parts)


def _can_equal(one: Type, other: Type) -> bool:
    if is_number(one) and is_number(other):
        return True
    if are_ints(one) and are_ints(other):  # a list of ints never equals a tuple of ints
        return isinstance(one, ListOf) == isinstance(other, ListOf)
    if isinstance(one, TupleOf) and isinstance(other, TupleOf):
        return len(one.items) == len(other.items)
    return one == other or join([one, other]) is not None


def _is_ordered(left: Type, right: Type) -> bool:
    if is_number(left) and is_number(right):
        return True
    if left == right == STR:
        return True
    if isinstance(left, SetOf):
        return left == right
    sequences = (are_ints(left) and are_ints(right)) or (isinstance(left, (ListOf, TupleOf)) and left == right)
    return sequences and not _holds_tensor(left) and DEVICE not in (left, right)
