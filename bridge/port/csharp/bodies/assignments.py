"""Assignments to variables, fields, items and tuples of them, declarations of variables, and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import torch

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, index
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import is_narrow
from bridge.port.csharp.types import VOID, array, is_struct, nullable
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, SIZES, STR, TENSOR, UNKNOWN

Statements = tuple[tree.Statement, ...]

#: The most variables for which PythonMath has a Deconstruct.
MOST: Final = 8
_IN_PLACE: Final = {
    "+": torch.Tensor.add_, "-": torch.Tensor.sub_, "*": torch.Tensor.mul_, "/": torch.Tensor.div_,
    "//": torch.Tensor.floor_divide_, "%": torch.Tensor.remainder_, "**": torch.Tensor.pow_,
    "&": torch.Tensor.bitwise_and_, "|": torch.Tensor.bitwise_or_, "^": torch.Tensor.bitwise_xor_,
    "<<": torch.Tensor.bitwise_left_shift_, ">>": torch.Tensor.bitwise_right_shift_,
}  # fmt: skip
#: Members of the enum ScalarType, for defaults of parameters: ``torch.float32`` and other dtypes are no constants in C#.
_SCALAR_TYPES: Final = {
    torch.float32: "Float32", torch.float64: "Float64", torch.float16: "Float16", torch.bfloat16: "BFloat16",
    torch.int64: "Int64", torch.int32: "Int32", torch.int16: "Int16", torch.int8: "Int8", torch.uint8: "Byte",
    torch.bool: "Bool", torch.complex64: "ComplexFloat32", torch.complex128: "ComplexFloat64",
}  # fmt: skip
_OF_SETS: Final = {"|": "UnionWith", "&": "IntersectWith", "-": "ExceptWith", "^": "SymmetricExceptWith"}


def assign(emission: Emission, node: ir.Assign) -> Statements:
    """Return ``target = value``."""
    target, value = node.target, node.value
    if isinstance(target, ir.TupleTarget):
        return _unpacked(emission, target, value)
    if isinstance(target, ir.LocalTarget) and target.declares:
        return (_declared(emission, target, value),)
    if isinstance(target, ir.LocalTarget) and _is_of_itself(target, value):
        made = emission.expression(value)
        if isinstance(made, tree.Binary) and made.left == tree.Name(target.name):
            return (tree.Assign(made.left, made.right, f"{made.operator}="),)
    if isinstance(target, ir.PlaceTarget):
        value = fitted(value, target.place.type)
    if isinstance(target, ir.PlaceTarget) and _is_number_into_tensor(target.place, value):
        return (_filled(emission, target.place, value),)
    return _put(emission, target, emission.expression(value))


def _is_of_itself(target: ir.LocalTarget, value: ir.Expression) -> bool:
    """Return whether an assignment is like ``n = n + 1``, of numbers or strings, for which C# has ``n += 1``."""
    return (
        isinstance(value, ir.Binary)
        and target.type in (INT, FLOAT, STR)
        and value.type == target.type
        and value.left == ir.Local(target.name, type=target.type)
    )


def declare(emission: Emission, node: ir.Declare) -> Statements:
    """Return a declaration without a value; with ``null`` or ``default`` if some path through inner blocks does not assign it."""
    type_ = emission.type_of(node.type, node.origin)
    if node.settled:
        return (tree.Declare(type_, node.name),)
    value: tree.Expression = tree.Literal(None) if type_.nullable else tree.Default()
    if not (type_.nullable or is_struct(type_)):
        value = tree.Unary("!", value, postfix=True)
    return (tree.Declare(type_, node.name, value),)


# -- Variables -------------------------------------------------------------------------------------------------------------


def _declared(emission: Emission, target: ir.LocalTarget, value: ir.Expression) -> tree.Statement:
    value = fitted(value, target.type)
    made = emission.expression(value)
    if target.name == "_":
        return tree.Assign(tree.Name("_"), made)
    is_known = target.type in (value.type, UNKNOWN) and is_inferred(value, made)
    return tree.Declare(tree.VAR if is_known else emission.type_of(target.type, target.origin), target.name, made)


