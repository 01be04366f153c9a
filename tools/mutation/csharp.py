"""Mechanical mutants of a C# source: a statement deleted, a condition negated, two neighbors swapped.

The source is read as text, by its comments, strings, brackets and semicolons. A mutant that does not compile does not count. As in
:mod:`mutation.python`, independent neighbors are not swapped, nor is a statement swapped with the return after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from mutation.python import Mutant

_QUIET = re.compile(r'//[^\n]*|/\*.*?\*/|\$?@?"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'', re.DOTALL)
_TEST = re.compile(r"\b(?:if|while|when)\s*\(")
_LOOP = re.compile(r"\bfor \([^;]*; ([^;]+);")
_CHOICE = re.compile(r"(?:(?<= = )|(?<=return )|(?<= : )|(?<= => ))([^;?:{}=]+?) \? ")
_PREDICATE = re.compile(r"\bbool \w+(?:<[^>]*>)?(?:\([^)]*\))? => ([^;]+);")
_DECLARATION = re.compile(r"(?:public|private|internal|protected|using|namespace|static|readonly|const)\b|\[")
_SETS = re.compile(r"(?:[\w<>\[\]?.]+ )?([\w.]+)(?: = (.+)|\+\+);", re.DOTALL)
#: Calls without side effects on the neighboring statements.
_PURE = re.compile(r"\b(?:default|target\.Box|target\.BoxResult|Interlocked\.Increment|new [\w<>]+)\(")
#: The column at which statements of methods begin in our files: inside a type and a method, below a file-scoped namespace.
_DEPTH = 8


def csharp_mutants(source: str) -> Iterator[Mutant]:
    """Yield the mutants of a source, in the order of its lines."""
    code = _QUIET.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)
    found = [*_statements(source, code), *_conditions(source, code)]
    yield from sorted(found, key=lambda mutant: (mutant.line, mutant.kind))


def _conditions(source: str, code: str) -> Iterator[Mutant]:
    spans = [(match.end(), _closing(code, match.end() - 1)) for match in _TEST.finditer(code)]
    spans += [match.span(1) for pattern in (_LOOP, _CHOICE, _PREDICATE) for match in pattern.finditer(code)]
    for begin, end in spans:
        parts = list(_operands(code, begin, end))
        for span in {(begin, end), *parts}:
            yield _mutant("negated", source, span, f"!({source[slice(*span)]})", span)


def _operands(code: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the operands of ``&&`` and ``||`` in a condition, outside of parentheses."""
    depth, start, at = 0, begin, begin
    while at < end:
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0 and code[at : at + 2] in ("&&", "||"):
            yield start, at - 1
            start = at + 3
        at += 1
    yield start, end


def _closing(code: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    raise ValueError("unclosed parenthesis")


def _statements(source: str, code: str) -> Iterator[Mutant]:
    spans = list(_spans(code))
    for (begin, end), (after, last) in zip_longest(spans, spans[1:], fillvalue=(0, 0)):
        yield _mutant("deleted", source, (begin, end), ";", (begin, end))
        first, second = code[begin:end], code[after:last]
        if not second or code[end:after].strip() or _column(code, after) != _column(code, begin):
            continue
        if (
            first.startswith(("return", "throw"))
            or second.startswith(("return", "throw"))
            or _independent(first, second, code)
        ):
            continue
        text = source[after:last] + source[end:after] + source[begin:end]
        yield _mutant("swapped", source, (begin, last), text, (begin, end))


def _independent(statement: str, next_statement: str, code: str) -> bool:
    """Return whether the order of two statements is unobservable: see :mod:`mutation.python`."""
    first, second = _SETS.fullmatch(statement), _SETS.fullmatch(next_statement)
    if first is None or second is None or _names(first[1], next_statement) or _names(second[1], statement):
        return False
    calls = ["(" in _PURE.sub("", match[2] or "") for match in (first, second)]
    if not any(calls):
        return True
    # A call may throw. The order is then unobservable only if the other statement sets a local variable.
    quiet = second if calls[0] else first
    return not all(calls) and re.search(rf"\bvar {re.escape(quiet[1])}\b", code) is not None


def _names(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}\b", text) is not None


def _spans(code: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of simple statements of methods, including the semicolon."""
    begin, depth = 0, 0
    for at, character in enumerate(code):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth or character not in ";{}":
            continue
        if character == ";":
            start = begin + len(code[begin:at]) - len(code[begin:at].lstrip())
            if start < at and _column(code, start) >= _DEPTH and not _DECLARATION.match(code, start):
                yield start, at + 1
        begin = at + 1


def _column(code: str, at: int) -> int:
    return at - code.rfind("\n", 0, at) - 1


def _mutant(kind: str, source: str, span: tuple[int, int], text: str, shown: tuple[int, int]) -> Mutant:
    line = source.count("\n", 0, shown[0]) + 1
    return Mutant(kind, line, source[slice(*shown)].split("\n")[0], source[: span[0]] + text + source[span[1] :])
