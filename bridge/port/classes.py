"""The translation of a class of the model, with its instances and its source, to a class of C#."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from bridge.port import constructors, passes
from bridge.port.csharp import classes as csharp
from bridge.port.csharp import tree
from bridge.port.errors import Unwritable
from bridge.port.frontend import functions
from bridge.port.frontend.classes.assembly import finish, without_buffers
from bridge.port.frontend.classes.buffers import Computed, computed
from bridge.port.frontend.classes.definition import Definition
from bridge.port.frontend.classes.fields import Fields
from bridge.port.frontend.classes.instances import Instances, entries_of, literal
from bridge.port.frontend.classes.own import ConstructorParameter, OwnClass
from bridge.port.frontend.classes.root import check_given
from bridge.port.frontend.classes.ties import is_shared, tie
from bridge.port.graphs.differences import fixed_places, unify
from bridge.port.graphs.limits import find_limits
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    MOST_ARGUMENTS,
    Assign,
    Bind,
    Class,
    Convert,
    Expression,
    Field,
    FieldDefinition,
    Function,
    FunctionCall,
    Literal,
    Local,
    LocalTarget,
    Origin,
    Parameter,
    PlaceTarget,
    RegisterBuffer,
    RegisterComponents,
    Return,
    Statement,
    TupleLiteral,
    Unsupported,
)
from bridge.port.ir.traversal import rebuilt, walk
from bridge.port.ir.types import NONE, TENSOR, TupleOf, optional
from bridge.port.methods import (
    Left,
    Wrote,
    emit,
    emit_left,
    head,
    method_of,
    place_of,
    thrown,
    unnamed,
    without_refused,
)
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_method, read_method, unwrap
from bridge.port.program import Program


def translate(
    own: OwnClass, program: Program, last: Sequence[Statement] = ()
) -> tuple[tree.ClassDeclaration, ClassTranslation]:
    """Return a class of C#, and its translation; the constructor is translated from the source if possible, else made from instances."""
    before, helpers, settings = program.free.state(), set(program.emission.helpers), dict(program.emission.settings)
    try:
        if own.kind in program.by_instances:
            raise program.by_instances[own.kind]
        made = ClassTranslation(own, program)
        return made.translate(last), made
    except (Untranslatable, Unwritable) as error:
        program.free.restore(before)
        program.emission.helpers, program.emission.settings = helpers, settings
        program.constructions.pop(own.kind, None)
        why = error if isinstance(error, Untranslatable) else Untranslatable(Origin(), str(error))
        again = OwnClass(own.kind, own.name, own.instances, own.is_whole)
        made = ClassTranslation(again, program, why)
        return made.translate(last), made


