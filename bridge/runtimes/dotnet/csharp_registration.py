"""Registration of a program's hooks in C#, and the choice of the hooks that C# can register.

Codes such as G-1 are clauses of the contract (docs/contract.md). Codes such as BR-24 are known differences of C#
(docs/divergences.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import torch
from torch.utils.hooks import RemovableHandle

from bridge.clr import DotNetRuntime
from bridge.mirror.hooks import csharp_hooks, module_handles
from hook_contract.program import Json, Program, registrations, steps, words

_ACTIONS: Final = frozenset({"return", "add", "add_", "raise", "register", "remove", "call", "read", "kwargs"})
#: For each kind of hook, the options with which C# can register a hook on a module, and the options for a global hook.
_OPTIONS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "pre": (frozenset({"prepend", "with_kwargs"}), frozenset()),
    "forward": (frozenset({"prepend", "with_kwargs", "always_call"}), frozenset({"with_kwargs", "always_call"})),
    "backward_pre": (frozenset({"prepend"}), frozenset()),
    "backward": (frozenset({"prepend"}), frozenset()),
    "legacy": (frozenset(), frozenset()),
    "tensor": (frozenset(), frozenset()),
    "accumulated": (frozenset(), frozenset()),
}


def registrable_hooks(program: Program) -> tuple[str, ...]:
    """Return the names of the hooks that can be registered in C#, in the order of :func:`hook_contract.program.registrations`."""
    found: dict[str, bool] = {}
    copied = {step["handle"] for step in steps(program.steps) if step["do"] == "handle_copy"}
    signatures: dict[str, object] = {}
    for registration in registrations(program):
        name = registration["hook"]
        # A program may register one hook as several kinds (G-1). In C#, each kind has its own delegate type.
        signature = registration["kind"], bool(registration.get("with_kwargs"))
        fits = _is_registrable(registration) and registration.get("handle", name) not in copied
        found[name] = found.get(name, True) and fits and signatures.setdefault(name, signature) == signature
    return tuple(name for name, fits in found.items() if fits)


def can_be_typed(program: Program) -> bool:
    """Return whether a program's C# hooks can have typed arguments.

    They cannot if the program uses keyword arguments: typed hooks get keyword arguments by position (BR-24).
    """
    return not words(program) & {"kwargs", "action:kwargs"}


def _is_registrable(registration: Mapping[str, Json]) -> bool:
    kind = registration["kind"]
    given = {option for option in ("prepend", "with_kwargs", "always_call") if option in registration}
    if "by" in registration or not given <= _OPTIONS[kind][bool(registration.get("global"))]:
        return False
    actions = registration.get("actions", ())
    return all(_supports(registration, word, action) for action in actions for word in action if word != "message")


def _supports(registration: Mapping[str, Json], word: str, action: Mapping[str, Json]) -> bool:
    kind = registration["kind"]
    if word not in _ACTIONS or _uses_name(action):
        return False
    if word == "return":
        return _has_return_type(kind, bool(registration.get("with_kwargs")), action["return"])
    # The other kinds get a tuple of gradients, which has no add_.
    return word != "add_" or kind in ("pre", "forward", "tensor", "accumulated")


def _has_return_type(kind: str, with_kwargs: bool, value: Json) -> bool:
    if kind == "accumulated":
        return False
    if value is None or kind == "forward" or (kind == "pre" and not with_kwargs):
        return True
    items = value.get("tuple") if isinstance(value, dict) else None
    if kind == "pre":
        return items is not None and len(items) == 2 and [_form(item) for item in items] == ["tuple", "dict"]
    if kind == "tensor":
        return _is_tensor(value)
    return items is not None and all(item is None or _is_tensor(item) for item in items)


def _is_tensor(value: Json) -> bool:
    return _form(value) in ("number", "vector")


def _form(value: Json) -> str:
    return str(next(iter(value))) if isinstance(value, dict) else "number"


def _uses_name(action: Mapping[str, Json]) -> bool:
    """Return whether an action uses a value by its name. Only Python can find such a value."""
    values = [action["return"]] if "return" in action else [*action.get("call", {}).get("args", ())]
    values += action.get("kwargs", {}).values()
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
    """The handle of a C# hook. C# removes the hook. ``id`` is the hook's key in PyTorch's dictionary."""

    def __init__(self, remover: Any, entry: RemovableHandle) -> None:
        self._remover = remover
        self.id = entry.id

    def remove(self) -> None:
        self._remover.remove()

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register(
    host: DotNetRuntime, run: Any, target: torch.nn.Module | torch.Tensor | None, registration: Mapping[str, Json]
) -> Handle:
    """Register a C# hook on the module or tensor ``target``, or globally if ``target`` is None. ``run`` is C#'s ``MirroredRun``."""
    prepared = run.Prepare(json.dumps(registration))
    try:
        if isinstance(target, torch.nn.Module):
            host.exports.run_hook(prepared.Number, module_handles.handle_of(host, target))
        else:
            host.exports.run_hook(prepared.Number, 0, *(() if target is None else (target,)))
    finally:
        host.exports.forget_hook(prepared.Number)
    return Handle(prepared.Remover, csharp_hooks.latest_handle())
