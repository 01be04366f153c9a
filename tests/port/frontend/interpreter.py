"""Runs the intermediate representation in Python, so that a function and what it is lowered to can be compared on any input."""

from __future__ import annotations

import builtins
import inspect
import math
import operator
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

import torch

from bridge.port.ir import nodes as n
from bridge.port.ir.types import FLOAT, INT, DictOf, IteratorOf, ListOf, SetOf

_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is-not": operator.is_not,
    "in": lambda a, b: a in b,
    "not-in": lambda a, b: a not in b,
}
_IN_PLACE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
    "<<": operator.ilshift,
    ">>": operator.irshift,
}


class _Left(Exception):
    """A loop or function that is left."""


class _Broken(_Left):
    pass


class _Continued(_Left):
    pass


class _Returned(_Left):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def run(function: n.Function, *given: Any, module: Any = None, others: Mapping[Any, n.Function] = {}) -> Any:
    """Call a lowered function; ``others`` are the functions that it calls."""
    return _call(function.parameters, function.body, given, {}, module, others)


def _call(
    parameters: Iterable[n.Parameter],
    body: tuple[n.Statement, ...],
    given: tuple[Any, ...],
    outer: MutableMapping[str, Any],
    module: Any,
    others: Mapping[Any, n.Function],
) -> Any:
    frame = _Frame(_Names({}, outer), module, others)
    for place, one in enumerate(parameters):
        if one.spread:
            frame.names.maps[0][one.name] = list(given[place:])
        elif place < len(given):
            frame.names.maps[0][one.name] = given[place]
        else:
            assert one.default is not None, one.name
            frame.names.maps[0][one.name] = frame.value(one.default)
    try:
        frame.block(body)
    except _Returned as found:
        return found.value
    return None


class _Names(ChainMap[str, Any]):
    """Variables of a function; those of the one around it are assigned there."""

    def __setitem__(self, name: str, value: Any) -> None:
        outer = self.maps[1]
        (outer if name in outer and name not in self.maps[0] else self.maps[0])[name] = value