class ClassTranslation:
    """The translation of one class; ``wrote`` says how each method was written, ``left`` lists the methods that could not be translated.

    ``by_instances`` is the reason why its constructor is made from the instances; None if the constructor of the source is translated.
    """

    def __init__(self, own: OwnClass, program: Program, by_instances: Untranslatable | None = None) -> None:
        self.left: list[Left] = []
        self.wrote: list[Wrote] = []
        self._own = own
        self._program = program
        self._by_instances = by_instances
        self._translated: constructors.Translated | None = None
        self._instances = Instances(own.kind, own.instances, program.given, program.classes, program.ranks)
        self._fields = Fields(own.name, self._instances)
        self._definition = Definition(
            own,
            self._fields,
            program.methods,
            program.forwards,
            program.is_own,
            program.is_chained,
            self._instances.types.of,
            self.lower,
            program.values if by_instances is not None else program.certain,
            program.member,
            program.constructor,
            self._instances.types.of_kind,
            program.rank,
        )
        self._forward = self._definition.forward_of(own.kind)
        self._names: dict[types.FunctionType, str] = {self._forward: "forward"}
        self._lowered: dict[types.FunctionType, Function] = {}
        self._failed: dict[types.FunctionType, Untranslatable] = {}
        self._open: set[types.FunctionType] = set()
        self._constants: dict[str, Any] = {}
        #: Statements after RegisterComponents, which would register the tensors that they assign as buffers.
        self._later: list[Statement] = []

    @property
    def functions(self) -> list[types.FunctionType]:
        """Return the methods that were written."""
        return list(self._names)

    # -- Through the rooms ---------------------------------------------------------------------------------------------

    def translate(self, last: Sequence[Statement] = ()) -> tree.ClassDeclaration:
        """Return the class; ``last`` are statements at the end of its constructor.

        Raises Unwritable, and Untranslatable if the constructor of the source cannot be translated.
        """
        if self._by_instances is None:
            self._translate_constructor()
        else:
            self._add_fields()
            for name in sorted(self._program.ties.read.get(self._own.kind, ())):
                with suppress(Untranslatable):  # the code that reads the field is refused later
                    self._definition.field(name, Origin())
        before = self._state()
        for function in (self._forward, *self._called_elsewhere()):
            self.lower(function, Origin())
        declarations = self._emit_all()
        if self.left:
            if self._translated is not None:
                left = self.left[0]
                raise Untranslatable(
                    Origin(), f"fields by whose types {left.where} is left to do: {left.place}: {left.why}"
                )
            declarations = self._emit_graph(before) or declarations
        forward = self._lowered[self._forward]
        constructor = self._passed(last)
        self._own.forward = forward
        self._own.methods = {one: name for one, name in self._names.items() if self._is_method(one)}
        emission = self._program.emission
        made = Class(
            self._own.name,
            constructor.parameters,
            tuple(self._definitions()),
            constructor.body,
            (),
            inspect.cleandoc(vars(self._own.kind).get("__doc__") or ""),
        )
        try:
            declaration = csharp.lower_class(
                emission, made, _base(declarations[self._forward]), list(declarations.values())
            )
        except Untranslatable as error:
            if self._translated is not None:
                raise
            raise Unwritable(f"the constructor of {self._own.name}: {error.why}") from None
        self._program.classes[self._own.kind] = self._own
        self._program.lowered |= {one: found for one, found in self._lowered.items() if self._is_method(one)}
        return declaration

    def _translate_constructor(self) -> None:
        """Add the fields as the constructor of the source makes them. Raises Untranslatable."""
        types = self._instances.types
        children = [types.of(child) for one in self._own.instances for child in one.children()]
        entries = entries_of(types.common(children)) if self._walks() else None
        translated = constructors.translate(self._own, self._program, self._definition, types.of, entries)
        self._translated = translated
        self._fields.definitions = dict(translated.assembly.fields)
        self._definition.missing = translated.assembly.missing
        self._definition.is_translated = True
        self._program.constructions[self._own.kind] = translated.nodes
        for function, found in translated.assembly.helpers.items():
            self._name(function)
            self._lowered[function] = found

    def _passed(self, last: Sequence[Statement]) -> Function:
        """Return the constructor after the passes, and set the parameters of the class. Raises Untranslatable."""
        own, init = self._own, vars(self._own.kind).get("__init__")
        where = f"{own.name}.__init__"
        place = place_of(self._program.given.constructors[init]) if init in self._program.given.constructors else ""
        if self._translated is None:
            own.parameters = self._instances.ordered()
            body = [*self._fields.statements, RegisterComponents(), *self._later, *self._fields.later]
            parameters = tuple(map(_parameter, own.parameters))
            error = self._by_instances
            why = () if error is None else (f"{error.origin}: {error.why}" if error.origin.file else error.why,)
            self.wrote.append(Wrote(where, place, "instances", why))
        else:
            if self._instances.parameters:
                name = next(iter(self._instances.parameters))
                raise Untranslatable(Origin(), f"{name}, which differs, and which the constructor does not assign")
            function = self._translated.function
            own.constructor, parameters = function, self._translated.assembly.parameters
            own.parameters = constructors.parameters(own, function, self._program.given)
            if own.is_whole:
                check_given(self._program.modules[0], own)
            read = {one.name for found in self._lowered.values() for one in walk(found) if isinstance(one, Field)}
            shared = self._program.ties.read.get(own.kind, set())
            body = list(finish(self._translated.assembly, read | shared, function.origin))
            for name in self._translated.fields - self._translated.assembly.fields.keys():
                del self._fields.definitions[name]
            own.literals = self._translated.literals(own.kind)
            own.fields = {name: one.type for name, one in self._fields.definitions.items() if name in shared}
            live = replace(function, body=self._translated.assembly.body)
            self.wrote.append(Wrote(where, place, "source", (*constructors.fixed(function), *thrown(live))))
        state = {name for name, one in self._fields.definitions.items() if one.role == "state"}
        every = (*without_buffers(body, state), *last)
        whole = passes.run(unnamed(Function("constructor", parameters, NONE, every), False))
        own.names = {a.name: b.name for a, b in zip(parameters, whole.parameters, strict=True)}
        return whole

    def lower(self, function: types.FunctionType, origin: Origin, *, of_self: bool = False) -> Function:
        """Return a lowered function of the model's source: a method of this class or of another class, or a function outside classes.

        A function outside classes becomes a method of this class if the module itself is passed to it (``of_self``).
        """
        if not of_self and not self._is_method(function):
            known = self._program.lowered.get(function)
            return known or self._program.free.lower(function, origin)
        method = self._program.methods.get(function)
        if method is None:
            return self._lower_unseen(function, origin)
        self._name(function)
        if function in self._open:
            return head(method, self._definition, True)
        if function not in self._lowered:
            before = self._state()
            self._open.add(function)
            try:
                self._lowered[function] = functions.lower(method, self._definition, bound=True)
            except Untranslatable as error:
                self._restore(before)
                self._lowered[function] = head(method, self._definition, True)
                if function is self._forward and not method.given and not method.decorators:
                    self._lowered[function] = _unreached(self._lowered[function], error)
                else:
                    self._failed[function] = error
            finally:
                self._open.discard(function)
        return self._lowered[function]

    def _lower_unseen(self, function: types.FunctionType, origin: Origin) -> Function:
        """Return a method that no run called, lowered with its static types. Raises Untranslatable, so that its caller's branch fails."""
        if function is self._forward:
            raise Unwritable(
                f"the source of {function.__qualname__} cannot be read: its class has to be in a .py file."
            )
        method = method_of(self._program.methods, function)
        if method is None:
            raise Untranslatable(
                origin, f"{function.__qualname__}, which did not run, and whose types no annotations tell"
            )
        before, names, failed = self._state(), dict(self._names), dict(self._failed)
        try:
            if function in self._open:
                return head(method, self._definition, True)
            self._name(function)
            self._open.add(function)
            self._lowered[function] = functions.lower(method, self._definition, bound=True)
            if self._failed != failed:
                raise next(error for one, error in self._failed.items() if one not in failed)
        except Untranslatable as error:
            del self._program.methods[function]
            self._restore(before)
            self._names, self._failed = names, failed
            raise Untranslatable(origin, f"{function.__name__} ({error.origin}): {error.why}") from None
        finally:
            self._open.discard(function)
        return self._lowered[function]

    def _is_method(self, function: types.FunctionType) -> bool:
        if function is self._forward:
            return True
        return any(is_method(base, function) for base in self._own.kind.__mro__ if issubclass(base, nn.Module))

    def _name(self, function: types.FunctionType) -> None:
        if function in self._names:
            return
        name = "base_forward" if function.__name__ == "forward" else function.__name__
        taken = {*self._names.values(), *self._fields.definitions}
        while name in taken:
            name += "_"
        self._names[function] = name

    def _called_elsewhere(self) -> list[types.FunctionType]:
        """Return the methods of the class that methods of other classes call on its instances."""
        found: dict[types.FunctionType, None] = {}
        for method in self._program.methods.values():
            for node, seen in method.seen.items():
                if not isinstance(node, ast.Attribute) or ast.unparse(node.value) in ("self", "super()"):
                    continue
                for value in seen.values:
                    if isinstance(value, types.MethodType) and type(value.__self__) is self._own.kind:
                        function = unwrap(value)
                        if function in self._program.methods and function.__name__ not in ("forward", "__call__"):
                            found[function] = None
        return list(found)

    # -- Methods in C# -------------------------------------------------------------------------------------------------

    def _emit_all(self) -> dict[types.FunctionType, tree.MethodDeclaration]:
        """Return a declaration of each method; a method that is left to do throws."""
        self._begin_emission()
        outside = self._called_elsewhere()
        made = {}
        for function, name in list(self._names.items()):
            access = "public override" if name == "forward" else "internal" if function in outside else "private"
            made[function] = self._emit(function, name, access)
        return made

    def _emit(self, function: types.FunctionType, name: str, access: str) -> tree.MethodDeclaration:
        method = self._program.methods.get(function) or self._program.given.constructors.get(function)
        method = method or read_method(function)
        assert method is not None
        lowered = self._lowered[function]
        where, error = f"{self._own.name}.{name}", self._failed.get(function)
        try:
            if name == "forward":
                _check_count(lowered)
            if error is None:
                chained = name == "forward" and self._program.is_chained(self._own.kind)
                declaration = self._emitted(function, name, access, chained)
                lowered = self._lowered[function]
                fixed = _fixed(lowered)
                self.wrote.append(Wrote(where, place_of(method), "source", (*fixed, *thrown(lowered))))
                return replace(declaration, comments=(*declaration.comments, *fixed))
        except Untranslatable as found:
            error = found
        assert error is not None
        self.left.append(Left(str(error.origin), where, error.why))
        self.wrote.append(Wrote(where, place_of(method), "left"))
        if len(lowered.parameters) > MOST_ARGUMENTS:
            self._lowered[function] = lowered = replace(lowered, parameters=lowered.parameters[:MOST_ARGUMENTS])
        return emit_left(self._program.emission, lowered, method, error, name, access)

    def _emitted(self, function: types.FunctionType, name: str, access: str, chained: bool) -> tree.MethodDeclaration:
        """Return a method in C#, in which branches without a translation throw if no run took them. Raises Untranslatable."""
        method, emission = self._program.methods.get(function), self._program.emission
        while True:
            lowered = self._lowered[function]
            try:
                return emit(emission, lowered, name, access, self._constants, chained=chained)
            except Untranslatable as error:
                if method is None:
                    raise
                again = without_refused(method, lowered, error, self._definition, bound=True)
                unreached = not method.given and not method.decorators  # a decorator may call another function
                if again is None and unreached and not isinstance(lowered.body[0], Unsupported):
                    again = _unreached(lowered, error)
                if again is None:
                    raise
                self._lowered[function] = again

    def _begin_emission(self) -> None:
        emission = self._program.emission
        others = {function: name for one in self._program.classes.values() for function, name in one.methods.items()}
        emission.methods = {**others, **self._names}
        lowered = {**self._program.free.lowered, **self._program.lowered, **self._lowered}
        emission.headers = {function: one.parameters for function, one in lowered.items()}
        emission.headers |= {
            kind: one.forward.parameters for kind, one in self._program.classes.items() if one.forward is not None
        }
        if self._forward in self._lowered:  # for a class whose modules contain modules of the same class
            emission.headers[self._own.kind] = self._lowered[self._forward].parameters
        translated = {
            kind: one.constructor for kind, one in self._program.classes.items() if one.constructor is not None
        }
        emission.constructors = {kind: one.parameters for kind, one in translated.items()}
        emission.parameters = {kind: one.names for kind, one in self._program.classes.items()}
        emission.classes = {kind: one.name for kind, one in self._program.classes.items()} | {
            self._own.kind: self._own.name
        }

    def _emit_graph(self, before: Any) -> dict[types.FunctionType, tree.MethodDeclaration] | None:
        """Return forward, translated from its graph; None if the graph has no translation either, for the reason that ``left`` then has."""
        method, names, wrote, left = self._program.methods[self._forward], self._names, self.wrote, self.left
        after, lowered, failed = self._state(), self._lowered, self._failed
        self._restore(before)
        self._names, self.wrote, self.left, self._failed = {self._forward: "forward"}, [], [], {}
        try:
            records = self._program.graphs()
            ran = [records[one] for one in self._own.instances if one in records]
            if not ran:
                raise Untranslatable(Origin(), "it did not run")
            trees = [one.method(method) for one in ran]
            escapes = [escape for one in ran for escape in one.escapes]
            for node, why in find_limits(method, self._program.methods, self._own.kind, escapes):  # the first is enough
                raise Untranslatable(Origin(method.file, method.line + getattr(node, "lineno", 1) - 1), why)
            unify(trees, self._own.instances, self._fields, self._instances)
            self._lowered = {self._forward: functions.lower(trees[0], self._definition, bound=True)}
            _check_count(self._lowered[self._forward])
            self._begin_emission()
            declaration = emit(
                self._program.emission,
                self._lowered[self._forward],
                "forward",
                "public override",
                self._constants,
                chained=self._program.is_chained(self._own.kind),
            )
            if self._failed:
                raise next(iter(self._failed.values()))
        except Untranslatable as error:
            self._restore(after)
            self._names, self.wrote, self._lowered, self._failed = names, wrote, lowered, failed
            self.left = [Left(one.place, one.where, f"{one.why}; its graph: {error.why}") for one in left]
            return None
        fixed = (
            *(f"Fixed as it was in that run: {one}" for one in fixed_places(method, ran[0].absent)),
            *_fixed(self._lowered[self._forward]),
        )
        self._lowered[self._forward] = self._with_names(method, self._lowered[self._forward])
        self.wrote.append(Wrote(f"{self._own.name}.forward", place_of(method), "graph", fixed))
        why = f"From its graph, in eval mode, for its source could not be translated: {left[0].place}: {left[0].why}"
        return {self._forward: replace(declaration, comments=(why.splitlines()[0], *fixed))}

    def _with_names(self, method: Method, lowered: Function) -> Function:
        """Return a forward from its graph, with the names that the items of its result have in the original."""
        observed = head(method, self._definition, True).result
        found = lowered.result if isinstance(lowered.result, TupleOf) else TupleOf((lowered.result,))
        if not isinstance(observed, TupleOf) or not observed.names or len(observed.items) != len(found.items):
            return lowered
        return replace(lowered, result=replace(found, names=observed.names))

    # -- Fields --------------------------------------------------------------------------------------------------------

    def _add_fields(self) -> None:
        if self._walks():
            self._fields.add_entries(self._own.is_whole)
            return
        self._fields.add_children()
        self._fields.add_parameters()
        for first, second in self._program.ties.within.get(self._own.kind, ()):
            if not is_shared(self._own.instances[0], first, second):
                self._fields.statements.append(tie(self._own.instances[0], first, second, self._instances.types))
        self._fields.add_buffers(frozenset(self._add_computed_buffers()))

    def _add_computed_buffers(self) -> set[str]:
        """Add buffers that are in no state_dict, and tensors that are no buffers, as the constructor computes them; return their names."""
        first = self._own.instances[0]
        temporary = [
            name
            for name in first._non_persistent_buffers_set
            if any(one._buffers.get(name) is not None for one in self._own.instances)
        ]
        kept = [
            name
            for name in vars(first)
            if all(isinstance(vars(one).get(name), torch.Tensor) for one in self._own.instances)
        ]
        done: set[str] = set()
        wanted, replaced = sorted(temporary) + kept, self._definition.assigned
        for found in computed(self._own.kind, wanted, self._own.instances, self._program.given, replaced):
            before, names, failed = self._state(), dict(self._names), dict(self._failed)
            try:
                statements = self._computing(found)
                for part in (node for statement in statements for node in walk(statement)):
                    if isinstance(part, FunctionCall):
                        self._program.free[part.function]  # raises Untranslatable if the function has no translation
                if self._failed != failed:
                    raise next(iter(self._failed.values()))
                if helpers := [one for one in self._names if one not in names]:
                    self._begin_emission()
                    for one in helpers:  # raises here for a helper without a translation, not in _emit_all
                        emit(self._program.emission, self._lowered[one], self._names[one], "private")
            except Untranslatable as error:
                self._restore(before)
                self._names, self._failed = names, failed
                self._fields.lacking |= dict.fromkeys(found.registered, error.why)
                continue
            place = self._later if found.registered.keys() & set(kept) else self._fields.statements
            place += statements
            done |= set(found.registered)
        return done

    def _computing(self, found: Computed) -> list[Statement]:
        """Return the statements that compute buffers. Raises Untranslatable."""
        for function, method in found.watched.items():
            self._program.methods.setdefault(function, method)
        lowered = functions.lower(found.method, self._definition, bound=True)
        try:
            values = {
                one.name: self._instances.value(
                    [self._program.given[module][one.name] for module in self._own.instances], one.name
                )
                for one in lowered.parameters
            }
        except Unwritable as error:
            raise Untranslatable(lowered.origin, str(error)) from None
        *body, last = lowered.body
        if not isinstance(last, Return) or not isinstance(last.value, TupleLiteral):
            raise Untranslatable(lowered.origin, "buffers that are computed in a branch")
        stored = {one.name for one in walk(lowered) if isinstance(one, (LocalTarget, Bind))}
        plain = {name: one for name, one in values.items() if isinstance(one, (Literal, Local)) and name not in stored}
        computed_first = {name: one for name, one in values.items() if name not in plain}
        named: dict[str, str | Expression] = {**plain, **{name: f"{name}#0" for name in computed_first}}
        made: list[Statement] = [
            Assign(LocalTarget(f"{name}#0", one.type), one) for name, one in computed_first.items()
        ]
        made += [_with_values(one, named) for one in body]
        for name, value in zip(found.registered, last.value.items, strict=True):
            assert isinstance(value, Expression)
            self._fields.define(name, value.type if value.type == optional(TENSOR) else TENSOR, "buffer")
            value = _with_values(value, named)
            if name not in self._own.instances[0]._buffers:
                made.append(Assign(PlaceTarget(Field(name, type=TENSOR)), value))
            else:
                made.append(RegisterBuffer(name, value, False))
        return made

    def _walks(self) -> bool:
        """Return whether the class is a list or dictionary of modules, or iterates over its children and names none of them."""
        if issubclass(self._own.kind, (nn.ModuleList, nn.ModuleDict)):
            return True
        methods = [one for function, one in self._program.methods.items() if self._is_method(function)]
        nodes = [node for one in methods for node in ast.walk(one.tree)]
        named = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"}
        every = {"self", "self.children()", "self.named_children()", "self._modules.values()", "self._modules.items()"}
        loops = [node.iter for node in nodes if isinstance(node, (ast.For, ast.comprehension))]
        loops += [part for one in loops if isinstance(one, ast.Call) for part in one.args]  # as in enumerate(self)
        walked = set(map(ast.unparse, loops))
        children = {name for one in self._own.instances for name in one._modules}
        return bool(walked & every) and not named & children

    def _definitions(self) -> list[FieldDefinition]:
        read = self._program.ties.read.get(self._own.kind, set())
        replaced = self._program.ties.replaced.get(self._own.kind, set())
        order = list(vars(self._own.instances[0]))
        constants = sorted(
            self._constants.items(), key=lambda one: order.index(one[0]) if one[0] in order else len(order)
        )
        return [
            *(FieldDefinition(name, value.type, "constant", self._named(name, value)) for name, value in constants),
            *(
                replace(one, shared=one.name in read, tied=one.name in replaced)
                for one in self._fields.definitions.values()
            ),
        ]

    def _named(self, name: str, value: Literal) -> Literal:
        """Return the setting that the constructor of the source assigns to a constant, if it has this value; else the value."""
        made = self._translated.assembly.constants.get(name) if self._translated is not None else None
        known = made is not None and made.of_settings and type(made.value) is type(value.value)
        return made if made is not None and known and made.value == value.value else value

    def _state(self) -> tuple[Any, ...]:
        return (
            dict(self._fields.definitions),
            list(self._fields.statements),
            list(self._fields.later),
            dict(self._instances.parameters),
            dict(self._constants),
        )

    def _restore(self, state: tuple[Any, ...]) -> None:
        definitions, statements, later, parameters, constants = state
        self._fields.definitions, self._fields.statements = dict(definitions), list(statements)
        self._fields.later = list(later)
        self._instances.parameters, self._constants = dict(parameters), dict(constants)


