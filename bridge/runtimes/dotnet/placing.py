"""Which hooks of a program C# can have, and how one is registered there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from torch.utils.hooks import RemovableHandle

from bridge.mirror import Mirror, csharp_hooks
from bridge.program import Json, Program, registrations, steps, words
from bridge.runtimes.pytorch.world import DICTIONARIES

_ACTIONS: Final = frozenset({"return", "add", "add_", "raise", "register", "remove", "call"})


def able(program: Program) -> tuple[str, ...]:
    """The hooks that C# can have, in the order in which the program registers them.

    None where arguments come by name: a C# hook gets each in its position (BR-24), so it is not the hook that PyTorch calls.
    """
    if words(program) & {"kwargs", "action:kwargs"}:
        return ()
    found: dict[str, bool] = {}
    copied = {step["handle"] for step in steps(program.steps) if step["do"] == "handle_copy"}
    kinds: dict[str, str] = {}
    for registration in registrations(program):
        name, kind = registration["hook"], registration["kind"]
        # In C# a delegate of one type cannot be registered as another kind (G-1): that would not compile.
        fits = _able(registration) and registration.get("handle", name) not in copied
        found[name] = found.get(name, True) and fits and kinds.setdefault(name, kind) == kind
    return tuple(name for name, fits in found.items() if fits)


def _able(registration: Mapping[str, Json]) -> bool:
    if registration["kind"] not in ("pre", "forward"):
        return False
    if registration["kind"] == "pre" and "always_call" in registration:
        return False
    if any(registration.get(option) for option in ("global", "with_kwargs", "by")):
        return False
    return all(next(iter(action)) in _ACTIONS and not _named(action) for action in registration.get("actions", ()))


def _named(action: Mapping[str, Json]) -> bool:
    """It uses what Python saved under a name."""
    values = [action["return"]] if "return" in action else [*action.get("call", {}).get("args", ())]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            ((form, content),) = value.items()
            if form == "name":
                return True
            if form in ("tuple", "list"):
                values.extend(content)
            elif form == "dict":
                values.extend(content.values())
    return False


class Handle:
    """The handle of a C# hook: C# removes it; its id is the entry's in the mirror's dictionary."""

    def __init__(self, remover: Any, entry: RemovableHandle) -> None:
        self._remover = remover
        self.id = entry.id

    def remove(self) -> None:
        self._remover.remove()

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register(run: Any, mirror: Mirror, registration: Mapping[str, Json]) -> Handle:
    """Registers a hook by C#'s own method, so that it is in the mirror's dictionary; ``run`` is C#'s side of the session."""
    dictionary = getattr(mirror, DICTIONARIES[registration["kind"]])
    before = set(dictionary)
    remover = run.Register(mirror._link.id, json.dumps(registration))
    (key,) = set(dictionary) - before
    return Handle(remover, csharp_hooks.entry(dictionary[key]))
