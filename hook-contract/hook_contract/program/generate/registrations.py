"""Random registrations, and the actions of their hooks.

Codes such as G-5 are clauses of the contract (docs/contract.md), codes such as BR-18 are known differences of C# (docs/divergences.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hook_contract.program import Json
from hook_contract.program.generate.draft import Draft
from hook_contract.program.generate.values import arguments, kwargs, value

_FORWARD: Final = ("pre", "forward")
_ON_TENSORS: Final = ("tensor", "accumulated")
#: The actions of a hook of each kind. A word that is listed twice is drawn twice as often.
_ACTIONS: Final = {
    "pre": ("add", "add", "return", "remove", "register", "raise", "call"),
    "forward": ("add", "add", "return", "remove", "register", "raise", "call"),
    "backward_pre": ("add", "add", "return", "remove", "register", "raise"),
    "backward": ("add", "add", "return", "remove", "register", "raise"),
    "legacy": ("add", "add", "return", "remove", "register", "raise"),
    "tensor": ("add", "add", "return", "remove", "register", "raise"),
    "accumulated": ("remove", "register", "raise"),
}


def registration(draft: Draft, late: bool = False) -> dict[str, Json]:
    """Draw a registration.

    A ``late`` registration is in an action or a ``forward``, which may run at any time or never. The handle is added to the draft (the
    program under construction), unless the registration is late, may fail, or returns no handle.
    """
    repeatable = [old for old in draft.hooks if _is_repeatable(draft, old, late)]
    if repeatable and draft.chance(8):
        return _repeat(draft, draft.choose(repeatable), late)
    made: dict[str, Json] = {"hook": draft.name("h"), "kind": _kind(draft, late)}
    certain = _add_target(draft, made) and not late
    _options(draft, made)
    actions = _actions(draft, made, late)
    if actions:
        made["actions"] = actions
    # The hook is added after its actions are drawn, so that none of them registers it again: that would double the hooks at every call.
    draft.hooks.append(made)
    if certain and "by" not in made:
        draft.handles.append(made["hook"])
    return made


def _kind(draft: Draft, late: bool) -> str:
    if draft.kind.plain or draft.kind.identity:
        return draft.choose(_FORWARD)
    kinds = [*_FORWARD, "backward_pre"]
    # In a program with legacy hooks, a late backward or legacy hook could raise the error of G-5.
    if not (late and draft.kind.legacy):
        kinds += ["backward", "backward"]
        kinds += ["legacy"] if draft.kind.legacy else []
    kinds += _ON_TENSORS if draft.weights or draft.tensors or draft.results else ()
    return draft.choose(kinds)


def _repeat(draft: Draft, old: Mapping[str, Json], late: bool) -> dict[str, Json]:
    """Draw a second registration of a hook. Both have the same actions, since a hook keeps those of its first registration."""
    made: dict[str, Json] = {"hook": old["hook"], "kind": old["kind"], "handle": draft.name("g")}
    made |= {"actions": old["actions"]} if "actions" in old else {}
    certain = _add_target(draft, made)
    if made["kind"] in _FORWARD and old.get("with_kwargs") and not (made["kind"] == "pre" and made.get("global")):
        made["with_kwargs"] = True
    if certain and not late:
        draft.handles.append(made["handle"])
    return made


def _is_repeatable(draft: Draft, old: Mapping[str, Json], late: bool) -> bool:
    # A pre hook that returns arguments fits only modules that take as many. A hook that registers hooks is not registered by another hook.
    words = {next(iter(action)) for action in old.get("actions", ())}
    fits = draft.all_unary or old["kind"] != "pre" or "return" not in words
    refused = old["kind"] in ("backward", "legacy") and draft.kind.legacy
    return "by" not in old and fits and not (late and ("register" in words or refused))


def _add_target(draft: Draft, made: dict[str, Json]) -> bool:
    """Draw the module or tensor of a registration, or make the registration global. Returns whether the registration cannot fail."""
    kind = made["kind"]
    if kind in _ON_TENSORS:
        sure = [*draft.weights, *draft.tensors]
        unsure = draft.chance(25) or not sure
        made["on"] = draft.choose(draft.results) if draft.results and unsure else draft.choose(sure)
        return not draft.results or not unsure
    everywhere = draft.chance(25)
    place = "*" if everywhere else draft.choose(draft.paths)
    if everywhere:
        made["global"] = True
    elif place:
        made["on"] = place
    if kind not in ("backward", "legacy"):
        return True
    # A module cannot have both full and legacy hooks (G-5). The hooks of a copied module (its path begins with @) may be of the other kind
    # than those of its original (I-1, I-2), so its registration may fail.
    wanted = kind == "backward"
    return draft.full.setdefault(draft.first.get(place, place), wanted) == wanted and not place.startswith("@")


def _options(draft: Draft, made: dict[str, Json]) -> None:
    kind, everywhere = made["kind"], "global" in made
    if kind in _ON_TENSORS:
        return
    if draft.kind.rewired and not everywhere and draft.chance(8):
        made["by"] = "dictionary"  # an entry in the hook dictionary, without a handle (O-5)
        return
    if kind != "legacy" and not everywhere and draft.chance(30):
        made["prepend"] = True
    if kind == "forward" and draft.chance(35):
        made["always_call"] = True
    if not draft.kind.plain and kind in _FORWARD and not (everywhere and kind == "pre") and draft.chance(25):
        made["with_kwargs"] = True


def _actions(draft: Draft, made: Mapping[str, Json], late: bool) -> list[dict[str, Json]]:
    words = [*_ACTIONS[made["kind"]]]
    if draft.kind.crowd:
        words = [word for word in words if word in ("add", "return", "raise")]
    elif not draft.kind.plain:
        words += ["read"]
    if draft.kind.rewired:
        # No add_ on gradients: runtimes differ in which hooks see the change (BR-18).
        words += ["add_", "add_"] if made["kind"] in _FORWARD else []
        words += ["assign_forward"] * 2 if made["kind"] in _FORWARD and draft.can_assign_forward else []
    if made.get("with_kwargs"):
        words += ["kwargs"] * 6
    if not words:
        return []
    found = [_action(draft, draft.choose(words), made, late) for _ in range(draft.choose([0, 0, 1, 1, 1, 2]))]
    return [action for action in found if action is not None]


def _action(draft: Draft, word: str, made: Mapping[str, Json], late: bool) -> dict[str, Json] | None:
    match word:
        case "add" | "add_":
            return {word: draft.between(1, 9)}
        case "remove":
            return _remove(draft, made, late)
        case "register":
            return _register(draft)
        case "raise":
            return _raise(draft, made)
        case "call":
            return _call(draft, made)
        case "read":
            return {"read": reading(draft)}
        case "kwargs":
            return {"kwargs": kwargs(draft)}
        case "assign_forward":
            return {"assign_forward": {"k": draft.factor(), "c": draft.small()}}
    return _return(draft, made)


def _remove(draft: Draft, made: Mapping[str, Json], late: bool) -> dict[str, Json] | None:
    handles = [*draft.handles, *([] if "by" in made else [made.get("handle", made["hook"])])]
    return {"remove": draft.choose(handles)} if handles and (draft.handles or not late) else None


def _register(draft: Draft) -> dict[str, Json] | None:
    if draft.nested_registrations >= 2:
        return None
    draft.nested_registrations += 1
    return {"register": registration(draft, late=True)}


def _raise(draft: Draft, made: Mapping[str, Json]) -> dict[str, Json] | None:
    if draft.chance(40):
        return None
    raised: dict[str, Json] = {"raise": draft.error(20, recovery="always_call" in made)}
    return raised | ({"message": "kaput"} if draft.chance(15) else {})


def _call(draft: Draft, made: Mapping[str, Json]) -> dict[str, Json] | None:
    if draft.nested_calls >= 3:  # hooks that call modules multiply the number of calls
        return None
    if "always_call" in made and not draft.allow_recall():
        return None
    draft.nested_calls += 1
    path = draft.choose(draft.paths)
    return {"call": {"module": path, "args": arguments(draft, path)["args"], "limit": 1 + draft.chance(15)}}


def _return(draft: Draft, made: Mapping[str, Json]) -> dict[str, Json] | None:
    if made["kind"] == "pre":
        return _new_arguments(draft, made)
    if made["kind"] in ("backward_pre", "backward", "legacy"):
        return {"return": _gradients(draft)}
    return {"return": value(draft) if made["kind"] == "forward" else draft.small()}


def reading(draft: Draft) -> dict[str, Json]:
    """Draw the fields of a ``read``: the grad mode, or a property of a tensor."""
    names = [*draft.weights, *draft.tensors]
    if not names or draft.chance(20):
        return {"what": "grad_mode"}
    return {
        "what": draft.choose(["grad", "grad", "value", "grad_fn", "requires_grad", "device"]),
        "name": draft.choose(names),
    }


def _gradients(draft: Draft) -> Json:
    """Draw the return value of a backward hook: None, or a tuple, whose number of gradients may be wrong (B-12, B-13)."""
    items = [None if draft.chance(20) else draft.small() for _ in range(draft.choose([1, 1, 1, 2]))]
    return draft.choose([{"tuple": items}, {"tuple": items}, None])


def _new_arguments(draft: Draft, made: Mapping[str, Json]) -> dict[str, Json] | None:
    """Draw the ``return`` action of a pre hook: as many arguments as its module takes, or another value, which PyTorch may refuse.

    Returns None for a global hook if not all modules take one argument, since C# raises earlier than Python for a wrong number.
    """
    if made.get("global") and not draft.all_unary:
        return None
    count = draft.arity(made.get("on", ""))
    first = value(draft) if count == 1 else draft.small()
    first = draft.small() if first is None else first  # no None, which C# treats differently (BR-16)
    right: Json = {"tuple": [first] * count}
    if made.get("with_kwargs"):
        pair = [right, {"dict": {}}]
        # PyTorch refuses a value that is not a tuple of two items (P-3): the list, and ``first`` if it is not such a tuple.
        return {"return": draft.choose([{"tuple": pair}, {"tuple": pair}, {"list": pair}, first])}
    choices: list[Json] = [right, right, {"tuple": []}]
    # PyTorch passes a value that is not a tuple as the only argument (P-2).
    if draft.all_unary and not (isinstance(first, Mapping) and "tuple" in first):
        choices.append(first)
    if draft.is_single_leaf:
        choices.append({"list": [first]})
    return {"return": draft.choose(choices)}
