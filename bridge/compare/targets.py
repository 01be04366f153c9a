"""The models that the commands run: a PyTorch model named by its factory, a C# model named by its file and type."""

from __future__ import annotations

import ast
import difflib
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.clr import AssembliesNotFound, DotNetError, DotNetNotFound, StartError
from bridge.clr.building import BuildError
from bridge.compare.compare_errors import TargetError, describe

if TYPE_CHECKING:
    import torch


_ARGUMENTS = r"(?:\((?P<arguments>.*)\))?"
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PYTHON = re.compile(rf"(?P<module>{_NAME}):(?P<factory>{_NAME}){_ARGUMENTS}", re.DOTALL)
_DOTNET = re.compile(rf"(?P<path>.+?\.(?:dll|csproj|cs)):(?P<type>[^\s():]+){_ARGUMENTS}", re.DOTALL | re.IGNORECASE)
_LOOKED = " It was searched for in the current folder, on PYTHONPATH and in the installed packages."
#: C#'s words, so that arguments may be written as in either language.
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A PyTorch model: a factory (function, class, or a module that exists already) in a Python module."""

    module: str
    factory: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.module}:{self.factory}"

    def make(self) -> torch.nn.Module:
        """Imports the module, with the current folder on the path, and calls the factory. Raises TargetError."""
        import torch

        found = _attribute(_imported(self.module), self.module, self.factory)
        if isinstance(found, torch.nn.Module) and not (self.arguments or self.keywords):
            return self._tree(found)
        if not callable(found) or isinstance(found, torch.nn.Module):
            kind = type(found).__name__
            raise TargetError(
                f"{self} is a {kind}, not a factory: give a function or class that returns a torch.nn.Module."
            )
        try:
            model = found(*self.arguments, **self.keywords)
        except (Exception, SystemExit) as error:
            raise TargetError(f"the factory {self} raised {describe(error)}") from error
        if not isinstance(model, torch.nn.Module):
            raise TargetError(f"the factory {self} returned a {type(model).__name__}, not a torch.nn.Module.")
        return self._tree(model)

    def _tree(self, model: torch.nn.Module) -> torch.nn.Module:
        """The model, if its modules are a tree. Raises TargetError."""
        from bridge.mirror.cycles import cycle

        if (found := cycle(model, lambda module: module.named_children())) is not None:
            raise TargetError(f"{self} {found}.")
        return model


@dataclass(frozen=True, slots=True)
class DotNetTarget:
    """A C# model: an assembly or project, a module type in it, the arguments of its constructor."""

    path: Path
    type: str
    arguments: tuple[Any, ...] = ()
    forward_fires: bool = False
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.path}:{self.type}"

    def make(self) -> torch.nn.Module:
        """Builds the project if it is one, starts .NET and makes the model. Raises TargetError."""
        from bridge.mirror import load

        try:
            return load(self.path, self.type, *self.arguments, forward_fires=self.forward_fires, **self.keywords)
        except DotNetError as error:  # first: one may be a ValueError too
            raise TargetError(f"{self} cannot be made. {describe(error)}") from error
        except (FileNotFoundError, ValueError, TypeError) as error:
            raise TargetError(f"{self}: {error}") from error
        except (BuildError, StartError, DotNetNotFound, AssembliesNotFound) as error:
            raise TargetError(str(error)) from error


def python_target(text: str) -> PythonTarget:
    """``PKG.MOD:FACTORY`` or ``PKG.MOD:FACTORY(ARGS)``. Raises TargetError when it is neither."""
    found = _PYTHON.fullmatch(text.strip())
    if found is None:
        raise TargetError(
            f"'{text}' does not name a PyTorch model: write PKG.MOD:FACTORY, for example mypackage.nets:make_net."
        )
    return PythonTarget(found["module"], found["factory"], *_arguments(found["arguments"], text))


def dotnet_target(text: str, forward_fires: bool = False) -> DotNetTarget:
    """``PATH.{dll,csproj,cs}:TYPE`` or ``…:TYPE(ARGS)``. Raises TargetError when it is neither."""
    found = _DOTNET.fullmatch(text.strip())
    if found is None:
        raise TargetError(
            f"'{text}' does not name a C# model: write PATH.dll:NAMESPACE.TYPE, PATH.csproj:NAMESPACE.TYPE, "
            "or with the constructor's arguments PATH.dll:NAMESPACE.TYPE(10, true)."
        )
    arguments, keywords = _arguments(found["arguments"], text)
    if "forward_fires" in keywords:
        raise TargetError(
            f"'{text}': forward_fires is an option, --forward-fires; give a C# parameter of that name by position."
        )
    return DotNetTarget(Path(found["path"]), found["type"], arguments, forward_fires, keywords)


def near(name: str, candidates: Iterable[str]) -> str:
    """``Did you mean …?`` with the candidates that look like ``name``; empty when none does."""
    lower = {candidate.lower(): candidate for candidate in candidates}
    found = [lower[match] for match in difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)]
    return f" Did you mean {' or '.join(found)}?" if found else ""


class _Words(ast.NodeTransformer):
    """C#'s words as constants."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_WORDS[node.id]) if node.id in _WORDS else node


def _arguments(text: str | None, target: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Literals, by position and by name (``10, bias=true``), in Python's or C#'s spelling of true, false and null."""
    if text is None or not text.strip():
        return (), {}
    try:
        call = ast.parse(f"_({text}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError  # what the brackets enclosed ended, and something else follows
        words = _Words()
        keywords = {}
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in keywords:
                raise ValueError  # **mapping, or a name twice
            keywords[keyword.arg] = ast.literal_eval(words.visit(keyword.value))
        return tuple(ast.literal_eval(words.visit(argument)) for argument in call.args), keywords
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise TargetError(
            f"the arguments ({text}) of '{target}' are not literals: use numbers, quoted strings, true, false, null and lists, "
            "each by position or as name=value."
        ) from None


def _imported(name: str) -> Any:
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise TargetError(f"importing {name} raised {describe(error)}") from error
        raise TargetError(f"there is no Python module {error.name}.{_neighbours(error.name)}{_LOOKED}") from error
    except (Exception, SystemExit) as error:
        raise TargetError(f"importing {name} raised {describe(error)}") from error


def _neighbours(name: str) -> str:
    outer, _, last = name.rpartition(".")
    places = getattr(sys.modules.get(outer), "__path__", None) if outer else None
    if outer and places is None:
        return f" {outer} is not a package."
    modules = (entry.name for entry in pkgutil.iter_modules(places))
    return near(last, modules)


def _attribute(module: Any, name: str, path: str) -> Any:
    found = module
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            public = [item for item in dir(found) if not item.startswith("_")]
            raise TargetError(f"{name} has no '{path}'.{near(part, public)}") from None
    return found
