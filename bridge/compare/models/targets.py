"""The objects that a command line names: a PyTorch model by its factory, a C# model by its file and type, and a function for an option."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.clr import AssembliesNotFound, DotNetError, DotNetNotFound, StartError
from bridge.clr.errors import BuildError
from bridge.compare.errors import TargetError, describe
from bridge.compare.models.python_modules import get_attribute, import_by_name, import_file, module_name
from hook_contract.output.sentences import with_article

if TYPE_CHECKING:
    import torch


_ARGUMENTS = r"(?:\((?P<arguments>.*)\))?"
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FILE = re.compile(rf"(?P<file>.+\.py):(?P<factory>{_NAME}){_ARGUMENTS}", re.DOTALL)
_PYTHON = re.compile(rf"(?P<module>{_NAME}):(?P<factory>{_NAME}){_ARGUMENTS}", re.DOTALL)
_DOTNET = re.compile(rf"(?P<path>.+?\.(?:dll|csproj|cs)):(?P<type>[^\s():]+){_ARGUMENTS}", re.DOTALL | re.IGNORECASE)
#: The C# literals that arguments may contain besides Python's.
_CSHARP_LITERALS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A PyTorch model: a factory (a function, a class, or a ``torch.nn.Module`` object) in a Python module, or in a ``file``."""

    module: str
    factory: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.file or self.module}:{self.factory}"

    def make(self) -> torch.nn.Module:
        """Import the file, or the module with the current folder on ``sys.path``, and return the model. Raises TargetError."""
        import torch

        module = import_by_name(self.module) if self.file is None else import_file(self.file)
        found = get_attribute(module, f"{self.file or self.module}", self.factory)
        if isinstance(found, torch.nn.Module) and not (self.arguments or self.keywords):
            return self._require_tree(found)
        if isinstance(found, torch.nn.Module):
            raise TargetError(f"{self} is a model already: leave out the arguments in parentheses.")
        if not callable(found):
            kind = with_article(type(found).__name__)
            raise TargetError(f"{self} is {kind}: name a class, or a function that returns a torch.nn.Module.")
        try:
            model = found(*self.arguments, **self.keywords)
        except (Exception, SystemExit) as error:
            raise TargetError(
                f"calling {self} raised {describe(error)}{self._missing_arguments_hint(found)}"
            ) from error
        if not isinstance(model, torch.nn.Module):
            raise TargetError(f"{self} returned {with_article(type(model).__name__)}, not a torch.nn.Module.")
        return self._require_tree(model)

    def _missing_arguments_hint(self, factory: Callable[..., Any]) -> str:
        """Return a hint on the factory's required arguments that are missing; empty if none is known to be missing."""
        try:
            parameters = inspect.signature(factory).parameters.values()
        except (TypeError, ValueError):  # a compiled function may have no signature
            return ""
        required = [
            parameter.name
            for parameter in parameters
            if parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        ]
        missing = [name for name in required[len(self.arguments) :] if name not in self.keywords]
        words = ", ".join(f"{name}=…" for name in missing)
        return f". Add the required arguments in parentheses: {self}({words})." if missing else ""

    def _require_tree(self, model: torch.nn.Module) -> torch.nn.Module:
        """Return the model; raise TargetError if one of its modules contains itself."""
        from bridge.mirror.tree.cycles import find_cycle

        if (found := find_cycle(model, lambda module: module.named_children())) is not None:
            raise TargetError(f"{self} {found}.")
        return model


@dataclass(frozen=True, slots=True)
class DotNetTarget:
    """A C# model: an assembly, project or ``.cs`` file, a module class or static method in it, and the arguments to create the model."""

    path: Path
    type: str
    arguments: tuple[Any, ...] = ()
    forward_fires: bool = False
    keywords: Mapping[str, Any] = field(default_factory=dict)
    runtime: str = "dotnet"

    def __str__(self) -> str:
        return f"{self.path}:{self.type}"

    def make(self) -> torch.nn.Module:
        """Build a C# project or ``.cs`` file, start .NET or TorchSharp, and construct the model. Raises TargetError."""
        from bridge.loading import load
        from bridge.mirror.loading import exact_lines
        from bridge.torchsharp.in_process.errors import InProcessError
        from bridge.torchsharp.process import HostError

        options: dict[str, Any] = {"forward_fires": self.forward_fires, "runtime": self.runtime}
        try:
            with exact_lines():
                return load(self.path, self.type, *self.arguments, **options, **self.keywords)
        except DotNetError as error:  # before ValueError, which some DotNetErrors are as well
            raise TargetError(f"{self} cannot be constructed. {describe(error)}") from error
        except (FileNotFoundError, ValueError, TypeError) as error:
            raise TargetError(f"{self}: {error}") from error
        except (BuildError, StartError, HostError, InProcessError, DotNetNotFound, AssembliesNotFound) as error:
            raise TargetError(str(error)) from error


