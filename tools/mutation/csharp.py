"""Mechanical mutants of a C# source, by its text: a statement deleted, a condition negated, two neighbours swapped.

It knows comments, strings, brackets and semicolons and little else of the language: a mutant that does not compile does not count.
As in Python, neighbours that have nothing to do with each other are not swapped, nor a statement with the return behind it.
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
#: Calling these changes nothing that the neighbours of a call look at.
_PURE = re.compile(r"\b(?:default|target\.Box|target\.BoxResult|Interlocked\.Increment|new [\w<>]+)\(")
#: Where the statements of methods begin in our files: below a namespace without braces, a type and a method.
_DEPTH = 8


def csharp_mutants(source: str) -> Iterator[Mutant]:
    """Yield the mutants of a source, in the order of its lines."""
    code = _QUIET.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)
    found = [*_statements(source, code), *_conditions(source, code)]
    yield from sorted(found, key=lambda mutant: (mutant.line, mutant.what))


def _conditions(source: str, code: str) -> Iterator[Mutant]:
    spans = [(match.end(), _closing(code, match.end() - 1)) for match in _TEST.finditer(code)]
    spans += [match.span(1) for pattern in (_LOOP, _CHOICE, _PREDICATE) for match in pattern.finditer(code)]
    for begin, end in spans:
        parts = list(_operands(code, begin, end))
        for span in {(begin, end), *parts}:
            yield _changed("negated", source, span, f"!({source[slice(*span)]})", span)


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
    raise ValueError("a bracket that is never closed")


def _statements(source: str, code: str) -> Iterator[Mutant]:
    spans = list(_spans(code))
    for (begin, end), (after, last) in zip_longest(spans, spans[1:], fillvalue=(0, 0)):
        yield _changed("deleted", source, (begin, end), ";", (begin, end))
        one, other = code[begin:end], code[after:last]
        if not other or code[end:after].strip() or _column(code, after) != _column(code, begin):
            continue
        if (
            one.startswith(("return", "throw"))
            or other.startswith(("return", "throw"))
            or _independent(one, other, code)
        ):
            continue
        text = source[after:last] + source[end:after] + source[begin:end]
        yield _changed("swapped", source, (begin, last), text, (begin, end))


def _independent(one: str, other: str, code: str) -> bool:
    """Return whether the order of two statements is unobservable: see :mod:`mutation.python`."""
    first, second = _SETS.fullmatch(one), _SETS.fullmatch(other)
    if first is None or second is None or _names(first[1], other) or _names(second[1], one):
        return False
    calls = ["(" in _PURE.sub("", match[2] or "") for match in (first, second)]
    if not any(calls):
        return True
    # A call may throw: then what the other one sets must be lost, as a local variable is.
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


def _changed(what: str, source: str, span: tuple[int, int], text: str, shown: tuple[int, int]) -> Mutant:
    line = source.count("\n", 0, shown[0]) + 1
    return Mutant(what, line, source[slice(*shown)].split("\n")[0], source[: span[0]] + text + source[span[1] :])
