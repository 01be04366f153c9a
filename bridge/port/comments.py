"""The comments of a method's source, which its syntax tree has not: shapes above all."""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import tokenize
from contextlib import suppress
from typing import Final

from bridge.port.watched import Method

#: Comments for Python's tools.
_TOOLS: Final = re.compile(r"type:|noqa|fmt:|isort:|pragma|pylint|mypy:|pyright:|ruff:|!")


class Comments:
    """The comments of one method, by line."""

    def __init__(self, method: Method) -> None:
        self._own: dict[int, str] = {}
        self._beside: dict[int, str] = {}
        with suppress(OSError, tokenize.TokenError, IndentationError):  # what has no source has no comments
            text = textwrap.dedent(inspect.getsource(method.original or method.function))
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                words = token.string.lstrip("#").strip()
                if token.type == tokenize.COMMENT and words and not _TOOLS.match(words):
                    own = not token.line[: token.start[1]].strip()
                    (self._own if own else self._beside)[token.start[0]] = words

    def of(self, statement: ast.stmt) -> tuple[list[str], str]:
        """The lines right above a statement, and what stands beside it: at its end, of a compound one beside its head."""
        above: list[str] = []
        line = statement.lineno - 1
        while line in self._own:
            above.insert(0, self._own[line])
            line -= 1
        compound = isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try))
        end = statement.lineno if compound else statement.end_lineno or statement.lineno
        return above, self._beside.get(end, "")