def python_target(text: str) -> PythonTarget:
    """Parse ``FILE.py:FACTORY`` or ``PACKAGE.MODULE:FACTORY``, optionally with ``(ARGS)``. Raises TargetError."""
    if (found := _FILE.fullmatch(text.strip())) is not None:
        file = Path(found["file"])
        name, _ = module_name(file)
        if not all(part.isidentifier() for part in name.split(".")):
            raise TargetError(
                f"Python cannot import {file} by its name: rename it, for example to {_importable_name(file)}."
            )
        return PythonTarget(name, found["factory"], *_parse_arguments(found["arguments"], text), file)
    found = _PYTHON.fullmatch(text.strip())
    if found is None:
        raise TargetError(
            f"'{text}' does not name a PyTorch model: write FILE.py:CLASS or PACKAGE.MODULE:CLASS, for example nets.py:MyNet or "
            "mypackage.nets:MyNet. Instead of a class, a function that returns the model is accepted."
        )
    return PythonTarget(found["module"], found["factory"], *_parse_arguments(found["arguments"], text))


def _importable_name(file: Path) -> str:
    name = re.sub(r"\W", "_", file.stem)
    return f"{'_' if name[:1].isdigit() else ''}{name}.py"


def dotnet_target(text: str, forward_fires: bool = False, runtime: str = "dotnet") -> DotNetTarget:
    """Parse ``PATH.{dll,csproj,cs}:TYPE``, optionally with ``(ARGS)``. Raises TargetError."""
    found = _DOTNET.fullmatch(text.strip())
    if found is None:
        raise TargetError(
            f"'{text}' does not name a C# model: write FILE.dll:NAMESPACE.CLASS, for example Nets.dll:Mine.MyNet, or with the "
            "constructor's arguments 'Nets.dll:Mine.MyNet(10, true)'. FILE may also be a .csproj or a .cs."
        )
    arguments, keywords = _parse_arguments(found["arguments"], text)
    for name, option in (("forward_fires", "--forward-fires"), ("runtime", "--dotnet-runtime")):
        if name in keywords:
            raise TargetError(f"'{text}': {name} is an option, {option}; give a C# parameter of that name by position.")
    return DotNetTarget(Path(found["path"]), found["type"], arguments, forward_fires, keywords, runtime)


def python_function(text: str, option: str) -> Callable[..., Any]:
    """Return the function at ``FILE.py:NAME`` or ``PACKAGE.MODULE:NAME``. Raises TargetError, which names the ``option``."""
    where, _, name = text.rpartition(":")
    if not where or not name.isidentifier():
        raise TargetError(f"{option}: '{text}' does not name a function: write FILE.py:FUNCTION.")
    try:
        found = get_attribute(import_file(Path(where)) if where.endswith(".py") else import_by_name(where), where, name)
    except TargetError as error:
        raise TargetError(f"{option}: {error}") from error
    if not callable(found):
        raise TargetError(f"{option}: {text} is {with_article(type(found).__name__)}, not a function.")
    return found  # type: ignore[no-any-return]  # mypy does not know the signature after callable()


class _LiteralTransformer(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_CSHARP_LITERALS[node.id]) if node.id in _CSHARP_LITERALS else node


def _parse_arguments(text: str | None, target: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Parse literals by position and by name (``10, bias=true``), in Python's syntax with C#'s ``true``, ``false`` and ``null``."""
    if text is None or not text.strip():
        return (), {}
    try:
        call = ast.parse(f"_({text}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError  # text follows the closing parenthesis
        transformer = _LiteralTransformer()
        keywords = {}
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in keywords:
                raise ValueError  # **mapping, or a repeated name
            keywords[keyword.arg] = ast.literal_eval(transformer.visit(keyword.value))
        return tuple(ast.literal_eval(transformer.visit(argument)) for argument in call.args), keywords
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise TargetError(
            f"the arguments ({text}) of '{target}' are not literals: use numbers, quoted strings, true, false, null and lists, "
            "each by position or as name=value."
        ) from None
