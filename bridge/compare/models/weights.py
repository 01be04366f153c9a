"""Weights by name from one side to the other, or from a file to both: all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from torch.nn.parameter import is_lazy

from bridge.compare.errors import WeightsError
from bridge.compare.models.settings import Setting, settings

#: Misfits that a message lists; the rest is counted.
LISTED: Final = 10
#: What ``--weights`` may say besides a file.
WORDS = ("none", "python", "dotnet")


def share(choice: str, python: torch.nn.Module, dotnet: torch.nn.Module) -> None:
    """Gives both models the same weights.

    ``python`` copies the PyTorch model's into the .NET model, ``dotnet`` the other way, ``none`` leaves both as they
    were made; anything else is a safetensors file for both. Raises WeightsError with the misfits; then neither model
    was touched.
    """
    if choice == "none":
        return
    made = [one for one in settings(python, dotnet, ("pytorch", "dotnet")) if one.made]
    if choice == "python":
        give(state(python), [("dotnet", dotnet)], "pytorch", made)
    elif choice == "dotnet":
        give(state(dotnet), [("pytorch", python)], "dotnet", made)
    else:
        give(read(Path(choice)), [("pytorch", python), ("dotnet", dotnet)], choice)


def give(
    source: Mapping[str, Any],
    targets: Sequence[tuple[str, torch.nn.Module]],
    origin: str,
    made: Sequence[Setting] = (),
) -> None:
    """Load ``source`` into every target, or raise WeightsError with the misfits and load nothing.

    ``made`` is what modules were made with and differs: it is told first where a weight of such a module does not fit, but for names.
    """
    found = [one for name, model in targets for one in _misfits(source, model, origin, name)]
    if found:
        number = sum(one.weights for one in found)
        swapped, rest = ([one.line for one in found if one.swapped == which] for which in (True, False))
        keys = {line.partition(":")[0] for line in rest}
        about = keys | {key.rpartition(".")[0] for key in keys}
        causes = [f"{one}" for one in made if one.path in about]
        lines = [f"  {line}" for line in (*swapped, *causes, *rest)]
        if len(lines) > LISTED:
            shown = _of_each_side(lines)
            lines = [*shown, f"  … and {len(lines) - len(shown)} more"]
        many = "1 weight does" if number == 1 else f"{number} weights do"
        words = f"{_strangers(source, targets)}{many} not fit, nothing was loaded:"
        raise WeightsError("\n".join([words, *lines]))
    for _, model in targets:
        model.load_state_dict(dict(source), strict=True)


def _of_each_side(lines: Sequence[str]) -> list[str]:
    """Return the first lines: as many on weights that one side lacks as on those that the other does, and on all else."""
    sides: dict[str, list[str]] = {}
    for line in lines:
        words = line.partition(": ")[2]
        sides.setdefault(words if words.endswith(" does not") else "", []).append(line)
    return [line for some in sides.values() for line in some[: max(1, LISTED // len(sides))]]


def _strangers(source: Mapping[str, Any], targets: Sequence[tuple[str, torch.nn.Module]]) -> str:
    """Say that the models are different ones, where less than half of the names are in both and renaming explains no more."""
    for _, model in targets:
        wanted = state(model)
        names, common = source.keys() | wanted.keys(), source.keys() & wanted.keys()
        lost, added = ({key: one[key] for key in one if key not in common} for one in (source, wanted))
        renamed = sum(len(keys) for _, _, keys in _renamed(lost, added))
        if 2 * (len(common) + 2 * renamed) < len(names):
            return f"these look like different models: {len(common)} of {len(names)} names of weights are in both. "
    return ""


def misfits(source: Mapping[str, Any], model: torch.nn.Module, origin: str, name: str) -> list[str]:
    """What hinders loading ``source`` into ``model``, a line each: names first, then shapes and dtypes.

    Where a module has another name and all of its weights are there under that one, with their shapes, that is one line.
    """
    return [one.line for one in _misfits(source, model, origin, name)]


class _Misfit(NamedTuple):
    """A line, of how many weights it is, and whether it is about two names that are swapped."""

    line: str
    weights: int
    swapped: bool = False


def _misfits(source: Mapping[str, Any], model: torch.nn.Module, origin: str, name: str) -> list[_Misfit]:
    wanted = state(model)
    lost = {key: value for key, value in source.items() if key not in wanted}
    added = {key: value for key, value in wanted.items() if key not in source}
    found = []
    for path, other, keys in _renamed(lost, added):
        words = f"{path}: in {name} it is named {other}, with weights of the same names and shapes ({len(keys)})"
        found.append(_Misfit(words, len(keys)))
        for key in keys:
            del lost[key], added[f"{other}{key[len(path) :]}"]
    found += [_Misfit(f"{key}: {origin} has it, {name} does not", 1) for key in lost]
    found += [_Misfit(f"{key}: {name} has it, {origin} does not", 1) for key in added]
    traded = _traded(source, wanted)
    for a, b, keys in traded:
        words = f"{a}: in {name} it has the shapes of {b}, and {b} those of {a}, as where the names are swapped ({len(keys)})"
        found.append(_Misfit(words, len(keys), swapped=True))
    told = {key for _, _, keys in traded for key in keys}
    for key, value in source.items():
        if key not in wanted or key in told:
            continue
        mine, theirs = _form(value), _form(wanted[key])
        found += [
            _Misfit(f"{key}: {what} {a} in {origin}, {b} in {name}", 1)
            for what, a, b in zip(_FORM, mine, theirs, strict=True)
            if a != b and a and b
        ]
    return found


def _renamed(lost: Mapping[str, Any], added: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Modules of which each weight is there under one other name of theirs: the path, the other path, and the weights' keys."""
    found: list[tuple[str, str, list[str]]] = []
    taken: set[str] = set()
    for path in dict.fromkeys(owner for key in lost for owner in _owners(key)):
        if any(path.startswith(f"{outer}.") for outer, _, _ in found):
            continue  # the module around it has the other name
        mine = {key[len(path) :]: _form(value) for key, value in lost.items() if key.startswith(f"{path}.")}
        outer = path.rpartition(".")[0]
        fit = []
        for other in dict.fromkeys(owner for key in added for owner in _owners(key)):
            theirs = {key[len(other) :]: _form(value) for key, value in added.items() if key.startswith(f"{other}.")}
            if other.rpartition(".")[0] == outer and theirs == mine and other not in taken:
                fit.append(other)
        if len(fit) == 1:
            taken.add(fit[0])
            found.append((path, fit[0], [path + rest for rest in mine]))
    return found


