"""Questions about types and attributes, which static types answer: ``isinstance``, ``hasattr``, ``getattr``, ``callable``."""

from __future__ import annotations

import ast
from typing import Any, Final

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from bridge.port.frontend.calls import computed_names
from bridge.port.frontend.calls.callees import NOTHING, is_torch, method_of, named
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import after, is_free, is_read, none
from bridge.port.ir.effects import effects
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import BuiltinCall, Compare, DictLiteral, Expression, Item, Literal, Local, Logical
from bridge.port.ir.truths import truth
from bridge.port.ir.types import (
    ANY_MODULE,
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
    join,
    required,
)

#: The Python class of the values of a type; no value is of a subclass.
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

#: Base classes of PyTorch's that have no counterpart in C#, with their subclasses that have a counterpart.
_CONCRETE: Final[dict[type, tuple[type, ...]]] = {
    nn.modules.batchnorm._BatchNorm: (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d),
    nn.modules.batchnorm._NormBase: (
        nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d,
    ),
    nn.modules.conv._ConvNd: (
        nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d,
    ),
    nn.modules.instancenorm._InstanceNorm: (nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d),
}  # fmt: skip


def lower_isinstance(context: Context, node: ast.Call) -> Expression:
    """Lower ``isinstance(value, classes)``: a literal if the value's type decides it, a test for None, or tests of a module's class."""
    value = context.expression(node.args[0])
    kinds = _classes(context, node.args[1])
    origin = context.origin(node)
    if isinstance(value.type, ConstantOf):
        return Literal(isinstance(value.type.value, kinds), type=BOOL, origin=origin)
    inner = required(value.type)
    answer = _is_of(inner, kinds)
    if answer is None and isinstance(value.type, ModuleOf):
        return _is_module_of(context, node, value, kinds)
    is_optional = isinstance(value.type, OptionalOf)
    if answer is None or (is_optional and not is_read(value)):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    if not is_optional:
        literal = Literal(answer, type=BOOL, origin=origin)
        return literal if is_free(value) or effects(value).removable else after(value, literal)
    of_none = type(None) in kinds
    if answer == of_none:
        return Literal(answer, type=BOOL, origin=origin)
    return Compare("is" if of_none else "is-not", value, none(origin), type=BOOL, origin=origin)


def _is_module_of(context: Context, node: ast.Call, value: Expression, kinds: tuple[Any, ...]) -> Expression:
    """Lower ``isinstance(module, kinds)``: test the classes that the module had in the runs, else ``kinds`` if they are PyTorch's."""
    seen = {type(one) for one in context.observation(node.args[0]).values if isinstance(one, nn.Module)}
    if context.surroundings.constructs:
        return _is_new_module_of(context, node, value, kinds)
    asked = [one for one in sorted(seen, key=lambda one: one.__name__) if issubclass(one, kinds)]
    if context.surroundings.is_translated:  # with other arguments, constructors may make modules of other classes
        asked = list(dict.fromkeys((*asked, *_others(context, value.type, kinds))))
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


