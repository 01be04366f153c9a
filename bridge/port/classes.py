"""A class of the model as C#: fields, constructor, forward and what it calls."""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from bridge.port.csharp_types import Untranslatable, csharp_type, parts, renamed, whole_numbers
from bridge.port.dictionaries import literal_of
from bridge.port.expressions import Expressions
from bridge.port.making import Given
from bridge.port.members import Argument, Constant, Text, escaped, literal, number
from bridge.port.port_errors import Unwritable
from bridge.port.scope import ENTRIES, Scope, Written, type_of
from bridge.port.statements import Statements
from bridge.port.watched import Method

INDENT = "    "


@dataclass(frozen=True, slots=True)
class Left:
    """What is left to do: where in the original, in which class and method, and why."""

    place: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Wrote:
    """How a method was written: its name in C#, where the original is, and from what: its ``source``, its ``graph``, or ``left`` to do."""

    where: str
    place: str
    how: str


class ClassWriter:
    """Writes one class. :meth:`write` gives its text; ``wrote`` is how each method was, ``left`` what could not be translated."""

    def __init__(
        self,
        written: Written,
        given: Given,
        classes: dict[type[nn.Module], Written],
        methods: Mapping[types.FunctionType, Method],
        free: FunctionWriter,
        forward: Any,
    ) -> None:
        self.written = written
        self._forward = forward
        self._functions_of_all = free.name
        self.scope = Scope(written.kind, written.instances, given, classes)
        self.left: list[Left] = []
        self.wrote: list[Wrote] = []
        self._watched = methods
        self._classes = classes
        self._fields: dict[str, str] = {}
        self._constants: dict[str, int | float] = {}
        self._lines: list[str] = []
        self._functions: dict[types.FunctionType, str] = {}
        self._first = written.instances[0]

    def write(self) -> str:
        """The class, with its namespace left to the caller. Raises Unwritable where its constructor cannot be written."""
        self._members()
        if isinstance(self._forward, types.FunctionType):
            self._functions[self._forward] = "forward"
        texts: list[str] = []
        done: set[types.FunctionType] = set()
        while len(done) < len(self._functions):
            for function in [one for one in self._functions if one not in done]:
                done.add(function)
                texts.append(self._method(function))
        self.written.parameters = self.scope.ordered()
        return self._text(texts)

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
        for name in {name: None for one in self.written.instances for name in one._buffers}:
            self._buffer(name, [one._buffers.get(name) for one in self.written.instances])

    def _walks(self) -> bool:
        """Whether the class is a list or dictionary of modules; nn.Sequential, whose children have names, where it walks over itself."""
        if issubclass(self.written.kind, (nn.ModuleList, nn.ModuleDict)):
            return True
        method = self._watched.get(self._forward) if issubclass(self.written.kind, nn.Sequential) else None
        return method is not None and any(
            isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and node.iter.id == "self"
            for node in ast.walk(method.tree)
        )

    def _filled(self, tensors: Sequence[torch.Tensor | None], name: str) -> str:
        if any(tensor is None for tensor in tensors):
            raise Unwritable(f"{self.written.name}.{name} is None in some instances")
        sizes = list(zip(*(tuple(tensor.shape) for tensor in tensors if tensor is not None), strict=True))
        words = [self.scope.value(size, f"{name}_{place}") for place, size in enumerate(sizes)]
        text = ", ".join(word.code if isinstance(word, Text) else str(word.value) for word in words)
        first = tensors[0]
        assert first is not None
        dtype = "" if first.dtype == torch.float32 else f", dtype: {literal(first.dtype, 'ScalarType')}"
        return f"torch.zeros({text or '[]'}{dtype})" if text else f"torch.tensor(0.0{dtype})"

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
        values = [getattr(one, name, _NOTHING) for one in self.written.instances]
        if any(value is _NOTHING for value in values):
            raise Untranslatable(node, f"self.{name} is not on every instance")
        if all(value is None for value in values):
            return Constant(None)
        if isinstance(values[0], (torch.Tensor, nn.Module)):
            raise Untranslatable(node, f"self.{name} is a {type(values[0]).__name__} that is no child")
        if callable(values[0]):
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

    def _function(self, function: Any, node: ast.AST) -> str:
        name = str(getattr(function, "__name__", ""))
        if getattr(self.written.kind, name, None) is function and isinstance(function, types.FunctionType):
            return self._functions.setdefault(function, name)
        return self._functions_of_all(function, node)

    def _method(self, function: types.FunctionType) -> str:
        name = self._functions[function]
        method = self._watched.get(function)
        if method is None:
            raise Unwritable(f"the source of {function.__qualname__} cannot be read")
        fields = dict(self._fields), list(self._lines)
        made = translated(method, Expressions(method, self._attribute, self._function), f"{self.written.name}.{name}")
        if made.left is not None:
            self._fields, self._lines = fields
            self.left.append(made.left)
        self.wrote.append(made.wrote)
        if name == "forward":
            types_ = [one.rpartition(" ")[0] for one in parts(made.parameters)] if made.parameters else []
            self.written.base = f"Module<{', '.join([*types_, made.result])}>"
        return made.text("public override" if name == "forward" else "private", name)

    # -- Text -----------------------------------------------------------------------------------------------------------

    def _text(self, methods: Sequence[str]) -> str:
        written = self.written
        required = [f"{one.type} {escaped(one.name)}{_default(one.default, one.type)}" for one in written.parameters]
        fields = [f"private readonly {type_} {escaped(name)};" for name, type_ in self._fields.items()]
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
        members = ["\n".join(one) for one in (self._declared(methods), fields) if one]
        members += ["\n".join(constructor), *methods]
        inner = "\n\n".join(textwrap.indent(member, INDENT) for member in members)
        comment = _comment(inspect.cleandoc(vars(written.kind).get("__doc__") or ""))
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


