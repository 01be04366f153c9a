"""Random module trees."""

from __future__ import annotations

from typing import Final

from hook_contract.program import Json
from hook_contract.program.generate import registrations
from hook_contract.program.generate.draft import Draft

#: The kinds of modules below the root that call no child (``opaque`` has a child, but only reads its tensors). Each is called with one
#: positional argument.
_LEAVES: Final = ("leaf", "leaf", "leaf", "identity", "raise", "register", "recurse", "detach", "opaque", "keyword")
_COMPOSITES: Final = ("sequence", "sequence", "parallel", "swallow", "sequential")
_ROOTS: Final = (
    "leaf", "sequence", "sequence", "parallel", "sequential", "recurse", "swallow", "inputs", "give", "chain", "keyword", "modulelist",
)  # fmt: skip
#: The kinds of PyTorch's modules that create their submodules themselves.
_LIBRARY: Final = ("attention", "encoder")
_FORMS: Final = ("tuple", "list", "dict", "nested", "none", "unused", "plain")
#: The path of a tensor in a result, for each form that is a container.
_ITEMS: Final = {"tuple": ".0", "list": ".1", "dict": ".a", "nested": ".1", "unused": ".0"}


def tree(draft: Draft) -> dict[str, Json]:
    """Draw a random tree, add its modules to the draft (the program under construction), and return the root node."""
    kind = draft.choose([kind for kind in _ROOTS if kind != "keyword" or not draft.kind.plain])
    if kind == "inputs":
        return _with_constants(draft, "", {"kind": "inputs"})
    if kind == "give":
        return _with_constants(draft, "", {"kind": "give", "form": _form(draft)})
    if kind != "chain":
        return _node(draft, "", "", 0, kind)
    # A chain: the first child takes several arguments, the last child returns a value of one of ``_FORMS``.
    children: list[dict[str, Json]] = []
    root: dict[str, Json] = {"kind": "sequence", "children": children}
    draft.nodes[""] = root
    children.append(_with_constants(draft, "a", {"kind": "inputs", "name": "a"}))
    children.append(_node(draft, "b", "b", 1))
    children.append(_with_constants(draft, "c", {"kind": "give", "name": "c", "form": _form(draft)}))
    return root


def _form(draft: Draft) -> str:
    form = draft.choose(_FORMS[:4] if draft.kind.plain else _FORMS)
    draft.item = _ITEMS.get(form, "")
    return form


def _node(draft: Draft, name: str, path: str, depth: int, kind: str | None = None, inside: str = "") -> dict[str, Json]:
    if kind is None:
        kind = _kind(draft, depth, inside)
    node: dict[str, Json] = {"kind": kind}
    if name:
        node["name"] = name
    draft.nodes[path] = node
    if kind in (*_COMPOSITES, "modulelist"):
        node["children"] = _children(draft, kind, path, depth, inside if inside == "sequential" else kind)
        if kind in ("sequence", "parallel", "swallow") and draft.chance(15):
            node["by"] = "forward"
    elif kind in ("leaf", "detach", "recurse", "register"):
        _add_leaf_fields(draft, path, node)
    elif kind == "opaque":
        node["children"] = [_node(draft, "inner", f"{path}.inner" if path else "inner", depth + 1, "leaf")]
    elif kind == "raise":
        node["error"] = draft.error(25)
        if draft.chance(15):
            node["message"] = "kaput"
    return node


def _add_leaf_fields(draft: Draft, path: str, node: dict[str, Json]) -> None:
    node |= {"k": draft.factor(), "c": draft.small()}
    _with_constants(draft, path, node)
    if node["kind"] == "recurse":
        node["depth"] = draft.between(0, 2)
    if node["kind"] == "register":
        node["register"] = registrations.registration(draft, late=True)


def _kind(draft: Draft, depth: int, inside: str) -> str:
    if draft.chance(2):
        return draft.choose(_LIBRARY)
    without = {"register"} if draft.kind.crowd else set()
    without |= {"keyword", "detach"} if draft.kind.plain else set()
    without |= {"keyword"} if inside == "sequential" else set()  # C#'s Sequential takes modules with one parameter
    leaves = [kind for kind in _LEAVES if kind not in without]
    return draft.choose(leaves if depth >= 3 or draft.chance(60) else _COMPOSITES)


def _children(draft: Draft, kind: str, path: str, depth: int, inside: str) -> list[dict[str, Json]]:
    count = 1 if kind == "swallow" else draft.between(1, 3)
    children: list[dict[str, Json]] = []
    for name in "abc"[:count]:
        below = f"{path}.{name}" if path else name
        if children and draft.chance(15):
            first = f"{path}.a" if path else "a"
            children.append({"name": name, "same": first})
            _share(draft, first, below)
        else:
            children.append(_node(draft, name, below, depth + 1, inside=inside))
    return children


def _share(draft: Draft, first: str, path: str) -> None:
    """Add the module at ``first``, with its submodules, at ``path`` too."""
    for old, node in list(draft.nodes.items()):
        if old == first or old.startswith(f"{first}."):
            new = path + old[len(first) :]
            draft.nodes[new] = node
            draft.first[new] = draft.first.get(old, old)


def _with_constants(draft: Draft, path: str, node: dict[str, Json]) -> dict[str, Json]:
    """Add a node to the draft and, at random, turn its constants into parameters. Returns the node."""
    draft.nodes[path] = node
    if not (draft.kind.plain or draft.kind.crowd or draft.chance(25)):
        names = ("one", "two", "four") if node["kind"] == "inputs" else ("weight", "bias")
        draft.weights += [f"{path}.{name}" if path else name for name in names]
        node["parameters"] = True
    return node