class _Frame:
    def __init__(self, names: ChainMap[str, Any], module: Any, others: Mapping[Any, n.Function]) -> None:
        self.names, self.module, self.others = names, module, others

    # -- Statements ----------------------------------------------------------------------------------------------------

    def block(self, body: Iterable[n.Statement]) -> None:
        for one in body:
            getattr(self, f"_{type(one).__name__.lower()}")(one)

    def _assign(self, node: n.Assign) -> None:
        self._store(node.target, self.value(node.value))

    def _store(self, target: n.Target, value: Any) -> None:
        if isinstance(target, n.LocalTarget):
            self.names[target.name] = value
        elif isinstance(target, n.TupleTarget):
            parts = list(value)
            if target.star >= 0:
                rest = len(parts) - len(target.items) + 1
                parts[target.star : target.star + rest] = [parts[target.star : target.star + rest]]
            for one, part in zip(target.items, parts, strict=True):
                self._store(one, part)
        else:
            self._put(target.place, value)

    def _put(self, place: n.Expression, value: Any) -> None:
        if isinstance(place, n.Field):
            setattr(self.module, place.name, value)
        elif isinstance(place, n.Property):
            setattr(self.value(place.value), place.name, value)
        elif isinstance(place, n.Item):
            self.value(place.value)[self.value(place.index)] = value
        elif isinstance(place, n.Slice):
            self.value(place.value)[self._span(place)] = value
        elif isinstance(place, n.TensorIndex):
            self.value(place.value)[self._indices(place)] = value
        else:
            raise AssertionError(place)

    def _augment(self, node: n.Augment) -> None:
        if isinstance(node.target, n.LocalTarget):
            old = self.names[node.target.name]
        else:
            assert isinstance(node.target, n.PlaceTarget)
            old = self.value(node.target.place)
        self._store(node.target, _IN_PLACE[node.operator](old, self.value(node.value)))

    def _evaluate(self, node: n.Evaluate) -> None:
        self.value(node.value)

    def _if(self, node: n.If) -> None:
        test = self.value(node.test)
        assert isinstance(test, bool)
        self.block(node.body if test else node.other)

    def _for(self, node: n.For) -> None:
        for one in self.value(node.source):
            self._store(node.target, one)
            try:
                self.block(node.body)
            except _Broken:
                return
            except _Continued:
                continue
        self.block(node.other)

    def _while(self, node: n.While) -> None:
        while self.value(node.test):
            try:
                self.block(node.body)
            except _Broken:
                return
            except _Continued:
                continue
        self.block(node.other)

    def _break(self, node: n.Break) -> None:
        raise _Broken

    def _continue(self, node: n.Continue) -> None:
        raise _Continued

    def _return(self, node: n.Return) -> None:
        raise _Returned(None if node.value is None else self.value(node.value))

    def _raise(self, node: n.Raise) -> None:
        raise getattr(builtins, node.kind)(*([] if node.message is None else [self.value(node.message)]))

    def _assert(self, node: n.Assert) -> None:
        if not self.value(node.test):
            raise AssertionError(*([] if node.message is None else [self.value(node.message)]))

    def _gradientmode(self, node: n.GradientMode) -> None:
        with getattr(torch, node.mode)():
            self.block(node.body)

    def _nestedfunction(self, node: n.NestedFunction) -> None:
        self.names[node.name] = lambda *given: _call(
            node.parameters, node.body, given, self.names, self.module, self.others
        )

    def _unsupported(self, node: n.Unsupported) -> None:
        raise NotImplementedError(node.why)

    def _note(self, node: n.Note) -> None:
        pass

    # -- Expressions ---------------------------------------------------------------------------------------------------

    def value(self, node: Any) -> Any:
        """Evaluate an expression."""
        return getattr(self, f"_{type(node).__name__.lower()}_")(node)

    def _many(self, nodes: Iterable[Any]) -> list[Any]:
        found: list[Any] = []
        for one in nodes:
            found += self.value(one.value) if isinstance(one, n.Spread) else [self.value(one)]
        return found

    def _literal_(self, node: n.Literal) -> Any:
        return node.value

    def _local_(self, node: n.Local) -> Any:
        return self.names[node.name]

    def _self_(self, node: n.Self) -> Any:
        return self.module

    def _field_(self, node: n.Field) -> Any:
        return getattr(self.module, node.name)

    def _training_(self, node: n.Training) -> Any:
        return (self.module if node.module is None else self.value(node.module)).training

    def _property_(self, node: n.Property) -> Any:
        return getattr(self.value(node.value), node.name)

    def _tupleitem_(self, node: n.TupleItem) -> Any:
        return self.value(node.value)[node.place]

    def _item_(self, node: n.Item) -> Any:
        return self.value(node.value)[self.value(node.index)]

    def _slice_(self, node: n.Slice) -> Any:
        return self.value(node.value)[self._span(node)]

    def _span(self, node: n.Slice | n.Span) -> slice:
        return slice(*(None if one is None else self.value(one) for one in (node.start, node.stop, node.step)))

    def _indices(self, node: n.TensorIndex) -> Any:
        found = tuple(self._span(one) if isinstance(one, n.Span) else self.value(one) for one in node.indices)
        return found[0] if len(found) == 1 else found

    def _tensorindex_(self, node: n.TensorIndex) -> Any:
        return self.value(node.value)[self._indices(node)]

    def _unary_(self, node: n.Unary) -> Any:
        return {"-": operator.neg, "+": operator.pos, "~": operator.invert}[node.operator](self.value(node.operand))

    def _binary_(self, node: n.Binary) -> Any:
        return _BINARY[node.operator](self.value(node.left), self.value(node.right))

    def _compare_(self, node: n.Compare) -> Any:
        return _BINARY[node.operator](self.value(node.left), self.value(node.right))

    def _truth_(self, node: n.Truth) -> Any:
        return bool(self.value(node.value))

    def _not_(self, node: n.Not) -> Any:
        return not self.value(node.value)

    def _logical_(self, node: n.Logical) -> Any:
        for one in node.values:
            found = self.value(one)
            if bool(found) == (node.operator == "or"):
                break
        return found

    def _unsupportedvalue_(self, node: n.UnsupportedValue) -> Any:
        raise NotImplementedError(node.why)

    def _conditional_(self, node: n.Conditional) -> Any:
        return self.value(node.body if self.value(node.test) else node.other)

    def _bind_(self, node: n.Bind) -> Any:
        self.names[node.name] = self.value(node.value)
        return self.names[node.name]

    def _convert_(self, node: n.Convert) -> Any:
        found = self.value(node.value)
        if node.type == FLOAT and node.value.type == INT:
            return float(found)
        return int(found) if node.type == INT and node.value.type == FLOAT else found

    def _arguments(self, node: Any) -> tuple[list[Any], dict[str, Any]]:
        positional = [self.value(one.value) for one in node.arguments if one.positional]
        return positional, {one.name: self.value(one.value) for one in node.arguments if not one.positional}

    def _torchcall_(self, node: n.TorchCall) -> Any:
        positional, named = self._arguments(node)
        receiver = [] if node.receiver is None else [self.value(node.receiver)]
        try:
            return node.function(*receiver, *positional, **named)
        except (TypeError, ValueError):  # the last argument stands for any number
            if not positional or not isinstance(positional[-1], (tuple, list)):
                raise
            return node.function(*receiver, *positional[:-1], *positional[-1], **named)

    def _modulecall_(self, node: n.ModuleCall) -> Any:
        positional, named = self._arguments(node)
        return self.value(node.module)(*positional, **named)

    def _functioncall_(self, node: n.FunctionCall) -> Any:
        return self._of_source(node, [])

    def _methodcall_(self, node: n.MethodCall) -> Any:
        return self._of_source(node, [self.value(node.target)])

    def _of_source(self, node: n.FunctionCall | n.MethodCall, target: list[Any]) -> Any:
        """Call a function of the model's source: as it is lowered, where that is given."""
        positional, named = self._arguments(node)
        lowered = self.others.get(node.function)
        if lowered is None:
            code = node.function.__code__
            if code.co_flags & inspect.CO_VARARGS and len(positional) > code.co_argcount:
                positional[-1:] = positional[-1]
            return node.function(*target, *positional, **named)
        module = target[0] if target else None
        names = [one.name for one in lowered.parameters]
        assert names[: len(positional)] == [one.name for one in node.arguments if one.positional][: len(names)]
        values = [*positional]
        for one in lowered.parameters[len(positional) :]:
            if one.spread:
                continue
            default = None if one.default is None else self.value(one.default)
            assert one.name in named or one.default is not None, one.name
            values.append(named.get(one.name, default))
        return _call(lowered.parameters, lowered.body, tuple(values), {}, module, self.others)

    def _valuecall_(self, node: n.ValueCall) -> Any:
        return self.value(node.function)(*self._many(node.arguments))

    def _builtincall_(self, node: n.BuiltinCall) -> Any:
        space, _, name = node.name.rpartition(".")
        function = getattr({"": builtins, "math": math, "warnings": warnings}[space], name)
        return function(*self._many(node.arguments), **{one.name: self.value(one.value) for one in node.keywords})

    def _containercall_(self, node: n.ContainerCall) -> Any:
        keywords = {one.name: self.value(one.value) for one in node.keywords}
        return getattr(self.value(node.value), node.name)(*self._many(node.arguments), **keywords)

    def _listliteral_(self, node: n.ListLiteral) -> Any:
        return self._many(node.items)

    def _setliteral_(self, node: n.SetLiteral) -> Any:
        return set(self._many(node.items))

    def _tupleliteral_(self, node: n.TupleLiteral) -> Any:
        return tuple(self._many(node.items))

    def _dictliteral_(self, node: n.DictLiteral) -> Any:
        return {self.value(key): self.value(value) for key, value in node.entries}

    def _comprehension_(self, node: n.Comprehension) -> Any:
        found = list(self._turns(node, list(node.generators)))
        if isinstance(node.type, DictOf):
            return dict(found)
        if isinstance(node.type, SetOf):
            return set(found)
        assert isinstance(node.type, (ListOf, IteratorOf))
        return found if isinstance(node.type, ListOf) else iter(found)

    def _turns(self, node: n.Comprehension, generators: list[n.Generator]) -> Iterable[Any]:
        if not generators:
            yield self.value(node.element) if node.key is None else (self.value(node.key), self.value(node.element))
            return
        for one in self.value(generators[0].source):
            self._store(generators[0].target, one)
            if all(self.value(test) for test in generators[0].conditions):
                yield from self._turns(node, generators[1:])

    def _lambda_(self, node: n.Lambda) -> Any:
        def made(*given: Any) -> Any:
            names = _Names(dict(zip(node.parameters, given, strict=True)), self.names)
            return _Frame(names, self.module, self.others).value(node.body)

        return made

    def _format_(self, node: n.Format) -> Any:
        return "".join(format(self.value(one), form) for one, form in zip(node.parts, node.formats, strict=True))