def _check_count(forward: Function) -> None:
    """Raise Untranslatable if a forward has more parameters than the modules of TorchSharp take."""
    if (count := len(forward.parameters)) > MOST_ARGUMENTS:
        raise Untranslatable(forward.origin, f"{count} arguments, of which TorchSharp's modules take {MOST_ARGUMENTS}")


def _unreached(forward: Function, error: Untranslatable) -> Function:
    """Return a forward that throws, for a forward that no run called and that has no translation."""
    why = f"no run called it, and it has no translation: {error.why}"
    kept = forward.parameters[:MOST_ARGUMENTS]
    return replace(forward, parameters=kept, body=(Unsupported(why, origin=error.origin),))


def _fixed(forward: Function) -> tuple[str, ...]:
    """Return a sentence on each parameter that C# does not take, with its value, and a sentence if the method throws."""
    found = [
        (one.name, one.default.value if isinstance(one.default, Convert) else one.default) for _, one in forward.fixed
    ]
    whys = [one.why for one in forward.body if isinstance(one, Unsupported)]  # its only statement, if no run called it
    return tuple(
        f"Fixed as in every call: {name} is {value.value}" for name, value in found if isinstance(value, Literal)
    ) + tuple(f"It throws, for {why}" for why in whys)


def _with_values(node: Any, names: Mapping[str, str | Expression]) -> Any:
    """Return the node with the local variables in ``names`` renamed, or replaced by expressions."""
    node = rebuilt(node, lambda one: _with_values(one, names))
    found = names.get(node.name) if isinstance(node, (Local, LocalTarget, Bind)) else None
    if found is None:
        return node
    return found if isinstance(found, Expression) else replace(node, name=found)


def _parameter(found: ConstructorParameter) -> Parameter:
    default = None if found.default is inspect.Parameter.empty else literal(found.default)
    return Parameter(found.name, found.type, default, found.entries)


def _base(forward: tree.MethodDeclaration) -> tree.Type:
    """Return the base class of a module with this forward: ``Module<T, TResult>``."""
    assert forward.result is not None
    return tree.Type("Module", (*(one.type for one in forward.parameters), forward.result))
