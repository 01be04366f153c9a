"""C#'s constructor from a lowered one: base constructors are inlined, constants of Python removed, and parts registered at one place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, Final

from torch import nn

from bridge.port.frontend.classes.instances import ENTRIES
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Assign,
    Augment,
    Binary,
    Bind,
    Compare,
    Conditional,
    Construct,
    ContainerCall,
    Convert,
    CountingLoop,
    Evaluate,
    Expression,
    Field,
    FieldDefinition,
    For,
    Function,
    GradientMode,
    If,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    LocalTarget,
    MethodCall,
    NestedFunction,
    Node,
    Parameter,
    PlaceTarget,
    Raise,
    RegisterBuffer,
    RegisterComponents,
    Return,
    Self,
    Spread,
    Statement,
    TorchCall,
    TupleLiteral,
    TupleTarget,
    Unsupported,
)
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.ir.truths import truth
from bridge.port.ir.types import (
    BOOL,
    NONE,
    TENSOR,
    ConstantOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
    required,
)

#: Methods of a module that walk over its parts: children, parameters and buffers.
_WALKS: Final = frozenset(
    {"modules", "children", "parameters", "buffers", "named_modules", "named_children", "named_parameters", "apply"}
)
_PARTS: Final = frozenset({"module", "parameter", "buffer", "entries"})

Helpers = Mapping[FunctionType, Function]


@dataclass(slots=True)
class Assembly:
    """A constructor in C#: its statements, its fields by name, and the literals that are constants of the class.

    ``helpers`` are the methods that it calls. ``missing`` are the fields that some paths through the constructor leave unassigned.
    """

    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    helpers: dict[FunctionType, Function]
    fields: dict[str, FieldDefinition] = field(default_factory=dict)
    constants: dict[str, Literal] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()


def assemble(
    lowered: Function,
    helpers: Helpers,
    stored: Mapping[str, Type],
    instances: Sequence[nn.Module],
    assigned: Collection[str],
    entries: Type | None = None,
) -> Assembly:
    """Return the constructor with its fields. Raises Untranslatable.

    ``assigned`` are the attributes that methods assign later; ``entries`` is the children's type if the class takes any number of them.
    """
    inner = {one: _plain(found) for one, found in helpers.items()}
    whole = with_bases(_plain(lowered), inner)
    body = whole.body
    called = {
        one: found
        for one, found in inner.items()
        if one.__name__ != "__init__" and any(_calls(node, one) for node in (*body, *inner.values()))
    }
    made = Assembly(whole.parameters, body, called)
    order = list(dict.fromkeys(name for one in instances for name in (*one._modules, *one._parameters, *one._buffers)))
    names = [name for name, found in stored.items() if not isinstance(found, ConstantOf) and found != NONE]
    within = _stores(called.values())
    every = _stores((*body, *called.values()))
    constants = {name: _constant(name, body, every.get(name, [])) for name in names if name not in assigned}
    made.constants = {name: one for name, one in constants.items() if one is not None}
    body = made.body = _live(_without_fields(body, made.constants))
    every, before = _stores((*body, *called.values())), every
    names = [name for name in names if name not in made.constants and (name in every or name not in before)]
    for name in sorted(names, key=lambda one: order.index(one) if one in order else len(order)):
        stores = every.get(name, [])
        role = _role(name, stored[name], stores, instances)
        if role == "parameter" and any(map(_is_tensor, stores)):
            raise Untranslatable(lowered.origin, f"self.{name}, which is a parameter or a tensor that is none")
        if role == "setting" and name in assigned:
            role = "state"
        settled = _assigns(name, body, {}) and name not in within
        made.fields[name] = FieldDefinition(name, stored[name], role, settled=settled)
        if not _assigns(name, body, called):
            made.missing |= {name}
            if any(map(_may_be_none, stores)):
                raise Untranslatable(lowered.origin, f"self.{name}, which is None, or is not there")
    others = stored.keys() - {*names, *made.constants} - (before.keys() - every.keys())
    made.missing |= {name for name in others if not _assigns(name, lowered.body, helpers)}
    for name in () if entries is not None else order:
        there = any(getattr(one, name, None) is not None for one in instances)
        if there and (name not in made.fields or made.fields[name].role not in _PARTS):
            raise Untranslatable(lowered.origin, f"self.{name}, which the constructor does not assign")
    if entries is not None:
        made.fields[ENTRIES] = FieldDefinition(ENTRIES, entries, "entries")
        made.body = (Assign(PlaceTarget(Field(ENTRIES, type=entries)), ListLiteral((), type=entries)), *made.body)
    return made


def finish(made: Assembly, kept: Collection[str], origin: Any) -> tuple[Statement, ...]:
    """Return the constructor's statements, with settings that nothing else reads as local variables. Raises Untranslatable."""
    read = {*kept, *(one.name for helper in made.helpers.values() for one in walk(helper) if isinstance(one, Field))}
    gone = [name for name, one in made.fields.items() if one.role == "setting" and name not in read]
    tensors = [name for name, one in made.fields.items() if one.role == "tensor"]
    for name in gone:
        del made.fields[name]
    body = as_locals(made.body, gone + tensors)
    later = tuple(
        Assign(
            PlaceTarget(Field(name, type=made.fields[name].type)), Local(f"{name}#field", type=made.fields[name].type)
        )
        for name in tensors
    )
    return _registered(_unified(body), made, later, origin)


