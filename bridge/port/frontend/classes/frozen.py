"""Parameters that get no gradient."""

from __future__ import annotations

from torch import nn

from bridge.port.ir.nodes import Freeze


def frozen(model: nn.Module) -> tuple[Freeze, ...]:
    """Return the statement that freezes parameters, in a tuple that is empty if every parameter gets a gradient.

    The statement names the path of a module with several parameters, if all of them are frozen, instead of the parameters.
    """
    flags = [one.requires_grad for one in model.parameters()]
    if all(flags):
        return ()
    return (Freeze(*map(tuple, _below(model, "")) if any(flags) else ()),)


def _below(module: nn.Module, path: str) -> tuple[list[str], list[str]]:
    """Return the paths of a module's frozen parameters, and the paths of the modules below it that are frozen as a whole."""
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
