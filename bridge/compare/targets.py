"""The models that the commands run: a PyTorch model named by its factory, a C# model named by its file and type."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Mapping
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
            raise TargetError(f"the factory {self} raised {describe(error)}{self._needs(found)}") from error
        if not isinstance(model, torch.nn.Module):
            raise TargetError(f"the factory {self} returned a {type(model).__name__}, not a torch.nn.Module.")
        return self._tree(model)

    def _needs(self, factory: Callable[..., Any]) -> str:
        """How the arguments that the factory needs and was not given are written; empty where none is missing."""
        try:
            parameters = inspect.signature(factory).parameters.values()
        except (TypeError, ValueError):  # nothing says what a compiled one takes
            return ""
        needed = [
            one
            for one in parameters
            if one.default is one.empty and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        ]
        missing = [one.name for one in needed[len(self.arguments) :] if one.name not in self.keywords]
        words = ", ".join(f"{name}=…" for name in missing)
        return f". Give what it needs in brackets: {self}({words})." if missing else ""

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
    runtime: str = "dotnet"

    def __str__(self) -> str:
        return f"{self.path}:{self.type}"

    def make(self) -> torch.nn.Module:
        """Builds the project if it is one, starts .NET, here or in the process of TorchSharp, and makes the model. Raises TargetError."""
        from bridge.host import HostError
        from bridge.mirror import load
        from bridge.mirror.loading import exact_lines

        options: dict[str, Any] = {"forward_fires": self.forward_fires, "runtime": self.runtime}
        try:
            with exact_lines():
                return load(self.path, self.type, *self.arguments, **options, **self.keywords)
        except DotNetError as error:  # first: one may be a ValueError too
            raise TargetError(f"{self} cannot be made. {describe(error)}") from error
        except (FileNotFoundError, ValueError, TypeError) as error:
            raise TargetError(f"{self}: {error}") from error
        except (BuildError, StartError, HostError, DotNetNotFound, AssembliesNotFound) as error:
            raise TargetError(str(error)) from error


def python_target(text: str) -> PythonTarget:
    """``PKG.MOD:FACTORY`` or ``PKG.MOD:FACTORY(ARGS)``. Raises TargetError when it is neither."""
    found = _PYTHON.fullmatch(text.strip())
    if found is None:
        raise TargetError(
            f"'{text}' does not name a PyTorch model: write PKG.MOD:FACTORY, for example mypackage.nets:make_net."
        )
    return PythonTarget(found["module"], found["factory"], *_arguments(found["arguments"], text))


def dotnet_target(text: str, forward_fires: bool = False, runtime: str = "dotnet") -> DotNetTarget:
    """``PATH.{dll,csproj,cs}:TYPE`` or ``…:TYPE(ARGS)``. Raises TargetError when it is neither."""
    found = _DOTNET.fullmatch(text.strip())
    if found is None:
        raise TargetError(
            f"'{text}' does not name a C# model: write PATH.dll:NAMESPACE.TYPE, PATH.csproj:NAMESPACE.TYPE, "
            "or with the constructor's arguments PATH.dll:NAMESPACE.TYPE(10, true)."
        )
    arguments, keywords = _arguments(found["arguments"], text)
    for name, option in (("forward_fires", "--forward-fires"), ("runtime", "--dotnet-runtime")):
        if name in keywords:
            raise TargetError(f"'{text}': {name} is an option, {option}; give a C# parameter of that name by position.")
    return DotNetTarget(Path(found["path"]), found["type"], arguments, forward_fires, keywords, runtime)


def python_function(text: str, option: str) -> Callable[..., Any]:
    """The function that ``FILE.py:NAME`` or ``PKG.MOD:NAME`` names. Raises TargetError, which names the ``option``."""
    where, _, name = text.rpartition(":")
    if not where or not name.isidentifier():
        raise TargetError(f"{option}: '{text}' does not name a function: write FILE.py:FUNCTION.")
    module = _loaded(Path(where), option) if where.endswith(".py") else _imported(where)
    found = _attribute(module, where, name)
    if not callable(found):
        raise TargetError(f"{option}: {text} is a {type(found).__name__}, not a function.")
    return found  # type: ignore[no-any-return]  # callable() does not tell mypy of what


def _loaded(path: Path, option: str) -> Any:
    """The module in a file, which finds its neighbours as a script does."""
    if not path.is_file():
        raise TargetError(f"{option}: there is no file {path}.")
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TargetError(f"{option}: importing {path} raised {describe(error)}") from error
    return module


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
