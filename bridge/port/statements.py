"""Statements of Python as lines of C#, and whole methods."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

import torch

from bridge.port import folded
from bridge.port.comments import Comments
from bridge.port.csharp_types import Untranslatable, joined
from bridge.port.expressions import Expressions
from bridge.port.loops import Loops
from bridge.port.members import Constant
from bridge.port.variables import inner_blocks

#: What a library of another version raises: no member of that name, other parameters.
_OF_VERSIONS: Final = {"TypeError", "AttributeError", "ImportError", "NameError"}


class Statements(Loops):
    """Translates the body of one function to lines, each indented from nothing."""

    def __init__(self, expressions: Expressions) -> None:
        super().__init__(expressions)
        self._results: list[str] = []
        self._comments = Comments(expressions.method)

    def body(self, statements: Sequence[ast.stmt]) -> list[str]:
        """The lines of a function's body. Raises Untranslatable."""
        self._declare_before(statements)
        self._block(statements)
        return _without_unread(self.lines)

    def begin(self, statements: Sequence[ast.stmt]) -> None:
        """Prepares for these statements, which :meth:`go_on` is given one part after the other."""
        self._declare_before(statements)

    def go_on(self, statements: Sequence[ast.stmt]) -> None:
        """Some of the statements, at the end of the lines so far. Raises Untranslatable."""
        self._block(statements)

    @property
    def result(self) -> str:
        """The type of what is returned: object where these are tensors and something else."""
        return (joined(self._results) or "object") if self._results else ""

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in _without_named_results(statements):
            written = len(self.lines)
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise Untranslatable(statement, f"no translation of {type(statement).__name__}")
            method(statement)
            if not isinstance(statement, ast.Return):  # a list of the method's is gone then
                for line in self.x.after:
                    self._emit(line)
            self.x.after.clear()
            self._comment(statement, written)
            if isinstance(statement, ast.Try) and _ends(statement.body):
                return
            if (
                isinstance(statement, ast.If)
                and self.x.constant(statement.test) is not None
                and _ends(self._taken(statement))
            ):
                return

    def _comment(self, statement: ast.stmt, written: int) -> None:
        """Lays the comments above and beside a statement above and beside the lines that it became, if it became any."""
        if written == len(self.lines):
            return
        space = self.lines[written][: len(self.lines[written]) - len(self.lines[written].lstrip())]
        above, beside = self._comments.of(statement)
        if beside and not inner_blocks(statement) and "\n" not in self.lines[written]:
            self.lines[written] += f" // {beside}"
        elif beside:
            above = [*above, beside]
        self.lines[written:written] = [f"{space}// {one}" for one in above]

    def _taken(self, node: ast.If) -> Sequence[ast.stmt]:
        found = self.x.constant(node.test)
        return node.body if found is not None and found.value else node.orelse

    def _if(self, node: ast.If) -> None:
        known = self.x.constant(node.test)
        if known is None and self.x.tested(node.test):
            known = Constant(True)
        if known is None and (truth := self._always(node)) is not None:
            self._emit(f"// {ast.unparse(node.test)}: {'always' if truth else 'never'} so, where this model asks.")
            known = Constant(truth)
        if known is not None:
            taken = node.body if known.value else node.orelse
            self.carry(node, taken)
            self._block(taken)
            return
        if _only_raises(node.body) and not node.orelse:
            return
        self._before(node)
        self._emit(f"if ({self.x.condition(node.test).code})")
        with self.x.known(node.test, True):
            self._nested(node.body)
            after = set(self.x.there)
        if node.orelse:
            self._emit("else")
            with self.x.known(node.test, False):
                self._nested(node.orelse)
                after &= self.x.there
        elif _ends(node.body):
            after = self.x.there | self.x.not_null(node.test, False)
        else:  # what was null is not, if the branch is for that case
            after &= self.x.there | self.x.not_null(node.test, False)
        self.x.there.update(after)

    def _always(self, node: ast.If) -> bool | None:
        """What a test of settings alone always was, where the other branch holds something that never ran; else None."""
        truths = self.x.seen(node.test).truths
        if len(truths) != 1 or not self._of_settings(node.test):
            return None
        (truth,) = truths
        other = [inner for one in (node.orelse if truth else node.body) for inner in ast.walk(one)]
        calls = [one for one in other if isinstance(one, ast.Call)]
        return (
            truth if calls and not any(self.x.seen(one).types for one in other if isinstance(one, ast.expr)) else None
        )

    def _of_settings(self, test: ast.expr) -> bool:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._of_settings(test.operand)
        if isinstance(test, ast.BoolOp):
            return all(map(self._of_settings, test.values))
        if isinstance(test, ast.Compare):
            return self._of_settings(test.left) and all(self.x.constant(one) is not None for one in test.comparators)
        owner = test.value if isinstance(test, ast.Attribute) and test.attr != "training" else None
        return isinstance(owner, ast.Name) and owner.id == self.x.self != ""

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            self._emit("return;")
            return
        text = self.x.text(node.value)
        self._results.append(self.x.known_type(text))
        self._emit(f"return {text.code};")

    def _expr(self, node: ast.Expr) -> None:
        if self.x.constant(node.value) is not None:
            if isinstance(node.value, ast.Call) and folded.calls_source(self.x, node.value):
                raise Untranslatable(node, "a function that returns None may change its arguments")
            return
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        if called.rpartition(".")[2] in ("_assert", "_log_api_usage_once", "warn", "print", "check"):
            return
        self._emit(f"{self.x.text(node.value).code};")

    def _assert(self, node: ast.Assert) -> None:
        """What the original asserts, its caller keeps to."""

    def _try(self, node: ast.Try) -> None:
        """What runs with this version of the libraries: for others there are handlers."""
        names = {ast.unparse(one.type) if one.type is not None else "" for one in node.handlers}
        if not names <= _OF_VERSIONS or node.orelse or node.finalbody:
            raise Untranslatable(node, "a try that is for more than other versions of a library")
        handled = [
            inner
            for one in node.handlers
            for inner in ast.walk(ast.Module(one.body, []))
            if isinstance(inner, ast.expr)
        ]
        ran = [
            bool(self.x.seen(one.value).types)
            for one in node.body
            if isinstance(one, (ast.Assign, ast.Return, ast.Expr)) and one.value is not None
        ]
        if any(self.x.seen(one).types for one in handled) or (any(ran) and not all(ran)):
            raise Untranslatable(node, "a try in which something was raised")
        self.carry(node, node.body)
        self._block(node.body)

    def _with(self, node: ast.With) -> None:
        """``torch.no_grad()`` and its like; what is switched off is nothing."""
        (item, *others), call = node.items, node.items[0].context_expr
        callee = next(iter(self.x.seen(call.func).values), None) if isinstance(call, ast.Call) else None
        if others or item.optional_vars is not None or not isinstance(call, ast.Call):
            raise Untranslatable(node, f"'with {ast.unparse(item)}'")
        if callee in (torch.no_grad, torch.enable_grad, torch.inference_mode) and not call.args and not call.keywords:
            self._before(node)
            self._emit(f"using (torch.{callee.__name__}())")
            self._nested(node.body)
            return
        off = [one.value for one in call.keywords if one.arg == "enabled"]
        if not (off and callee is torch.autocast and self.x.constant(off[0]) == Constant(False)):
            raise Untranslatable(node, f"'with {ast.unparse(item)}'")
        self.carry(node, node.body)
        self._block(node.body)

    def _pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def _raise(self, node: ast.Raise) -> None:
        raise Untranslatable(node, f"'{ast.unparse(node)}' would be reached")

    def _break(self, node: ast.Break) -> None:
        self._emit("break;")

    def _continue(self, node: ast.Continue) -> None:
        self._emit("continue;")


def _without_named_results(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """``result: Tensor = f(x)`` and ``return result``, where the name is there for the annotation, as ``return f(x)``."""
    found = list(statements)
    last, named = found[-1:], found[-2:-1]
    if named and isinstance(named[0], ast.AnnAssign) and isinstance(last[0], ast.Return) and last[0].value is not None:
        value = named[0].value
        if value is not None and ast.unparse(named[0].target) == ast.unparse(last[0].value):
            found[-2:] = [ast.copy_location(ast.Return(value), named[0])]
    return found


def _without_unread(lines: list[str]) -> list[str]:
    """The lines without variables that are a number and are read nowhere: what read them is decided."""
    found = list(lines)
    for line in lines:
        plain = re.fullmatch(r"\s*(?:var|long|double|bool|string) (\w+) = [-\w.\"]+;.*", line)
        if plain and not any(re.search(rf"\b{plain[1]}\b", other) for other in found if other != line):
            found.remove(line)
    return found


def _ends(statements: Sequence[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], (ast.Return, ast.Raise))


def _only_raises(statements: Sequence[ast.stmt]) -> bool:
    return isinstance(statements[-1], ast.Raise)
