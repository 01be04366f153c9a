"""Text of types and expressions: precedence, brackets, quoting, and line breaks."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.names import PREDEFINED, escaped

INDENT: Final = "    "
#: The greatest length of a list of arguments in one line.
LISTED: Final = 90

#: The precedence of expressions, by C#'s table: from primary expressions, the highest, to assignments and lambdas.
PRIMARY: Final = 16
_UNARY, _RANGE, _COALESCING, _CONDITIONAL, _LOOSEST = 15, 14, 2, 1, 0
_LEVELS: Final = {
    "*": 12, "/": 12, "%": 12, "+": 11, "-": 11, "<<": 10, ">>": 10, "<": 9, ">": 9, "<=": 9, ">=": 9, "is": 9, "is not": 9,
    "as": 9, "or": 10, "==": 8, "!=": 8, "&": 7, "^": 6, "|": 5, "&&": 4, "||": 3, "??": _COALESCING,
}  # fmt: skip
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}

#: The text of an expression, and its precedence.
Bound = tuple[str, int]
Block = Callable[[Sequence[tree.Statement]], str]


class Words:
    """Prints expressions; ``broken`` are the ids of expressions broken into several lines, ``block`` prints the body of a lambda."""

    def __init__(self, block: Block, broken: Container[int] = ()) -> None:
        self.block, self._broken = block, broken

    def text(self, node: tree.Expression, level: int = _LOOSEST) -> str:
        """Return the text of an expression, in parentheses if its precedence is lower than ``level``."""
        text, bound = _PRINTERS[type(node)](self, node)
        return text if bound >= level else f"({text})"

    def breaks(self, node: tree.Expression) -> bool:
        """Return whether an expression is broken into several lines."""
        return id(node) in self._broken

    def listed(self, node: tree.Expression, words: Sequence[str]) -> str:
        """Return ``words``, the items between the brackets of ``node``, in one line, or each in its own line."""
        line = ", ".join(words)
        if len(line) <= LISTED and "\n" not in line and not (self.breaks(node) and words):
            return line
        return "\n" + ",\n".join(map(indented, words))

    def arguments(self, node: tree.Expression, arguments: Sequence[tree.Argument]) -> str:
        """Return the text of the arguments of ``node``."""
        words = [self._argument(one) for one in arguments]
        for place, one in enumerate(arguments[:-1]):  # C# reads a < b, c > (d) as a call of the generic a<b, c>
            later = (other.value for other in arguments[place + 1 :])
            if _compares(one.value, "<") and any(_compares(other, ">") for other in later):
                words[place] = f"({words[place]})"
        return self.listed(node, words)

    def _argument(self, one: tree.Argument) -> str:
        name = f"{escaped(one.name)}: " if one.name else ""
        direction = f"{one.direction} " if one.direction else ""
        return f"{name}{direction}{self.text(one.value)}"

    def braced(self, node: tree.Expression, words: Sequence[str], brackets: str) -> str:
        """Return ``words`` between ``brackets``, in one line, or with each item and each bracket in its own line."""
        line, start, end = ", ".join(words), brackets[0], brackets[1]
        if len(line) <= LISTED and "\n" not in line and not (self.breaks(node) and words):
            space = " " if start == "{" else ""
            return f"{start}{space}{line}{space}{end}" if words else f"{start}{space}{end}"
        return f"{start}\n" + ",\n".join(map(indented, words)) + f"\n{end}"


def indented(text: str) -> str:
    """Return the text with its lines indented, except empty ones."""
    return "\n".join(INDENT + line if line else "" for line in text.split("\n"))


def fitting(render: Callable[[Words], str], block: Block, columns: int, roots: Iterable[tree.Node | None]) -> str:
    """Return the text that ``render`` makes, with only as many expressions broken, outer ones first, as the width ``columns`` requires."""
    broken: frozenset[int] = frozenset()
    text = render(Words(block))
    for node in _breakable(roots):
        if _width(text) <= columns:
            break
        more = broken | set(map(id, _chain(node)))
        attempt = render(Words(block, more))
        if _width(attempt) < _width(text):
            text, broken = attempt, more
    return text


def _chain(node: tree.Expression) -> Iterator[tree.Expression]:
    """Yield the expressions that break together: operators of the same precedence, or the calls of a method chain."""
    yield node
    if isinstance(node, tree.Binary):
        if isinstance(node.left, tree.Binary) and _LEVELS[node.left.operator] == _LEVELS[node.operator]:
            yield from _chain(node.left)
    elif (
        isinstance(node, tree.Member)
        and isinstance(node.value, tree.Call)
        and isinstance(node.value.function, tree.Member)
    ):
        yield from _chain(node.value.function)


def _width(text: str) -> int:
    return max(map(len, text.split("\n")))


def _breakable(nodes: Iterable[Any]) -> Iterator[tree.Expression]:
    for node in nodes:
        if isinstance(node, tuple):
            yield from _breakable(node)
        elif isinstance(node, (tree.Expression, tree.Argument)):
            if isinstance(
                node, (tree.Binary, tree.Conditional, tree.Call, tree.New, tree.Collection, tree.Tuple, tree.Member)
            ):
                yield node
            yield from _breakable(getattr(node, one.name) for one in fields(node))


def _compares(node: tree.Expression, operator: str) -> bool:
    return isinstance(node, tree.Binary) and node.operator == operator


# -- Types -----------------------------------------------------------------------------------------------------------------


def type_text(found: tree.Type) -> str:
    """Return the text of a type."""
    ending = "?" if found.nullable else ""
    if isinstance(found, tree.ArrayType):
        return f"{type_text(found.arguments[0])}[]{ending}"
    if isinstance(found, tree.TupleType):
        names = [f" {escaped(name)}" if name else "" for name in found.names] or [""] * len(found.arguments)
        items = [type_text(one) + name for one, name in zip(found.arguments, names, strict=True)]
        return f"({', '.join(items)}){ending}"
    return found.name + _generic(found.arguments) + ending


def _generic(types: Sequence[tree.Type]) -> str:
    return f"<{', '.join(map(type_text, types))}>" if types else ""


# -- Values and names ------------------------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """Return a text with escapes, as it stands between the quotes of a string literal."""
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _literal(words: Words, node: tree.Literal) -> Bound:
    value = node.value
    if value is None:
        return "null", PRIMARY
    if isinstance(value, bool):
        return str(value).lower(), PRIMARY
    if isinstance(value, str):
        return f'"{quoted(value)}"', PRIMARY
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "PositiveInfinity" if value > 0 else "NegativeInfinity"
        return f"{'float' if node.suffix == 'f' else 'double'}.{name}", PRIMARY
    # without a suffix, C# would take 2**31 for a uint
    suffix = node.suffix or ("L" if isinstance(value, int) and not -(2**31) <= value < 2**31 else "")
    return f"{value!r}{suffix}", PRIMARY if math.copysign(1, value) > 0 else _UNARY


def _name(words: Words, node: tree.Name) -> Bound:
    first, *others = node.name.split(".")
    first = first if first in PREDEFINED else escaped(first)
    return ".".join([first, *map(escaped, others)]), PRIMARY


def _member(words: Words, node: tree.Member) -> Bound:
    before = "\n    " if words.breaks(node) and isinstance(node.value, tree.Call) else ""
    dot = "?." if node.null_conditional else "."
    return f"{words.text(node.value, PRIMARY)}{before}{dot}{escaped(node.name)}", PRIMARY


def _call(words: Words, node: tree.Call) -> Bound:
    arguments = words.arguments(node, node.arguments)
    return f"{words.text(node.function, PRIMARY)}{_generic(node.types)}({arguments})", PRIMARY


def _new(words: Words, node: tree.New) -> Bound:
    items = None if node.initializer is None else [_entry(words, one) for one in node.initializer]
    arguments = words.arguments(node, node.arguments)
    if isinstance(node.type, tree.ArrayType) and items is None:
        element, more = node.type.arguments[0], ""
        while isinstance(element, tree.ArrayType):
            element, more = element.arguments[0], more + "[]"
        # C# would read an index after it as another dimension
        return f"new {type_text(element)}[{arguments}]{more}", _UNARY
    if node.type is None:
        made = f"new({arguments})" if items is None else "new[]"
    elif isinstance(node.type, tree.ArrayType):
        made = f"new {type_text(node.type)}"
    else:
        made = f"new {type_text(node.type)}" + ("" if items and not node.arguments else f"({arguments})")
    if items is None or not (items or made.endswith("]")):
        return made, PRIMARY
    braces = words.braced(node, items, "{}")
    return f"{made}{chr(10) if chr(10) in braces else ' '}{braces}", PRIMARY


def _entry(words: Words, one: tree.Expression | tuple[tree.Expression, tree.Expression]) -> str:
    if isinstance(one, tuple):
        return f"[{words.text(one[0])}] = {words.text(one[1])}"
    return words.text(one, _CONDITIONAL)  # C# would read an assignment as setting a property


def _index(words: Words, node: tree.Index) -> Bound:
    return f"{words.text(node.value, PRIMARY)}[{words.arguments(node, node.indices)}]", PRIMARY


def _from_end(words: Words, node: tree.FromEnd) -> Bound:
    return f"^{words.text(node.place, _UNARY)}", _UNARY


def _range(words: Words, node: tree.Range) -> Bound:
    start, stop = ("" if one is None else words.text(one, _UNARY) for one in (node.start, node.stop))
    return f"{start}..{stop}", _RANGE


# -- Operators -------------------------------------------------------------------------------------------------------------


def _unary(words: Words, node: tree.Unary) -> Bound:
    if node.postfix:
        return words.text(node.operand, PRIMARY) + node.operator, PRIMARY
    operand = words.text(node.operand, _UNARY)
    if operand[0] == node.operator[-1] and operand[0] in "+-":
        operand = f"({operand})"
    return node.operator + operand, _UNARY


def _binary(words: Words, node: tree.Binary) -> Bound:
    level = _LEVELS[node.operator]
    right_first = node.operator == "??"
    left = words.text(node.left, level + right_first)
    negates = 2 if node.operator == "is not" else 1  # of ``is not (1 or 2)``, ``not`` would take the 1 alone
    right = words.text(node.right, level + (0 if right_first else negates))
    if words.breaks(node):
        return f"{left}\n{INDENT}{node.operator} {right}", level
    return f"{left} {node.operator} {right}", level


def _conditional(words: Words, node: tree.Conditional) -> Bound:
    test, body = words.text(node.test, _COALESCING), words.text(node.body, _COALESCING)
    other, space = words.text(node.other, _CONDITIONAL), f"\n{INDENT}" if words.breaks(node) else " "
    return f"{test}{space}? {body}{space}: {other}", _CONDITIONAL


def _thrown(words: Words, node: tree.Thrown) -> Bound:
    return f"throw {words.text(node.value)}", PRIMARY  # it may not stand in parentheses


def _cast(words: Words, node: tree.Cast) -> Bound:
    value = words.text(node.value, _UNARY)
    if value[0] in "+-" and node.type.name not in PREDEFINED:  # C# reads (Scalar)-1 as a subtraction
        value = f"({value})"
    return f"({type_text(node.type)}){value}", _UNARY


def _assigned(words: Words, node: tree.Assigned) -> Bound:
    return f"{words.text(node.target, _UNARY)} {node.operator} {words.text(node.value)}", _LOOSEST


# -- Containers, functions and patterns ------------------------------------------------------------------------------------


def _tuple(words: Words, node: tree.Tuple) -> Bound:
    return f"({words.arguments(node, tuple(map(tree.Argument, node.items)))})", PRIMARY


def _spread(words: Words, node: tree.Spread) -> Bound:
    return f".. {words.text(node.value)}", _LOOSEST


def _collection(words: Words, node: tree.Collection) -> Bound:
    return words.braced(node, [words.text(one) for one in node.items], "[]"), PRIMARY


def _lambda(words: Words, node: tree.Lambda) -> Bound:
    names = ", ".join(map(escaped, node.parameters))
    head = names if len(node.parameters) == 1 else f"({names})"
    if isinstance(node.body, tuple):
        return f"{head} =>\n{words.block(node.body)}", _LOOSEST
    return f"{head} => {words.text(node.body)}", _LOOSEST


def _interpolated(words: Words, node: tree.Interpolated) -> Bound:
    text = ""
    for one in node.parts:
        if isinstance(one, str):
            text += quoted(one).replace("{", "{{").replace("}", "}}")
        else:  # a colon of a conditional expression would begin the format
            value, form = one
            text += f"{{{words.text(value, _COALESCING)}{':' if form else ''}{quoted(form)}}}"
    return f'$"{text}"', PRIMARY


def _declaration_pattern(words: Words, node: tree.DeclarationPattern) -> Bound:
    return f"{type_text(node.type)} {escaped(node.name)}", PRIMARY


def _declared_tuple(words: Words, node: tree.DeclaredTuple) -> Bound:
    return f"var {_names(node.items)}", PRIMARY


def _names(items: Sequence[Any]) -> str:
    nested = (one.items if isinstance(one, tree.DeclaredTuple) else one for one in items)
    return f"({', '.join(escaped(one) if isinstance(one, str) else _names(one) for one in nested)})"


def _declared_name(words: Words, node: tree.DeclaredName) -> Bound:
    return node.name if node.name == "_" else f"{type_text(node.type)} {escaped(node.name)}", PRIMARY


_PRINTERS: Final[dict[type[tree.Expression], Callable[[Words, Any], Bound]]] = {
    tree.Literal: _literal,
    tree.Name: _name,
    tree.Default: lambda words, node: ("default", PRIMARY),
    tree.Member: _member,
    tree.Call: _call,
    tree.New: _new,
    tree.Index: _index,
    tree.FromEnd: _from_end,
    tree.Range: _range,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Conditional: _conditional,
    tree.Thrown: _thrown,
    tree.Cast: _cast,
    tree.Assigned: _assigned,
    tree.Tuple: _tuple,
    tree.Spread: _spread,
    tree.Collection: _collection,
    tree.Lambda: _lambda,
    tree.Interpolated: _interpolated,
    tree.DeclarationPattern: _declaration_pattern,
    tree.DeclaredTuple: _declared_tuple,
    tree.DeclaredName: _declared_name,
}
