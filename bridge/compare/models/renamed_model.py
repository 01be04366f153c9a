"""A view of a C# model under PyTorch's names (``--map``). The model keeps its own names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from bridge.compare.findings import Finding
from bridge.compare.models import name_map
from bridge.compare.models.name_map import NameMap, join_path
from bridge.trace import Trace

_NOTHING_MATCHED = (
    "--map auto found nothing to rename: all names are equal, or the modules and tensors whose names differ also differ in "
    "class or shape."
)
_MATCHED = "--map auto matched these names. To check and keep them, save these lines to a file for --map:\n"


def apply_map(choice: str, python: torch.nn.Module, dotnet: torch.nn.Module) -> tuple[torch.nn.Module, list[Finding]]:
    """Return the C# model under PyTorch's names and, with ``auto``, a finding that lists the matched names or says that there are none.

    ``choice`` is a file of names, or ``auto``. Raises WeightsError if the file cannot be read or does not fit the models.
    """
    if choice != "auto":
        names = name_map.read_map(Path(choice))
        name_map.check(names, python, dotnet)
        return RenamedModel(dotnet, names), []
    names = name_map.match(python, dotnet)
    if not names.pairs:
        return dotnet, [Finding("note", "", _NOTHING_MATCHED)]
    return RenamedModel(dotnet, names), [Finding("note", "", f"{_MATCHED}{names}")]


class RenamedModel(torch.nn.Module):
    """A view of ``model`` under PyTorch's names. The map ``names`` translates the model's own names to PyTorch's.

    The modules, parameters and buffers are those of ``model``. The view cannot be called: run ``model``, and pass the trace to
    :meth:`rename`.
    """

    def __init__(self, model: torch.nn.Module, names: NameMap) -> None:
        super().__init__()
        self.model = model
        self._names = names
        self._paths = {module: path for path, module in model.named_modules()}

    def rename(self, trace: Trace) -> Trace:
        """Return a trace of the model with PyTorch's module paths."""
        events = (replace(event, path=self._name(event.path)) for event in trace)
        header = trace.header
        if header is not None:
            weights = {self._names.python_name(name): digest for name, digest in header.weights.items()}
            header = replace(header, weights=weights)
        return Trace(trace.runtime, events, trace.roots, header)

    @property
    def csharp_paths(self) -> dict[str, str]:
        """Return the C# path of each module that has another path in PyTorch, by the path in PyTorch."""
        paths = {self._name(path): path for path in self._paths.values()}
        return {path: own for path, own in paths.items() if path != own}

    def child_name(self, module: torch.nn.Module, name: str) -> str:
        """Return PyTorch's name of a child; the child's own name if PyTorch has the child in another module."""
        own = self._paths[module]
        prefix = f"{self._name(own)}." if own else ""
        path = self._name(join_path(own, name))
        last = path.removeprefix(prefix)
        return last if path.startswith(prefix) and "." not in last else name

    def named_modules(
        self, memo: set[torch.nn.Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, torch.nn.Module]]:
        """Yield the modules of the model, the model itself first, by PyTorch's paths."""
        for path, module in self.model.named_modules(memo, "", remove_duplicate):
            yield join_path(prefix, self._name(path)), module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, torch.nn.Parameter]]:
        for name, parameter in self.model.named_parameters("", recurse, remove_duplicate):
            yield join_path(prefix, self._name(name)), parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, torch.Tensor]]:
        for name, buffer in self.model.named_buffers("", recurse, remove_duplicate):
            yield join_path(prefix, self._name(name)), buffer

    def get_submodule(self, target: str) -> torch.nn.Module:
        """Return the module at one of PyTorch's paths. Raises AttributeError if there is no such module."""
        for path, module in self.named_modules(remove_duplicate=False):
            if path == target:
                return module
        raise AttributeError(f"the model has no module {target}")

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:  # type: ignore[override]  # PyTorch's has overloads
        return {self._name(name): value for name, value in self.model.state_dict(*args, **kwargs).items()}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        own = {self._name(name): name for name in self.model.state_dict()}
        renamed = {own.get(name, name): value for name, value in state_dict.items()}
        return self.model.load_state_dict(renamed, strict, assign)

    def _name(self, name: str) -> str:
        return self._names.python_name(name) if name else ""
