"""Descriptions of hook programs in words, for documentation and reports: a line for the module tree, and one for each step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from hook_contract.program import Json, Program
from hook_contract.program.events import describe_value
from hook_contract.program.format import FORMS

_KINDS: Final = {
    "pre": "pre hook",
    "forward": "forward hook",
    "backward_pre": "backward pre hook",
    "backward": "full backward hook",
    "legacy": "legacy backward hook",
    "tensor": "tensor hook",
    "accumulated": "post-accumulate hook",
}
#: The value to which the action ``add`` adds, by kind of hook. For ``pre`` it is the first argument.
_ADDED_TO: Final = {
    "forward": "the output",
    "backward_pre": "grad_output",
    "backward": "grad_input",
    "legacy": "grad_input",
    "tensor": "the gradient",
    "accumulated": "the gradient",
}
_OPTIONS: Final = ("prepend", "with_kwargs", "always_call")


def describe_tree(node: Mapping[str, Json]) -> str:
    """Describe a module tree in one line, such as ``sequence(a: leaf, b: leaf k=3)``."""
    if "same" in node:
        return f"the module at {node['same'] or '(root)'}"
    fields = [
        f"{name}={item if isinstance(item, str) else json.dumps(item)}"
        for name, item in node.items()
        if name not in ("kind", "name", "children", "register")
    ]
    own = " ".join([node["kind"], *fields])
    if "register" in node:
        own += f" [{_describe_registration(node['register'])}]"
    children = ", ".join(f"{child['name']}: {describe_tree(child)}" for child in node.get("children", ()))
    return f"{own}({children})" if children else own


def describe_steps(items: Iterable[Mapping[str, Json]]) -> list[str]:
    """Describe steps, a line for each. Nested steps are indented."""
    found = []
    for step in items:
        found.append(_describe_step(step))
        found += [f"  {line}" for line in describe_steps(step.get("steps", ()))]
    return found


def describe_program(item: Program) -> list[str]:
    """Describe a program by a line for its tree, and a line for each step."""
    return [f"tree: {describe_tree(item.tree)}", *describe_steps(item.steps)]


def _describe_step(step: Mapping[str, Json]) -> str:
    do = step["do"]
    raises = f", which raises {step['raises']}" if "raises" in step else ""
    if do == "register":
        return f"register {_describe_registration(step)}{raises}"
    if do in ("call", "forward", "functional_call", "checkpoint"):
        word = {"forward": "call forward of"}.get(do, do)
        given = [_value(item) for item in step.get("args", ())]
        given += [f"{name}={_value(item)}" for name, item in step.get("kwargs", {}).items()]
        more = _fields(step, ("module", "args", "kwargs"))
        return f"{word} {step.get('module', '') or '(root)'} ({', '.join(given)}){more}{raises}"
    return str(do) + _fields(step, ()).replace(",", "", 1) + raises


def _describe_registration(registration: Mapping[str, Json]) -> str:
    where = "globally" if registration.get("global") else f"on {registration.get('on', '') or '(root)'}"
    options = "".join(f", {name}" for name in _OPTIONS if registration.get(name))
    options += ", through the dictionary" if registration.get("by") == "dictionary" else ""
    handle = registration.get("handle", registration["hook"])
    options += f", handle {handle}" if handle != registration["hook"] else ""
    actions = [_describe_action(action, registration["kind"]) for action in registration.get("actions", ())]
    described = f": {', then '.join(actions)}" if actions else ""
    return f"{_KINDS[registration['kind']]} {registration['hook']} {where}{options}{described}"


def _describe_action(action: Mapping[str, Json], kind: str) -> str:
    if "raise" in action:
        return f"raises {action['raise']}" + (f" {json.dumps(action['message'])}" if "message" in action else "")
    word, content = next(iter(action.items()))
    if word == "return":
        return f"returns {_value(content)}"
    if word == "add":
        return f"returns {_ADDED_TO[kind]} plus {content}" if kind != "pre" else f"adds {content} to the first argument"
    if word == "add_":
        return f"adds {content} to {_ADDED_TO.get(kind, 'the first argument')} in place"
    if word == "register":
        return f"registers {_describe_registration(content)}"
    if word == "remove":
        return f"removes {content}"
    if word == "call":
        arguments = ", ".join(_value(item) for item in content.get("args", ()))
        often = f"at most {content['limit']} times" if content.get("limit", 1) > 1 else "once"
        return f"calls {content.get('module', '') or '(root)'} ({arguments}) {often}"
    if word == "kwargs":
        changes = ", ".join(f"{name} to {_value(item)}" for name, item in content.items())
        return f"sets kwargs {changes}"
    if word == "assign_forward":
        return f"assigns forward{_fields(content, ())}"
    return f"{word}s {content.get('what', '') if word == 'read' else _bare(content)}{_of(content)}"


def _of(content: Json) -> str:
    return f" of {content['name']}" if isinstance(content, dict) and "name" in content else ""


def _fields(step: Mapping[str, Json], left_out: tuple[str, ...]) -> str:
    hidden = ("do", "raises", "steps", *left_out)
    return "".join(f", {name} {_bare(item)}" for name, item in step.items() if name not in hidden)


def _bare(item: Json) -> str:
    if isinstance(item, str):
        return item or "(root)"
    if isinstance(item, list):
        return " ".join(_bare(part) for part in item)
    if isinstance(item, dict) and not (len(item) == 1 and set(item) <= FORMS):
        return "{" + ", ".join(f"{name}: {_bare(part)}" for name, part in item.items()) + "}"
    return _value(item)


def _value(item: Json) -> str:
    return str(item["name"]) if isinstance(item, dict) and set(item) == {"name"} else describe_value(item)