# -- Statements that C# writes differently ----------------------------------------------------------------------------------


def _plain(function: Function) -> Function:
    """Return the function without constants of Python, with fields assigned one by one, and with tuple defaults assigned in its body."""
    return with_defaults(_apart(without_constants(function)))


def _apart(function: Function) -> Function:
    """Return the function with ``self.a, self.b = x, y`` as two assignments, where the values read neither field and call no method."""

    def change(statement: Statement) -> Iterator[Statement]:
        value = statement.value if isinstance(statement, Assign) else None
        if not isinstance(statement, Assign) or not isinstance(value, TupleLiteral) or not _is_apart(statement, value):
            yield statement
            return
        assert isinstance(statement.target, TupleTarget)
        for place, (target, item) in enumerate(zip(statement.target.items, value.items, strict=True)):
            assert isinstance(item, Expression)
            comments = statement.comments if place == 0 else ()
            yield Assign(target, item, origin=statement.origin, comments=comments)

    made: Function = blocks(function, change)
    return made


def _is_apart(statement: Assign, value: TupleLiteral) -> bool:
    target = statement.target
    if not isinstance(target, TupleTarget) or target.star >= 0 or len(target.items) != len(value.items):
        return False
    if not all(isinstance(one, PlaceTarget) and isinstance(one.place, Field) for one in target.items):
        return False
    stored = {one.name for one in walk(target) if isinstance(one, Field)}
    read = {one.name for one in walk(value) if isinstance(one, Field)}
    acts = any(isinstance(one, (MethodCall, Spread, Bind)) for one in walk(value))
    return not (stored & read or acts)


def with_defaults(function: Function) -> Function:
    """Return the function with None as the default of tuple parameters, since C# has no constant tuples; its body begins with the defaults.

    The body assigns each default to a new variable: a test for null does not change the type of a nullable tuple of C#.
    """
    first: list[Statement] = []
    parameters: list[Parameter] = []
    names: dict[str, Expression | str] = {}
    for one in function.parameters:
        default = one.default.value if isinstance(one.default, Convert) else one.default
        if isinstance(default, Literal) or default is None or not isinstance(one.type, TupleOf):
            parameters.append(one)
            continue
        maybe, name = OptionalOf(one.type), f"{one.name}#given"
        given = Local(one.name, type=maybe, origin=one.origin)
        test = Compare("is", given, Literal(None, type=NONE), type=BOOL)
        assert one.default is not None
        value = Conditional(test, one.default, Convert(given, True, type=one.type), type=one.type, origin=one.origin)
        first.append(Assign(LocalTarget(name, one.type, origin=one.origin), value, origin=one.origin))
        parameters.append(replace(one, type=maybe, default=Literal(None, type=NONE, origin=one.origin)))
        names[one.name] = name
    if not first:
        return function
    body = tuple(_renamed(one, names) for one in function.body)
    return replace(function, parameters=tuple(parameters), body=(*first, *body))


# -- Constants of Python ---------------------------------------------------------------------------------------------------


