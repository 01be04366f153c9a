"""``match``, as the chain of ``if`` that it stands for: patterns of values, alternatives, names and guards."""

from __future__ import annotations

import ast

from bridge.port.frontend.context import Context
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Assign, Statement


def lower_match(context: Context, node: ast.Match) -> tuple[Statement, ...]:
    """Lower ``match subject``: the subject once, then its cases in order."""
    value = context.expression(node.subject)
    target = context.scope.fresh("subject", value.type)
    chain = _chain(context, target.name, node.cases)
    return (Assign(target, value, origin=context.origin(node)), *context.statements(chain))


def _chain(context: Context, subject: str, cases: list[ast.match_case]) -> list[ast.stmt]:
    if not cases:
        return []
    first, rest = cases[0], cases[1:]
    tests, names = _tests(context, subject, first.pattern)
    binds = [_placed(ast.Assign([ast.Name(one, ast.Store())], _read(subject)), first.pattern) for one in names]
    if first.guard is not None and names:
        context.fail(first.pattern, f"the case '{ast.unparse(first.pattern)}' with a guard")
    if first.guard is not None:
        tests.append(first.guard)
    if not tests:
        return [*binds, *first.body]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return [_placed(ast.If(test, [*binds, *first.body], _chain(context, subject, rest)), first.pattern)]


def _tests(context: Context, subject: str, pattern: ast.pattern) -> tuple[list[ast.expr], list[str]]:
    """Return the tests of a pattern and the names that it binds to the subject."""
    if isinstance(pattern, ast.MatchValue):
        return [_compared(subject, ast.Eq(), pattern.value)], []
    if isinstance(pattern, ast.MatchSingleton):
        return [_compared(subject, ast.Is(), ast.Constant(pattern.value))], []
    if isinstance(pattern, ast.MatchAs):
        tests, names = ([], []) if pattern.pattern is None else _tests(context, subject, pattern.pattern)
        return tests, names if pattern.name is None else [*names, pattern.name]
    if isinstance(pattern, ast.MatchOr):
        found = [_tests(context, subject, one) for one in pattern.patterns]
        if all(len(tests) == 1 and not names for tests, names in found):
            return [ast.BoolOp(ast.Or(), [tests[0] for tests, _ in found])], []
    raise Untranslatable(context.origin(pattern), f"the case '{ast.unparse(pattern)}'")


def _compared(subject: str, operator: ast.cmpop, value: ast.expr) -> ast.expr:
    return ast.Compare(_read(subject), [operator], [value])


def _read(subject: str) -> ast.Name:
    return ast.Name(subject, ast.Load())


def _placed(node: ast.stmt, at: ast.pattern) -> ast.stmt:
    """Return the statement with the source position of the pattern."""
    for one in ast.walk(node):
        if not hasattr(one, "lineno"):
            ast.copy_location(one, ast.copy_location(ast.Pass(), at))
    return node
