"""A class of the model as C#: fields, constructor, forward and what it calls."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import nn

from bridge.port.csharp_types import Untranslatable, parts
from bridge.port.expressions import Expressions
from bridge.port.fields import Fields
from bridge.port.graph import Record
from bridge.port.making import Given
from bridge.port.members import Text, escaped, literal
from bridge.port.methods import INDENT, FunctionWriter, Left, Translated, Wrote, comment_of, translated
from bridge.port.port_errors import Unwritable
from bridge.port.scope import Scope, Written
from bridge.port.ties import Ties
from bridge.port.watched import Method, source_of


class ClassWriter(Fields):
    """Writes one class. :meth:`write` gives its text; ``wrote`` is how each method was, ``left`` what could not be translated."""

    def __init__(
        self,
        written: Written,
        given: Given,
        classes: dict[type[nn.Module], Written],
        methods: dict[types.FunctionType, Method],
        free: FunctionWriter,
        forward: Any,
        graphs: Callable[[], Mapping[nn.Module, Record]],
        ranks: Mapping[nn.Module, int],
        tied: Ties,
    ) -> None:
        scope = Scope(written.kind, written.instances, given, classes, ranks)
        super().__init__(written, scope, given, methods, tied)
        self._forward = source_of(forward)
        self._free = free
        self._graphs = graphs
        self.left: list[Left] = []
        self.wrote: list[Wrote] = []
        self._classes = classes
        self._functions: dict[types.FunctionType, str] = {}

    def write(self, last: Sequence[str] = ()) -> str:
        """The class, with its namespace left to the caller; ``last`` are lines at the end of its constructor.

        Raises Unwritable where its constructor cannot be written.
        """
        self._members()
        self._later += last
        forward = self._forward
        before = self._state()
        texts = self._methods(forward)
        if self.left:
            texts = self._from_graph(forward, before) or texts
        self.written.parameters = self.scope.ordered()
        self.written.methods = dict(self._functions)
        return self._text([*texts, *self._helpers.values()])

    def _methods(self, forward: types.FunctionType) -> list[str]:
        """Forward and what it calls, from their source; and what other classes call."""
        self._functions[forward] = "forward"
        for function in self._called_elsewhere():
            self._function(function, self._watched[function].tree)
        texts: list[str] = []
        done = set(self._helpers)
        while len(done) < len(self._functions):
            for function in [one for one in self._functions if one not in done]:
                done.add(function)
                texts.append(self._method(function))
        return texts

    def _from_graph(self, forward: types.FunctionType, before: tuple[Any, ...]) -> list[str]:
        """Forward from what ran in it; empty, and nothing is changed, where that cannot be written either."""
        method = self._watched[forward]
        after, left = self._state(), self.left
        self._restore(before)
        try:
            records = self._graphs()
            ran = [records[one] for one in self.written.instances if one in records]
            if not ran:
                raise Untranslatable(method.tree, "it did not run")
            trees = [one.method(method) for one in ran]
            expressions = Expressions(trees[0], self._attribute, self._function, self._watched)
            self._differing(trees, expressions)
            made = translated(trees[0], expressions, f"{self.written.name}.forward", method)
            if made.left is not None:
                raise Untranslatable(method.tree, made.left.why)
        except Untranslatable as error:
            self._restore(after)
            self.left = [Left(one.place, one.where, f"{one.why}; its graph: {error.why}") for one in left]
            return []
        self.left = []
        self._functions = {forward: "forward", **dict.fromkeys(self._helpers, "")} | self._functions
        self.wrote.append(Wrote(made.wrote.where, made.wrote.place, "graph"))
        self._base(made)
        why = f"// From its graph, in eval mode, for its source could not be translated: {left[0].place}: {left[0].why}"
        return [f"{why.splitlines()[0]}\n{made.text('public override', 'forward')}"]

    def _differing(self, graphs: Sequence[Method], expressions: Expressions) -> None:
        """Numbers that differ from instance to instance become fields. Raises Untranslatable where more than that differs."""
        first = graphs[0]
        others = [list(ast.walk(one.tree)) for one in graphs]
        if len({len(one) for one in others}) != 1:
            raise Untranslatable(first.tree, "its instances differ in what runs")
        for nodes in zip(*others, strict=True):
            values = [getattr(one, "value", None) for one in nodes] if isinstance(nodes[0], ast.Constant) else []
            if (
                len({type(one) for one in nodes}) > 1
                or len({getattr(one, "id", getattr(one, "attr", "")) for one in nodes}) > 1
            ):
                raise Untranslatable(first.tree, "its instances differ in what runs")
            if all(one == values[0] for one in values):
                continue
            if len(graphs) != len(self.written.instances) or not all(type(one) in (int, float) for one in values):
                raise Untranslatable(first.tree, "its instances differ in what runs")
            try:
                found = self.scope.value(values, f"size{len(self._fields)}")
            except Unwritable as error:
                raise Untranslatable(first.tree, str(error)) from None
            if isinstance(found, Text) and isinstance(nodes[0], ast.Constant):
                name = found.code if found.code.isidentifier() else f"size{len(self._fields)}"
                if name not in self._fields:
                    self._field(name, found.type)
                    self._lines.append(f"{self._self(name)} = {found.code};")
                expressions.standing[nodes[0]] = Text(name, found.type)

    def _state(self) -> tuple[Any, ...]:
        return (
            dict(self._fields),
            list(self._lines),
            dict(self.scope.parameters),
            dict(self._functions),
            list(self.wrote),
        )

    def _restore(self, state: tuple[Any, ...]) -> None:
        fields, lines, parameters, functions, wrote = state
        self._fields, self._lines, self._functions, self.wrote = dict(fields), list(lines), dict(functions), list(wrote)
        self.scope.parameters = dict(parameters)

    @property
    def functions(self) -> list[types.FunctionType]:
        """The methods that were written."""
        return list(self._functions)

    # -- Methods --------------------------------------------------------------------------------------------------------

    def _function(self, function: Any, node: ast.AST, own: bool = False) -> str:
        name = str(getattr(function, "__name__", ""))
        if (own or source_of(getattr(self.written.kind, name, None)) is function) and function in self._watched:
            taken = {word for one, word in self._functions.items() if one is not function} | set(self._fields)
            if name == "forward" and function is not self._forward:
                name = "base_forward"
            while name in taken:
                name += "_"
            return self._functions.setdefault(function, name)
        return self._free.name(function, node)

    def _elsewhere(self, kind: type, function: types.FunctionType) -> str | None:
        return self._classes[kind].methods.get(function) if kind in self._classes else None

    def _called_elsewhere(self) -> list[types.FunctionType]:
        """Methods of the class that are called on its instances by another class's."""
        found: dict[types.FunctionType, None] = {}
        for method in self._watched.values():
            for node, seen in method.seen.items():
                owner = node.value if isinstance(node, ast.Attribute) else None
                if (
                    owner is None
                    or (isinstance(owner, ast.Name) and owner.id == "self")
                    or "super()" in ast.unparse(owner)
                ):
                    continue
                for value in seen.values:
                    if isinstance(value, types.MethodType) and type(value.__self__) is self.written.kind:
                        function = source_of(value)
                        if function in self._watched and function.__name__ not in ("forward", "__call__"):
                            found[function] = None
        return list(found)

    def _keep(self, node: ast.Attribute, value: Text) -> str:
        """An attribute that a method sets: a property, so that it is no buffer. Raises Untranslatable."""
        name = node.attr
        if name in self._fields or self._kept.get(name, value.type) != value.type:
            raise Untranslatable(node, f"an assignment to '{ast.unparse(node)}', which is a child or of several types")
        if value.type != "Tensor" and not value.type.startswith("("):
            raise Untranslatable(node, f"an assignment to '{ast.unparse(node)}', which is a {value.type}")
        self._kept[name] = value.type
        return escaped(name)

    def _method(self, function: types.FunctionType) -> str:
        name = self._functions[function]
        method = self._watched.get(function)
        if method is None:
            raise Unwritable(
                f"the source of {function.__qualname__} cannot be read: its class has to be in a .py file."
            )
        fields = dict(self._fields), list(self._lines)
        bound = source_of(getattr(self.written.kind, function.__name__, None)) is not function
        expressions = Expressions(method, self._attribute, self._function, self._watched, bound)
        expressions.type_of_module = self.scope.type_of_module
        expressions.elsewhere = self._elsewhere
        expressions.keep = self._keep
        made = translated(method, expressions, f"{self.written.name}.{name}")
        if made.left is not None:
            self._fields, self._lines = fields
            self.left.append(made.left)
        self.wrote.append(made.wrote)
        if name == "forward":
            self._base(made)
        outside = "internal" if function in self._called_elsewhere() else "private"
        return made.text("public override" if name == "forward" else outside, name)

    def _base(self, made: Translated) -> None:
        types_ = [one.rpartition(" ")[0] for one in parts(made.parameters)] if made.parameters else []
        self.written.base = f"Module<{', '.join([*types_, made.result])}>"

    # -- Text -----------------------------------------------------------------------------------------------------------

    def _text(self, methods: Sequence[str]) -> str:
        written = self.written
        required = [f"{one.type} {escaped(one.name)}{_default(one.default, one.type)}" for one in written.parameters]
        read = self._ties.read.get(written.kind, set())
        fields = [
            f"{'internal' if name in read else 'private'} readonly {type_} {escaped(name)};"
            for name, type_ in self._fields.items()
        ]
        lines = [line for one in self._lines for line in one.split("\n")]
        hidden = {one.name for one in written.parameters}
        assigned = [
            f"this.{line}"
            if (head := line.split(" = ")[0]) in hidden and " = " in line and head in self._fields
            else line
            for line in lines
        ]
        constructor = [f"public {written.name}({', '.join(required)})", INDENT + f': base("{written.name}")', "{"]
        constructor += [INDENT + line if line else "" for line in assigned]
        constructor += [INDENT + "RegisterComponents();"]
        constructor += [INDENT + line if line else "" for one in self._later for line in one.split("\n")] + ["}"]
        kept = [
            f"/// <summary>As the last call left it.</summary>\npublic {type_}? {escaped(name)} {{ get; private set; }}"
            for name, type_ in self._kept.items()
        ]
        members = ["\n".join(one) for one in (self._declared(methods), fields, kept) if one]
        members += ["\n".join(constructor), *methods]
        inner = "\n\n".join(textwrap.indent(member, INDENT) for member in members)
        comment = comment_of(inspect.cleandoc(vars(written.kind).get("__doc__") or ""))
        return f"{comment}public sealed class {written.name} : {written.base}\n{{\n{inner}\n}}"

    def _declared(self, methods: Sequence[str]) -> list[str]:
        """The named constants that the methods use."""
        order = list(vars(self._first))
        used = {word for text in methods for word in re.findall(r"(?<![\w.\"])@?[A-Za-z_]\w*", text)}
        return [
            f"private const {'long' if isinstance(value, int) else 'double'} {escaped(name)} = {literal(value, 'double')};"
            for name, value in sorted(
                self._constants.items(), key=lambda one: order.index(one[0]) if one[0] in order else -1
            )
            if escaped(name) in used
        ]


def _default(value: Any, type_: str) -> str:
    return "" if value is inspect.Parameter.empty else f" = {literal(value, type_)}"