def fitted(value: ir.Expression, wanted: types.Type) -> ir.Expression:
    """Return the value; a new container gets the wanted type if it fits, since an empty list, for example, has no element type."""
    wanted = types.required(wanted)
    is_new = isinstance(value, (ir.ListLiteral, ir.SetLiteral, ir.DictLiteral, ir.BuiltinCall)) and value.type != wanted
    if (
        is_new
        and type(value.type) is type(wanted)
        and not types.is_number(wanted)
        and types.join([value.type, wanted]) == wanted
    ):
        return replace(value, type=wanted)
    return value


def is_inferred(value: ir.Expression, made: tree.Expression) -> bool:
    """Return whether C# infers a type that matches the value's type in Python; ``var n = 1`` would be an int, not a long."""
    if is_narrow(value) or isinstance(made, (tree.Collection, tree.Lambda, tree.Conditional)):
        return False
    if (
        isinstance(value, ir.Field) and types.required(value.type) == TENSOR
    ):  # maybe a Parameter, which no other tensor is
        return False
    if isinstance(made, tree.Literal):
        return made.value is not None
    if isinstance(value, ir.Convert):
        return value.type == value.value.type
    if isinstance(value, ir.TupleLiteral) and isinstance(made, tree.Tuple):
        items = zip(value.items, made.items, strict=True)
        return all(isinstance(one, ir.Expression) and is_inferred(one, other) for one, other in items)
    return not (isinstance(made, tree.New) and made.type is None and not made.initializer) and made != tree.Default()


def _put(emission: Emission, target: ir.Target, value: tree.Expression) -> Statements:
    """Return an assignment to a declared variable, or to a field, property, item or slice."""
    if isinstance(target, ir.LocalTarget):
        return (tree.Assign(tree.Name(target.name), value),)
    if isinstance(target, ir.TupleTarget):
        raise Untranslatable(target.origin, "a tuple of targets within another that holds more than variables")
    place = target.place
    if isinstance(place, ir.Slice):
        return (tree.Evaluate(_slice_set(emission, place, value)),)
    if isinstance(place, ir.Property) and place.value.type == TENSOR and place.name not in ("requires_grad", "grad"):
        raise Untranslatable(place.origin, f"an assignment to a tensor's {place.name}")
    if isinstance(place, ir.Item) and isinstance(place.value.type, types.TupleOf):
        raise Untranslatable(place.origin, "an assignment to an item of a tuple")
    made = emission.expression(place)
    if isinstance(made, tree.Unary) and made.postfix:  # ``layer.bias!`` is assigned without the ``!``
        made = made.operand
    if (item := _helped(made, "Item")) is not None:
        return (tree.Evaluate(emission.helper("SetItem", *item, value)),)
    if not isinstance(made, (tree.Name, tree.Member, tree.Index)):
        raise Untranslatable(place.origin, f"an assignment to a {type(place).__name__}")
    return (tree.Assign(made, value),)


def _slice_set(emission: Emission, place: ir.Slice, value: tree.Expression) -> tree.Expression:
    """Return ``items[start:stop] = others``."""
    step = place.step is not None and not (isinstance(place.step, ir.Literal) and place.step.value in (1, None))
    if not isinstance(place.value.type, types.ListOf) or step:
        raise Untranslatable(place.origin, f"an assignment to a slice of a {place.value.type}")
    ends = [tree.Literal(None) if one is None else emission.expression(one) for one in (place.start, place.stop)]
    return emission.helper("SetSlice", emission.expression(place.value), *ends, value)


def _helped(made: tree.Expression, name: str) -> tuple[tree.Expression, ...] | None:
    """Return the arguments of a call of the helper ``name``; None for another expression."""
    if isinstance(made, tree.Call) and made.function == tree.Member(tree.Name("PythonMath"), name):
        return tuple(one.value for one in made.arguments)
    return None


def _is_number_into_tensor(place: ir.Expression, value: ir.Expression) -> bool:
    return isinstance(place, ir.TensorIndex) and types.is_number(value.type)


def _filled(emission: Emission, place: ir.Expression, value: ir.Expression) -> tree.Statement:
    """Return ``x[…] = number``, by ``index_put_``: an assignment in C# would need a tensor of the number's type."""
    made = emission.expression(place)
    if not isinstance(made, tree.Index):
        raise Untranslatable(place.origin, "an assignment to an index of a tensor")
    number = emission.expression(value)
    if value.type == BOOL:
        number = tree.Conditional(number, tree.Literal(1), tree.Literal(0))
    return tree.Evaluate(tree.Call(tree.Member(made.value, "index_put_"), (tree.Argument(number), *made.indices)))


