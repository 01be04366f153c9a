"""Replicas for ``DataParallel``: modules that have a .NET module of their own, and compute with the tensors that PyTorch gives them.

PyTorch makes a replica of each module, and puts the tree together afterwards; so .NET's modules are copied when a replica is first called.
"""

from __future__ import annotations

from typing import Any

import torch

from bridge.mirror import dirty_tracking
from bridge.mirror.link import linked


def replica(original: torch.nn.Module, made: torch.nn.Module) -> torch.nn.Module:
    """Prepares what PyTorch made of a mirror for its first call."""
    vars(made)["_replica_of"] = original
    made.__class__ = _class(type(original))
    return made


def _class(kind: type[torch.nn.Module]) -> type[torch.nn.Module]:
    """The class of a replica that was not called yet; the class itself keeps it, so that both may be collected."""
    known: type[torch.nn.Module] | None = vars(kind).get("_replica_class")
    if known is not None:
        return known

    def forward(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        _begin(self)
        return self.forward(*args, **kwargs)

    members = {"forward": forward, "_replicated": kind, "__module__": kind.__module__}
    made = type(kind.__name__, (kind,), members)
    kind._replica_class = made  # type: ignore[attr-defined]  # any class takes attributes
    return made


def _begin(root: torch.nn.Module) -> None:
    """Copies the .NET modules; from now on the replicas below ``root`` are their mirrors."""
    original: torch.nn.Module = vars(root)["_replica_of"]
    link = linked(original)
    # The copy itself lives until the replicas have its links.
    _copied, pairs = link.copied(True)
    # By the originals: replicas hang where those do.
    replicas = {id(original): root}
    stack = [(original, root)]
    while stack:
        one, other = stack.pop()
        for name, child in one._modules.items():
            counterpart = other._modules.get(name)
            if child is not None and counterpart is not None and id(child) not in replicas:
                replicas[id(child)] = counterpart
                stack.append((child, counterpart))
    taken = []
    for old, new in pairs:
        mirror = old.mirror()
        module = replicas.get(id(mirror)) if mirror is not None and new is not old else None
        if module is None:
            continue
        vars(module).pop("_replica_of", None)
        new.belong(module)
        module.__class__ = getattr(type(module), "_replicated", type(module))
        taken.append(new)
    dirty_tracking.advance()
    for new in taken:
        new.synchronize()
