"""The copying of weights by name, from one model to the other, or from a file to both. If a weight does not fit, nothing is copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from torch.nn.parameter import is_lazy

from bridge import weight_file
from bridge.compare.errors import WeightsError
from bridge.compare.models.settings import Setting, settings
from bridge.compare.uncalled import owners
from hook_contract.output.sentences import plural

#: The largest number of lines on weights that a message lists; the rest is counted.
LISTED: Final = 10
#: The values of ``--weights`` besides a file.
WORDS = ("none", "python", "dotnet")


def share(
    choice: str,
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    names: tuple[str, str] = ("pytorch", "dotnet"),
) -> None:
    """Give both models the same weights.

    ``python`` copies the weights of the first model to the second, ``dotnet`` copies in the other direction, and ``none`` copies nothing.
    Any other ``choice`` is a safetensors file for both models. If weights do not fit, nothing is loaded, and WeightsError lists them.
    """
    if choice == "none":
        return
    constructed = [found for found in settings(python, dotnet, names) if found.constructed]
    if choice == "python":
        load_into(state(python), [(names[1], dotnet)], names[0], constructed)
    elif choice == "dotnet":
        load_into(state(dotnet), [(names[0], python)], names[1], constructed)
    else:
        load_into(read_weights(Path(choice)), [(names[0], python), (names[1], dotnet)], choice)


def load_into(
    source: Mapping[str, Any],
    targets: Sequence[tuple[str, torch.nn.Module]],
    origin: str,
    constructed: Sequence[Setting] = (),
) -> None:
    """Load ``source`` into every target; raise WeightsError and load nothing if weights do not fit.

    The message lists swapped names, then the settings in ``constructed`` of the modules that have other misfits, then those misfits.
    """
    found = [misfit for name, model in targets for misfit in find_misfits(source, model, origin, name)]
    if found:
        counts: dict[str, int] = {}  # by name, since both models may lack the same weights
        for misfit in found:
            name = misfit.line.partition(":")[0]
            counts[name] = max(counts.get(name, 0), misfit.weights)
        number = sum(counts.values())
        swapped, rest = ([misfit.line for misfit in found if misfit.swapped == flag] for flag in (True, False))
        keys = {line.partition(":")[0] for line in rest}
        paths = keys | {key.rpartition(".")[0] for key in keys}
        causes = [f"{setting}" for setting in constructed if setting.path in paths]
        lines = [f"  {line}" for line in (*swapped, *causes, *rest)]
        if len(lines) > LISTED:
            shown = _first_of_each_group(lines)
            lines = [*shown, f"  … and {len(lines) - len(shown)} more"]
        many = "1 weight does" if number == 1 else f"{number} weights do"
        words = f"{_describe_different_models(source, targets)}{many} not fit, nothing was loaded:"
        raise WeightsError("\n".join([words, *lines]))
    for _, model in targets:
        model.load_state_dict(dict(source), strict=True)


def _first_of_each_group(lines: Sequence[str]) -> list[str]:
    """Return the first lines of each group. Lines on weights that the same model or file lacks are a group; all other lines are another."""
    sides: dict[str, list[str]] = {}
    for line in lines:
        words = line.partition(": ")[2]
        sides.setdefault(words if words.endswith(" does not") else "", []).append(line)
    return [line for some in sides.values() for line in some[: max(1, LISTED // len(sides))]]


def _describe_different_models(source: Mapping[str, Any], targets: Sequence[tuple[str, torch.nn.Module]]) -> str:
    """Return a sentence if the models look unrelated, else an empty string.

    Models look unrelated if fewer than half of the names of weights are in both models or belong to renamed modules.
    """
    for _, model in targets:
        wanted = state(model)
        names, common = source.keys() | wanted.keys(), source.keys() & wanted.keys()
        lost, added = ({key: side[key] for key in side if key not in common} for side in (source, wanted))
        renamed = sum(len(keys) for _, _, keys in _find_renamed(lost, added))
        if 2 * (len(common) + 2 * renamed) < len(names):
            return f"these look like different models: they share {len(common)} of {len(names)} names of weights. "
    return ""


class Misfit(NamedTuple):
    """A line on weights that do not fit, the number of these weights, and whether two names are swapped."""

    line: str
    weights: int
    swapped: bool = False


def find_misfits(source: Mapping[str, Any], model: torch.nn.Module, origin: str, name: str) -> list[Misfit]:
    """Return the weights that ``model`` cannot load from ``source``: first differing names, then differing shapes and dtypes.

    A module that differs only in its name gets a single line, and so does a pair of modules whose names are swapped.
    """
    wanted = state(model)
    lost = {key: value for key, value in source.items() if key not in wanted}
    added = {key: value for key, value in wanted.items() if key not in source}
    found = []
    for path, other, keys in _find_renamed(lost, added):
        many = plural(len(keys), "weight")
        found.append(
            Misfit(f"{path}: in {name} it is named {other}, with {many} of the same names and shapes", len(keys))
        )
        for key in keys:
            del lost[key], added[f"{other}{key[len(path) :]}"]
    found += [Misfit(f"{key}: {origin} has it, {name} does not", 1) for key in lost]
    found += [Misfit(f"{key}: {name} has it, {origin} does not", 1) for key in added]
    swapped = _find_swapped(source, wanted)
    for a, b, keys in swapped:
        many = plural(len(keys), "weight")
        words = f"{a}: in {name} it has the shapes of {b}, and {b} has those of {a}: are the names swapped? ({many})"
        found.append(Misfit(words, len(keys), swapped=True))
    listed = {key for _, _, keys in swapped for key in keys}
    for key, value in source.items():
        if key not in wanted or key in listed:
            continue
        differences = [
            f"{attribute} {a} in {origin}, {b} in {name}"
            for attribute, a, b in zip(_ATTRIBUTES, _shape_and_dtype(value), _shape_and_dtype(wanted[key]), strict=True)
            if a != b and a and b
        ]
        if differences:
            found.append(Misfit(f"{key}: {'; '.join(differences)}", 1))
    return found


def _find_renamed(lost: Mapping[str, Any], added: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Return, for each renamed module, its path in the source, its path in the target, and the source's keys of its weights.

    A module counts as renamed if the weights of exactly one module within the same parent have the same names, shapes and dtypes.
    """
    found: list[tuple[str, str, list[str]]] = []
    taken: set[str] = set()
    for path in dict.fromkeys(owner for key in lost for owner in owners(key)):
        if any(path.startswith(f"{outer}.") for outer, _, _ in found):
            continue  # an outer module is renamed
        mine = {key[len(path) :]: _shape_and_dtype(value) for key, value in lost.items() if key.startswith(f"{path}.")}
        outer = path.rpartition(".")[0]
        fit = []
        for other in dict.fromkeys(owner for key in added for owner in owners(key)):
            theirs = {
                key[len(other) :]: _shape_and_dtype(value)
                for key, value in added.items()
                if key.startswith(f"{other}.")
            }
            if other.rpartition(".")[0] == outer and theirs == mine and other not in taken:
                fit.append(other)
        if len(fit) == 1:
            taken.add(fit[0])
            found.append((path, fit[0], [path + rest for rest in mine]))
    return found


