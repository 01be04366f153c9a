"""Mechanical mutants of a C# source, by its text: a statement deleted, a condition negated, two neighbours swapped.

It knows comments, strings, brackets and semicolons and nothing else of the language: a mutant that does not compile is no mutant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bridge.conformance.wrong.mutants import Mutant

_QUIET = re.compile(r'//[^\n]*|/\*.*?\*/|\$?@?"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'', re.DOTALL)
_CONDITION = re.compile(r"\b(?:if|while)\s*\(")
_DECLARATION = re.compile(r"(?:public|private|internal|protected|using|namespace|static|readonly|const)\b|\[")
#: Where the statements of methods begin in our files: below a namespace without braces, a type and a method.
_DEPTH = 8


def csharp_mutants(source: str) -> Iterator[Mutant]:
    """The mutants of a source, in the order of its lines."""
    code = _QUIET.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)
    found = [*_statements(source, code), *_conditions(source, code)]
    yield from sorted(found, key=lambda mutant: (mutant.line, mutant.what))


def _conditions(source: str, code: str) -> Iterator[Mutant]:
    for match in _CONDITION.finditer(code):
        begin, end = match.end(), _closing(code, match.end() - 1)
        yield _changed("negated", source, (begin, end), f"!({source[begin:end]})", (begin, end))


def _closing(code: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    raise ValueError("a bracket that is never closed")


def _statements(source: str, code: str) -> Iterator[Mutant]:
    spans = list(_spans(code))
    for index, (begin, end) in enumerate(spans):
        yield _changed("deleted", source, (begin, end), ";", (begin, end))
        if index + 1 == len(spans):
            continue
        after, last = spans[index + 1]
        if (
            code[end:after].strip()
            or _column(code, after) != _column(code, begin)
            or source[begin:end].startswith(("return", "throw"))
        ):
            continue
        text = source[after:last] + source[end:after] + source[begin:end]
        yield _changed("swapped", source, (begin, last), text, (begin, end))


def _spans(code: str) -> Iterator[tuple[int, int]]:
    """Where simple statements of methods stand: from their first character to behind their semicolon."""
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
