"""Docstrings of functions: the first word is a verb, and the first sentence stands on a line of its own.

D401 of ruff accepts 'How', 'Where' and 'Of which'; a closed list of verbs does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
VERBS: Final = frozenset((Path(__file__).with_name("verbs.txt")).read_text(encoding="utf-8").split())


def _documented(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the docstring of each documented function of a file, tests left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("test_"):
            text = ast.get_docstring(node)
            if text is not None:
                yield node.lineno, text


def _faults(text: str) -> Iterator[str]:
    """Yield what is wrong with a docstring."""
    summary, _, rest = text.partition("\n")
    if summary.partition(" ")[0].rstrip(".,:") not in VERBS:
        yield "no verb first"
    if rest and not rest.startswith("\n"):
        yield "no blank line after the first line"


@pytest.mark.parametrize("folder", ["bridge", "hook-contract", "examples", "tools", "benchmarks", "tests"])
def test_begin_with_a_verb(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}: {text.splitlines()[0]}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in _documented(path)
        for fault in _faults(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Return the hooks.", []),
        ("Of which inputs there are gradients.", ["no verb first"]),
        ("How hooks fire.", ["no verb first"]),
        ("Return the hooks of a module\nin order.", ["no blank line after the first line"]),
    ],
)
def test_a_fault_is_found(text: str, faults: list[str]) -> None:
    assert list(_faults(text)) == faults


def test_every_verb_is_listed_once_and_in_order() -> None:
    words = (Path(__file__).with_name("verbs.txt")).read_text(encoding="utf-8").split()
    assert words == sorted(set(words))
