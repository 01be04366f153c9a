"""A C# model that is walked under PyTorch's names: its own are kept where C# runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch

from bridge.compare.findings import Finding
from bridge.compare.models import name_map
from bridge.compare.models.name_map import NameMap


def named(choice: str, python: torch.nn.Module, dotnet: torch.nn.Module) -> list[Finding]:
    """Gives the C# model PyTorch's names, of a file or ``auto``, and says what ``auto`` found. Raises WeightsError."""
    if choice != "auto":
        names = name_map.read_map(Path(choice))
        name_map.check(names, python, dotnet)
        rename(dotnet, names)
        return []
    names = name_map.found(python, dotnet)
    if not names.pairs:
        return [
            Finding(
                "note",
                "",
                "--map auto found nothing to rename: all names are equal, or what has other names has other shapes too.",
            )
        ]
    rename(dotnet, names)
    return [
        Finding(
            "note",
            "",
            f"--map auto matched these names. To check and keep them, save these lines to a file for --map:\n{names}",
        )
    ]


def rename(model: torch.nn.Module, names: NameMap) -> None:
    """Makes ``named_modules`` and what is built on it, ``named_children``, ``state_dict`` and ``load_state_dict`` of the model give and
    take PyTorch's names.

    Recordings of the model have them, too. What C# says of itself has its own.
    """
    kinds = type(model)
    for path, module in list(kinds.named_modules(model)):
        renamed = names.python_name(path) if path else ""
        children = {
            name: names.python_name(f"{path}.{name}" if path else name)
            for name, child in module._modules.items()
            if child is not None
        }
        prefix = f"{renamed}." if renamed else ""
        # A child that is elsewhere in PyTorch's tree keeps its own name here.
        under = {
            name: other.removeprefix(prefix)
            if other.startswith(prefix) and "." not in other.removeprefix(prefix)
            else name
            for name, other in children.items()
        }
        if any(name != other for name, other in under.items()):
            object.__setattr__(module, "named_children", partial(_children, module, under))
    object.__setattr__(model, "named_modules", partial(_modules, model, names))
    for name in ("named_parameters", "named_buffers"):
        object.__setattr__(model, name, partial(_members, model, names, name))
    object.__setattr__(model, "state_dict", partial(_state_dict, model, names))
    object.__setattr__(model, "load_state_dict", partial(_load_state_dict, model, names))


def csharp_names(model: torch.nn.Module) -> dict[str, str]:
    """The C# paths of a renamed model's modules by PyTorch's; empty for one that was not renamed."""
    if "named_modules" not in vars(model):
        return {}
    own = (path for path, _ in type(model).named_modules(model))
    return {path: name for (path, _), name in zip(model.named_modules(), own, strict=True) if path != name}


def _children(module: torch.nn.Module, under: Mapping[str, str]) -> Iterator[tuple[str, torch.nn.Module]]:
    for name, child in type(module).named_children(module):
        yield under.get(name, name), child


def _modules(
    model: torch.nn.Module, names: NameMap, memo: Any = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, torch.nn.Module]]:
    for path, module in type(model).named_modules(model, memo, "", remove_duplicate):
        renamed = names.python_name(path) if path else ""
        yield ".".join(part for part in (prefix, renamed) if part), module


def _members(
    model: torch.nn.Module,
    names: NameMap,
    kind: str,
    prefix: str = "",
    recurse: bool = True,
    remove_duplicate: bool = True,
) -> Iterator[tuple[str, Any]]:
    # The class's own walk calls the instance's named_modules: a module's path is PyTorch's already, a weight's last name is not yet.
    seen: set[Any] = set()
    walked = type(model).named_modules(model, remove_duplicate=remove_duplicate) if recurse else [("", model)]
    for path, module in walked:
        for name, value in getattr(module, "_parameters" if kind == "named_parameters" else "_buffers").items():
            if value is None or (remove_duplicate and value in seen):
                continue
            seen.add(value)
            renamed = names.python_name(f"{path}.{name}" if path else name)
            yield ".".join(part for part in (prefix, renamed) if part), value


def _state_dict(model: torch.nn.Module, names: NameMap, *args: Any, **kwargs: Any) -> dict[str, Any]:
    found = type(model).state_dict(model, *args, **kwargs)
    return {names.python_name(name): value for name, value in found.items()}


def _load_state_dict(
    model: torch.nn.Module, names: NameMap, given: Mapping[str, Any], *args: Any, **kwargs: Any
) -> Any:
    own = {names.python_name(name): name for name in type(model).state_dict(model)}
    return type(model).load_state_dict(
        model, {own.get(name, name): value for name, value in given.items()}, *args, **kwargs
    )
