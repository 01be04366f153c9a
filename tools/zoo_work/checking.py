"""The tests' checker on a port of the zoo: inputs that ``port`` did not choose."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch

import bridge
from bridge.mirror.link import linked
from zoo_work.results import Result, Root

sys.path.append(str(Path(__file__).parents[2]))
from tests.port.checking.checker import check

SEED: Final = 43


def check_port(
    result: Result,
    model: torch.nn.Module,
    make_original: Callable[[int], torch.nn.Module],
    assembly: Path,
    root: Root,
    arguments: Mapping[str, Any],
    inputs: int,
) -> None:
    """Compare a port with its original for inputs that the checker draws; a difference becomes the result's verdict.

    ``make_original`` constructs the model anew from a seed: for a model that has no true copies, and for one whose results depend on
    numbers that its constructor draws and that are no weights.
    """
    make = partial(bridge.load, assembly, root.name, **root.keywords)
    given = fill_defaults(model, arguments, names_of(make()))
    made = None if has_copies(model) else partial(_constructed, model, partial(make_original, 0))
    again = partial(_constructed, model, partial(make_original, SEED))
    try:
        report = check(model, make, given, seed=SEED, inputs=inputs, make_original=made, make_again=again)
    except Exception as error:  # a model that has no copies, or whose port has other weights
        result.verdict, result.why = "raised", [("", f"the checker: {type(error).__name__}: {error}")]
        return
    result.inputs, result.accepted = inputs, report.accepted
    if not report.accepted:
        result.verdict, result.why = "raised", [("", f"the checker has no input that the original accepts: {report}")]
    if report.difference is not None:
        result.verdict, result.why = "differs", [("", f"the checker: {report}")]


def has_copies(model: torch.nn.Module) -> bool:
    """Return whether a model can be copied, and its copy is one by itself: the weight that ``weight_norm`` computes cannot be copied."""
    try:
        copy.deepcopy(model)
    except RuntimeError:
        return False
    return not _holds_functions(model)


def _holds_functions(model: torch.nn.Module) -> bool:
    """Return whether an attribute of a module is a function over modules: in a deep copy, it calls those of the original."""
    held = (value for module in model.modules() for value in vars(module).values())
    cells = (cell for value in held for cell in getattr(value, "__closure__", None) or ())
    return any(isinstance(cell.cell_contents, torch.nn.Module) for cell in cells)


def _constructed(model: torch.nn.Module, make: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """Return a new model with the weights of ``model``."""
    made = make()
    made.load_state_dict(model.state_dict())
    return made


def names_of(port: torch.nn.Module) -> list[str]:
    """Return the names of the parameters of a port's forward."""
    return [name for name, _ in linked(port).arguments or ()]


def fill_defaults(model: torch.nn.Module, arguments: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the arguments, and the defaults of further parameters that C# has by the same names."""
    parameters = inspect.signature(model.forward).parameters
    given = dict(arguments)
    for name in names[len(given) :]:
        if name not in parameters or parameters[name].default is inspect.Parameter.empty:
            break
        given[name] = parameters[name].default
    return given
