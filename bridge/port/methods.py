"""A method as C#, or what stands in its place where it could not be translated; and functions that are no methods."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
import types
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bridge.port.csharp_types import Untranslatable, joined, renamed
from bridge.port.expressions import Expressions
from bridge.port.members import Argument, Constant, Keyed, Text
from bridge.port.port_errors import Unwritable
from bridge.port.signatures import MOST, signature
from bridge.port.statements import Statements
from bridge.port.watched import Method, method_of

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


class FunctionWriter:
    """Functions of the model's source that are no methods: static methods of one class."""

    def __init__(self, methods: Mapping[types.FunctionType, Method]) -> None:
        self.wrote: list[Wrote] = []
        self._watched = methods
        self._names: dict[types.FunctionType, str] = {}
        self._texts: dict[types.FunctionType, str] = {}
        self._failed: dict[types.FunctionType, Left] = {}

    @property
    def functions(self) -> list[types.FunctionType]:
        """The functions that were written."""
        return list(self._texts)

    def name(self, function: Any, node: ast.AST) -> str:
        """The name by which C# calls a function. Raises Untranslatable where the function, or one that it calls, cannot be translated."""
        if function not in self._watched:
            raise Untranslatable(
                node, f"the function {getattr(function, '__qualname__', function)}, whose source cannot be read"
            )
        if function not in self._names and function not in self._failed:
            name = function.__name__.lstrip("_")
            while name in self._names.values():
                name += "2"
            self._names[function] = name
            method = self._watched[function]
            expressions = Expressions(method, self._no_attribute, self.name, self._watched)
            made = translated(method, expressions, f"Functions.{name}")
            if made.left is not None:
                self._failed[function] = made.left
                del self._names[function]
            else:
                self.wrote.append(made.wrote)
                self._texts[function] = textwrap.indent(made.text("internal static", name), INDENT)
        if (left := self._failed.get(function)) is not None:
            raise Untranslatable(node, f"{function.__name__} ({left.place}): {left.why}")
        return f"Functions.{self._names[function]}"

    def write(self) -> str:
        """The class; empty where no function was called."""
        texts = self._texts.values()
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


def translated(method: Method, expressions: Expressions, where: str, original_of: Method | None = None) -> Translated:
    """A method from its source; where that fails, one that throws, with the original as a comment. ``original_of`` is the method that a
    graph stands for."""
    said = original_of or method
    parameters, comment, at = "", comment_of(ast.get_docstring(said.tree)), _place(said)
    try:
        parameters = _parameters(said, expressions, MOST if where.endswith(".forward") else math.inf)
        statements = Statements(expressions)
        lines = statements.body(method.tree.body)
        wrote = Wrote(where, at, "source")
        method.result = statements.result
        return Translated(statements.result or "void", parameters, tuple(lines), comment, wrote)
    except Untranslatable as error:
        why = error.why.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        original = ["// " + line for line in textwrap.dedent(inspect.getsource(method.function)).rstrip().splitlines()]
        lines = [*original, f'throw new NotImplementedException("{method.at(error.node)}: {why}");']
        left = Left(method.at(error.node), where, error.why)
        wrote = Wrote(where, at, "left")
        return Translated(
            _result(method, expressions), parameters or "Tensor input", tuple(lines), comment, wrote, left
        )
    except Unwritable as error:
        raise Unwritable(f"{where}: {error}") from None


def _place(method: Method) -> str:
    """Where the original is: PyTorch's forward, where another stands for it."""
    of_pytorch = method_of(method.stands_for.forward) if method.stands_for is not None else None  # type: ignore[attr-defined]  # a module
    found = of_pytorch or method
    return found.at(found.tree)


def _result(method: Method, expressions: Expressions) -> str:
    """What a method gives that could not be translated: by what was seen, so that what calls it compiles."""
    types_ = []
    for node in ast.walk(method.tree):
        if isinstance(node, ast.Return) and node.value is not None and expressions.seen(node.value).types:
            with suppress(Untranslatable):
                types_.append(expressions.type(node.value))
    return joined(types_) or "object" if types_ else "Tensor"


def _parameters(method: Method, expressions: Expressions, most: float) -> str:
    arguments = method.tree.args
    found = signature(method, expressions.self)
    if arguments.vararg is not None and not found.spread and any(one.get(arguments.vararg.arg) for one in method.given):
        raise Untranslatable(method.tree, "parameters that take any number of arguments")
    words = [f"{type_} {renamed(name)}" for name, type_ in found.parameters]
    if len(words) > most:
        raise Untranslatable(method.tree, f"{len(words)} arguments, of which TorchSharp's modules take {most}")
    known: dict[str, Text | Constant] = {
        name: Text(renamed(name), type_.removeprefix("params ")) for name, type_ in found.parameters
    }
    known.update(found.constants)
    if arguments.kwarg is not None:
        keyed = {name: known.pop(name) for name in found.keywords if name in known}
        expressions.names[arguments.kwarg.arg] = Keyed(keyed)
        expressions.names.update(keyed)  # a graph has them under their own names
    if arguments.vararg is not None and not found.spread:
        expressions.names[arguments.vararg.arg] = Constant(())
    expressions.names.update(known)
    return ", ".join(words)


def comment_of(text: str | None) -> str:
    """A docstring's first paragraph as an XML comment."""
    if not text:
        return ""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    paragraph = paragraph.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"/// <summary>{paragraph}</summary>\n"
