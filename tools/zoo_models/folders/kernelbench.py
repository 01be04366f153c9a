"""KernelBench's layout: a file has a class ``Model``, its arguments are ``get_init_inputs()``, and those of forward ``get_inputs()``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs
from zoo_models.folders.loading import load, parse

_BATCH: Final = 2
#: The limits of :func:`smaller`, in the order in which they are tried where a model takes too long or too much memory as it is; the
#: first leaves all but batches as they are, the last makes equal sizes of batches and other dimensions equal again.
LIMITS: Final = (1 << 30, 1024, 256, 64, 32, 16, _BATCH)
_FUNCTIONS: Final = ("get_inputs", "get_init_inputs")


@dataclass(frozen=True)
class KernelBench:
    """The models of a folder and of those in it; with a ``limit``, with smaller constants."""

    folder: Path
    limit: int = 0

    def files(self) -> dict[str, Path]:
        """Return the files by their models' names, in the order of the numbers in these."""
        files = [
            file for file in self.folder.rglob("*.py") if "def get_init_inputs" in file.read_text(encoding="utf-8")
        ]
        names = {re.sub(r"\W", "_", f"{file.parent.name}_{file.stem}"): file for file in files}
        return {name: names[name] for name in sorted(names, key=_natural)}

    def __call__(self, name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
        """Return the model's factory and its inputs."""
        file = self.files()[name]
        tree = parse(file)
        module = load(file, smaller(tree, self.limit) if self.limit else tree)
        inputs = tuple(module.get_inputs())

        def make() -> torch.nn.Module:
            made = module.Model(*module.get_init_inputs())
            assert isinstance(made, torch.nn.Module)
            return made

        return make, Inputs(inputs)


def importable() -> None:
    """Import nothing: the files need PyTorch alone."""


def smaller(tree: ast.Module, limit: int) -> ast.Module:
    """Return a module in which each integer above the limit is halved until it is not, in assignments of the module and in its inputs.

    What is assigned to names with ``batch`` is limited to 2. Halving keeps numbers equal that were, and what divides them mostly. The
    classes stay as they are. The tree is changed.
    """
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            batch = any("batch" in ast.unparse(target).lower() for target in statement.targets)
            _Halved(min(limit, _BATCH) if batch else limit).visit(statement)
        elif isinstance(statement, ast.FunctionDef) and statement.name in _FUNCTIONS:
            _Halved(limit).visit(statement)
    return ast.fix_missing_locations(tree)


class _Halved(ast.NodeTransformer):
    """Halves the integers above a limit, after the products and powers of integers have been computed."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def visit(self, node: ast.AST) -> Any:
        """Return the node in whose place a node goes."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow)):
            try:
                value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
            except Exception:  # it has names
                return self.generic_visit(node)
            if type(value) is not int:  # a list that is repeated
                return self.generic_visit(node)
            return self.visit(ast.copy_location(ast.Constant(value), node))
        if isinstance(node, ast.Constant) and type(node.value) is int:
            value = node.value
            while value > self._limit:
                value //= 2
            return ast.copy_location(ast.Constant(value), node)
        return self.generic_visit(node)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their value."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]
