"""Mechanical mutants of a Python source: a statement deleted, a condition negated, two neighbors swapped.

Independent neighbors (two assignments, neither of which reads the target of the other) are not swapped, since that is the same program.
Nor is a statement swapped with the return after it, since that is the same as deleting it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_KEPT = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a source.

    ``kind`` is ``deleted``, ``negated`` or ``swapped``; ``line`` and ``text`` are those of the changed statement in the original;
    ``source`` is the complete changed source.
    """

    kind: str
    line: int
    text: str
    source: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.kind}: {self.text}"


def mutants(source: str) -> Iterator[Mutant]:
    """Yield all mutants of a source, in the order of its lines.

    Only function bodies are changed, not imports, definitions, docstrings and annotations.
    """
    text = Text(source)
    tree = ast.parse(source)
    found = [*_statements(tree, text), *_conditions(tree, text)]
    yield from sorted(found, key=lambda mutant: (mutant.line, mutant.kind))


class Text:
    """A source, changed at the places that its syntax tree names."""

    def __init__(self, source: str) -> None:
        self._lines = source.encode().splitlines(keepends=True)  # the tree counts bytes
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._bytes = source.encode()

    def span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        """Return the span of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.stmt | ast.expr) -> str:
        """Return a node's text."""
        begin, end = self.span(node)
        return self._bytes[begin:end].decode()

    def change(self, kind: str, node: ast.stmt | ast.expr, *changes: tuple[tuple[int, int], str]) -> Mutant:
        """Return the mutant with these spans replaced, first to last."""
        changed = self._bytes
        for (begin, end), text in reversed(changes):
            changed = changed[:begin] + text.encode() + changed[end:]
        return Mutant(kind, node.lineno, self.of(node).split("\n")[0], changed.decode())


def _statements(tree: ast.Module, text: Text) -> Iterator[Mutant]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for block in _blocks(function):
            for statement, after in zip(block, [*block[1:], None], strict=True):
                if not _changeable(statement) or text.of(statement).startswith("elif"):
                    continue
                yield text.change("deleted", statement, (text.span(statement), "pass"))
                if after is None or not _changeable(after) or isinstance(statement, (ast.Return, ast.Raise)):
                    continue
                if isinstance(after, (ast.Return, ast.Raise)) or _independent(statement, after):
                    continue
                # Both have the same depth, so their lines keep their indentation.
                yield text.change(
                    "swapped", statement, (text.span(statement), text.of(after)), (text.span(after), text.of(statement))
                )


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements of a function, without those of inner functions."""
    waiting: list[ast.AST] = [function]
    while waiting:
        owner = waiting.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(owner, field, None)
            if not isinstance(block, list) or not block:
                continue
            if isinstance(block[0], ast.stmt):
                yield block
            waiting += [item for item in block if not isinstance(item, (ast.FunctionDef, ast.ClassDef))]


def _changeable(statement: ast.stmt) -> bool:
    if isinstance(statement, _KEPT):
        return False
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return False
    return not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))


#: Functions without side effects, except that ``next`` advances its argument.
_PURE = frozenset((
    "Counter[Node]", "OrderedDict", "any", "dict", "dict.fromkeys", "isinstance", "len", "list", "next", "partial", "range", "set", "tuple",
    "zip",
))  # fmt: skip


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    """Return whether the order of two statements is unobservable.

    It is if neither has side effects or names a variable that the other sets. One of the two may also be a guard that leaves the block,
    if the other sets only local variables, which are lost then.
    """
    first_sets, second_sets = _set(first), _set(second)
    if first_sets is None or second_sets is None or not (first_sets or second_sets):
        return False
    if not (first_sets and second_sets) and not all(name.isidentifier() for name in first_sets | second_sets):
        return False
    return not (first_sets & _named(second) or second_sets & _named(first))


def _set(statement: ast.stmt) -> set[str] | None:
    """Return the names that an assignment sets; empty for a guard (``if …: raise``); None for other statements."""
    if isinstance(statement, ast.If):
        leaves = len(statement.body) == 1 and isinstance(statement.body[0], (ast.Raise, ast.Return, ast.Continue))
        return set() if leaves and not statement.orelse and _pure(statement.test) else None
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)) or statement.value is None:
        return None
    if not _pure(statement.value):
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    consumed = [
        node.args[0] for node in ast.walk(statement.value) if isinstance(node, ast.Call) and _called(node) == "next"
    ]
    return {ast.unparse(part) for target in (*targets, *consumed) for part in _parts(target)}


def _pure(value: ast.expr) -> bool:
    return all(_called(node) in _PURE for node in ast.walk(value) if isinstance(node, ast.Call))


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _named(statement: ast.stmt) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(statement) if isinstance(node, (ast.Name, ast.Attribute))}


def _parts(target: ast.expr) -> list[ast.expr]:
    return [part for item in target.elts for part in _parts(item)] if isinstance(target, ast.Tuple) else [target]


def _conditions(tree: ast.Module, text: Text) -> Iterator[Mutant]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            tests = [node.test]
        elif isinstance(node, ast.comprehension):
            tests = node.ifs
        else:
            continue
        for test in tests:
            yield text.change("negated", test, (text.span(test), f"(not ({text.of(test)}))"))
