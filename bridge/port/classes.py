"""A class of the model as C#: fields, constructor, forward and what it calls."""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import nn

from bridge.port.buffers import Computed, computed
from bridge.port.csharp_types import Untranslatable, parts
from bridge.port.dictionaries import literal_of
from bridge.port.expressions import Expressions
from bridge.port.graph import Record
from bridge.port.making import Given
from bridge.port.members import Argument, Constant, Text, escaped, literal, number
from bridge.port.methods import INDENT, FunctionWriter, Left, Translated, Wrote, comment_of, translated
from bridge.port.port_errors import Unwritable
from bridge.port.scope import ENTRIES, Scope, Written, type_of
from bridge.port.statements import Statements
from bridge.port.ties import Ties, expression
from bridge.port.watched import Method, source_of


class ClassWriter:
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
        self.written = written
        self._forward = source_of(forward)
        self._free = free
        self._graphs = graphs
        self.scope = Scope(written.kind, written.instances, given, classes, ranks)
        self.left: list[Left] = []
        self.wrote: list[Wrote] = []
        self._watched = methods
        self._given = given
        self._ties = tied
        self._classes = classes
        self._fields: dict[str, str] = {}
        self._constants: dict[str, int | float] = {}
        self._kept: dict[str, str] = {}
        self._lines: list[str] = []
        self._functions: dict[types.FunctionType, str] = {}
        self._first = written.instances[0]

    def write(self) -> str:
        """The class, with its namespace left to the caller. Raises Unwritable where its constructor cannot be written."""
        self._members()
        forward = self._forward
        before = self._state()
        texts = self._methods(forward)
        if self.left:
            texts = self._from_graph(forward, before) or texts
        self.written.parameters = self.scope.ordered()
        self.written.methods = dict(self._functions)
        return self._text(texts)

    def _methods(self, forward: types.FunctionType) -> list[str]:
        """Forward and what it calls, from their source; and what other classes call."""
        self._functions[forward] = "forward"
        for function in self._called_elsewhere():
            self._function(function, self._watched[function].tree)
        texts: list[str] = []
        done: set[types.FunctionType] = set()
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
        self._functions = {forward: "forward"}
        self.wrote = [Wrote(made.wrote.where, made.wrote.place, "graph")]
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

    # -- Members --------------------------------------------------------------------------------------------------------

    def _members(self) -> None:
        if self._walks():
            made = self.scope.entries(ENTRIES)
            self._field(ENTRIES, made.type)
            self._lines.append(f"this.{ENTRIES} = {ENTRIES};")
            self._lines.append(
                f"foreach (var (name, child) in {ENTRIES})\n{{\n{INDENT}register_module(name, child);\n}}"
            )
            return
        names = {name: None for one in self.written.instances for name in one._modules}
        for name in names:
            modules = [one._modules.get(name) for one in self.written.instances]
            if all(module is None for module in modules):
                continue
            made = self.scope.module(modules, name)
            self._field(name, made.type)
            self._lines.append(f"{self._self(name)} = {made.code};")
        for name in {name: None for one in self.written.instances for name in one._parameters}:
            tensors = [one._parameters.get(name) for one in self.written.instances]
            if all(tensor is None for tensor in tensors):
                continue
            self._field(name, "Parameter")
            self._lines.append(f"{self._self(name)} = new Parameter({self._filled(tensors, name)});")
        for one, other in self._ties.within.get(self.written.kind, ()):
            to, source = (expression(self._first, path, self.scope.type_of_module) for path in (other, one))
            self._lines.append(f"{to} = {source}!; // one parameter")
        for name in self._computed_buffers():
            self._buffer(name, [one._buffers.get(name) for one in self.written.instances])

    @cached_property
    def _set_by_methods(self) -> frozenset[str]:
        """The attributes that methods of the class set, children aside."""
        found = set()
        for function, method in self._watched.items():
            if source_of(getattr(self.written.kind, function.__name__, None)) is function:
                found |= {
                    node.attr
                    for node in ast.walk(method.tree)
                    if isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "self"
                }
        return frozenset(found)

    def _walks(self) -> bool:
        """Whether the class is a list or dictionary of modules; another where it walks over itself or its children, and names none."""
        if issubclass(self.written.kind, (nn.ModuleList, nn.ModuleDict)):
            return True
        method = self._watched.get(self._forward)
        if method is None:
            return False
        nodes = list(ast.walk(method.tree))
        named = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"}
        every = ("self", "self.children()", "self.named_children()", "self._modules.values()", "self._modules.items()")
        walked = {ast.unparse(node.iter) for node in nodes if isinstance(node, (ast.For, ast.comprehension))}
        return bool(walked & set(every)) and not named & {
            name for one in self.written.instances for name in one._modules
        }

    def _filled(self, tensors: Sequence[torch.Tensor | None], name: str) -> str:
        if any(tensor is None for tensor in tensors):
            raise Unwritable(f"{self.written.name}.{name} is None in some instances")
        sizes = list(zip(*(tuple(tensor.shape) for tensor in tensors if tensor is not None), strict=True))
        words = [self.scope.value(size, f"{name}_{place}") for place, size in enumerate(sizes)]
        text = ", ".join(word.code if isinstance(word, Text) else str(word.value) for word in words)
        first = tensors[0]
        assert first is not None
        dtype = "" if first.dtype == torch.float32 else f", dtype: {literal(first.dtype, 'ScalarType')}"
        ones = all(bool((tensor == 1).all()) for tensor in tensors if tensor is not None)
        if len(sizes) > 4:  # so many can be spelled out
            text = f"new long[] {{ {text} }}"
        if text:
            return f"torch.{'ones' if ones else 'zeros'}({text}{dtype})"
        plain = {torch.float32: "f", torch.int64: "L"}.get(first.dtype)
        return f"torch.tensor({int(ones)}{plain or f'{dtype}'})"

    def _computed_buffers(self) -> list[str]:
        """Writes what computes buffers that are not in the state_dict; the names of the other buffers."""
        names = list({name: None for one in self.written.instances for name in one._buffers})
        temporary = [name for name in names if name in self._first._non_persistent_buffers_set]
        temporary = [
            name for name in temporary if all(one._buffers.get(name) is not None for one in self.written.instances)
        ]
        found = computed(self.written.kind, temporary, self.written.instances, self._given) if temporary else None
        if found is None:
            return names
        before = self._state()
        try:
            self._lines += self._computing(found)
        except Untranslatable:
            self._restore(before)
            return names
        return [name for name in names if name not in temporary]

    def _computing(self, found: Computed) -> list[str]:
        """The lines of the constructor that compute buffers. Raises Untranslatable, or Unwritable."""
        self._watched.update(found.watched)
        expressions = Expressions(found.method, self._in_constructor, self._function, self._watched)
        expressions.type_of_module = self.scope.type_of_module
        for one in found.method.tree.args.args[1:]:
            values = [self._given[module][one.arg] for module in self.written.instances]
            try:
                expressions.names[one.arg] = self.scope.value(values, one.arg)
            except Unwritable as error:
                raise Untranslatable(found.method.tree, str(error)) from None
        body, statements = found.method.tree.body[:-1], Statements(expressions)
        done = 0
        statements.begin(body)
        for name, value in found.registered.items():
            statements.go_on(body[done : found.before[name]])
            done = max(done, found.before[name])
            self._field(name, "Tensor")
            hidden = escaped(name) in {text.code for text in expressions.names.values() if isinstance(text, Text)}
            word = f"this.{escaped(name)}" if hidden else self._self(name)
            statements.lines += [
                f"{word} = {expressions.text(value).code};",
                f'register_buffer("{name}", {word}, persistent: false);',
            ]
        return statements.lines

    def _in_constructor(self, node: ast.Attribute) -> Argument:
        """``self.name`` in the constructor: a field that is set already, or what the instances have in common."""
        if node.attr in self._fields:
            return Text(escaped(node.attr), self._fields[node.attr])
        try:
            return self.scope.value([getattr(one, node.attr) for one in self.written.instances], node.attr)
        except (AttributeError, Unwritable) as error:
            raise Untranslatable(node, str(error)) from None

    def _buffer(self, name: str, tensors: Sequence[torch.Tensor | None]) -> None:
        if all(tensor is None for tensor in tensors):
            return
        if name in self._first._non_persistent_buffers_set:
            first = tensors[0]
            if (
                first is None
                or first.numel() > 64
                or not all(tensor is not None and torch.equal(tensor, first) for tensor in tensors)
            ):
                raise Unwritable(
                    f"{self.written.name}.{name} is a buffer that is not in the state_dict: its values would have to be written out"
                )
            numbers = ", ".join(number(one) for one in first.flatten().double().tolist())
            shape = ", ".join(map(str, first.shape))
            made = f"torch.tensor(new[] {{ {numbers} }}, dtype: {literal(first.dtype, 'ScalarType')}).reshape({shape})"
            self._field(name, "Tensor")
            self._lines.append(
                f'{self._self(name)} = {made};\nregister_buffer("{name}", {self._self(name)}, persistent: false);'
            )
            return
        self._field(name, "Tensor")
        self._lines.append(
            f'{self._self(name)} = {self._filled(tensors, name)};\nregister_buffer("{name}", {self._self(name)});'
        )

    def _field(self, name: str, type_: str) -> None:
        self._fields[name] = type_

    def _self(self, name: str) -> str:
        word = escaped(name)
        return f"this.{word}" if name in self.scope.parameters else word

    def _attribute(self, node: ast.Attribute) -> Argument:
        name = node.attr
        if name in self._fields:
            return Text(escaped(name), self._fields[name])
        if name in self._kept:
            return Text(escaped(name), f"{self._kept[name]}?")
        if name in self._set_by_methods:
            raise Untranslatable(node, f"self.{name} is what another call left there")
        values = [getattr(one, name, _NOTHING) for one in self.written.instances]
        if any(value is _NOTHING for value in values):
            raise Untranslatable(node, f"self.{name} is not on every instance")
        if all(value is None for value in values):
            return Constant(None)
        if isinstance(values[0], (torch.Tensor, nn.Module)):
            raise Untranslatable(node, f"self.{name} is a {type(values[0]).__name__} that is no child")
        if callable(values[0]):
            if all(one is values[0] for one in values):
                return Constant(values[0])
            raise Untranslatable(node, f"self.{name} is a function")
        if isinstance(values[0], dict) and all(value == values[0] for value in values):
            made = literal_of(values[0], node)
            self._field(name, made.type)
            self._lines.append(f"{self._self(name)} = {made.code};")
            return Text(escaped(name), made.type)
        try:
            found = self.scope.value(values, name)
            if isinstance(found, Constant):
                return self._named(found, name)
            type_ = type_of(values)
        except Unwritable as error:
            raise Untranslatable(node, str(error)) from None
        self._field(name, type_)
        self._lines.append(f"{self._self(name) if found.code == name else name} = {found.code};")
        return Text(name, type_)

    def _named(self, found: Constant, name: str) -> Constant:
        """A number under the attribute's name, which the class declares if that is what is written; not where a variable has the name."""
        local = {
            node.id
            for one in self._functions
            for node in ast.walk(self._watched[one].tree)
            if isinstance(node, ast.Name)
        }
        arguments = {one.arg for function in self._functions for one in self._watched[function].tree.args.args}
        if type(found.value) not in (int, float) or not math.isfinite(found.value) or name in local | arguments:
            return found
        self._constants[name] = found.value
        return Constant(found.value, escaped(name))

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
        constructor += [INDENT + "RegisterComponents();", "}"]
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


_NOTHING = object()


def _default(value: Any, type_: str) -> str:
    return "" if value is inspect.Parameter.empty else f" = {literal(value, type_)}"
