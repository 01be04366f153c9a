"""The size of a port: files, lines, and methods by how they were written."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterable

from bridge.port.methods import Wrote
from bridge.port.observe.sources import parsed
from bridge.port.porting import Port
from hook_contract.output.sentences import plural


def summarize(port: Port) -> str:
    """Return files, lines and methods in numbers: ``2 files, 80 lines of C# for 84 of Python, 2 of 2 methods from source``."""
    csharp, python = sum(map(count_csharp, port.files.values())), count_python(port.originals)
    lines = f"{csharp} lines of C#" + (f" for {python} of Python" if python else "")
    return f"{plural(len(port.files), 'file')}, {lines}, {count_methods(port.wrote)}"


def count_methods(wrote: Iterable[Wrote]) -> str:
    """Return the methods by how they were written: ``3 of 4 methods from source, 1 from graph, 1 of 2 constructors from instances``."""
    every = list(wrote)
    ways, constructors = ([one.how for one in every if one.constructs == flag] for flag in (False, True))
    graph = f", {ways.count('graph')} from graph" if "graph" in ways else ""
    fallbacks = constructors.count("instances")
    instances = f", {fallbacks} of {plural(len(constructors), 'constructor')} from instances" if fallbacks else ""
    return f"{ways.count('source')} of {plural(len(ways), 'method')} from source{graph}{instances}"


def list_fixed(wrote: Iterable[Wrote]) -> list[str]:
    """Return a sentence on each value or branch that C# fixes as it was in the runs, and on each constructor written from instances."""
    return [
        f"{one.where} ({one.place}){', from instances' if one.how == 'instances' else ''}: {text}."
        for one in wrote
        for text in one.fixed
    ]


def count_csharp(text: str) -> int:
    """Count the lines of C# that are neither empty nor a comment."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def count_python(written: Iterable[type | types.FunctionType]) -> int:
    """Count the lines of classes and functions that are neither empty nor comments nor docstrings, each line once."""
    found: set[tuple[str, int]] = set()
    for one in written:
        try:
            lines, first = inspect.getsourcelines(one)
            file = inspect.getsourcefile(one) or ""
        except (OSError, TypeError):  # a class without source
            continue
        found |= {(file, first + number) for number in _code("".join(lines))}
    return len(found)


def _code(text: str) -> set[int]:
    """Return the numbers, from 0, of the lines with code."""
    lines = {
        number for number, line in enumerate(text.splitlines()) if line.strip() and not line.strip().startswith("#")
    }
    for node in ast.walk(parsed(text)):
        if (
            isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and ast.get_docstring(node) is not None
        ):
            said = node.body[0]
            lines -= set(range(said.lineno - 1, said.end_lineno or said.lineno))
    return lines
