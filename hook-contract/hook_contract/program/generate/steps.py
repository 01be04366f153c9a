"""Random steps of programs.

H-6 and I-17a are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hook_contract.program import Json
from hook_contract.program.generate.draft import Draft
from hook_contract.program.generate.registrations import reading, registration
from hook_contract.program.generate.values import arguments, value

Steps = list[dict[str, Json]]

_COMMON: Final = ("register",) * 4 + ("call",) * 3 + ("forward", "remove", "with", "thread", "ids")
_RICH: Final = ("backward",) * 7 + ("register",) * 2 + (
    "tensor", "compute", "sum", "read", "zero", "retain_grad", "no_grad", "deepcopy", "mode", "methods", "checkpoint",
)  # fmt: skip
_REWIRED: Final = (
    "copy", "slice", "slice", "handle_copy", "rebind", "functional_call", "functional_call", "assign_forward", "assign_call", "inplace",
    "deepcopy",
)  # fmt: skip
_ERRORS: Final = ("Error", "Interrupt", "RuntimeError", "TypeError")


def step(draft: Draft) -> Steps:
    """Draw a step, or a few related steps.

    Returns [] if the program under construction (``draft``) does not permit the drawn step: it lacks a part, for example, or has too many
    copies.
    """
    words = [*_COMMON]
    if draft.kind.identity:
        words += ["tensor", "read", "mode"]
    elif not draft.kind.plain:
        words += _RICH
    if draft.kind.rewired:
        words += _REWIRED * 2
        words += ["drop"] * 4 if len(draft.roots) > 1 else []
    if draft.kind.crowd:
        words = [word for word in words if word in _CROWD] + ["crowd"] * 4
    return _MAKERS[draft.choose(words)](draft)


def last(draft: Draft) -> dict[str, Json]:
    """Draw the last step, which calls a module."""
    return _attempted_call(draft) if draft.kind.plain or draft.kind.identity else _backward(draft)[0]


#: The steps that a program with concurrent threads may have in addition to ``crowd``. They do not depend on the order of the threads.
_CROWD: Final = ("register", "call", "forward", "mode")


def _attempt(draft: Draft, steps: Steps) -> dict[str, Json]:
    """Return a ``try`` step with steps that may raise. With a small probability, a step gets a random ``raises``."""
    for item in steps:
        if draft.chance(4):
            item["raises"] = draft.choose(_ERRORS)
    return {"do": "try", "steps": steps}


def _attempted_call(draft: Draft) -> dict[str, Json]:
    return _attempt(draft, [_call(draft)])


def _call(draft: Draft, do: str = "call") -> dict[str, Json]:
    call: dict[str, Json] = {"do": do}
    path = draft.choose(draft.paths) if draft.chance(20) else draft.choose(draft.roots)
    if path:
        call["module"] = path
    call |= arguments(draft, path)
    if draft.chance(6):
        call["times"] = 2
    return call


def register(draft: Draft) -> Steps:
    """Draw a registration, in a ``try`` step if it may raise."""
    made = registration(draft)
    step = {"do": "register", **made}
    return [step] if made.get("handle", made["hook"]) in draft.handles else [_attempt(draft, [step])]


def _remove(draft: Draft) -> Steps:
    return [{"do": "remove", "handle": draft.choose(draft.handles)}] if draft.handles else []


def _with(draft: Draft) -> Steps:
    if not draft.handles:
        return []
    return [{"do": "with", "handle": draft.choose(draft.handles), "steps": [_attempted_call(draft)]}]


def _ids(draft: Draft) -> Steps:
    if not draft.handles:
        return []
    return [{"do": "ids", "handles": [draft.choose(draft.handles) for _ in range(draft.between(1, 3))]}]


def _thread(draft: Draft) -> Steps:
    with draft.thread_scope():
        return [{"do": "thread", "steps": [_attempted_call(draft) for _ in range(draft.between(1, 2))]}]


def _crowd(draft: Draft) -> Steps:
    """Draw concurrent threads, each with its own tensors."""
    with draft.thread_scope():
        draft.tensors, draft.results = [], []
        steps = [] if draft.kind.plain else _tensor(draft)
        for _ in range(draft.between(1, 2)):
            steps.append(_attempted_call(draft) if draft.kind.plain or draft.chance(50) else _backward(draft)[0])
    return [{"do": "thread", "count": draft.between(2, 4), "steps": steps}]


def _tensor(draft: Draft) -> Steps:
    made: dict[str, Json] = {"do": "tensor", "name": draft.name("x"), "value": draft.small()}
    if draft.kind.loose and draft.chance(30):
        made["value"] = {"vector": [draft.small() for _ in range(draft.between(1, 3))]}
    if draft.chance(10):
        made["requires_grad"] = False
        draft.results.append(made["name"])
    else:
        draft.tensors.append(made["name"])
    return [made]


def _named(draft: Draft) -> list[str]:
    return [*draft.weights, *draft.tensors, *draft.results]


def _compute(draft: Draft) -> Steps:
    names = _named(draft)
    if not names:
        return []
    name, of = draft.name("z"), draft.choose(names)
    draft.results.append(name)
    return [_attempt(draft, [{"do": "compute", "name": name, "of": of, "k": draft.factor(), "c": draft.small()}])]


def _sum(draft: Draft) -> Steps:
    names = _named(draft)
    if not names:
        return []
    name, of = draft.name("z"), [draft.choose(names) for _ in range(draft.between(1, 3))]
    draft.results.append(name)
    return [_attempt(draft, [{"do": "sum", "name": name, "of": of}])]


def _read(draft: Draft) -> Steps:
    step = {"do": "read", **reading(draft)}
    if draft.results and draft.chance(40):
        step |= {
            "what": draft.choose(["grad", "value", "grad_fn", "requires_grad"]),
            "name": draft.choose(draft.results),
        }
    return [_attempt(draft, [step])]


def _on_tensor(do: str) -> Callable[[Draft], Steps]:
    def make(draft: Draft) -> Steps:
        names = _named(draft)
        if not names:
            return []
        step: dict[str, Json] = {"do": do, "name": draft.choose(names)}
        if do == "inplace":
            step["value"] = draft.small()
            if draft.chance(30):
                return [{"do": "no_grad", "steps": [_attempt(draft, [step])]}]
        return [_attempt(draft, [step])]

    return make


def _no_grad(draft: Draft) -> Steps:
    return [{"do": "no_grad", "steps": [_attempted_call(draft)]}]


def _mode(draft: Draft) -> Steps:
    return [{"do": draft.choose(["train", "eval"]), "module": draft.choose(draft.roots)}]


def _methods(draft: Draft) -> Steps:
    return [{"do": "methods", "module": draft.choose(draft.roots)}]


def _copy(do: str) -> Callable[[Draft], Steps]:
    def make(draft: Draft) -> Steps:
        if len(draft.roots) > 3 or (do == "deepcopy" and draft.swapped):
            return []
        root = draft.name("copy")
        source = draft.choose(draft.paths) if draft.chance(20) else draft.choose(draft.roots)
        draft.add_copy(source, f"@{root}")
        return [{"do": do, "as": root, "module": source}]

    return make


def _slice(draft: Draft) -> Steps:
    sources = draft.paths_of("sequential")
    if not sources or len(draft.roots) > 3:
        return []
    source, root = draft.choose(sources), draft.name("slice")
    draft.nodes[f"@{root}"] = {"kind": "sequential"}
    return [{"do": "slice", "module": source, "as": root, "start": draft.between(-2, 1), "stop": draft.between(-1, 3)}]


def _drop(draft: Draft) -> Steps:
    roots = draft.roots[1:]
    if not roots:
        return []
    root = draft.choose(roots)
    draft.remove_root(root)
    return [{"do": "drop", "as": root[1:]}]


def _handle_copy(draft: Draft) -> Steps:
    # Copying the copy of a pre or forward hook's handle again would raise a TypeError (H-6), so no copy is copied.
    own = [handle for handle in draft.handles if not handle.startswith("copy")]
    if not own:
        return []
    made = {"do": "handle_copy", "handle": draft.choose(own), "as": draft.name("copy")}
    draft.handles.append(made["as"])
    return [made]


def _rebind(draft: Draft) -> Steps:
    return [{"do": "rebind", "kind": draft.choose(["pre", "forward", "backward_pre", "backward"])}]


def _functional_call(draft: Draft) -> Steps:
    own = [name for name in draft.weights if not name.startswith("@")]
    if not own:
        return []
    draft.swapped |= bool(draft.first)  # I-17a: the call may leave a shared module with the new tensors
    names = {draft.choose(own) for _ in range(draft.between(1, 2))}
    step: dict[str, Json] = {"do": "functional_call", "parameters": {name: value(draft) for name in sorted(names)}}
    step["args"] = arguments(draft, "")["args"]
    return _with_backward(draft, step)


def _checkpoint(draft: Draft) -> Steps:
    path = draft.choose(draft.roots)
    return _with_backward(draft, {"do": "checkpoint", "module": path, "args": arguments(draft, path)["args"]})


def _with_backward(draft: Draft, step: dict[str, Json]) -> Steps:
    """Return a ``try`` step with the call ``step`` and a backward pass from its result."""
    name = step["save"] = draft.name("y")
    backward = {"do": "backward", "of": name + draft.item}
    draft.result(name + draft.item)
    return [_attempt(draft, [step, backward])]


def _assign(do: str) -> Callable[[Draft], Steps]:
    def make(draft: Draft) -> Steps:
        if not draft.can_assign_forward:
            return []
        return [{"do": do, "module": draft.choose(draft.paths), "k": draft.factor(), "c": draft.small()}]

    return make


def _backward(draft: Draft) -> Steps:
    name = draft.name("y")
    call = {**_call(draft), "save": name}
    targets = [*draft.weights, *draft.tensors]
    result = name if "." in str(call.get("module", "")) else name + draft.item
    backward: dict[str, Json] = {"do": "backward", "of": result}
    if draft.results and draft.chance(15):
        backward["of"] = draft.choose(draft.results)
    _backward_options(draft, backward)
    if targets and draft.chance(20):
        backward["inputs"] = [draft.choose(targets) for _ in range(draft.choose([1, 1, 2]))]
    if targets and draft.chance(20):
        backward = {"do": "grad", "of": backward["of"], "inputs": [draft.choose(targets)]}
        if draft.chance(70):
            backward["allow_unused"] = True
        _backward_options(draft, backward)
        backward.pop("gradient", None)
    steps = [call, backward]
    if backward.get("retain_graph"):
        steps.append({"do": "backward", "of": result})
    if targets:
        steps.append({"do": "read", "what": "grad", "name": draft.choose(targets)})
    draft.result(result)
    return [_attempt(draft, steps)]


def _backward_options(draft: Draft, backward: dict[str, Json]) -> None:
    if draft.chance(25):
        backward["retain_graph"] = True
    if draft.chance(8):
        backward["create_graph"] = True
    if draft.chance(12):
        backward["gradient"] = draft.small()
        if draft.kind.loose and draft.chance(50):
            backward["gradient"] = {"vector": [draft.small() for _ in range(draft.between(1, 3))]}


_MAKERS: Final[Mapping[str, Callable[[Draft], Steps]]] = {
    "register": register,
    "call": lambda draft: [_attempt(draft, [_call(draft)])],
    "forward": lambda draft: [_attempt(draft, [_call(draft, "forward")])],
    "remove": _remove,
    "with": _with,
    "ids": _ids,
    "thread": _thread,
    "crowd": _crowd,
    "tensor": _tensor,
    "compute": _compute,
    "sum": _sum,
    "read": _read,
    "backward": _backward,
    "zero": _on_tensor("zero"),
    "inplace": _on_tensor("inplace"),
    "retain_grad": _on_tensor("retain_grad"),
    "no_grad": _no_grad,
    "mode": _mode,
    "methods": _methods,
    "deepcopy": _copy("deepcopy"),
    "copy": _copy("copy"),
    "slice": _slice,
    "drop": _drop,
    "handle_copy": _handle_copy,
    "rebind": _rebind,
    "functional_call": _functional_call,
    "checkpoint": _checkpoint,
    "assign_forward": _assign("assign_forward"),
    "assign_call": _assign("assign_call"),
}
