"""Calls by which a constructor registers parts: ``super().__init__()``, ``register_buffer``, ``add_module``, ``setattr(self, …)``."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from torch import nn

from bridge.port.frontend.calls.arguments import bound
from bridge.port.frontend.calls.callees import NOTHING, is_torch, method_of
from bridge.port.frontend.calls.callees import named as object_of
from bridge.port.frontend.calls.functions_as_values import itself
from bridge.port.frontend.context import Context
from bridge.port.frontend.scope import coerced
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Assign,
    ContainerCall,
    Evaluate,
    Expression,
    Literal,
    MethodCall,
    ModulesFrom,
    Note,
    PlaceTarget,
    RegisterBuffer,
    Statement,
    TupleLiteral,
)
from bridge.port.ir.types import (
    NONE,
    PLAIN_MODULE,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    TupleOf,
    Type,
    join,
    required,
)
from bridge.port.observe.sources import unwrap

#: Methods of ``nn.Module`` that register a part under a name, and their parameters.
_REGISTERING: Final = {
    "register_buffer": ("name", "tensor", "persistent"),
    "register_parameter": ("name", "param"),
    "add_module": ("name", "module"),
    "register_module": ("name", "module"),
}


def lower(context: Context, node: ast.Call) -> tuple[Statement, ...] | None:
    """Lower a call by which a constructor registers a part of the module, or calls the constructor of a base; None for another call."""
    if not (context.surroundings.constructs and context.receiver):
        return None
    function = node.func
    if isinstance(function, ast.Name) and function.id == "setattr" and not context.scope.knows("setattr"):
        first = node.args[0] if len(node.args) == 3 else None
        own = isinstance(first, ast.Name) and first.id == context.receiver
        return _assigned(context, node, node.args[1], context.expression(node.args[2])) if own else None
    if not isinstance(function, ast.Attribute):
        return None
    if function.attr == "__init__":
        return _of_base(context, node, function)
    own = isinstance(function.value, ast.Name) and function.value.id == context.receiver
    found = method_of(context.surroundings.kind, function.attr)
    if not own or function.attr not in _REGISTERING or not is_torch(found):
        return None
    given = dict(zip(_REGISTERING[function.attr], node.args, strict=False))
    given |= {one.arg: one.value for one in node.keywords if one.arg is not None}
    name, value = given["name"], given[_REGISTERING[function.attr][1]]
    if function.attr != "register_buffer":
        return _assigned(context, node, name, context.expression(value))
    return _buffer(context, node, name, context.expression(value), given.get("persistent"))


def _name(context: Context, node: ast.expr) -> str:
    found = context.expression(node)
    if not isinstance(found, Literal) or not isinstance(found.value, str):
        context.fail(node, f"a part whose name is made when the constructor runs: '{ast.unparse(node)}'")
    return found.value


def entry(context: Context, node: ast.AST, name: Expression, value: Expression) -> tuple[Statement, ...] | None:
    """Return the statement that adds a child to a module whose class takes any number of children; None for other classes and values."""
    origin = context.origin(node)
    entries = context.surroundings.entries(origin)
    if entries is None or not isinstance(required(value.type), (ModuleOf, ModulesOf)):
        return None
    assert isinstance(entries.type, ListOf)
    element = entries.type.element
    assert isinstance(element, TupleOf)
    if name.type != STR or join((value.type, element.items[1])) != element.items[1]:
        context.fail(node, f"a child that is a {value.type} among those of a class that takes any number of them")
    pair = TupleLiteral((name, value), type=element, origin=origin)
    return (Evaluate(ContainerCall(entries, "append", (pair,), type=NONE, origin=origin), origin=origin),)


def _assigned(context: Context, node: ast.Call, name: ast.expr, value: Expression) -> tuple[Statement, ...]:
    """Return the assignment of a part to the field of its name."""
    if (added := entry(context, node, context.expression(name), value)) is not None:
        return added
    place, origin = _name(context, name), context.origin(node)
    context.surroundings.store(place, value.type, origin)
    found = context.surroundings.field(place, origin)
    context.scope.disprove(f"self.{place}")
    return (Assign(PlaceTarget(found, origin=origin), coerced(value, found.type), origin=origin),)


def buffer_of(context: Context, target: ast.expr, node: ast.expr) -> tuple[Statement, ...] | None:
    """Lower ``self.name = nn.Buffer(tensor, persistent=False)`` in a constructor; None for another assignment."""
    if not context.surroundings.constructs or not isinstance(target, ast.Attribute) or not isinstance(node, ast.Call):
        return None
    own = isinstance(target.value, ast.Name) and target.value.id == context.receiver
    if not own or object_of(context, node.func) is not nn.Buffer:
        return None
    names = ["data"] * len(node.args) + [one.arg or "" for one in node.keywords]
    given = dict(zip(names, (*node.args, *(one.value for one in node.keywords)), strict=True))
    if len(given) < len(names) or not given.keys() <= {"data", "persistent"}:
        return None
    name = ast.copy_location(ast.Constant(target.attr), target)
    value = context.expression(given["data"]) if "data" in given else None
    if value is None or value.type != TENSOR:
        context.fail(node, f"'{ast.unparse(node)}', of no tensor")
    return _buffer(context, node, name, value, given.get("persistent"))


def _buffer(
    context: Context, node: ast.Call, name: ast.expr, value: Expression, persistent: ast.expr | None
) -> tuple[Statement, ...]:
    if value.type == NONE:
        return _assigned(context, node, name, value)
    if required(value.type) != TENSOR:
        context.fail(node, f"'{ast.unparse(node)}', a buffer that is a {value.type}")
    kept = Literal(True, type=NONE) if persistent is None else context.expression(persistent)
    if not isinstance(kept, Literal):
        context.fail(node, f"'{ast.unparse(node)}', which is persistent in some instances")
    place, origin = _name(context, name), context.origin(node)
    context.surroundings.store(place, value.type, origin)
    context.scope.disprove(f"self.{place}")
    return (RegisterBuffer(place, value, bool(kept.value), origin=origin),)


def _of_base(context: Context, node: ast.Call, function: ast.Attribute) -> tuple[Statement, ...] | None:
    """Return the statement that calls a base constructor; () if PyTorch's is called without arguments; None for any other call."""
    found, first = _init_of(context, node, function.value)
    if found is NOTHING:
        return None
    if is_torch(found) or not isinstance(found, types.FunctionType):
        if found is nn.Module.__init__ or (len(node.args) <= first and not node.keywords):
            return ()
        chain = found is nn.Sequential.__init__ and context.surroundings.builds and not node.keywords
        return _chain(context, node, node.args[first:]) if chain else context.fail(node, f"'{ast.unparse(node)}'")
    try:
        header = context.surroundings.function(unwrap(found), context.origin(node))
    except Untranslatable as error:
        if not _is_settled(context, node):
            raise
        return (_left_out(context, node, unwrap(found), error),)
    call = MethodCall(
        itself(context, node),
        unwrap(found),
        bound(context, node, header, first),
        type=NONE,
        origin=context.origin(node),
    )
    return (Evaluate(call, origin=context.origin(node)),)