# -- Tuples ----------------------------------------------------------------------------------------------------------------


def _unpacked(emission: Emission, target: ir.TupleTarget, value: ir.Expression) -> Statements:
    items = literal_items(value)
    if target.star >= 0:
        return _starred(emission, target, value)
    if items is not None and len(items) == len(target.items) and _is_independent(target.items, items):
        pairs = zip(target.items, items, strict=True)
        return tuple(made for one, item in pairs for made in assign(emission, ir.Assign(one, item)))
    used = frozenset(emission.helpers)
    made = _deconstructible(emission, value, len(target.items))
    if _helped(made, "NestedState") is not None and "NestedState" not in used:
        emission.helpers.discard("NestedState")  # ``unpacked`` leaves out its call
    return unpacked(emission, target, value.type, made)


def literal_items(value: ir.Expression) -> tuple[ir.Expression, ...] | None:
    """Return the items of a tuple or list literal; None for another expression, or if an item has a star."""
    if not isinstance(value, (ir.TupleLiteral, ir.ListLiteral)):
        return None
    items = tuple(one for one in value.items if isinstance(one, ir.Expression))
    return items if len(items) == len(value.items) else None


def _is_independent(targets: Sequence[ir.Target], items: Sequence[ir.Expression]) -> bool:
    """Return whether separate assignments are equivalent: all targets are variables, and no value reads a variable assigned before it."""
    if not all(isinstance(one, ir.LocalTarget) for one in targets):
        return False
    names = [one.name for one in targets if isinstance(one, ir.LocalTarget)]
    for place, item in enumerate(items):
        if set(names[:place]) & {one.name for one in walk(item) if isinstance(one, (ir.Local, ir.Bind))}:
            return False
    # a call may run a nested function that reads one of the variables
    return all(one.declares for one in targets if isinstance(one, ir.LocalTarget)) or not any(
        isinstance(one, ir.ValueCall) for item in items for one in walk(item)
    )


def _deconstructible(emission: Emission, value: ir.Expression, count: int) -> tree.Expression:
    """Return a value that C# can deconstruct; lists and arrays by an extension method of PythonMath, which checks their length."""
    made = emission.expression(value)
    if isinstance(value.type, types.TupleOf) and not isinstance(value, ir.TorchCall):
        return _without_conversion(value, made)
    if value.type == TENSOR:
        made = call(made, "unbind")
    elif isinstance(value.type, (types.IteratorOf, types.SetOf)):
        made = call(made, "ToList")
    elif not (is_list(value.type) or isinstance(value.type, types.TupleOf)):
        raise Untranslatable(value.origin, f"a {value.type} that is taken apart")
    if count > MOST:
        raise Untranslatable(value.origin, f"{count} variables for the elements of a {value.type}")
    emission.helpers.add(f"Deconstruct{count}")
    return without_list(value, made)


def _without_conversion(value: ir.Expression, made: tree.Expression) -> tree.Expression:
    """Return a layer's ``System.Tuple`` without the call of ``ToValueTuple``: C# can deconstruct it, too."""
    called = isinstance(value, ir.ModuleCall) and isinstance(made, tree.Call) and isinstance(made.function, tree.Member)
    if called and isinstance(made, tree.Call) and isinstance(made.function, tree.Member):
        return made.function.value if made.function.name == "ToValueTuple" else made
    return made


def is_list(found: types.Type) -> bool:
    """Return whether values of the type are an IList in C#: sizes, a list, or a list of modules."""
    is_keyed = isinstance(found, types.ModulesOf) and found.kind.__name__.endswith("Dict")
    return found == SIZES or (isinstance(found, (types.ListOf, types.ModulesOf)) and not is_keyed)


def without_list(value: ir.Expression, made: tree.Expression) -> tree.Expression:
    """Return the array of a call of PyTorch without ``ToList``: the result is iterated over or deconstructed at once."""
    is_list = isinstance(made, tree.Call) and isinstance(made.function, tree.Member) and made.function.name == "ToList"
    if isinstance(value, ir.TorchCall) and is_list and isinstance(made, tree.Call) and not made.arguments:
        assert isinstance(made.function, tree.Member)
        return made.function.value
    return made