def _find_swapped(source: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Return pairs of sibling modules whose shapes are exchanged in the target, with the keys of their weights."""
    both = [key for key in source if key in wanted]
    ours, theirs = ({key: _shape_and_dtype(values[key]) for key in both} for values in (source, wanted))
    found: list[tuple[str, str, list[str]]] = []
    inside: dict[str, list[str]] = {}
    for key in both:
        for owner in owners(key):
            inside.setdefault(owner, []).append(key)
    changed = [path for path, keys in inside.items() if any(ours[key] != theirs[key] for key in keys)]
    taken: set[str] = set()
    for path in changed:
        for other in changed:
            if path >= other or path.rpartition(".")[0] != other.rpartition(".")[0] or {path, other} & taken:
                continue
            keys = [*inside[path], *inside[other]]
            exchanged = {
                **{f"{other}{key[len(path) :]}": ours[key] for key in inside[path]},
                **{f"{path}{key[len(other) :]}": ours[key] for key in inside[other]},
            }
            listed = {key for _, _, keys in found for key in keys}
            if exchanged == {key: theirs[key] for key in keys} and not listed.intersection(keys):
                taken |= {path, other}
                found.append((path, other, keys))
    return found


_ATTRIBUTES = ("shape", "dtype")


def _shape_and_dtype(value: Any) -> tuple[str, str]:
    if not isinstance(value, torch.Tensor):
        return f"({type(value).__name__}, not a tensor)", ""
    if is_lazy(value):
        return "not known yet (a lazy module: run it once first)", ""
    return str(list(value.shape)), str(value.dtype)[6:]


def state(model: torch.nn.Module) -> dict[str, Any]:
    """Return the model's state dict as a plain dict."""
    return dict(model.state_dict())


def read_any(path: Path) -> dict[str, torch.Tensor]:
    """Read the tensors of a safetensors file, or of a ``.dat`` file in TorchSharp's format, on the CPU. Raises WeightsError."""
    if path.suffix not in (".safetensors", ".dat"):
        raise WeightsError(f"--weights must be none, or a .safetensors or .dat file, not '{path}'.")
    if path.suffix == ".safetensors":
        return read_weights(path)
    try:
        return weight_file.read_weights(path)
    except FileNotFoundError:
        raise WeightsError(f"there is no weights file {path}.") from None
    except (OSError, ValueError) as error:
        raise WeightsError(f"{path} cannot be read as a weight file of TorchSharp: {error}") from error


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read the tensors of a safetensors file, on the CPU. Raises WeightsError."""
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
