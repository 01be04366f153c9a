"""The kinds of attack, by name: how often each comes, and where its function is. Needs no torch."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Kind:
    """``alone``: each case has a process of its own, which it may end as it likes. ``weight``: its share of the cases."""

    name: str
    weight: int
    where: str
    alone: bool = False

    def function(self) -> Callable[[Any], None]:
        """Return the function that runs a case."""
        module, _, name = self.where.rpartition(".")
        folder = "" if ":" in self.name else "attack.kinds."
        found: Callable[[Any], None] = getattr(importlib.import_module(f"{folder}{module}"), name)
        return found


KINDS: Final = (
    Kind("Python threads", 60, "threads.storm"),
    Kind("C# threads", 60, "threads.branches"),
    Kind("stray threads", 15, "threads.stray"),
    Kind("changed children", 80, "structure.children"),
    Kind("changed parameters", 60, "structure.parameters"),
    Kind("Python hooks", 100, "hooks.python"),
    Kind("C# hooks", 70, "hooks.csharp"),
    Kind("loaded hooks", 60, "hooks.loaded"),
    Kind("modes", 110, "modes.around"),
    Kind("transforms", 60, "modes.transforms"),
    Kind("fake and meta", 40, "modes.without_data"),
    Kind("raising modes", 30, "modes.raising"),
    Kind("arguments that lie", 100, "arguments.lies"),
    Kind("errors", 60, "errors.thrown"),
    Kind("lifetimes", 50, "lifetimes.dropped"),
    Kind("finalizers", 12, "lifetimes.finalizers"),
    Kind("copies", 30, "lifetimes.copies"),
    Kind("runtime", 40, "runtime.around"),
    Kind("registrations", 10, "runtime.registered"),
    Kind("reloads", 5, "runtime.reloaded"),
    Kind("interrupts", 30, "signals.interrupts"),
    Kind("fatal signals", 5, "signals.fatal", alone=True),
    Kind("exits", 10, "exits.leave", alone=True),
    Kind("forks", 5, "exits.fork", alone=True),
    Kind("foreign pythonnet", 4, "foreign.first", alone=True),
)


def kind_of(seed: int, index: int, kinds: tuple[Kind, ...] = KINDS) -> Kind:
    """Return the kind of a case."""
    return Random(f"{seed}:{index}").choices(kinds, [kind.weight for kind in kinds])[0]


def chosen(names: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of those names, or all kinds. Raises ValueError for an unknown name.

    ``together:module.function`` and ``alone:module.function`` name functions of any importable module.
    """
    known = {kind.name: kind for kind in KINDS}
    others = {name: Kind(name, 1, name.partition(":")[2], name.startswith("alone:")) for name in names if ":" in name}
    if unknown := sorted(set(names) - known.keys() - others.keys()):
        raise ValueError(f"no kind {', '.join(unknown)}: there are {', '.join(known)}")
    return tuple(kind for kind in KINDS if not names or kind.name in names) + tuple(others.values())
