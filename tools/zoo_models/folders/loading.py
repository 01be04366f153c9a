"""Python files of others as modules."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType


def load(file: Path, tree: ast.Module) -> ModuleType:
    """Return the module of a file, run from its syntax tree; its classes have the file's text as their source."""
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    exec(compile(tree, str(file), "exec"), vars(module))
    return module


def parse(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8", errors="replace"), str(file))
