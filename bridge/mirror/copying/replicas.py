"""Replicas for ``DataParallel``: modules with a .NET module of their own that compute with the tensors which PyTorch gives them.

PyTorch replicates each module and builds the tree afterwards, so .NET's modules are copied at the first call of a replica.
"""

from __future__ import annotations

from typing import Any

import torch

from bridge.mirror.link import linked
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.update import synchronize


def prepare(original: torch.nn.Module, replica: torch.nn.Module) -> torch.nn.Module:
    """Prepare PyTorch's replica of a mirror for its first call."""
    vars(replica)["_replica_of"] = original
    replica.__class__ = _replica_class(type(original))
    return replica


def _replica_class(kind: type[torch.nn.Module]) -> type[torch.nn.Module]:
    """Return the class of a replica before its first call; kept as an attribute of the class, so that both may be collected."""
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
    """Copy the .NET modules, and make the replicas below ``root`` their mirrors."""
    original: torch.nn.Module = vars(root)["_replica_of"]
    link = linked(original)
    # The copied mirror is kept alive until the replicas have its links.
    _copied, pairs = link.copy(True)
    # Replicas by the ids of their originals: both trees have the same paths.
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
