"""Replicas of mirrors (Python modules of C# modules) for ``torch.nn.DataParallel``. Each replica has its own copy of the .NET module.

PyTorch first replicates each module and then sets children and tensors, so the .NET modules are copied at the first call of a replica.
"""

from __future__ import annotations

from typing import Any

import torch

from bridge.mirror.link import linked
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.update import synchronize


def prepare(original: torch.nn.Module, replica: torch.nn.Module) -> torch.nn.Module:
    """Give PyTorch's replica of a mirror a class whose ``forward`` copies the .NET modules at the first call."""
    vars(replica)["_replica_of"] = original
    replica.__class__ = _replica_class(type(original))
    return replica


def _replica_class(kind: type[torch.nn.Module]) -> type[torch.nn.Module]:
    """Return the class of a replica before its first call.

    The class is cached as an attribute of ``kind``, so that the garbage collector can free both classes.
    """
    known: type[torch.nn.Module] | None = vars(kind).get("_replica_class")
    if known is not None:
        return known

    def forward(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        _copy_tree(self)
        return self.forward(*args, **kwargs)

    members = {"forward": forward, "_replicated": kind, "__module__": kind.__module__}
    created = type(kind.__name__, (kind,), members)
    kind._replica_class = created  # type: ignore[attr-defined]  # classes have attributes
    return created


def _copy_tree(root: torch.nn.Module) -> None:
    """Copy the .NET modules of a replica's original, and make ``root`` and its descendants the mirrors of the copies."""
    original: torch.nn.Module = vars(root)["_replica_of"]
    link = linked(original)
    # Keeps the mirrors of the copy alive until the replicas replace them.
    _copied, pairs = link.copy(True)
    # Replicas by the ``id()`` of their originals. Both trees have the same paths.
    replicas = {id(original): root}
    stack = [(original, root)]
    while stack:
        module, replica = stack.pop()
        for name, child in module._modules.items():
            child_replica = replica._modules.get(name)
            if child is not None and child_replica is not None and id(child) not in replicas:
                replicas[id(child)] = child_replica
                stack.append((child, child_replica))
    attached = []
    for old, new in pairs:
        mirror = old.mirror()
        found = replicas.get(id(mirror)) if mirror is not None and new is not old else None
        if found is None:
            continue
        vars(found).pop("_replica_of", None)
        new.attach(found)
        found.__class__ = getattr(type(found), "_replicated", type(found))
        attached.append(new)
    dirty_tracking.advance()
    for new in attached:
        synchronize(new)
