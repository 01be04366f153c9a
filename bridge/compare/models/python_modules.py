"""Imports of Python modules by name or by file. An exception of the imported code becomes a TargetError."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

from bridge.compare.errors import TargetError, describe
from hook_contract.output.sentences import suggest

_SEARCHED = " Searched in the current folder, on PYTHONPATH and in the installed packages."


def import_by_name(name: str) -> Any:
    """Import a module, with the current folder on the path. Raises TargetError."""
    _add_to_path(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise TargetError(f"importing {name} raised {describe(error)}") from error
        raise TargetError(f"there is no Python module {error.name}.{_suggestion(error.name)}{_SEARCHED}") from error
    except (Exception, SystemExit) as error:
        raise TargetError(f"importing {name} raised {describe(error)}") from error


def import_file(path: Path) -> Any:
    """Import a file under its module name, in its package if the file belongs to one. Raises TargetError.

    The folder of the file, or the folder that contains the outermost package, is added to ``sys.path``. If the file's module name is
    not valid in Python, or is the name of another module (such as ``types``), the file is imported outside its package. The module name
    is then the stem of the file, with underscores in place of invalid characters, and with underscores added until the name is free.
    """
    if not path.is_file():
        others = (file.name for file in path.parent.glob("*.py"))
        prefix = f"{path}".removesuffix(path.name)
        raise TargetError(f"there is no file {path}.{suggest(path.name, others, prefix)}")
    name, folder = module_name(path)
    _add_to_path(folder)
    try:
        if _is_from(sys.modules.get(name), path):
            return sys.modules[name]
        spec = importlib.util.find_spec(name) if name not in sys.modules and _is_dotted(name) else None
        if spec is not None and spec.origin is not None and Path(spec.origin).samefile(path):
            return importlib.import_module(name)
        return _import_under_free_name(path)
    except (Exception, SystemExit) as error:
        raise TargetError(f"importing {path} raised {describe(error)}") from error


def module_name(path: Path) -> tuple[str, Path]:
    """Return the dotted name of a file's module, and the folder from which the module can be imported under this name."""
    path = path.resolve()
    parts, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts, folder = [folder.name, *parts], folder.parent
    return ".".join(parts), folder


def get_attribute(module: Any, name: str, path: str) -> Any:
    """Return the attribute at a dotted path of a module; messages call the module ``name``. Raises TargetError."""
    found = module
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            public = [item for item in dir(found) if not item.startswith("_")]
            raise TargetError(f"{name} has no '{path}'.{suggest(part, public)}") from None
    return found


def _add_to_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def _is_from(module: Any, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).exists() and Path(file).samefile(path)


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _import_under_free_name(path: Path) -> Any:
    name = re.sub(r"\W", "_", path.stem)
    while name in sys.modules and not _is_from(sys.modules[name], path):
        name += "_"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _suggestion(name: str) -> str:
    outer, _, last = name.rpartition(".")
    places = getattr(sys.modules.get(outer), "__path__", None) if outer else None
    if outer and places is None:
        return f" {outer} is not a package."
    return suggest(last, (entry.name for entry in pkgutil.iter_modules(places)), f"{outer}." if outer else "")
