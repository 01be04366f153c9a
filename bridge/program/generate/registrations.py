"""Random registrations, and the actions of their hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.program import Json
from bridge.program.generate.draft import Draft
from bridge.program.generate.values import arguments, kwargs, value

_FORWARD: Final = ("pre", "forward")
_ON_TENSORS: Final = ("tensor", "accumulated")
#: The actions of a hook of each kind; a word that is listed twice is drawn twice as often.
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
    """Draw a registration. A ``late`` one happens in an action or a ``forward``, so whether and when is unknown.

    Its handle is added to the draft if it surely exists.
    """
    again = [old for old in draft.hooks if _can_come_again(draft, old, late)]
    if again and draft.chance(8):
        return _again(draft, draft.choose(again), late)
    made: dict[str, Json] = {"hook": draft.name("h"), "kind": _kind(draft, late)}
    certain = _place(draft, made) and not late
    _options(draft, made)
    actions = _actions(draft, made, late)
    if actions:
        made["actions"] = actions
    draft.hooks.append(made)  # only now: a hook that registers itself would double the number of hooks at every call
    if certain and "by" not in made:
        draft.handles.append(made["hook"])
    return made


def _kind(draft: Draft, late: bool) -> str:
    if draft.kind.plain or draft.kind.identity:
        return draft.choose(_FORWARD)
    kinds = [*_FORWARD, "backward_pre"]
    if not (
        late and draft.kind.legacy
    ):  # inside a hook, Python raises the error of G-5, with a message that C# does not have
        kinds += ["backward", "backward"]
        kinds += ["legacy"] if draft.kind.legacy else []
    kinds += _ON_TENSORS if draft.weights or draft.tensors or draft.results else ()
    return draft.choose(kinds)


def _again(draft: Draft, old: Mapping[str, Json], late: bool) -> dict[str, Json]:
    """Draw a second registration of a callable, with its own handle; it repeats the actions, since either may happen first."""
    made: dict[str, Json] = {"hook": old["hook"], "kind": old["kind"], "handle": draft.name("g")}
    made |= {"actions": old["actions"]} if "actions" in old else {}
    certain = _place(draft, made)
    if made["kind"] in _FORWARD and old.get("with_kwargs") and not (made["kind"] == "pre" and made.get("global")):
        made["with_kwargs"] = True
    if certain and not late:
        draft.handles.append(made["handle"])
    return made


def _can_come_again(draft: Draft, old: Mapping[str, Json], late: bool) -> bool:
    """Return whether a hook can be registered once more.

    A pre hook that returns arguments fits only the modules that it was drawn for; a hook that registers others is not registered by others.
    """
    words = {next(iter(action)) for action in old.get("actions", ())}
    fits = draft.even or old["kind"] != "pre" or "return" not in words
    refused = old["kind"] in ("backward", "legacy") and draft.kind.legacy
    return "by" not in old and fits and not (late and ("register" in words or refused))


def _place(draft: Draft, made: dict[str, Json]) -> bool:
    """Draw where to register the hook, and return whether the registration cannot fail."""
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
    # G-5: a module cannot have full and legacy hooks; a copy decides for itself (I-1, I-2).
    wanted = kind == "backward"
    return draft.full.setdefault(draft.first.get(place, place), wanted) == wanted and not place.startswith("@")


def _options(draft: Draft, made: dict[str, Json]) -> None:
    kind, everywhere = made["kind"], "global" in made
    if kind in _ON_TENSORS:
        return
    if draft.kind.rewired and not everywhere and draft.chance(8):
        made["by"] = "dictionary"  # O-5
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
        words += (
            ["add_", "add_"] if made["kind"] in _FORWARD else []
        )  # BR-18: other hooks may see a gradient changed in place
        words += ["assign_forward"] * 2 if made["kind"] in _FORWARD and draft.by_call else []
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
            handles = [*draft.handles, *([] if "by" in made else [made.get("handle", made["hook"])])]
            return {"remove": draft.choose(handles)} if handles and (draft.handles or not late) else None
        case "register":
            if draft.nested >= 2:
                return None
            draft.nested += 1
            return {"register": registration(draft, late=True)}
        case "raise":
            if draft.chance(40):
                return None
            raised: dict[str, Json] = {"raise": draft.error(20, recovery="always_call" in made)}
            return raised | ({"message": "kaput"} if draft.chance(15) else {})
        case "call":
            if draft.calls >= 3:  # hooks that call modules multiply the number of calls
                return None
            if "always_call" in made and not draft.recall():
                return None
            draft.calls += 1
            path = draft.choose(draft.paths)
            return {"call": {"module": path, "args": arguments(draft, path)["args"], "limit": 1 + draft.chance(15)}}
        case "read":
            return {"read": reading(draft)}
        case "kwargs":
            return {"kwargs": kwargs(draft)}
        case "assign_forward":
            return {"assign_forward": {"k": draft.factor(), "c": draft.small()}}
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
    """Draw the return value of a backward hook, with the right number of gradients or a wrong one (B-12, B-13)."""
    items = [None if draft.chance(20) else draft.small() for _ in range(draft.choose([1, 1, 1, 2]))]
    return draft.choose([{"tuple": items}, {"tuple": items}, None])


def _new_arguments(draft: Draft, made: Mapping[str, Json]) -> dict[str, Json] | None:
    """Draw new arguments from a pre hook, as many as each of its modules takes; None if the modules differ.

    A wrong number of arguments inside a tree raises earlier in C# than in Python.
    """
    if made.get("global") and not draft.even:
        return None
    count = draft.arity(made.get("on", ""))
    first = value(draft) if count == 1 else draft.small()
    first = draft.small() if first is None else first  # BR-16
    right: Json = {"tuple": [first] * count}
    if made.get("with_kwargs"):
        pair = [right, {"dict": {}}]
        return {
            "return": draft.choose([{"tuple": pair}, {"tuple": pair}, {"list": pair}, first])
        }  # the last two break P-3
    choices: list[Json] = [right, right, {"tuple": []}]
    if draft.even and not (isinstance(first, Mapping) and "tuple" in first):  # a bare tuple is all the arguments
        choices.append(first)
    if draft.alone:
        choices.append({"list": [first]})
    return {"return": draft.choose(choices)}
