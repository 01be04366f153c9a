"""Trials of a port that agrees with its original: with other inputs, with other constructor arguments, and of its initial values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from torch import nn

from bridge.compare.models.targets import DotNetTarget
from bridge.port.observe.models.construction import Given
from bridge.port.porting import Port
from bridge.port.verify.comparisons import new_port
from bridge.port.verify.constructions import Reconstruction, run_constructions
from bridge.port.verify.initial_values import compare_initial_values
from bridge.port.verify.trials import run_trials


class Tried(Protocol):
    """The result of one kind of trials; ``str`` returns its lines for the report."""

    @property
    def difference(self) -> str:
        """Return the first difference, empty if there is none."""


def run_further(
    original: nn.Module,
    given: Given,
    port: Port,
    assembly: Path,
    arguments: Mapping[str, Any],
    *,
    seed: int,
    seconds: float,
    step: Callable[[str], None],
) -> list[Tried]:
    """Try other inputs, then other constructor arguments, for ``seconds`` each; then compare initial values. Stop at a difference.

    ``given`` are the constructor arguments of the original's modules, ``assembly`` is the compiled port.
    """
    root = f"{port.namespace}.{port.root}"
    loaded = partial(new_port, original, assembly, root, port.arguments)
    found: list[Tried] = [run_trials(original, loaded, arguments, seed=seed, seconds=seconds, step=step)]
    if found[0].difference:
        return found

    def make_port(keywords: Mapping[str, Any]) -> nn.Module:
        return DotNetTarget(assembly, root, keywords=keywords).make()

    again = Reconstruction(original, given)
    if again.why:
        return [*found, again]
    if port.parameters:
        found.append(
            run_constructions(
                again, make_port, port.parameters, port.arguments, arguments, seed=seed, seconds=seconds, step=step
            )
        )
    if found[-1].difference:
        return found
    step("comparing initial values")
    return [*found, compare_initial_values(partial(again.make, {}), partial(make_port, port.arguments))]
