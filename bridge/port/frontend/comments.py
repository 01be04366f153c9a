"""The comments of a function's source, most of them shapes of tensors; the syntax tree does not have them."""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bridge.port.ir.nodes import Statement
from bridge.port.observe.observations import Method

#: Comments for Python's tools.
_TOOLS: Final = re.compile(
    r"type:|noqa|fmt:|isort:|pragma|pylint|mypy:|pyright:|ruff:|!|.*\b(?:mypy|TorchScript|torchscript)\b"
)
_COMPOUND: Final = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef)


class Comments:
    """The comments of one function, by line."""

    def __init__(self, method: Method) -> None:
        self._above: dict[int, str] = {}
        self._beside: dict[int, str] = {}
        with suppress(OSError, TypeError, tokenize.TokenError, IndentationError):  # no source, no comments
            text = textwrap.dedent(inspect.getsource(method.original or method.function))
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                words = token.string.lstrip("#").strip()
                if token.type == tokenize.COMMENT and words and not _TOOLS.match(words):
                    alone = not token.line[: token.start[1]].strip()
                    (self._above if alone else self._beside)[token.start[0]] = words

    def lay(self, node: ast.stmt, made: Sequence[Statement]) -> tuple[Statement, ...]:
        """Attach the comments above and beside a statement to the first of the lowered statements."""
        if not made:
            return ()
        above, beside = self._of(node)
        first = replace(made[0], comments=(*above, *made[0].comments), remark=beside or made[0].remark)
        return (first, *made[1:])

    def _of(self, node: ast.stmt) -> tuple[list[str], str]:
        above: list[str] = []
        line = node.lineno - 1
        while line in self._above:
            above.insert(0, self._above[line])
            line -= 1
        end = node.lineno if isinstance(node, _COMPOUND) else node.end_lineno or node.lineno
        return above, self._beside.get(end, "")
