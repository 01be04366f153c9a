"""Explanations of differing running statistics of batch norms: another momentum, or an update in one model only."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import torch

from bridge.compare.run import ModelRun
from bridge.compare.tensor_comparison import NamedDifference
from bridge.trace.diff.phrases import path_name

_STATISTICS: Final = ("running_mean", "running_var")
#: The relative error up to which changes count as proportional, and a ratio of changes counts as 1.
_FIT: Final = 1e-3


def explain_statistic(
    buffer: NamedDifference, models: tuple[torch.nn.Module, torch.nn.Module], runs: tuple[ModelRun, ModelRun]
) -> NamedDifference:
    """Return ``buffer``, with an explanation in the message if ``buffer`` is a running statistic whose changes show a cause."""
    sides = (side for run in runs for side in (run.before, run.after))
    path, _, name = buffer.name.rpartition(".")
    if name not in _STATISTICS or not all(buffer.name in side for side in sides):
        return buffer
    (before, a), (other_before, b) = ((run.before[buffer.name], run.after[buffer.name]) for run in runs)
    if not (before.shape == a.shape == b.shape and torch.equal(before, other_before)):
        return buffer
    momenta = [_momentum(model, path) for model in models]
    if a.equal(before) == b.equal(before) and momenta[0] == momenta[1]:
        return buffer  # neither an update in one model only nor another momentum
    words = explain_changes(buffer.name, momenta[0], before, a, b, (runs[0].runtime, runs[1].runtime))
    return replace(buffer, message=buffer.message + words)


def explain_changes(
    name: str, momentum: float | None, before: torch.Tensor, a: torch.Tensor, b: torch.Tensor, runtimes: tuple[str, str]
) -> str:
    """Return a sentence if a running statistic changed as it would with two different momenta, or in one model only; else "".

    A batch norm changes a running statistic by ``momentum`` times its distance to the batch's statistic. So, in every channel, the changes
    in the two models have the ratio of the momenta.
    """
    change_a, change_b = (a - before).double().flatten(), (b - before).double().flatten()
    module = path_name(name.rpartition(".")[0])
    size_a, size_b = float(change_a.abs().max()), float(change_b.abs().max())
    if not (size_a or size_b):
        return ""
    if not (size_a and size_b):
        still, other = runtimes if not size_a else runtimes[::-1]
        return f" It was updated in {other} and not in {still}: was {module} in train mode in {still}?"
    ratio = float(change_a @ change_b / (change_a @ change_a))
    if abs(ratio - 1) < _FIT or float((change_b - ratio * change_a).abs().max()) > _FIT * size_b:
        return ""
    words = f" It changed {ratio:.4g} times as much in {runtimes[1]} as in {runtimes[0]} on the same batch"
    if momentum is None:
        return f"{words}, as with another momentum."
    return f"{words}, as with a momentum of {momentum * ratio:.4g} for {module} in place of {momentum:g}."


def _momentum(model: torch.nn.Module, path: str) -> float | None:
    """Return the momentum of the module at ``path``; None if the module has no momentum, or if its momentum is not a float."""
    try:
        momentum = getattr(model.get_submodule(path), "momentum", None)
    except AttributeError:
        return None
    return momentum if isinstance(momentum, float) else None