def unpacked(emission: Emission, target: ir.TupleTarget, found: types.Type, value: tree.Expression) -> Statements:
    """Return ``var (a, b) = value`` for a value of the type ``found``, and the assignments that must follow it."""
    after: list[tree.Statement] = []
    state = _helped(value, "NestedState")  # an LSTM returns three tensors in C#; Python has the last two in a tuple
    if state is not None:
        target, value = _flat(emission, target, after), state[0]
        found = types.TupleOf((TENSOR,) * 3)
    pattern = declared_tuple(emission, target, found) or _mixed(emission, target, found, after)
    return (tree.Assign(pattern, value), *after)


def _flat(emission: Emission, target: ir.TupleTarget, after: list[tree.Statement]) -> ir.TupleTarget:
    output, state = target.items
    if isinstance(state, ir.TupleTarget):
        return ir.TupleTarget((output, *state.items), origin=target.origin)
    if isinstance(state, ir.LocalTarget) and state.name == "_":
        return ir.TupleTarget((output, state, state), origin=target.origin)
    stem = state.name if isinstance(state, ir.LocalTarget) else "state"
    names = [emission.fresh(f"{stem}{ending}") for ending in ("Hidden", "Cell")]
    pair = tree.Tuple(tuple(map(tree.Name, names)))
    if isinstance(state, ir.LocalTarget) and state.declares:
        after.append(tree.Declare(tree.VAR, state.name, pair))
    else:
        after += _put(emission, state, pair)
    held = (ir.LocalTarget(name, TENSOR, True) for name in names)
    return ir.TupleTarget((output, *held), origin=target.origin)


def _item_types(found: types.Type, count: int) -> tuple[types.Type, ...]:
    """Return the types of the ``count`` items of a value of the type ``found``."""
    if isinstance(found, types.TupleOf) and len(found.items) == count:
        return found.items
    if isinstance(found, (types.ListOf, types.SetOf, types.IteratorOf, types.ModulesOf)):
        return (found.element,) * count
    return ((INT if found == SIZES else TENSOR if found == TENSOR else UNKNOWN),) * count


def declared_tuple(emission: Emission, target: ir.TupleTarget, found: types.Type) -> tree.DeclaredTuple | None:
    """Return ``var (a, (b, _))`` if all targets are variables that are declared here, with the types of the items; else None."""
    items: list[str | tree.DeclaredTuple] = []
    for one, kind in zip(target.items, _item_types(found, len(target.items)), strict=True):
        if isinstance(one, ir.LocalTarget):
            if one.name != "_" and not (one.declares and _takes(one.type, kind)):
                return None
            items.append(one.name)
        elif isinstance(one, ir.TupleTarget) and one.star < 0:
            inner = declared_tuple(emission, one, kind)
            if inner is None or not isinstance(kind, types.TupleOf):
                return None
            items.append(inner)
        else:
            return None
    return tree.DeclaredTuple(tuple(items))


def _takes(target: types.Type, found: types.Type) -> bool:
    """Return whether a variable gets the type ``target`` if C# infers its type from a value of the type ``found``."""
    return target in (found, UNKNOWN) or found == UNKNOWN


def _mixed(
    emission: Emission, target: ir.TupleTarget, found: types.Type, after: list[tree.Statement]
) -> tree.Expression:
    """Return ``(var a, b, c.d)``; a target such as ``x[i]``, which Python evaluates after the value, is assigned in ``after``."""
    items: list[tree.Expression] = []
    for one, kind in zip(target.items, _item_types(found, len(target.items)), strict=True):
        if isinstance(one, ir.LocalTarget) and not _is_converted(kind, one.type):
            items.append(_name(emission, one, kind))
        elif isinstance(one, ir.TupleTarget) and one.star < 0 and isinstance(kind, types.TupleOf):
            items.append(_mixed(emission, one, kind, after))
        elif isinstance(one, ir.PlaceTarget) and isinstance(one.place, ir.Field):
            items.append(emission.expression(one.place))
        else:
            name = emission.fresh("item")
            items.append(tree.DeclaredName(tree.VAR, name))
            held: ir.Expression = ir.Local(name, type=kind, origin=one.origin)
            if isinstance(one, ir.LocalTarget):
                held = ir.Convert(held, type=one.type, origin=one.origin)
            after += assign(emission, ir.Assign(one, held, origin=one.origin))
    return tree.Tuple(tuple(items))