def lower_last(context: Context, node: ast.Call) -> tuple[Statement, ...] | None:
    """Leave out ``self.post_init()``, the last statement of a constructor, if it has no translation; None for another statement.

    ``bridge.port.frontend.classes.constructors`` refuses the constructor if it may do more than change initial values.
    """
    function, kind = node.func, context.surroundings.kind
    if not context.surroundings.constructs or kind is None or context.method.function is not unwrap(kind.__init__):
        return None
    last = context.method.tree.body[-1]
    if not (isinstance(last, ast.Expr) and last.value is node) or node.args or node.keywords:
        return None
    if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != context.receiver:
        return None
    found = method_of(kind, function.attr)
    if not isinstance(found, types.FunctionType) or context.observation(node).types != {"NoneType"}:
        return None
    before = context.scope.state()
    try:
        return (Evaluate(context.expression(node), origin=context.origin(node)),)
    except Untranslatable as error:
        context.scope.restore(before)
        return (_left_out(context, node, unwrap(found), error),)


def _left_out(context: Context, node: ast.Call, function: types.FunctionType, error: Untranslatable) -> Note:
    """Return the note that a call is left out, for the reason that it has no translation."""
    why = f"{error.origin}: {error.why}"
    return Note(f"Left out: {function.__qualname__}, which has no translation", why, origin=context.origin(node))