def _others(context: Context, found: Type, kinds: tuple[Any, ...]) -> list[type[nn.Module]]:
    """Return the classes in ``kinds``, or their concrete subclasses, that a module of type ``found`` may have, also outside the runs."""
    general = found.kind if isinstance(found, ModuleOf) else nn.Module
    plain = isinstance(found, ModuleOf) and found.plain
    of_torch = [one for kind in kinds if is_torch(kind) for one in _CONCRETE.get(kind, (kind,))]
    own = [kind for kind in kinds if not is_torch(kind) and context.surroundings.is_own(kind)]
    of_modules = [one for one in (*of_torch, *own) if issubclass(one, nn.Module) and issubclass(one, general)]
    if not plain:
        return of_modules
    types = {one: context.surroundings.new_type(one) for one in of_modules}
    lists = (nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
    return [
        one
        for one, made in types.items()
        if not issubclass(one, lists) and (isinstance(made, ModulesOf) or (isinstance(made, ModuleOf) and made.plain))
    ]


def _is_new_module_of(context: Context, node: ast.Call, value: Expression, kinds: tuple[Any, ...]) -> Expression:
    """Lower ``isinstance(module, kinds)`` in constructors, where the module may be of other classes than in the runs."""
    asked: list[type] = []
    for kind in kinds:
        if isinstance(kind, type) and not is_torch(kind) and not context.surroundings.is_there(kind):
            continue
        if not isinstance(kind, type) or context.surroundings.is_own(kind):
            asked.append(kind)
            continue
        asked += _CONCRETE.get(kind, (kind,))
    seen = {type(one) for one in context.observation(node.args[0]).values if isinstance(one, nn.Module)}
    below = [one for one in seen if context.surroundings.is_own(one) and issubclass(one, kinds)]
    asked += sorted(below, key=lambda one: one.__name__)
    if not is_read(value) or any(not isinstance(one, type) or not issubclass(one, nn.Module) for one in asked):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    origin = context.origin(node)
    if not asked:
        return Literal(False, type=BOOL, origin=origin)
    tests = tuple(
        BuiltinCall("isinstance", (value, Literal(one, type=UNKNOWN, origin=origin)), type=BOOL, origin=origin)
        for one in dict.fromkeys(asked)
    )
    return tests[0] if len(tests) == 1 else Logical("or", tests, type=BOOL, origin=origin)


def alternatives(context: Context, node: ast.expr) -> list[ast.expr]:
    """Return a test for each class in ``isinstance(m, (A, B))`` if ``m`` is a variable; an empty list for another test."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        found = [alternatives(context, one) for one in node.values]
        names = {ast.unparse(one.args[0]) for tests in found for one in tests if isinstance(one, ast.Call)}
        return [one for tests in found for one in tests] if all(found) and len(names) == 1 else []
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "isinstance" or len(node.args) != 2:
        return []
    subject, kinds = node.args
    if not isinstance(subject, ast.Name) or not isinstance(context.scope.type_of(subject.id), ModuleOf):
        return []
    parts = kinds.elts if isinstance(kinds, (ast.Tuple, ast.List)) else [kinds]
    return [ast.copy_location(ast.Call(node.func, [subject, one], []), node) for one in parts]


def _classes(context: Context, node: ast.expr) -> tuple[Any, ...]:
    """Return the classes that the second argument of ``isinstance`` names."""
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
    """Return whether the values of a type are instances of one of the classes; None if only some are, or if the type does not tell."""
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
    """Return ``kind`` if it is a class, else ``object``."""
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
    if isinstance(name, Local) and isinstance(node.args[1], ast.Name):
        name = _only_value(context, node.args[1].id) or name
    if not isinstance(name, Literal) or not isinstance(name.value, str):
        context.fail(node, f"'{ast.unparse(node)}', with a name that is computed")
    return name.value


def _only_value(context: Context, name: str) -> Expression | None:
    """Return the literal that a variable holds, if the function assigns it only once; None for another variable."""
    nodes = list(ast.walk(context.method.tree))
    stored = [
        one for one in nodes if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)
    ]
    made = [one for one in nodes if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in stored]
    if len(stored) != 1 or not made or any(isinstance(one, ast.arg) and one.arg == name for one in nodes):
        return None
    value = context.expression(made[0].value)
    return value if isinstance(value, Literal) else None


def lower_hasattr(context: Context, node: ast.Call) -> Expression:
    """Lower ``hasattr(value, name)``, which the class of the value decides."""
    owner = node.args[0]
    if isinstance(owner, ast.Name) and owner.id == context.receiver and (found := _by_name(context, node)) is not None:
        return found
    name = _name(context, node)
    origin = context.origin(node)
    if (known := named(context, owner)) is not NOTHING:
        return Literal(hasattr(known, name), type=BOOL, origin=origin)
    if isinstance(owner, ast.Name) and owner.id == context.receiver:
        return _has(context, node, name)
    value = context.expression(owner)
    if isinstance(value.type, ConstantOf):
        return Literal(hasattr(value.type.value, name), type=BOOL, origin=origin)
    if isinstance(value.type, ModuleOf) and is_read(value) and _all_have(context, value.type.kind, name):
        return Literal(True, type=BOOL, origin=origin)
    kind = value.type.kind if isinstance(value.type, ModuleOf) else _CLASSES.get(value.type)
    if kind is None:
        kind = _CONTAINERS.get(type(value.type))
    if kind is None or not is_free(value) or (isinstance(value.type, ModuleOf) and not hasattr(kind, name)):
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    return Literal(hasattr(kind, name), type=BOOL, origin=origin)


def _all_have(context: Context, kind: type[nn.Module], name: str) -> bool:
    """Return whether all modules of a class of the model have an attribute, which no method assigns."""
    values = context.surroundings.settings(kind, name) if context.surroundings.is_own(kind) else set()
    return bool(values) and None not in values  # None also stands for a missing attribute


def _has(context: Context, node: ast.Call, name: str) -> Expression:
    """Lower ``hasattr(self, name)``: a literal, or, if some instances lack the attribute, a test that its nullable field is not None."""
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
    """Lower ``getattr(value, name, default)``: the attribute, or the default if the class has no such attribute."""
    owner = node.args[0]
    if isinstance(owner, ast.Name) and owner.id == context.receiver and (found := _by_name(context, node)) is not None:
        return found
    if (chosen := computed_names.lower(context, node)) is not None:
        return chosen
    name = _name(context, node)
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


def _by_name(context: Context, node: ast.Call) -> Expression | None:
    """Lower ``getattr(self, f"layer{i}")`` as an item of a dictionary of the modules that may have this name; None for other calls."""
    name, origin = context.expression(node.args[1]), context.origin(node)
    if len(node.args) != 2 or name.type != STR or isinstance(name, (Literal, Local)):
        return None
    begin, end = _ends(node.args[1])
    names = [one for one in context.surroundings.parts() if one.startswith(begin) and one.endswith(end)]
    fields = [context.surroundings.field(one, origin) for one in names]
    found = join(one.type for one in fields)
    if found is None or found in (UNKNOWN, ANY_MODULE) or isinstance(found, OptionalOf):
        return None
    pairs = tuple((Literal(one, type=STR, origin=origin), field) for one, field in zip(names, fields, strict=True))
    return Item(DictLiteral(pairs, type=DictOf(STR, found), origin=origin), name, type=found, origin=origin)


def _ends(name: ast.expr) -> tuple[str, str]:
    """Return the constants with which a computed string begins and ends; empty where they are not written in the expression."""
    parts: list[ast.expr] = [name]
    while isinstance(parts[0], ast.BinOp) and isinstance(parts[0].op, ast.Add):
        parts[:1] = [parts[0].left, parts[0].right]
    if isinstance(name, ast.JoinedStr):
        parts = name.values
    begin, end = (one.value if isinstance(one, ast.Constant) else "" for one in (parts[0], parts[-1]))
    return str(begin), str(end)


def _or_default(context: Context, node: ast.Call, attribute: ast.Attribute) -> Expression:
    value = context.expression(attribute.value)
    if isinstance(value.type, ConstantOf):
        return context.expression(attribute if hasattr(value.type.value, attribute.attr) else node.args[2])
    if value.type == NONE and is_free(value):
        return context.expression(attribute if hasattr(None, attribute.attr) else node.args[2])
    kind = value.type.kind if isinstance(value.type, ModuleOf) else _CLASSES.get(value.type)
    if kind is not None and hasattr(kind, attribute.attr):
        return context.expression(attribute)
    if kind is not None and not isinstance(value.type, ModuleOf) and is_free(value):
        return context.expression(node.args[2])
    raise Untranslatable(context.origin(node), f"'{ast.unparse(node)}' of a {value.type}")