def _is_converted(found: types.Type, target: types.Type) -> bool:
    """Return whether a variable takes an item only after a conversion that C# does not do: a list of numbers takes no tuple."""
    wanted = types.required(target)
    return isinstance(found, types.TupleOf) and (wanted == SIZES or isinstance(wanted, types.ListOf))


def _name(emission: Emission, target: ir.LocalTarget, found: types.Type) -> tree.Expression:
    if target.name == "_" or not target.declares:
        return tree.Name(target.name)
    is_known = _takes(target.type, found)
    return tree.DeclaredName(tree.VAR if is_known else emission.type_of(target.type, target.origin), target.name)


def _starred(emission: Emission, target: ir.TupleTarget, value: ir.Expression) -> Statements:
    """Return ``a, *rest, b = value`` as an assignment for each target, from a variable that holds the value."""
    element = INT if value.type == SIZES else getattr(value.type, "element", None)
    if isinstance(value.type, types.TupleOf):
        element = types.join(value.type.items)
    if not isinstance(element, types.Type):
        raise Untranslatable(target.origin, f"a {value.type} that is taken apart with a star")
    before: list[tree.Statement] = []
    made = emission.expression(value)
    if isinstance(value.type, types.TupleOf):
        held = made if isinstance(made, tree.Name) else _held(emission, "pair", made, before)
        items = tuple(tree.Member(held, f"Item{place}") for place in range(1, len(value.type.items) + 1))
        made = tree.New(array(emission.type_of(element)), (), items)
    elif value.type != SIZES and not isinstance(value.type, types.ListOf):
        made = call(made, "ToList")
    is_array = value.type == SIZES or isinstance(value.type, types.TupleOf)
    name = "shape" if value.type == SIZES else "items"
    source = made if isinstance(made, tree.Name) else _held(emission, name, made, before)
    count = len(target.items)
    length, least = tree.Member(source, "Length" if is_array else "Count"), tree.Literal(count - 1)
    wrong = tree.New(tree.Type("ArgumentException"), (tree.Argument(tree.Literal("not enough values to unpack")),))
    before.append(tree.If(tree.Binary("<", length, least), (tree.Throw(wrong),)))
    for place, one in enumerate(target.items):
        if isinstance(one, ir.LocalTarget) and one.name == "_":
            continue
        before += _part(emission, one, source, place, target.star, count, element)
    return tuple(before)


def _part(
    emission: Emission, one: ir.Target, source: tree.Expression, place: int, star: int, count: int, element: types.Type
) -> Statements:
    found: types.Type
    made: tree.Expression
    if place == star:
        left = count - 1 - place
        rest = tree.Range(tree.Literal(place), tree.FromEnd(tree.Literal(left)) if left else None)
        is_sizes = isinstance(one, ir.LocalTarget) and one.type == SIZES
        made = call(call(source, "Take", rest), "ToArray" if is_sizes else "ToList")
        found = SIZES if is_sizes else types.ListOf(element)
    else:
        at = tree.Literal(place) if place < star else tree.FromEnd(tree.Literal(count - place))
        made, found = index(source, at), element
    if isinstance(one, ir.LocalTarget) and one.declares:
        type_ = tree.VAR if one.type in (found, UNKNOWN) else emission.type_of(one.type, one.origin)
        return (tree.Declare(type_, one.name, made),)
    return _put(emission, one, made)


def _held(emission: Emission, name: str, value: tree.Expression, before: list[tree.Statement]) -> tree.Name:
    """Return a new variable that holds the value."""
    held = tree.Name(emission.fresh(name))
    before.append(tree.Declare(tree.VAR, held.name, value))
    return held


# -- Operators -------------------------------------------------------------------------------------------------------------