def _is_settled(context: Context, node: ast.Call) -> bool:
    """Return whether the call of a base's constructor does the same in all instances: its arguments are constants, and it comes first."""
    kind = context.surroundings.kind
    if kind is None or context.method.function is not unwrap(kind.__init__):
        return False
    given = [*node.args, *(one.value for one in node.keywords)]
    own = [one for one in given if ast.unparse(one) != context.receiver]
    before = [one for one in context.method.tree.body if (one.end_lineno or 0) < node.lineno]
    kept = any(
        isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)
        for part in before
        for one in ast.walk(part)
    )
    return not kept and all(isinstance(context.expression(one), Literal) for one in own)


def _chain(context: Context, node: ast.Call, given: Sequence[ast.expr]) -> tuple[Statement, ...]:
    """Return the nn.Sequential of the layers that ``super().__init__(*layers)`` gives to PyTorch's constructor."""
    origin = context.origin(node)
    layers = ListOf(PLAIN_MODULE)
    if len(given) == 1 and isinstance(given[0], ast.Starred):
        source = context.expression(given[0].value)
    else:
        made = context.expression(given[0]) if len(given) == 1 else None
        if made is not None and isinstance(made.type, DictOf):  # modules by name
            source = made
        else:
            listed = context.expression(ast.copy_location(ast.List(list(given), ast.Load()), node))
            source = replace(listed, type=layers) if _are_plain(listed.type) else listed
    if not _are_plain(source.type):
        context.fail(node, f"'{ast.unparse(node)}', of a {source.type}")
    chain = ModulesFrom(nn.Sequential, source, type=ModulesOf(nn.Sequential, PLAIN_MODULE), origin=origin)
    return (Evaluate(chain, origin=origin),)


def _are_plain(found: Type) -> bool:
    """Return whether a type is a list, or a dictionary by name, of modules that take one tensor and return one."""
    element = found.element if isinstance(found, ListOf) else UNKNOWN
    if isinstance(found, DictOf) and found.key == STR:
        element = found.value
    return isinstance(element, (ModuleOf, ModulesOf)) and join((element, PLAIN_MODULE)) == PLAIN_MODULE


def _init_of(context: Context, node: ast.Call, owner: ast.expr) -> tuple[Any, int]:
    """Return the constructor of ``super().__init__`` or ``Base.__init__`` (else NOTHING), and 1 if the call gives it the module, else 0."""
    kind = context.surroundings.kind
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super" and kind:
        around = object_of(context, owner.args[0]) if owner.args else _owner(context, kind)
        if around not in kind.__mro__:
            return NOTHING, 0
        later = kind.__mro__[kind.__mro__.index(around) + 1 :]
        return next((vars(one)["__init__"] for one in later if "__init__" in vars(one)), NOTHING), 0
    base = object_of(context, owner)
    of_self = bool(node.args) and ast.unparse(node.args[0]) == context.receiver
    return (method_of(base, "__init__"), 1) if isinstance(base, type) and of_self else (NOTHING, 0)


def _owner(context: Context, kind: type[nn.Module]) -> Any:
    """Return the class that defines the function that is lowered; None if no class of the module does."""
    return next((one for one in kind.__mro__ if context.method.function in vars(one).values()), None)
