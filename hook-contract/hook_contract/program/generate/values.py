"""Random values and arguments of calls. Codes such as BR-15 are known differences of C# (docs/divergences.md)."""

from __future__ import annotations

from hook_contract.program import Json
from hook_contract.program.generate.draft import Draft


def value(draft: Draft, depth: int = 0) -> Json:
    """Draw a number, the name of a tensor or, in a loose program (``Kind`` in ``draft.py``), a value of another form."""
    if draft.kind.loose and depth < 2 and draft.chance(25):
        return _other(draft, depth)
    if draft.tensors and draft.chance(60):
        return {"name": draft.choose(draft.tensors)}
    if draft.results and draft.kind.rewired and draft.chance(15):
        return {"name": draft.choose(draft.results)}
    return draft.small()


def _other(draft: Draft, depth: int) -> Json:
    forms = ["plain", "none", "tuple", "list", "dict"]
    forms += [] if draft.kind.legacy else ["text"]
    forms += [] if draft.kind.plain else ["vector"]
    form = draft.choose(forms)
    match form:
        case "none":
            return None
        case "plain":
            return {"plain": draft.small()}
        case "text":
            return {"text": draft.choose(["", "a", "ab"])}
        case "vector":
            return {"vector": [draft.small() for _ in range(draft.between(1, 3))]}
        case "dict":
            return {"dict": {key: value(draft, depth + 1) for key in "ab"[: draft.between(1, 2)]}}
    return {form: [value(draft, depth + 1) for _ in range(draft.between(1, 2))]}


def arguments(draft: Draft, path: str) -> dict[str, Json]:
    """Draw ``args``, as many as the module at a path takes, and for some modules ``kwargs``."""
    args = [value(draft) for _ in range(draft.arity(path))]
    if len(args) > 1:  # C# drops a None at the end (BR-15)
        args = [draft.small() if item is None else item for item in args]
    found: dict[str, Json] = {"args": args}
    if takes_kwargs(draft, path) and draft.chance(70):
        found["kwargs"] = kwargs(draft)
    return found


def kwargs(draft: Draft) -> dict[str, Json]:
    """Draw keyword arguments for a ``keyword`` node."""
    return {name: value(draft) for name in ("scale", "shift") if draft.chance(50)}


def takes_kwargs(draft: Draft, path: str) -> bool:
    """Return whether the module at a path takes keyword arguments; False in a plain program (``Kind`` in ``draft.py``)."""
    return draft.nodes.get(path, {}).get("kind") == "keyword" and not draft.kind.plain