def augment(emission: Emission, node: ir.Augment) -> Statements:
    """Return ``target op= value``: in place for tensors, lists and sets."""
    place, value, operator = _read(node.target), node.value, node.operator
    if place.type == types.OptionalOf(TENSOR):  # the source has shown that it is not None
        place = ir.Convert(place, proven=True, type=TENSOR, origin=place.origin)
    found = place.type
    if found == TENSOR and operator in _IN_PLACE and not isinstance(place, ir.TensorIndex):
        argument = ir.Argument("exponent" if operator == "**" else "other", value)
        made = ir.TorchCall(_IN_PLACE[operator], place, (argument,), (argument.name,), type=TENSOR, origin=node.origin)
        return (tree.Evaluate(emission.expression(made)),)
    if isinstance(found, types.ListOf) and operator == "+":
        return (tree.Evaluate(call(emission.expression(place), "AddRange", emission.expression(value))),)
    if isinstance(found, types.SetOf) and operator in _OF_SETS:
        return (tree.Evaluate(call(emission.expression(place), _OF_SETS[operator], emission.expression(value))),)
    if isinstance(found, (types.ListOf, types.DictOf)):
        raise Untranslatable(node.origin, f"'{operator}=' of a {found}")
    if _has_operator(found, value.type, operator):
        target = emission.expression(place)
        if isinstance(target, (tree.Name, tree.Member, tree.Index)):
            return (tree.Assign(target, emission.expression(value), f"{operator}="),)
    if not _is_repeatable(place):
        raise Untranslatable(node.origin, "an assignment with an operator to a place that is computed")
    result = ir.Binary(operator, place, value, type=found, origin=node.origin)
    return assign(emission, ir.Assign(node.target, result, origin=node.origin))


def _has_operator(found: types.Type, value: types.Type, operator: str) -> bool:
    """Return whether C#'s ``op=`` means the same as Python's."""
    if found == TENSOR:  # the target is an index of a tensor
        return operator in ("+", "-", "*", "/") and value != BOOL
    if found == STR:
        return operator == "+" and value == STR
    return operator in ("+", "-", "*") and (found, value) in ((INT, INT), (FLOAT, FLOAT), (FLOAT, INT))


def _read(target: ir.Target) -> ir.Expression:
    if isinstance(target, ir.LocalTarget):
        return ir.Local(target.name, type=target.type, origin=target.origin)
    assert isinstance(target, ir.PlaceTarget)
    return target.place


def _is_repeatable(place: ir.Expression) -> bool:
    """Return whether a target may be evaluated twice."""
    plain = (
        ir.Local,
        ir.Field,
        ir.Self,
        ir.Literal,
        ir.Property,
        ir.Item,
        ir.TensorIndex,
        ir.Span,
        ir.TupleItem,
        ir.Unary,
        ir.Binary,
    )
    return all(isinstance(one, plain) for one in walk(place))


# -- Parameters ------------------------------------------------------------------------------------------------------------


def parameters(emission: Emission, given: Sequence[ir.Parameter]) -> tuple[tuple[tree.Parameter, ...], Statements]:
    """Return the parameters in C#, and statements that set parameters whose default is no constant in C#."""
    made: list[tree.Parameter] = []
    before: list[tree.Statement] = []
    for one in given:
        type_ = emission.type_of(one.type, one.origin)
        default = None
        if one.spread:
            element = getattr(one.type, "element", TENSOR)
            type_ = array(emission.type_of(element, one.origin))
        elif one.default is not None:
            default = _constant(emission, one.default)
            if default is None:
                if isinstance(one.type, types.OptionalOf):
                    raise Untranslatable(one.origin, f"the default of {one.name}, which may also be None")
                type_, default = nullable(type_), tree.Literal(None)
                before.append(tree.Assign(tree.Name(one.name), emission.expression(one.default), "??="))
                if is_struct(type_):
                    emission.boxed.add(one.name)
        made.append(tree.Parameter(type_, one.name, default, one.spread))
    needed = [place for place, one in enumerate(made) if one.default is None and not one.spread]
    last = max(needed, default=0)  # C# allows no default before a parameter without one
    return tuple(replace(one, default=None) if place < last else one for place, one in enumerate(made)), tuple(before)


def _constant(emission: Emission, default: ir.Expression) -> tree.Expression | None:
    """Return a default that is a constant in C#, a literal or a member of an enum; None for another default."""
    if isinstance(default, ir.Convert) and isinstance(default.value, ir.Literal):
        plain = replace(default.value, name="")
        return emission.expression(replace(default, value=plain)) if _is_constant(plain.value) else None
    if not isinstance(default, ir.Literal) or not _is_constant(default.value):
        return None
    if isinstance(default.value, torch.dtype):
        return tree.Member(tree.Name("ScalarType"), _SCALAR_TYPES[default.value])
    return emission.expression(replace(default, name=""))


def _is_constant(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, torch.dtype))


def result_type(emission: Emission, found: types.Type, origin: ir.Origin) -> tree.Type:
    """Return the type that a method returns."""
    return VOID if found == NONE else emission.type_of(found, origin)
