"""Modules without a call in a trace: called in the other model only, or run by ``forward()``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch

from bridge.compare.findings import Finding
from bridge.mirror import Mirror, link_of
from bridge.trace import Trace
from bridge.trace.diff.phrases import expression, path_name


@dataclass(frozen=True, slots=True)
class Registered:
    """A module of a model's tree."""

    #: False for a container without a ``forward``, such as a ModuleList.
    callable: bool
    #: True for a C# class that derives from ``Module`` itself and so has no ``call``.
    plain: bool = False


def registered_modules(model: torch.nn.Module) -> dict[str, Registered]:
    """Return a description of each module of a model, by path. A shared module has only its first path."""
    found = {}
    for path, module in model.named_modules():
        link = link_of(module)
        found[path] = Registered(_callable(module), link is not None and link.has_no_call)
    return found


def find_missing(
    a: Trace,
    b: Trace,
    modules: tuple[Mapping[str, Registered], Mapping[str, Registered]],
    names: tuple[str, str],
    reported: Collection[str] = (),
) -> list[Finding]:
    """Return a finding for each module with events in one trace only: first the modules of ``a``, then those of ``b``.

    The modules of each trace are in the order of the model's tree. Modules at the paths ``reported`` are left out. ``names`` are the names
    of the two runtimes.
    """
    findings = []
    events = [{event.path for event in trace} for trace in (a, b)]
    for side, other in ((0, 1), (1, 0)):
        for path in _in_tree_order(events[side] - events[other] - {*reported}, modules[side]):
            module = modules[other].get(path)
            why = "is not registered" if module is None else "is registered but was never called"
            if module is not None and module.plain and module.callable:
                why = "derives from Module itself, which has no call: C# runs its forward without hooks"
            words = f"{path_name(path)}: called in {names[side]}; in {names[other]} it {why}."
            findings.append(Finding("missing", path, words))
    return findings


def find_bypassed(trace: Trace, modules: Mapping[str, Registered]) -> list[str]:
    """Return the paths of modules that were most likely run by ``forward()``: they were not called, but modules inside them were.

    Modules without a ``forward``, and C# modules without a ``call``, are left out.
    """
    events = {event.path for event in trace}
    inside = {path for path in events for path in owners(path)}
    return [
        path
        for path, module in modules.items()
        if module.callable and not module.plain and path not in events and path in inside
    ]


def fix(path: str, runtime: str) -> str:
    """Return the call to write in place of ``path.forward(x)``."""
    return f"{expression(path, 'self')}(x)" if runtime == "pytorch" else f"{expression(path)}.call(x)"


def _callable(module: torch.nn.Module) -> bool:
    if isinstance(module, Mirror):
        return module._link.arguments is not None
    own = getattr(type(module), "forward", None)
    return own is not torch.nn.Module.forward and not isinstance(module, (torch.nn.ModuleList, torch.nn.ModuleDict))


def owners(path: str) -> list[str]:
    """Return the paths of the modules that contain a module or weight, outermost first, without the root."""
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _in_tree_order(paths: set[str], modules: Mapping[str, Registered]) -> list[str]:
    known = [path for path in modules if path in paths]
    return known + sorted(paths.difference(known))
