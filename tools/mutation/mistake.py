"""One mistake in a runtime: a small change of a source's syntax tree.

A change names code, not text: comments, line breaks and the surrounding code may be edited freely. If the named code itself was edited,
NotThere names the mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mutation.scoring import DISPATCHER


class NotThere(ValueError):
    """A change names code that is not in the source exactly once; the message says which."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Code that the source has exactly once, and its replacement.

    Each is an expression, or consecutive statements. Code that ends in a colon is the header of a compound statement, whose body stays;
    ``new`` may begin with other statements. An ``elif`` is written ``if``.
    """

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Insert:
    """Code for the end of a class, or of the module where ``into`` is empty."""

    new: str
    into: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One mistake: its name, what the runtime then does wrong, and its changes of ``module``."""

    name: str
    about: str
    changes: tuple[Replace | Insert, ...]
    module: str = DISPATCHER

    def source(self, right: str) -> str:
        """Return the source with the mistake. Raises NotThere."""
        tree = ast.parse(right)
        for change in self.changes:
            if isinstance(change, Insert):
                owners = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == change.into]
                if change.into and len(owners) != 1:
                    raise NotThere(f"{self.name}: {self.module} has no class {change.into}")
                (owners[0] if owners else tree).body += ast.parse(change.new).body
            else:
                sites = list(_sites(tree, change))
                if len(sites) != 1:
                    raise NotThere(
                        f"{self.name}: this is {len(sites)} times in {self.module}, not once: {change.old!r}"
                    )
                _replace(*sites[0], change.new)
        return ast.unparse(ast.fix_missing_locations(tree))


#: The node that has the code, the name of its field, and the slice of that field; None if the field is the code itself.
Site = tuple[ast.AST, str, slice | None]


def _sites(tree: ast.Module, change: Replace) -> Iterator[Site]:
    wanted, header = _parsed(change.old), change.old.endswith(":")
    expressions = _expression(change.old) is not None and _expression(change.new) is not None
    single = _expression(change.old) if expressions else None
    texts = [ast.dump(single)] if single is not None else [_text(item, header) for item in wanted]
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            if not isinstance(value, list):
                if single is not None and isinstance(value, ast.expr) and ast.dump(value) == texts[0]:
                    yield owner, field, None
                continue
            for place in range(len(value) - len(texts) + 1):
                part = value[place : place + len(texts)]
                kind = ast.expr if single is not None else (ast.stmt, ast.excepthandler)
                if all(isinstance(item, kind) for item in part) and [_text(item, header) for item in part] == texts:
                    yield owner, field, slice(place, place + len(texts))


def _replace(owner: ast.AST, field: str, places: slice | None, new: str) -> None:
    if places is None:
        setattr(owner, field, _expression(new))
        return
    made: list[ast.AST | None] = [*_parsed(new)]
    if isinstance(getattr(owner, field)[places][0], ast.expr):
        made = [_expression(new)]
    if new.endswith(":"):
        for name in ("body", "orelse", "handlers", "finalbody"):
            if hasattr(made[-1], name):
                setattr(made[-1], name, getattr(getattr(owner, field)[places][0], name))
    getattr(owner, field)[places] = made


def _expression(code: str) -> ast.expr | None:
    parsed = _parsed(code)
    return parsed[0].value if len(parsed) == 1 and isinstance(parsed[0], ast.Expr) else None


def _parsed(code: str) -> list[ast.stmt | ast.excepthandler]:
    if code.startswith("except "):
        (block,) = ast.parse(f"try:\n    pass\n{code}\n    pass").body
        assert isinstance(block, ast.Try)
        return [*block.handlers]
    last = code.rpartition("\n")[2]
    indent = " " * (len(last) - len(last.lstrip()) + 4)
    return [*ast.parse(f"{code}\n{indent}pass" if code.endswith(":") else code).body]


def _text(node: ast.AST, header: bool) -> str:
    """Return a node as text; of a compound statement, its header."""
    if not header:
        return ast.dump(node)
    below = ("body", "orelse", "handlers", "finalbody")
    fields = [(name, value) for name, value in ast.iter_fields(node) if name not in below]
    return f"{type(node).__name__} " + " ".join(f"{name}={_value(value)}" for name, value in fields)


def _value(value: object) -> str:
    if isinstance(value, list):
        return str([_value(item) for item in value])
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)