def blocks(node: Any, change: Callable[[Statement], Iterable[Statement]]) -> Any:
    """Return the node with each statement of its blocks replaced by those that ``change`` yields for it, inner blocks first."""
    node = rebuilt(node, lambda one: blocks(one, change))
    made: dict[str, Any] = {}
    for name in ("body", "other"):
        block = getattr(node, name, None)
        if isinstance(block, tuple):
            made[name] = tuple(new for one in block for new in change(one))
    return replace(node, **made) if made else node


def _is_none(statement: Statement) -> bool:
    """Return whether a statement assigns a field that is None for all arguments of the constructor; C# has no such field."""
    target = statement.target if isinstance(statement, Assign) else None
    return isinstance(target, PlaceTarget) and isinstance(target.place, Field) and target.place.type == NONE


def without_constants(function: Function) -> Function:
    """Return the function without assignments of values that C# lacks: classes, functions, settings objects."""

    def change(statement: Statement) -> Iterator[Statement]:
        constant = isinstance(statement, Assign) and isinstance(statement.value.type, ConstantOf)
        if not constant and not _is_none(statement):
            yield statement

    def value(node: Any) -> Any:
        node = rebuilt(node, value)
        if isinstance(node, (Local, Field)) and isinstance(node.type, ConstantOf):
            return Literal(node.type.value, type=node.type, origin=node.origin)
        return node

    made: Function = value(blocks(function, change))
    return made


def without_buffers(body: Sequence[Statement], names: Collection[str]) -> tuple[Statement, ...]:
    """Return the statements without registrations of the buffers ``names``, which methods replace.

    RegisterComponents would register them, so that the fields are assigned after it, from local variables.
    """
    gone = [one.name for part in body for one in walk(part) if isinstance(one, RegisterBuffer) and one.name in names]

    def change(statement: Statement) -> Iterator[Statement]:
        if isinstance(statement, RegisterBuffer) and statement.name in gone:
            place = PlaceTarget(Field(statement.name, type=TENSOR, origin=statement.origin), origin=statement.origin)
            yield Assign(place, statement.value, origin=statement.origin, comments=statement.comments)
        else:
            yield statement

    at = next(place for place, one in enumerate(body) if isinstance(one, RegisterComponents))
    before = as_locals((new for one in body[:at] for new in change(blocks(one, change))), gone)
    later = (Assign(PlaceTarget(Field(one, type=TENSOR)), Local(f"{one}#field", type=TENSOR)) for one in gone)
    return (*before, body[at], *later, *body[at + 1 :])


# -- Constructors of bases -------------------------------------------------------------------------------------------------


def _calls(node: Node, function: FunctionType) -> bool:
    return any(isinstance(one, MethodCall) and one.function is function for one in walk(node))


def with_bases(function: Function, helpers: Helpers) -> Function:
    """Return the constructor with the calls of base constructors replaced by their statements. Raises Untranslatable."""

    def change(statement: Statement) -> Iterator[Statement]:
        call = statement.value if isinstance(statement, Evaluate) else None
        if not isinstance(call, MethodCall) or call.function.__name__ != "__init__":
            yield statement
            return
        inner = with_bases(helpers[call.function], helpers)
        yield from _inlined(inner, call, function)

    made: Function = blocks(function, change)
    return made


def _inlined(inner: Function, call: MethodCall, around: Function) -> Iterator[Statement]:
    if any(isinstance(one, Return) for one in walk(inner)):
        raise Untranslatable(inner.origin, "the constructor of a base that returns early")
    stored = _stored(inner)
    targets = [one.name for one in walk(around) if isinstance(one, (LocalTarget, Bind, CountingLoop))]
    given = {one.name: one.value for one in call.arguments}
    names: dict[str, Expression | str] = {}
    for one in inner.parameters:
        value = given.get(one.name, one.default)
        if value is None:
            raise Untranslatable(call.origin, f"the argument {one.name} of the constructor of a base")
        plain = isinstance(value, Literal) or (isinstance(value, Local) and targets.count(value.name) < 2)
        if plain and one.name not in stored:
            names[one.name] = value
        else:
            names[one.name] = f"{one.name}#base"
            yield Assign(LocalTarget(f"{one.name}#base", one.type), value, origin=call.origin)
    for name in stored:
        names.setdefault(name, f"{name}#base" if "#" not in name else f"{name}base")
    yield from (_renamed(one, names) for one in inner.body)


