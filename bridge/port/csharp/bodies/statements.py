"""Lowering of statements to C#."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from bridge.port.csharp import construction, tree
from bridge.port.csharp.bodies import assignments, loops, tidying
from bridge.port.csharp.building import chained, unsupported
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as ir_types
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.traversal import rebuilt, walk

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
    """Return statements in C#, up to the first that makes the rest unreachable: the compiler warns of unreachable code."""
    made: list[tree.Statement] = []
    for node in nodes:
        lowered = _commented(node, _LOWERING[type(node)](emission, node))
        made += lowered[1:] if made and isinstance(made[-1], tree.Comment) and lowered[:1] == (made[-1],) else lowered
        if ends(node):
            break
    return tuple(made)


def ends(node: ir.Statement) -> bool:
    """Return whether the code after a statement in its block is unreachable."""
    if isinstance(node, ir.If):
        return _block_ends(node.body) and _block_ends(node.other)
    if isinstance(node, ir.GradientMode):
        return _block_ends(node.body)
    if isinstance(node, ir.While):
        return isinstance(node.test, ir.Literal) and bool(node.test.value) and not loops.breaks(node.body)
    return isinstance(node, (ir.Return, ir.Raise, ir.Break, ir.Continue, ir.Unsupported))


def opposite(test: tree.Expression) -> tree.Expression:
    """Return the negation of a test. For ``a < b``, return ``!(a < b)``, since ``a >= b`` is false with NaN, too."""
    if isinstance(test, tree.Unary) and test.operator == "!" and not test.postfix:
        return test.operand
    if isinstance(test, tree.Binary) and test.operator in _OPPOSITES:
        is_declared = isinstance(test.right, tree.DeclarationPattern)
        return tree.Unary("!", test) if is_declared else tree.Binary(_OPPOSITES[test.operator], test.left, test.right)
    return tree.Unary("!", test)


def negated(emission: Emission, test: ir.Expression) -> tree.Expression:
    """Return the negation of a test in C#; for ``a < b`` of two ints, ``a >= b``."""
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
    """Return the lowered statements of a node with its comments; no comments if there are no statements."""
    if not made:
        return ()
    above, beside = list(node.comments), node.remark
    if beside and len(made) > 1:
        above.append(beside)
    elif beside:
        made = (tree.Remarked(made[0], beside),)
    return (*map(tree.Comment, above), *made)


def _if(emission: Emission, node: ir.If) -> Statements:
    if (asked := _asked(node)) is not None:
        return _if_is(emission, node, *asked)
    test = emission.expression(node.test)
    body, other = emission.statements(node.body), _otherwise(emission, node.other)
    if other and not body:
        return (tree.If(negated(emission, node.test), other),)
    return (tidying.without_null_marks(tree.If(test, body, other)),)


def _branch(emission: Emission, node: ir.If) -> Statements:
    return tuple(tidying.assigned_if_null(one) if isinstance(one, tree.If) else one for one in _if(emission, node))


def _asked(node: ir.If) -> tuple[ir.Local, ir_types.ModuleOf] | None:
    """Return the module and the class of an ``isinstance`` test whose branch uses members of that class; None for another test."""
    whole = node.test.values if isinstance(node.test, ir.Logical) and node.test.operator == "and" else (node.test,)
    first = whole[0]
    if not isinstance(first, ir.BuiltinCall) or first.name != "isinstance":
        return None
    value, kind = first.arguments
    if not isinstance(value, ir.Local) or not isinstance(kind, ir.Literal):
        return None
    found = ir_types.ModuleOf(kind.value)
    below = [one for part in (*whole[1:], *node.body) for one in walk(part)]
    read = any(isinstance(one, ir.Convert) and one.value == value and one.type == found for one in below)
    assigned = any(isinstance(one, ir.LocalTarget) and one.name == value.name for one in below)
    return (value, found) if read and not assigned else None


def _if_is(emission: Emission, node: ir.If, value: ir.Local, found: ir_types.ModuleOf) -> Statements:
    """Return ``if (m is Conv2d conv)``, whose branch calls the module ``conv``."""
    kind = emission.type_of(found, node.origin)
    stem = kind.name.rstrip("d").rstrip("0123456789") if kind.name[-2:-1].isdigit() else kind.name
    name = emission.fresh(stem.lower() if stem.isupper() else stem[:1].lower() + stem[1:])

    def named(one: Any) -> Any:
        if isinstance(one, ir.Convert) and one.value == value and one.type == found:
            return ir.Local(name, type=found, origin=one.origin)
        return rebuilt(one, named)

    test: tree.Expression = tree.Binary("is", emission.expression(value), tree.DeclarationPattern(kind, name))
    rest = node.test.values[1:] if isinstance(node.test, ir.Logical) else ()
    test = chained("&&", [test, *(emission.expression(named(one)) for one in rest)])
    body = emission.statements(tuple(map(named, node.body)))
    return (tidying.without_null_marks(tree.If(test, body, _otherwise(emission, node.other))),)


def _otherwise(emission: Emission, nodes: Sequence[ir.Statement]) -> Statements:
    """Return the statements of an ``else``; the comments of an ``elif`` go into its body, since ``else if`` has no line for them."""
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
    return (tree.Throw(unsupported(f"{node.origin}: {node.why}")),)


def _evaluate(emission: Emission, node: ir.Evaluate) -> Statements:
    return _evaluated(emission, node.value)


def _evaluated(emission: Emission, value: ir.Expression) -> Statements:
    """Return statements for the effect of an expression: only calls and assignments are statements in C#."""
    if isinstance(value, (ir.Literal, ir.Local, ir.Self, ir.Field)):
        return ()
    if isinstance(value, ir.UnsupportedValue):
        return (tree.Throw(unsupported(f"{value.origin}: {value.why}")),)
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
    ir.If: _branch,
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
    ir.ReplaceBuffer: construction.lower_replace_buffer,
    ir.RegisterComponents: construction.lower_register_components,
    ir.Tie: construction.lower_tie,
    ir.Freeze: construction.lower_freeze,
    ir.NestedFunction: _nested_function,
    ir.Unsupported: _unsupported,
    ir.Note: _note,
}