class FunctionWriter:
    """Functions of the model's source that are no methods: static methods of one class."""

    def __init__(self, methods: Mapping[types.FunctionType, Method]) -> None:
        self.left: list[Left] = []
        self.wrote: list[Wrote] = []
        self._watched = methods
        self._names: dict[types.FunctionType, str] = {}

    @property
    def functions(self) -> list[types.FunctionType]:
        """The functions that were written."""
        return list(self._names)

    def name(self, function: Any, node: ast.AST) -> str:
        """The name by which C# calls a function; it is written later."""
        if function not in self._watched:
            raise Untranslatable(
                node, f"the function {getattr(function, '__qualname__', function)}, whose source cannot be read"
            )
        return f"Functions.{self._names.setdefault(function, function.__name__.lstrip('_'))}"

    def write(self) -> str:
        """The class; empty where no function was called."""
        texts: list[str] = []
        while len(texts) < len(self._names):
            function, name = list(self._names.items())[len(texts)]
            method = self._watched[function]
            made = translated(method, Expressions(method, self._no_attribute, self.name), f"Functions.{name}")
            if made.left is not None:
                self.left.append(made.left)
            self.wrote.append(made.wrote)
            texts.append(textwrap.indent(made.text("internal static", name), INDENT))
        return "internal static class Functions\n{\n" + "\n\n".join(texts) + "\n}" if texts else ""

    def _no_attribute(self, node: ast.Attribute) -> Argument:
        raise Untranslatable(node, "a function has no self")


@dataclass(frozen=True, slots=True)
class Translated:
    """A method in C#: what it gives, its parameters, its lines; ``left`` where it could not be translated."""

    result: str
    parameters: str
    lines: tuple[str, ...]
    comment: str
    wrote: Wrote
    left: Left | None = None

    def text(self, modifiers: str, name: str) -> str:
        """The whole method."""
        body = "\n".join(INDENT + line if line else "" for one in self.lines for line in one.split("\n"))
        return f"{self.comment}{modifiers} {self.result} {name}({self.parameters})\n{{\n{body}\n}}"


def translated(method: Method, expressions: Expressions, where: str) -> Translated:
    """A method from its source; where that fails, one that throws, with the original as a comment."""
    parameters, comment, at = "", _comment(ast.get_docstring(method.tree)), method.at(method.tree)
    try:
        parameters = _parameters(method, expressions)
        statements = Statements(expressions)
        lines = statements.body(method.tree.body)
        wrote = Wrote(where, at, "source")
        return Translated(statements.result or "void", parameters, tuple(lines), comment, wrote)
    except Untranslatable as error:
        why = error.why.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        original = ["// " + line for line in textwrap.dedent(inspect.getsource(method.function)).rstrip().splitlines()]
        lines = [*original, f'throw new NotImplementedException("{method.at(error.node)}: {why}");']
        left = Left(method.at(error.node), where, error.why)
        wrote = Wrote(where, at, "left")
        return Translated("Tensor", parameters or "Tensor input", tuple(lines), comment, wrote, left)
    except Unwritable as error:
        raise Unwritable(f"{where}: {error}") from None


def _parameters(method: Method, expressions: Expressions) -> str:
    arguments = method.tree.args
    if arguments.vararg is not None or arguments.kwarg is not None or arguments.kwonlyargs:
        raise Untranslatable(method.tree, "parameters that take any number of arguments")
    named = arguments.args[1:] if expressions.self else arguments.args
    defaults = dict(zip(reversed(named), reversed(arguments.defaults), strict=False))
    words = []
    for one in named:
        samples = [
            (node, seen) for node, seen in method.seen.items() if isinstance(node, ast.Name) and node.id == one.arg
        ]
        sample = next((seen.sample for _, seen in samples if seen.sample is not None), None)
        kinds = {kind for _, seen in samples for kind in seen.types}
        if sample is None:
            if one not in defaults:
                if kinds:
                    raise Untranslatable(method.tree, f"{one.arg} was None in the run that was watched")
                sample = torch.zeros(0)
            else:
                default = defaults[one]
                expressions.names[one.arg] = Constant(default.value if isinstance(default, ast.Constant) else None)
                continue
        word = renamed(one.arg)
        whole = "long[]" if whole_numbers(sample) else csharp_type(sample, method.tree)
        type_ = whole + ("?" if "NoneType" in kinds else "")
        expressions.names[one.arg] = Text(word, type_)
        words.append(f"{type_} {word}")
    return ", ".join(words)


_NOTHING = object()


def _default(value: Any, type_: str) -> str:
    return "" if value is inspect.Parameter.empty else f" = {literal(value, type_)}"


def _comment(text: str | None) -> str:
    """A docstring's first paragraph as an XML comment."""
    if not text:
        return ""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    paragraph = paragraph.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"/// <summary>{paragraph}</summary>\n"
