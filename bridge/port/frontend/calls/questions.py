"""Questions about types and attributes, which static types answer: ``isinstance``, ``hasattr``, ``getattr``, ``callable``."""

from __future__ import annotations

import ast
from typing import Any, Final

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from bridge.port.frontend.calls.callees import NOTHING, method_of, named
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import is_read, none
from bridge.port.ir.effects import effects
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import BuiltinCall, Compare, Expression, Literal, Logical, TupleItem, TupleLiteral
from bridge.port.ir.truths import truth
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    PACKED,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    ConstantOf,
    DictOf,
    FunctionOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    SetOf,
    TupleOf,
    Type,
    required,
)

#: The class of Python's of which the values of a type are, none being of a class below.
_CLASSES: Final[dict[Type, type]] = {
    INT: int,
    FLOAT: float,
    BOOL: bool,
    STR: str,
    NONE: type(None),
    TENSOR: torch.Tensor,
    DTYPE: torch.dtype,
    DEVICE: torch.device,
    SIZES: tuple,
    PACKED: PackedSequence,
}
_CONTAINERS: Final[dict[type[Type], type]] = {ListOf: list, TupleOf: tuple, SetOf: set, DictOf: dict}


def lower_isinstance(context: Context, node: ast.Call) -> Expression:
    """Lower ``isinstance(value, classes)``: a literal by the type of the value; of an optional value, whether it is there."""
    value = context.expression(node.args[0])
    kinds = _classes(context, node.args[1])
    origin = context.origin(node)
    inner = required(value.type)
    answer = _is_of(inner, kinds)
    if answer is None and isinstance(value.type, ModuleOf):
        return _is_module_of(context, node, value, kinds)
    is_optional = isinstance(value.type, OptionalOf)
    if answer is None or (is_optional and not is_read(value)):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    if not is_optional:
        literal = Literal(answer, type=BOOL, origin=origin)
        return literal if is_read(value) or effects(value).removable else _after(value, literal)
    of_none = type(None) in kinds
    if answer == of_none:
        return Literal(answer, type=BOOL, origin=origin)
    return Compare("is" if of_none else "is-not", value, none(origin), type=BOOL, origin=origin)


def _after(value: Expression, then: Expression) -> Expression:
    """Return a value that is computed after another, which may raise or change something."""
    both = TupleLiteral((value, then), type=TupleOf((value.type, then.type)), origin=then.origin)
    return TupleItem(both, 1, type=then.type, origin=then.origin)


def _is_module_of(context: Context, node: ast.Call, value: Expression, kinds: tuple[Any, ...]) -> Expression:
    """Return whether a module is of one of the classes that it was of in the runs, or of those asked for if they are PyTorch's."""
    seen = {type(one) for one in context.observation(node.args[0]).values if isinstance(one, nn.Module)}
    asked = [one for one in sorted(seen, key=lambda one: one.__name__) if issubclass(one, kinds)]
    if not asked and not any(map(context.surroundings.is_own, kinds)):
        asked = list(kinds)
    if not seen or not asked or not (len(asked) == 1 or is_read(value)):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    origin = context.origin(node)
    tests = tuple(
        BuiltinCall("isinstance", (value, Literal(one, type=UNKNOWN, origin=origin)), type=BOOL, origin=origin)
        for one in asked
    )
    return tests[0] if len(tests) == 1 else Logical("or", tests, type=BOOL, origin=origin)


