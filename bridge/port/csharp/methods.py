"""Lowering of functions to methods of C#."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.bodies import assignments
from bridge.port.csharp.bodies.statements import ends
from bridge.port.csharp.emission import Emission
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.integers import int_names
from bridge.port.ir.ranges import nonnegative_names
from bridge.port.ir.traversal import walk


def lower(
    function: ir.Function,
    emission: Emission,
    name: str = "",
    modifiers: str = "private",
    comments: tuple[str, ...] = (),
) -> tree.MethodDeclaration:
    """Return a function as a method of C#. Raises Untranslatable."""
    with _at_hand(function, emission):
        parameters, before = assignments.parameters(emission, function.parameters)
        body = (*before, *emission.statements(function.body), *_end(function))
    if body and body[-1] == tree.Return():
        body = body[:-1]
    result = assignments.result_type(emission, function.result, function.origin)
    named = name or function.name
    return tree.MethodDeclaration(named, modifiers, summary(function.doc), comments, result, parameters, body)


#: The start of a list of parameters in a docstring: ``inputs:``, ``x (Tensor):``, or the line under a heading.
_BEGINS_LIST: Final = re.compile(r"\w+(?: \w+)?:$|\w+ \(.*\): *\S|\w+ \(.*\):$|(?:-{3,}|={3,}|~{3,})$")
_RULES: Final = ("---", "===", "~~~")
_LONE_QUOTE: Final = re.compile(r"""^\s*["']\s*\n""")


@contextmanager
def _at_hand(function: ir.Function, emission: Emission) -> Iterator[None]:
    """Make a function the current one of ``emission`` within a ``with`` block, then restore the previous one."""
    around = emission.names, emission.result, emission.loops
    proven = emission.nonnegative, emission.integers, emission.zeros
    arrays, boxed = emission.arrays, emission.boxed
    emission.names, emission.nonnegative = names(function), nonnegative_names(function)
    emission.integers, emission.zeros = int_names(function), int_names(function, zero=True)
    emission.result, emission.loops = function.result, []
    emission.arrays, emission.boxed = frozenset(one.name for one in function.parameters if one.spread), set()
    try:
        yield
    finally:
        emission.names, emission.result, emission.loops = around
        emission.nonnegative, emission.integers, emission.zeros = proven
        emission.arrays, emission.boxed = arrays, boxed


def names(function: ir.Function) -> set[str]:
    """Return the names that a function's variables and parameters have."""
    found: set[str] = set()
    for node in walk(function):
        match node:
            case ir.Local(name) | ir.LocalTarget(name) | ir.Bind(name) | ir.Declare(name) | ir.Parameter(name):
                found.add(name)
            case ir.CountingLoop(name) | ir.NestedFunction(name):
                found.add(name)
            case ir.Lambda(parameters):
                found.update(parameters)
    return found


def _end(function: ir.Function) -> tuple[tree.Statement, ...]:
    """Return the last statement of a method that may end without ``return``: ``return null;``, or ``throw`` if its type is not nullable."""
    if function.result == types.NONE or any(map(ends, function.body)):
        return ()
    if isinstance(function.result, types.OptionalOf):
        return (tree.Return(tree.Literal(None)),)
    why = tree.Literal(f"{function.name} ended without a value")
    return (tree.Throw(tree.New(tree.Type("InvalidOperationException"), (tree.Argument(why),))),)


def summary(doc: str) -> str:
    """Return the first paragraph of a docstring in plain words, without the marks of Sphinx and Markdown."""
    lines = re.split(r"\n\s*\n", _LONE_QUOTE.sub("", doc).strip())[0].split("\n")
    ends = (place - (one.strip()[:3] in _RULES) for place, one in enumerate(lines) if _BEGINS_LIST.match(one.strip()))
    paragraph = " ".join(" ".join(lines[: max(0, next(ends, len(lines)))]).split())
    paragraph = re.split(
        r"(?:^| )(?::(?:param|returns?|rtype|raises?|type)\b|(?:Args|Arguments|Returns|Parameters|Shape|Examples?):)",
        paragraph,
    )[0]
    paragraph = re.sub(r":[\w:]+:`~?([^`<]+?)(?: *<[^`]*>)?`", r"\1", paragraph)
    paragraph = re.sub(r"`([^`<]+?) *<([^`>]*)>`_+", r"\1 (\2)", paragraph)
    paragraph = re.sub(r"\[?`+([^`]+)`+\]?", r"\1", paragraph)
    return re.sub(r"(?<![\w*])(\*\*?)(\w(?:[^*]*\w)?)\1(?![\w*])", r"\2", paragraph).strip()
