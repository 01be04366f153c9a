"""Whether a stated cause is one: what it says is undone, and then nothing may differ."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import torch

from bridge.compare.findings import Finding
from bridge.compare.isolate.state_guard import is_builtin
from bridge.compare.result import Comparison
from diagnosis.judging import at_line, explained, located
from diagnosis.planted import Mutant
from diagnosis.subjects import named

#: Sorts of findings that state a cause; the others say what was seen.
CAUSES: Final = ("operator", "setting", "bypass", "names")

#: ``softmax: dim -1 in pytorch, 1 in dotnet``: one operator on both sides, with other arguments.
_ARGUMENTS: Final = re.compile(
    r": \w+: \w+ .* in pytorch, .* in dotnet|returns different numbers|returns .* in pytorch and"
)
_ASSIGNED: Final = re.compile(r"^\s*(?:var\s+)?(\w+|\([\w\s,]*\))\s*[-+*/]?=(?!=)", re.MULTILINE)
_NAME: Final = re.compile(r"[^\W\d]\w*")

Compare = Callable[[torch.nn.Module], Comparison]
Load = Callable[..., torch.nn.Module]


def wrong(
    mutant: Mutant, one: Finding, tree: Mapping[str, str], original: torch.nn.Module, load: Load, compare: Compare
) -> str:
    """Explain why a finding's cause is wrong; empty if it is right, or if it states none.

    ``load`` makes the mutant again, with the original's weights. A setting is set to PyTorch's value, at each instance of the class;
    a bypass is undone by ``forward_fires``; a statement at a line by the original statement, which gives the unmutated port exactly if the
    mistake is in that statement. The same holds for a mode, which the mutated statement sets, and for names.
    """
    if one.kind not in CAUSES:
        return ""
    try:
        if one.kind == "operator" and not (one.path and is_builtin(original.get_submodule(one.path))):
            return _operator(mutant, one, tree)
        if one.kind == "operator":
            undone = load()
            for path in tree:
                if path and located(mutant, replace(one, path=path), tree):
                    undone.set_submodule(path, copy.deepcopy(original.get_submodule(path)))
            after = compare(undone)
            return "" if not after.differs else f"with PyTorch's module: {after.verdict}"
        if one.kind == "names":
            return "" if located(mutant, one, tree) else f"{one.path or 'the root'} as it was changes nothing"
        if one.kind == "bypass":
            after = compare(load(forward_fires=True))
            return "" if after.same else f"with forward_fires: {after.verdict}"
        stated = next((each for each in compare(load()).modules.settings if one.message.endswith(str(each))), None)
        if stated is None:
            return "it is not among the settings"
        if stated.name == "mode":
            return "" if located(mutant, one, tree) else "the mode there is not what was changed"
        undone = load()
        otherwise = compare(undone).modules.settings
        there = sorted({each.path for each in otherwise if each.name == stated.name})
        # A kernel's size is a pooling's stride too: what one argument sets is undone together.
        for name in dict.fromkeys(
            each.name for each in otherwise if each.path in there and each.constructed == stated.constructed
        ):
            _set(undone, original, name, there)
        after = compare(undone)
        if after.differs:
            undone = load()
            for path in filter(None, there):
                undone.set_submodule(path, copy.deepcopy(original.get_submodule(path)))
            after = compare(undone)
        return "" if not after.differs else f"set as in PyTorch: {after.verdict}"
    except Exception as error:
        return f"cannot be undone: {type(error).__name__}: {error}"


def _operator(mutant: Mutant, one: Finding, tree: Mapping[str, str]) -> str:
    """Explain why an operator is no cause: undo the named statement and the statement of the mutation's record.

    Other arguments of an operator are a cause too if the mutated statement computes them.
    """
    if one.source and at_line(mutant, one.source):
        return ""
    if located(mutant, one, tree) and (
        explained(mutant, one) or (_ARGUMENTS.search(one.message) and _reaches(mutant, one))
    ):
        return ""
    return f"{one.source or one.path or 'the root'} as it was changes nothing"


def _reaches(mutant: Mutant, one: Finding) -> bool:
    """Return whether a finding's line uses a value that the mutated statement assigns, directly or through other names."""
    lines = named(mutant.subject).source.read_text(encoding="utf-8").splitlines()
    _, _, last = one.source.rpartition(":")
    if not last.isdigit() or int(last) <= mutant.last:
        return False
    made = _assigned("\n".join(lines[mutant.first - 1 : mutant.last]))
    for line in lines[mutant.last : int(last) - 1]:
        if made & _used(line):
            made |= _assigned(line)
    return bool(made & _used(lines[int(last) - 1]))


def _assigned(text: str) -> set[str]:
    """Return the names that statements assign: ``var x = …``, ``(q, k) = …``."""
    return {name for found in _ASSIGNED.findall(text) for name in _NAME.findall(found)} - {"var"}


def _used(text: str) -> set[str]:
    return set(_NAME.findall(text))


def _set(undone: torch.nn.Module, original: torch.nn.Module, name: str, paths: list[str]) -> None:
    """Copy the differing setting from the original: an attribute, a tied tensor, or else the whole module."""
    for path in paths:
        here, there = original.get_submodule(path), undone.get_submodule(path)
        if name == "shared":
            places: dict[int, str] = {}
            for weight, tensor in original.named_parameters(remove_duplicate=False):
                owner, _, last = weight.rpartition(".")
                if (first := places.setdefault(id(tensor), weight)) != weight:
                    setattr(undone.get_submodule(owner), last, undone.get_parameter(first))
        elif name in vars(here) and type(here) is type(there):
            setattr(there, name, getattr(here, name))
        elif path:
            undone.set_submodule(path, copy.deepcopy(here))
