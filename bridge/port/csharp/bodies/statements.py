"""Statements of C# for those of Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from bridge.port.csharp import construction, tree
from bridge.port.csharp.bodies import assignments, loops
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as ir_types
from bridge.port.ir.errors import Untranslatable

Statements = tuple[tree.Statement, ...]

_EXCEPTIONS: Final = {
    "ValueError": "ArgumentException",
    "TypeError": "ArgumentException",
    "KeyError": "KeyNotFoundException",
    "IndexError": "IndexOutOfRangeException",
    "NotImplementedError": "NotImplementedException",
    "ImportError": "NotSupportedException",
    "ZeroDivisionError": "DivideByZeroException",
    "OverflowError": "OverflowException",
    "ArithmeticError": "ArithmeticException",
}
_OPPOSITES: Final = {"==": "!=", "!=": "==", "is": "is not", "is not": "is"}
_ORDERS: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_ANY_EXCEPTION: Final = "InvalidOperationException"


def lower_all(emission: Emission, nodes: Sequence[ir.Statement]) -> Statements:
    """Return statements in C#, up to the first after which nothing is reached: the compiler warns of what follows."""
    made: list[tree.Statement] = []
    for node in nodes:
        made += _commented(node, _LOWERING[type(node)](emission, node))
        if ends(node):
            break
    return tuple(made)


def ends(node: ir.Statement) -> bool:
    """Return whether nothing after a statement in its block is reached."""
    if isinstance(node, ir.If):
        return _block_ends(node.body) and _block_ends(node.other)
    if isinstance(node, ir.GradientMode):
        return _block_ends(node.body)
    if isinstance(node, ir.While):
        return isinstance(node.test, ir.Literal) and bool(node.test.value) and not loops.breaks(node.body)
    return isinstance(node, (ir.Return, ir.Raise, ir.Break, ir.Continue, ir.Unsupported))


def opposite(test: tree.Expression) -> tree.Expression:
    """Return the negation of a test. ``a < b`` has none without brackets: with NaN, ``a >= b`` is false, too."""
    if isinstance(test, tree.Unary) and test.operator == "!" and not test.postfix:
        return test.operand
    if isinstance(test, tree.Binary) and test.operator in _OPPOSITES:
        is_declared = isinstance(test.right, tree.DeclarationPattern)
        return tree.Unary("!", test) if is_declared else tree.Binary(_OPPOSITES[test.operator], test.left, test.right)
    return tree.Unary("!", test)


def negated(emission: Emission, test: ir.Expression) -> tree.Expression:
    """Return the negation of a test in C#; that of an order of whole numbers is the other order."""
    if (
        isinstance(test, ir.Compare)
        and test.operator in _ORDERS
        and {test.left.type, test.right.type} == {ir_types.INT}
    ):
        return emission.expression(replace(test, operator=_ORDERS[test.operator]))
    return opposite(emission.expression(test))


def _block_ends(nodes: Sequence[ir.Statement]) -> bool:
    return any(map(ends, nodes))


def _commented(node: ir.Statement, made: Statements) -> Statements:
    """Return what a statement became with its comments; nothing where it became nothing."""
    if not made:
        return ()
    above, beside = list(node.comments), node.remark
    if beside and len(made) > 1:
        above.append(beside)
    elif beside:
        made = (tree.Remarked(made[0], beside),)
    return (*map(tree.Comment, above), *made)


def _if(emission: Emission, node: ir.If) -> Statements:
    test = emission.expression(node.test)
    body, other = emission.statements(node.body), _otherwise(emission, node.other)
    if other and not body:
        return (tree.If(negated(emission, node.test), other),)
    return (tree.If(test, body, other),)


def _otherwise(emission: Emission, nodes: Sequence[ir.Statement]) -> Statements:
    """Return what stands after else; the comments of an ``elif`` go into its body, for none stands between else and if."""
    if len(nodes) != 1 or not isinstance(nodes[0], ir.If):
        return emission.statements(nodes)
    inner, said = _if(emission, nodes[0]), [*nodes[0].comments, *filter(None, [nodes[0].remark])]
    (only,) = inner
    assert isinstance(only, tree.If)
    return (tree.If(only.test, (*map(tree.Comment, said), *only.body), only.other),)