def _stored(function: Function) -> dict[str, None]:
    found: dict[str, None] = {}
    for one in walk(function):
        if isinstance(one, (LocalTarget, Bind, CountingLoop, NestedFunction)):
            found[one.name] = None
        if isinstance(one, Lambda):
            found |= dict.fromkeys(one.parameters)
    return found


def _renamed(node: Any, names: Mapping[str, Expression | str]) -> Any:
    """Return the node with its variables renamed or replaced by expressions, as ``names`` says."""
    node = rebuilt(node, lambda one: _renamed(one, names))
    if isinstance(node, Lambda):
        return replace(node, parameters=tuple(str(names.get(one, one)) for one in node.parameters))
    if not isinstance(node, (Local, LocalTarget, Bind, CountingLoop, NestedFunction)):
        return node
    found = names.get(node.name)
    if isinstance(found, Expression):
        return found
    return node if found is None else replace(node, name=found)


# -- Fields ----------------------------------------------------------------------------------------------------------------


def _stores(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    """Return the statements that assign each field."""
    found: dict[str, list[Node]] = {}
    for node in nodes:
        for one in walk(node):
            for name in _assigned(one):
                found.setdefault(name, []).append(one)
    return found


def _assigned(one: Node) -> Iterator[str]:
    """Yield the fields that a statement itself assigns, or the field of the children if a call adds a child."""
    if isinstance(one, RegisterBuffer):
        yield one.name
    elif isinstance(one, ContainerCall) and isinstance(one.value, Field) and one.value.name == ENTRIES:
        yield ENTRIES
    elif isinstance(one, (Assign, Augment, For)):
        for part in walk(one.target):
            if isinstance(part, PlaceTarget) and isinstance(part.place, Field):
                yield part.place.name


def _constant(name: str, body: Sequence[Statement], stores: Sequence[Node]) -> Literal | None:
    """Return the literal that a field always has, if its only assignment is a statement of ``body`` and assigns a literal; else None."""
    (store, *others) = stores or (None,)
    if others or not isinstance(store, Assign) or not any(store is one for one in body):
        return None
    value = store.value
    plain = isinstance(value, Literal) and isinstance(value.value, (bool, int, float, str))
    return value if plain and isinstance(value, Literal) and isinstance(store.target, PlaceTarget) else None


def _role(name: str, found: Type, stores: Iterable[Node], instances: Sequence[nn.Module]) -> str:
    if any(isinstance(one, RegisterBuffer) for one in stores):
        return "buffer"
    for role, parts in (("module", "_modules"), ("parameter", "_parameters"), ("buffer", "_buffers")):
        if any(getattr(one, parts).get(name) is not None for one in instances):
            return role
    if isinstance(required(found), (ModuleOf, ModulesOf)):
        return "module"
    if required(found) != TENSOR:
        return "setting"
    values = [one.value for one in stores if isinstance(one, Assign)]
    return "parameter" if any(_is_parameter(one) for one in values) else "tensor"


def _may_be_none(store: Node) -> bool:
    value = store.value if isinstance(store, Assign) else None
    return value is not None and (
        value.type == NONE or (isinstance(value.type, OptionalOf) and not isinstance(value, Convert))
    )


def _is_parameter(value: Expression) -> bool:
    return any(isinstance(one, Construct) and issubclass(one.kind, nn.Parameter) for one in walk(value))


def _is_tensor(store: Node) -> bool:
    """Return whether a statement assigns a new tensor that is certainly no parameter: C#'s field takes parameters alone."""
    value = store.value if isinstance(store, Assign) else None
    return isinstance(value, (TorchCall, Binary)) and not _is_parameter(value)


def _assigns(name: str, block: Sequence[Statement], helpers: Helpers) -> bool:
    """Return whether every path through a block assigns a field or raises an exception."""
    for one in block:
        if isinstance(one, Return):
            return False
        if isinstance(one, (Raise, Unsupported)) or _always_assigns(name, one, helpers):
            return True
    return False


def _always_assigns(name: str, statement: Statement, helpers: Helpers) -> bool:
    if isinstance(statement, If):
        arms = {True: (statement.body,), False: (statement.other,), None: (statement.body, statement.other)}
        return all(_assigns(name, block, helpers) for block in arms[truth(statement.test)])
    if isinstance(statement, GradientMode):
        return _assigns(name, statement.body, helpers)
    if isinstance(statement, (Assign, RegisterBuffer)) and name in _assigned(statement):
        return True
    call = statement.value if isinstance(statement, (Evaluate, Assign)) else None
    return (
        isinstance(call, MethodCall)
        and call.function in helpers
        and _assigns(name, helpers[call.function].body, helpers)
    )


def _without_fields(body: tuple[Statement, ...], constants: Mapping[str, Literal]) -> tuple[Statement, ...]:
    """Return the statements with fields that are constants replaced by their literals, and without the assignments of these fields."""

    def value(node: Any) -> Any:
        node = rebuilt(node, value)
        if isinstance(node, Field) and node.name in constants:
            known = constants[node.name]
            return replace(known, name=known.name or node.name, origin=node.origin)
        return node

    kept = (one for one in body if constants.keys().isdisjoint(_assigned(one)))
    return tuple(value(one) for one in kept)


def _live(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """Return the statements with those branches empty that literals rule out; passes leave the branches out."""

    def change(statement: Statement) -> Iterator[Statement]:
        known = truth(statement.test) if isinstance(statement, If) else None
        if not isinstance(statement, If) or known is None:
            yield statement
        else:
            yield replace(statement, body=statement.body if known else (), other=() if known else statement.other)

    return tuple(new for one in body for new in change(blocks(one, change)))


def as_locals(body: Iterable[Statement], names: Collection[str]) -> tuple[Statement, ...]:
    """Return the statements with the fields ``names`` replaced by local variables."""

    def change(node: Any) -> Any:
        if isinstance(node, PlaceTarget) and isinstance(node.place, Field) and node.place.name in names:
            return LocalTarget(f"{node.place.name}#field", node.place.type, origin=node.origin)
        node = rebuilt(node, change)
        if isinstance(node, Field) and node.name in names:
            return Local(f"{node.name}#field", type=node.type, origin=node.origin)
        return node

    return tuple(map(change, body))


def _unified(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the statements with each local variable that only copies a parameter replaced by the parameter."""
    targets = [one.name for statement in body for one in walk(statement) if isinstance(one, (LocalTarget, Bind))]
    same: dict[str, Expression | str] = {}
    for one in body:
        if isinstance(one, Assign) and isinstance(one.target, LocalTarget) and one.target.name.endswith("#field"):
            plain = isinstance(one.value, Local) and one.value.name not in targets and one.value.type == one.target.type
            if plain and targets.count(one.target.name) == 1:
                same[one.target.name] = one.value
    kept = (one for one in body if not (isinstance(one, Assign) and getattr(one.target, "name", None) in same))
    return tuple(_renamed(one, same) for one in kept)


# -- Parts that are registered ---------------------------------------------------------------------------------------------


def _registered(
    body: tuple[Statement, ...], made: Assembly, later: tuple[Statement, ...], origin: Any
) -> tuple[Statement, ...]:
    """Return the statements with the registration of parts, placed after all assignments of parts and before any walk over them."""
    parts = [name for name, one in made.fields.items() if one.role in _PARTS]
    last = max((at for at, one in enumerate(body) if _stores_any(parts, one, made.helpers)), default=-1)
    first = next((at for at, one in enumerate(body) if _walks(one, made.helpers)), len(body))
    if first <= last:
        raise Untranslatable(origin, "a constructor that walks over parts, and makes others afterwards")
    return (*body[:first], RegisterComponents(), *later, *body[first:])


def _called(node: Node, helpers: Helpers) -> Iterator[Function]:
    """Yield the methods that a node calls, directly or through one another."""
    waiting, known = [node], set[FunctionType]()
    while waiting:
        for one in walk(waiting.pop()):
            if isinstance(one, MethodCall) and one.function in helpers and one.function not in known:
                known.add(one.function)
                waiting.append(helpers[one.function])
                yield helpers[one.function]


def _stores_any(names: Sequence[str], node: Node, helpers: Helpers) -> bool:
    parts = (node, *_called(node, helpers))
    return any(not set(names).isdisjoint(_assigned(one)) for part in parts for one in walk(part))


def _walks(node: Node, helpers: Helpers) -> bool:
    return any(
        isinstance(one, ContainerCall) and isinstance(one.value, Self) and one.name in _WALKS
        for part in (node, *_called(node, helpers))
        for one in walk(part)
    )