def _traded(source: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Pairs of modules beside each other of which each has in the target what the other one has in the source, and the weights' keys."""
    both = [key for key in source if key in wanted]
    ours, theirs = ({key: _form(values[key]) for key in both} for values in (source, wanted))
    found: list[tuple[str, str, list[str]]] = []
    inside: dict[str, list[str]] = {}
    for key in both:
        for owner in _owners(key):
            inside.setdefault(owner, []).append(key)
    changed = [path for path, keys in inside.items() if any(ours[key] != theirs[key] for key in keys)]
    taken: set[str] = set()
    for path in changed:
        for other in changed:
            if path >= other or path.rpartition(".")[0] != other.rpartition(".")[0] or {path, other} & taken:
                continue
            keys = [*inside[path], *inside[other]]
            swapped = {
                **{f"{other}{key[len(path) :]}": ours[key] for key in inside[path]},
                **{f"{path}{key[len(other) :]}": ours[key] for key in inside[other]},
            }
            if swapped == {key: theirs[key] for key in keys} and not any(
                key in told for key in keys for _, _, told in found
            ):
                taken |= {path, other}
                found.append((path, other, keys))
    return found


def _owners(key: str) -> list[str]:
    """The modules that a weight is in, outermost first."""
    parts = key.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


_FORM = ("shape", "dtype")


def _form(value: Any) -> tuple[str, str]:
    if not isinstance(value, torch.Tensor):
        return f"({type(value).__name__}, no tensor)", ""
    if is_lazy(value):
        return "not known yet (a lazy module: run it once first)", ""
    return str(list(value.shape)), str(value.dtype)[6:]


def state(model: torch.nn.Module) -> dict[str, Any]:
    """The model's state dict as a plain dict."""
    return dict(model.state_dict())


def read(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file, on the CPU. Raises WeightsError."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if path.suffix != ".safetensors":
        raise WeightsError(f"--weights must be {', '.join(WORDS)} or a .safetensors file, not '{path}'.")
    if not path.is_file():
        raise WeightsError(f"there is no weights file {path}.")
    try:
        return load_file(path)
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        raise WeightsError(f"{path} cannot be read as a safetensors file: {error}") from error
