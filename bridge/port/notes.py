"""What is said of a port: ``PORT.md``, and how many lines and methods there are."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterable

from bridge.port.methods import Wrote
from bridge.port.porting import Port
from bridge.trace.diff.phrases import plural

_FROM = {"source": "its source", "graph": "its graph"}


def notes(port: Port, title: str) -> str:
    """``PORT.md``: each class and its methods, how each was written, and what is left to do."""
    lines = [
        f"# {title}",
        "",
        f"{summary(port)}.",
        "",
        "| method | original | written from | left to do |",
        "| --- | --- | --- | --- |",
    ]
    why = {one.where: f"{one.place}: {one.why}".replace("|", "/") for one in port.left}
    for one in port.wrote:
        lines.append(
            f"| {one.where} | {one.place} | {_FROM.get(one.how, 'not written')} | {why.get(one.where, 'nothing')} |"
        )
    return "\n".join(lines) + "\n"


def summary(port: Port) -> str:
    """Classes, lines and methods in numbers: ``2 classes, 80 lines of C# for 84 of Python, 2 of 2 methods from source``."""
    csharp, python = sum(map(lines_of_code, port.files.values())), lines_of_python(port.originals)
    lines = f"{csharp} lines of C#" + (f" for {python} of Python" if python else "")
    return f"{plural(len(port.files), 'file')}, {lines}, {share(port.wrote)}"


def share(wrote: Iterable[Wrote]) -> str:
    """``3 of 4 methods from source, 1 from graph``."""
    ways = [one.how for one in wrote]
    graph = f", {ways.count('graph')} from graph" if "graph" in ways else ""
    return f"{ways.count('source')} of {plural(len(ways), 'method')} from source{graph}"


def lines_of_code(text: str) -> int:
    """Lines of C# that are neither empty nor a comment."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def lines_of_python(written: Iterable[type | types.FunctionType]) -> int:
    """Lines of these classes and functions that are neither empty nor comments nor docstrings; each line counts once."""
    found: set[tuple[str, int]] = set()
    for one in written:
        try:
            lines, first = inspect.getsourcelines(one)
            file = inspect.getsourcefile(one) or ""
        except (OSError, TypeError):  # a class without source
            continue
        found |= {(file, first + number) for number in _code(textwrap.dedent("".join(lines)))}
    return len(found)


def _code(text: str) -> set[int]:
    """The lines, from 0, on which there is code."""
    lines = {
        number for number, line in enumerate(text.splitlines()) if line.strip() and not line.strip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and ast.get_docstring(node) is not None
        ):
            said = node.body[0]
            lines -= set(range(said.lineno - 1, said.end_lineno or said.lineno))
    return lines