def _classes(context: Context, node: ast.expr) -> tuple[Any, ...]:
    """Return the classes that the second argument names."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(kind for one in node.elts for kind in _classes(context, one))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return (*_classes(context, node.left), *_classes(context, node.right))
    found = named(context, node)
    if isinstance(found, tuple):
        return found
    if not isinstance(found, type):
        context.fail(node, f"the class '{ast.unparse(node)}'")
    return (found,)


def _is_of(found: Type, kinds: tuple[Any, ...]) -> bool | None:
    """Return whether values of a type are of one of the classes; None where some are and some are not."""
    if isinstance(found, ModuleOf):
        if issubclass(found.kind, kinds):
            return True
        return None if any(issubclass(one, found.kind) for one in kinds) else False
    if isinstance(found, ModulesOf):
        return issubclass(found.kind, kinds)
    kind = _CLASSES.get(found) or _CONTAINERS.get(type(found))
    if kind is None or (isinstance(found, TupleOf) and found.names and set(kinds) - {tuple, dict, list, torch.Tensor}):
        return None
    if kind is torch.Tensor and nn.Parameter in kinds and torch.Tensor not in kinds:
        return None
    if kind is tuple and found == SIZES and tuple not in kinds and torch.Size in kinds:
        return None
    return issubclass(kind, tuple(_plain(one) for one in kinds))


def _plain(kind: Any) -> Any:
    """Return a class; for an abstract one of numbers or collections that itself."""
    return kind if isinstance(kind, type) else object


def lower_callable(context: Context, node: ast.Call) -> Expression:
    """Lower ``callable(value)``."""
    value = context.expression(node.args[0])
    if value.type == UNKNOWN or isinstance(value.type, OptionalOf) or not is_read(value):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    answer = isinstance(value.type, (ModuleOf, ModulesOf, FunctionOf))
    return Literal(answer, type=BOOL, origin=context.origin(node))


def _name(context: Context, node: ast.Call) -> str:
    name = context.expression(node.args[1])
    if not isinstance(name, Literal) or not isinstance(name.value, str):
        context.fail(node, f"'{ast.unparse(node)}', with a name that is computed")
    return name.value


def lower_hasattr(context: Context, node: ast.Call) -> Expression:
    """Lower ``hasattr(value, name)``: by the class of the value."""
    name, owner = _name(context, node), node.args[0]
    origin = context.origin(node)
    if (known := named(context, owner)) is not NOTHING:
        return Literal(hasattr(known, name), type=BOOL, origin=origin)
    if isinstance(owner, ast.Name) and owner.id == context.receiver:
        return _has(context, node, name)
    value = context.expression(owner)
    if isinstance(value.type, ConstantOf):
        return Literal(hasattr(value.type.value, name), type=BOOL, origin=origin)
    kind = value.type.kind if isinstance(value.type, ModuleOf) else _CLASSES.get(value.type)
    if kind is None:
        kind = _CONTAINERS.get(type(value.type))
    if kind is None or not is_read(value) or (isinstance(value.type, ModuleOf) and not hasattr(kind, name)):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    return Literal(hasattr(kind, name), type=BOOL, origin=origin)


def _has(context: Context, node: ast.Call, name: str) -> Expression:
    """Return whether the module itself has an attribute; where some instances lack it, whether it is there."""
    origin = context.origin(node)
    if method_of(context.surroundings.kind, name) is not NOTHING:
        return Literal(True, type=BOOL, origin=origin)
    found = context.surroundings.has(name)
    if found is not None:
        return Literal(found, type=BOOL, origin=origin)
    field = context.surroundings.field(name, origin)
    if not isinstance(field.type, OptionalOf):
        context.fail(node, f"'{ast.unparse(node)}', which is another in another instance")
    return Compare("is-not", field, none(origin), type=BOOL, origin=origin)


def lower_getattr(context: Context, node: ast.Call) -> Expression:
    """Lower ``getattr(value, name, default)``: the attribute, or the default where the class has none."""
    name, owner = _name(context, node), node.args[0]
    attribute = ast.copy_location(ast.Attribute(owner, name, ast.Load()), node)
    seen = context.observation(node)
    if seen.types:
        context.method.seen[attribute] = seen
    if len(node.args) < 3:
        return context.expression(attribute)
    if not (isinstance(owner, ast.Name) and owner.id == context.receiver):
        return _or_default(context, node, attribute)
    has = truth(_has(context, node, name))
    if has is None:
        context.fail(node, f"'{ast.unparse(node)}', which some instances lack")
    return context.expression(attribute if has else node.args[2])


def _or_default(context: Context, node: ast.Call, attribute: ast.Attribute) -> Expression:
    value = context.expression(attribute.value)
    if isinstance(value.type, ConstantOf):
        return context.expression(attribute if hasattr(value.type.value, attribute.attr) else node.args[2])
    if value.type == NONE and is_read(value):
        return context.expression(attribute if hasattr(None, attribute.attr) else node.args[2])
    kind = value.type.kind if isinstance(value.type, ModuleOf) else _CLASSES.get(value.type)
    if kind is not None and hasattr(kind, attribute.attr):
        return context.expression(attribute)
    if kind is not None and not isinstance(value.type, ModuleOf) and is_read(value):
        return context.expression(node.args[2])
    raise Untranslatable(context.origin(node), f"'{ast.unparse(node)}' of a {value.type}")
