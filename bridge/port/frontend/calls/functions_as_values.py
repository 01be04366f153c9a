"""Functions and methods that are values: ``F.relu`` or ``self.helper`` as an argument becomes a lambda that calls it."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any, Final

import torch

from bridge.port.frontend.calls.callees import is_function, is_maker, is_torch, method_of, named
from bridge.port.frontend.calls.libraries.torch_schemas import result_of, signatures
from bridge.port.frontend.context import Context
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Argument,
    Expression,
    Function,
    FunctionCall,
    Lambda,
    Literal,
    Local,
    MethodCall,
    Origin,
    Self,
    TorchCall,
)
from bridge.port.ir.truths import truth
from bridge.port.ir.types import DTYPE, TENSOR, UNKNOWN, ConstantOf, FunctionOf, ModuleOf
from bridge.port.observe.sources import unwrap

_TENSOR_TYPE: Final[Any] = type(torch.FloatTensor)
_DTYPES: Final = {bool: torch.bool, int: torch.int64, float: torch.float64}


def lower(context: Context, node: ast.expr | ast.arg, value: Any) -> Expression:
    """Lower an object that an expression names: a function as a lambda; a dtype, a class of modules or a partial as a literal."""
    if any(value is one for one in _DTYPES):  # types that PyTorch takes as dtypes
        return Literal(_DTYPES[value], type=DTYPE, origin=context.origin(node))
    if isinstance(value, _TENSOR_TYPE) and not value.is_cuda:  # x.type(torch.FloatTensor)
        return Literal(value.dtype, type=DTYPE, origin=context.origin(node))
    if context.surroundings.constructs and is_maker(value):
        return Literal(value, type=ConstantOf(value), origin=context.origin(node))
    if isinstance(value, types.FunctionType) and not is_torch(value):
        header = context.surroundings.function(unwrap(value), context.origin(node))
        return _lambda(context, node, header, None, value)
    if callable(value) and is_torch(value) and not isinstance(value, type):
        return lambda_of(value, context.origin(node)) or context.fail(node, f"'{ast.unparse(node)}' as a value")
    raise Untranslatable(context.origin(node), f"'{ast.unparse(node)}', a {type(value).__name__} that is no constant")


def constant(context: Context, node: ast.expr) -> Literal | None:
    """Return a constant for the function of a source file that an expression names; None for another expression.

    ``a if test else b`` names one of two functions where literals and settings decide the test.
    """
    if isinstance(node, ast.IfExp) and all(is_function(named(context, one)) for one in (node.body, node.orelse)):
        decision = truth(context.condition(node.test))
        return None if decision is None else constant(context, node.body if decision else node.orelse)
    found = _static(context, node) or named(context, node)
    return Literal(found, type=ConstantOf(found), origin=context.origin(node)) if is_function(found) else None


def _static(context: Context, node: ast.expr) -> Any:
    """Return the function of ``self.name``, if this is a static method of the module itself; None for another expression."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == context.receiver
    found = method_of(context.surroundings.kind, node.attr) if own and isinstance(node, ast.Attribute) else None
    return found.__func__ if isinstance(found, staticmethod) else None


def chosen(context: Context, node: ast.expr, given: Sequence[ast.expr]) -> Expression | None:
    """Return, as a constant, the only function that an expression such as ``FUNCTIONS[config.kind]`` gave in the runs; else None.

    ``given`` are the expressions that decide the function; they must be constants.
    """
    values = context.observation(node).values
    if len(values) != 1 or len(context.observation(node).types) != 1 or not is_function(values[0]):
        return None
    for one in given:
        if not is_function(named(context, one)) and not isinstance(context.expression(one), Literal):
            return None
    return Literal(values[0], type=ConstantOf(values[0]), origin=context.origin(node))


def lambda_of(value: Any, origin: Origin) -> Lambda | None:
    """Return a lambda that calls a function of PyTorch's with one tensor; None if it takes no argument or does not return a tensor."""
    found = signatures(value, method=False)
    if not found or not found[0].parameters or result_of(value) != TENSOR:
        return None
    names = found[0].names
    argument = Argument(names[0], Local("x", type=TENSOR, origin=origin), origin=origin)
    call = TorchCall(value, None, (argument,), names, type=TENSOR, origin=origin)
    return Lambda(("x",), call, type=FunctionOf((TENSOR,), TENSOR), origin=origin)


def lower_method(context: Context, node: ast.AST, name: str) -> Expression:
    """Return a lambda that calls a method of the module itself."""
    found = method_of(context.surroundings.kind, name)
    function = found.__func__ if isinstance(found, staticmethod) else found
    if not isinstance(function, types.FunctionType) or is_torch(function):
        context.fail(node, f"'{ast.unparse(node)}' as a value")
    header = context.surroundings.function(unwrap(function), context.origin(node))
    receiver = None if isinstance(found, staticmethod) else itself(context, node)
    return _lambda(context, node, header, receiver, function)


def call_property(context: Context, node: ast.AST, found: property) -> Expression:
    """Return the value of a property of the module itself: a call of the function that computes it."""
    function = unwrap(found.fget)
    if not isinstance(function, types.FunctionType) or function not in context.surroundings.methods:
        context.fail(node, f"the property '{ast.unparse(node)}', which is not of the source that was watched")
    origin = context.origin(node)
    header = context.surroundings.function(function, origin)
    return MethodCall(itself(context, node), function, (), type=header.result, origin=origin)


def itself(context: Context, node: ast.AST) -> Self:
    """Return the module itself."""
    kind = context.surroundings.kind
    return Self(type=UNKNOWN if kind is None else ModuleOf(kind), origin=context.origin(node))


def _lambda(
    context: Context, node: ast.AST, header: Function, receiver: Self | None, function: types.FunctionType
) -> Expression:
    origin, function = context.origin(node), unwrap(function)
    needed = [one for one in header.parameters if one.default is None]
    if any(one.spread for one in header.parameters):
        context.fail(node, f"'{ast.unparse(node)}' as a value, of any number of arguments")
    given = tuple(Argument(one.name, Local(one.name, type=one.type, origin=origin), origin=origin) for one in needed)
    body: Expression = (
        FunctionCall(function, given, type=header.result, origin=origin)
        if receiver is None
        else MethodCall(receiver, function, given, type=header.result, origin=origin)
    )
    found = FunctionOf(tuple(one.type for one in needed), header.result)
    return Lambda(tuple(one.name for one in needed), body, type=found, origin=origin)
