"""Parameters and buffers whose names in C# have dots, such as ``weight.original0``. PyTorch allows no dot in a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from bridge.mirror.synchronization import dirty_tracking


class DottedNames(torch.nn.Module):
    """A Python module that holds tensors of its parent's .NET module, such as ``original0`` for ``weight.original0``.

    PyTorch's functions then find the tensors under their names in C#. This module has no .NET module of its own, so C# never calls
    it, and its hooks do not fire.
    """

    def extra_repr(self) -> str:
        """Return the names and shapes of the tensors, a line for each."""
        tensors = (*self._parameters.items(), *self._buffers.items())
        return "\n".join(f"({name}): {tuple(tensor.shape)}" for name, tensor in tensors if tensor is not None)


def holder_of(module: torch.nn.Module, name: str) -> tuple[torch.nn.Module | None, str]:
    """Return the module that holds a tensor in Python (None if there is no such module), and the tensor's name in that module."""
    *parts, own = name.split(".")
    found: torch.nn.Module | None = module
    for part in parts:
        found = found._modules.get(part) if found is not None else None
    return found, own


def make_holder(module: torch.nn.Module, name: str) -> tuple[torch.nn.Module, str]:
    """Return the result of :func:`holder_of`, after adding the modules on the path that do not exist."""
    *parts, own = name.split(".")
    for part in parts:
        module = module._modules.setdefault(part, DottedNames())  # type: ignore[assignment]  # None is not a child of a new mirror
    return module, own


def check_dotted_names(names: Iterable[str], children: Iterable[str], is_collection: bool, owner: str) -> None:
    """Raise ValueError if a name has a dot and the owner is a collection, or if the part before the first dot is a child's name.

    ``owner`` is the name of the C# class.
    """
    taken = frozenset(children)
    for name in names:
        first, dot, _ = name.partition(".")
        if dot and is_collection:
            raise ValueError(f"{owner} registers '{name}', but a collection cannot have a tensor whose name has a dot")
        if dot and first in taken:
            raise ValueError(f"{owner} registers '{name}' and a child '{first}': rename one of them")


def track_holders(module: torch.nn.Module, names: Iterable[str]) -> None:
    """Make .NET notice later writes to the tensors of these names (``dirty_tracking``)."""
    for name in names:
        for holder in _holders(module, name):
            dirty_tracking.track(holder)


def _holders(module: torch.nn.Module, name: str) -> Iterator[torch.nn.Module]:
    child: torch.nn.Module | None = module
    for part in name.split(".")[:-1]:
        child = child._modules.get(part) if child is not None else None
        if child is not None:
            yield child
