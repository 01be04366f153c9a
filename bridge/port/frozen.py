"""Parameters that get no gradient: the lines of the whole model's constructor that say so."""

from __future__ import annotations

from torch import nn

from bridge.port.members import literal


def frozen(model: nn.Module) -> list[str]:
    """The lines; none where every parameter gets a gradient. Parts of which all parameters are frozen are said by their beginning."""
    if all(one.requires_grad for one in model.parameters()):
        return []
    if not any(one.requires_grad for one in model.parameters()):
        return ["foreach (var parameter in parameters())", "{", "    parameter.requires_grad = false;", "}"]
    names, starts = _below(model, "")
    tests = [f"name is {' or '.join(str(literal(name, 'string')) for name in names)}"] if names else []
    tests += [f"name.StartsWith({literal(start, 'string')})" for start in starts]
    return [
        "foreach (var (name, parameter) in named_parameters())",
        "{",
        f"    parameter.requires_grad = !({' || '.join(tests)});",
        "}",
    ]


def _below(module: nn.Module, path: str) -> tuple[list[str], list[str]]:
    """The frozen parameters of a module by name, and its parts that are frozen as a whole."""
    names = [f"{path}{name}" for name, one in module.named_parameters(recurse=False) if not one.requires_grad]
    starts: list[str] = []
    for name, child in module.named_children():
        whole = list(child.parameters())
        if len(whole) > 1 and not any(one.requires_grad for one in whole):
            starts.append(f"{path}{name}.")
        else:
            more, begun = _below(child, f"{path}{name}.")
            names += more
            starts += begun
    return names, starts