def _return(emission: Emission, node: ir.Return) -> Statements:
    if emission.result != ir_types.NONE:
        value = (
            tree.Literal(None)
            if node.value is None
            else emission.expression(assignments.fitted(node.value, emission.result))
        )
        return (tree.Return(value),)
    before = () if node.value is None else _evaluated(emission, node.value)
    return (*before, tree.Return())


def _raise(emission: Emission, node: ir.Raise) -> Statements:
    kind = node.kind.rpartition(".")[2]
    if not kind:
        raise Untranslatable(node.origin, "a raise without an exception")
    return (_thrown(emission, _EXCEPTIONS.get(kind, _ANY_EXCEPTION), node.message),)


def _assert(emission: Emission, node: ir.Assert) -> Statements:
    test = node.test if node.test.type == ir_types.BOOL else ir.Truth(node.test, origin=node.origin)
    return (tree.If(negated(emission, test), (_thrown(emission, _ANY_EXCEPTION, node.message),)),)


def _thrown(emission: Emission, kind: str, message: ir.Expression | None) -> tree.Throw:
    if message is not None and message.type != ir_types.STR:
        message = ir.Format((message,), ("",), type=ir_types.STR, origin=message.origin)
    arguments = () if message is None else (tree.Argument(emission.expression(message)),)
    return tree.Throw(tree.New(tree.Type(kind), arguments))


def _unsupported(emission: Emission, node: ir.Unsupported) -> Statements:
    why = tree.Literal(f"{node.origin}: {node.why}")
    return (tree.Throw(tree.New(tree.Type("NotSupportedException"), (tree.Argument(why),))),)


def _evaluate(emission: Emission, node: ir.Evaluate) -> Statements:
    return _evaluated(emission, node.value)


def _evaluated(emission: Emission, value: ir.Expression) -> Statements:
    """Return an expression for its effect: C# takes calls and assignments alone as statements."""
    if isinstance(value, (ir.Literal, ir.Local, ir.Self, ir.Field)):
        return ()
    if isinstance(value, ir.Conditional):
        body, other = _evaluated(emission, value.body), _evaluated(emission, value.other)
        test = emission.expression(value.test)
        return (tree.If(test, body, other) if body else tree.If(opposite(test), other),)
    if isinstance(value, ir.Logical) and all(one.type == ir_types.BOOL for one in value.values[:-1]):
        first, last = value.values[:-1], value.values[-1]
        head = first[0] if len(first) == 1 else ir.Logical(value.operator, first, type=ir_types.BOOL)
        test = emission.expression(head)
        return (tree.If(test if value.operator == "and" else opposite(test), _evaluated(emission, last)),)
    made = emission.expression(value)
    while isinstance(made, tree.Cast) or (isinstance(made, tree.Unary) and made.operator == "!" and made.postfix):
        made = made.value if isinstance(made, tree.Cast) else made.operand
    if isinstance(made, (tree.Call, tree.Assigned)):
        return (tree.Evaluate(made),)
    return (tree.Assign(tree.Name("_"), made),)


def _gradient_mode(emission: Emission, node: ir.GradientMode) -> Statements:
    mode = tree.Call(tree.Member(tree.Name("torch"), node.mode))
    return (tree.Using(mode, emission.statements(node.body)),)


def _nested_function(emission: Emission, node: ir.NestedFunction) -> Statements:
    result, around = emission.result, emission.loops
    emission.result, emission.loops = node.result, []
    parameters, before = assignments.parameters(emission, node.parameters)
    body = (*before, *emission.statements(node.body))
    emission.result, emission.loops = result, around
    returned = assignments.result_type(emission, node.result, node.origin)
    return (tree.LocalFunction(node.name, returned, parameters, body),)


def _note(emission: Emission, node: ir.Note) -> Statements:
    return (tree.Comment(node.text),)


_LOWERING: Final[dict[type[ir.Statement], Callable[[Emission, Any], Statements]]] = {
    ir.Assign: assignments.assign,
    ir.Declare: assignments.declare,
    ir.Augment: assignments.augment,
    ir.Evaluate: _evaluate,
    ir.If: _if,
    ir.For: loops.loop,
    ir.CountingLoop: loops.counting,
    ir.While: loops.while_,
    ir.Break: loops.break_,
    ir.Continue: loops.continue_,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.GradientMode: _gradient_mode,
    ir.RegisterBuffer: construction.lower_register_buffer,
    ir.Freeze: construction.lower_freeze,
    ir.NestedFunction: _nested_function,
    ir.Unsupported: _unsupported,
    ir.Note: _note,
}
