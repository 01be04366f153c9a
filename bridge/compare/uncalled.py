"""Modules that never appear in a trace: which, and what that says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch

from bridge.compare.findings import Finding
from bridge.mirror import Mirror, link_of
from bridge.trace import Trace
from bridge.trace.diff.phrases import expression


@dataclass(frozen=True, slots=True)
class Registered:
    """A module of a model's tree: its type, whether it can be called at all (a ModuleList cannot), its children's paths, and whether
    C# has no ``call`` for it: a class that derives from ``Module`` itself, with a ``forward`` of its own."""

    type: str
    callable: bool
    children: tuple[str, ...]
    plain: bool = False


def registered(model: torch.nn.Module) -> dict[str, Registered]:
    """The modules of a model by path, each once."""
    found = {}
    for path, module in model.named_modules():
        inner = tuple(f"{path}.{name}" if path else name for name, _ in module.named_children())
        link = link_of(module)
        plain = link is not None and link.plain
        found[path] = Registered(type(module).__name__, _callable(module), inner, plain)
    return found


def seen(trace: Trace) -> set[str]:
    """The module paths of a trace's events: called, or run by ``forward()`` of a built-in."""
    return {event.path for event in trace}


def missing_on_one_side(
    a: Trace,
    b: Trace,
    modules: tuple[Mapping[str, Registered], Mapping[str, Registered]],
    names: tuple[str, str],
    reported: Collection[str] = (),
) -> list[Finding]:
    """A finding for each module that appeared on one side and never on the other, in the order of the trees.

    ``reported`` are paths that were already reported.
    """
    lines = []
    events = (seen(a), seen(b))
    for here, there in ((0, 1), (1, 0)):
        for path in _ordered(events[here] - events[there] - {*reported}, modules[here]):
            why = "is registered but was never called" if path in modules[there] else "is not registered"
            if path in modules[there] and modules[there][path].plain and modules[there][path].callable:
                why = "derives from Module itself, which has no call: C# runs its forward without hooks"
            words = f"{path or 'the root'}: called in {names[here]}; in {names[there]} it {why}."
            lines.append(Finding("missing", path, words))
    return lines


def likely_bypassed(trace: Trace, modules: Mapping[str, Registered]) -> list[str]:
    """Paths of modules that can be called and were not, while their children were: run by ``forward()`` most likely (C-3)."""
    events = seen(trace)
    inside = {path for path in events for path in _owners(path)}
    return [
        path
        for path, module in modules.items()
        if module.callable and not module.plain and path not in events and path in inside
    ]


def fix(path: str, runtime: str) -> str:
    """What to write in place of ``path.forward(x)``."""
    return f"{expression(path)}.call(x)" if runtime == "dotnet" else f"{expression(path, 'self')}(x)"


def _callable(module: torch.nn.Module) -> bool:
    if isinstance(module, Mirror):
        return module._link.arguments is not None
    own = getattr(type(module), "forward", None)
    return own is not torch.nn.Module.forward and not isinstance(module, (torch.nn.ModuleList, torch.nn.ModuleDict))


def _owners(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _ordered(paths: set[str], modules: Mapping[str, Registered]) -> list[str]:
    known = [path for path in modules if path in paths]
    return known + sorted(paths - set(known))
