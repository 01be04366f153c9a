"""The fields of a class: children, parameters, buffers and settings, and the lines of the constructor that make them."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import nn

from bridge.port.buffers import Computed, computed
from bridge.port.csharp_types import Untranslatable
from bridge.port.dictionaries import literal_of
from bridge.port.expressions import Expressions
from bridge.port.making import Given
from bridge.port.members import Argument, Constant, Text, escaped, literal, number
from bridge.port.methods import INDENT, Left
from bridge.port.port_errors import Unwritable
from bridge.port.scope import ENTRIES, Scope, Written, listed, type_of
from bridge.port.statements import Statements
from bridge.port.ties import Ties, expression
from bridge.port.torch_functions import lambda_of
from bridge.port.watched import Method, source_of


class Fields:
    """Writes the fields of one class; what stands in its methods is left to the whole."""

    _forward: Any
    _functions: dict[types.FunctionType, str]
    _function: Callable[..., str]
    _method: Callable[[types.FunctionType], str]
    _state: Callable[[], tuple[Any, ...]]
    _restore: Callable[[tuple[Any, ...]], None]
    left: list[Left]

    def __init__(
        self, written: Written, scope: Scope, given: Given, methods: dict[types.FunctionType, Method], tied: Ties
    ) -> None:
        self.written = written
        self.scope = scope
        self._given = given
        self._watched = methods
        self._ties = tied
        self._first = written.instances[0]
        self._fields: dict[str, str] = {}
        self._constants: dict[str, int | float] = {}
        self._kept: dict[str, str] = {}
        self._lines: list[str] = []
        #: Lines after RegisterComponents, which would make buffers of tensors that are none.
        self._later: list[str] = []
        #: The methods that the constructor calls, which are written before the others.
        self._helpers: dict[types.FunctionType, str] = {}
        #: Why a field is not there that a method may ask for.
        self._lacking: dict[str, str] = {}

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
            made = self._parameters_of(modules, name) or self.scope.module(modules, name)
            self._field(name, made.type)
            self._lines.append(f"{self._self(name)} = {made.code};")
        for name in {name: None for one in self.written.instances for name in one._parameters}:
            tensors = [one._parameters.get(name) for one in self.written.instances]
            if all(tensor is None for tensor in tensors):
                continue
            new = f"new Parameter({self._filled(tensors, name)})"
            self._field(name, "Parameter?" if any(one is None for one in tensors) else "Parameter")
            if any(one is None for one in tensors):
                there = self.scope.value([one is not None for one in tensors], f"has_{name}")
                assert isinstance(there, Text)
                new = f"{there.code} ? {new} : null"
            self._lines.append(f"{self._self(name)} = {new};")
        for one, other in self._ties.within.get(self.written.kind, ()):
            to, source = (expression(self._first, path, self.scope.type_of_module) for path in (other, one))
            self._lines.append(f"{to} = {source}!; // one parameter")
        for name in self._computed_buffers():
            self._buffer(name, [one._buffers.get(name) for one in self.written.instances])

    def _parameters_of(self, modules: Sequence[nn.Module | None], name: str) -> Text | None:
        """A list or dictionary of parameters; None for other modules. Raises Unwritable where instances differ in what it has."""
        kind = type(modules[0])
        if kind not in (nn.ParameterList, nn.ParameterDict) or any(type(one) is not kind for one in modules):
            return None
        every = [dict(one.named_parameters(recurse=False)) for one in modules if one is not None]
        if any(one.keys() != every[0].keys() for one in every):
            raise Unwritable(f"{self.written.name}.{name} has other parameters from instance to instance.")
        words = [
            (key, f"new Parameter({self._filled([one[key] for one in every], f'{name}_{key}')})") for key in every[0]
        ]
        named = [word if kind is nn.ParameterList else f'("{key}", {word})' for key, word in words]
        return Text(f"{kind.__name__}({listed(named)})", kind.__name__)

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
        some = next(tensor for tensor in tensors if tensor is not None)
        shapes = [tuple((some if tensor is None else tensor).shape) for tensor in tensors]
        if len({len(one) for one in shapes}) > 1:
            raise Unwritable(f"{self.written.name}.{name} has other numbers of dimensions from instance to instance.")
        sizes = list(zip(*shapes, strict=True))
        words = [self.scope.value(size, f"{name}_{place}") for place, size in enumerate(sizes)]
        text = ", ".join(word.code if isinstance(word, Text) else str(word.value) for word in words)
        dtype = "" if some.dtype == torch.float32 else f", dtype: {literal(some.dtype, 'ScalarType')}"
        ones = all(bool((tensor == 1).all()) for tensor in tensors if tensor is not None)
        if len(sizes) > 4:  # so many can be spelled out
            text = f"new long[] {{ {text} }}"
        if text:
            return f"torch.{'ones' if ones else 'zeros'}({text}{dtype})"
        plain = {torch.float32: "f", torch.int64: "L"}.get(some.dtype)
        return f"torch.tensor({int(ones)}{plain or f'{dtype}'})"

    def _computed_buffers(self) -> list[str]:
        """Writes what computes buffers that are not in the state_dict; the names of the other buffers."""
        names = list({name: None for one in self.written.instances for name in one._buffers})
        temporary = [name for name in names if name in self._first._non_persistent_buffers_set]
        temporary = [
            name for name in temporary if all(one._buffers.get(name) is not None for one in self.written.instances)
        ]
        kept = [
            name
            for name in vars(self._first)
            if all(isinstance(vars(one).get(name), torch.Tensor) for one in self.written.instances)
        ]
        for found in computed(self.written.kind, temporary + kept, self.written.instances, self._given):
            before = self._state()
            try:
                lines = self._computing(found)
                helpers = [one for one in self._functions if one not in self._helpers]
                texts = {one: self._method(one) for one in helpers}  # what these set, too, is set before
                if self.left:
                    raise Untranslatable(found.method.tree, self.left[0].why)
            except Untranslatable as error:
                self._restore(before)
                self.left.clear()
                self._lacking |= dict.fromkeys(found.registered, error.why)
                continue
            (self._later if found.registered.keys() & set(kept) else self._lines).extend(lines)
            self._helpers |= texts
            names = [name for name in names if name not in found.registered]
        return names

    def _computing(self, found: Computed) -> list[str]:
        """The lines of the constructor that compute buffers. Raises Untranslatable, or Unwritable."""
        for function, method in found.watched.items():
            if function not in self._watched or not self._watched[function].result:  # else it is written
                self._watched[function] = method
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
            statements.lines.append(f"{word} = {expressions.text(value).code};")
            if name in self._first._buffers:
                statements.lines.append(f'register_buffer("{name}", {word}, persistent: false);')
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
                why = self._lacking.get(name, "no line that runs when the model is made computes it again")
                self._lacking[name] = f"self.{name} is a buffer that is not in the state_dict: {why}"
                return
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
        if name in self._lacking:
            raise Untranslatable(node, self._lacking[name])
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
            values = list(map(lambda_of, values))
            if None in values:
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


_NOTHING = object()
