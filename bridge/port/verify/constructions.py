"""Constructions of a port and its original with other arguments; the names and shapes of their weights, and results, are compared."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from textwrap import indent
from typing import Any, Final

import torch
from torch import nn

from bridge.compare.errors import CompareError
from bridge.compare.models.weights import share
from bridge.port.forwards.attention import is_masked, without_fused
from bridge.port.observe.models.construction import Given
from bridge.port.verify.constructor_arguments import draw_arguments
from bridge.port.verify.drawn_inputs import Draw, draw_like
from bridge.port.verify.trials import find_difference
from hook_contract.output.sentences import plural

#: C#'s messages for a branch that has no translation, which the port lists, and for an argument that does not fit its declared type.
_REFUSED: Final = re.compile(r"System\.NotSupportedException|match no constructor of .* is no .* for '")


@dataclass(slots=True)
class Constructions:
    """How many sets of constructor arguments the original accepts, how many of the models were then called, and the first difference.

    ``changed`` are the parameters that were changed in the counted sets. ``refused`` are the parameters that were changed in sets that
    the port refuses with a message; these sets are not counted.
    """

    accepted: int = 0
    called: int = 0
    seconds: float = 0.0
    changed: Sequence[str] = ()
    refused: Sequence[str] = ()
    #: The changed arguments that show the difference; empty if there is none.
    arguments: Mapping[str, Any] = field(default_factory=dict)
    difference: str = ""

    def __str__(self) -> str:
        refused = f" The port refuses other values of {', '.join(self.refused)}." if self.refused else ""
        if not self.accepted:
            return f"Constructed with no other arguments: the original takes none of those tried, or the port refuses them.{refused}"
        sets = plural(self.accepted, "other set")
        tried = f"Constructed with {sets} of arguments ({', '.join(self.changed)}), {self.called} of them called, in {self.seconds:.0f} s"
        if not self.difference:
            return f"{tried}: same.{refused}"
        words = ", ".join(f"{name} = {value!r}" for name, value in self.arguments.items())
        return f"{tried}: differs.{refused}\n  with {words}\n{indent(self.difference, '  ')}"

    def count(self, changed: Mapping[str, Any], ran: bool, difference: str | None) -> None:
        """Count a set of arguments; ``difference`` is None if the port refuses the set."""
        if difference is None:
            if not changed.keys() & set(self.refused):  # otherwise a parameter that is already listed explains it
                self.refused = [*self.refused, *changed]
            return
        self.accepted, self.called = self.accepted + 1, self.called + ran
        self.changed = list(dict.fromkeys([*self.changed, *changed]))
        if difference:
            self.arguments, self.difference = changed, difference


class Reconstruction:
    """Constructs the original again, with the arguments that it was given, or with some of them changed."""

    def __init__(self, original: nn.Module, given: Given) -> None:
        self.original = original
        self.given = dict(given.get(original, {}))
        #: The reason why it cannot be constructed again; empty if it can.
        self.why = self._check(given)

    def make(self, changed: Mapping[str, Any]) -> nn.Module:
        """Construct the model. Raises whatever its constructor raises."""
        return type(self.original)(**copy.deepcopy({**self.given, **changed}))

    #: An original that cannot be constructed again counts as no difference.
    difference = ""

    def __str__(self) -> str:
        return f"Not constructed anew: {self.why}."

    def _check(self, given: Given) -> str:
        if self.original not in given:
            return "the arguments that it was given are unknown"
        if self.original in given.surplus:
            return "its constructor takes any number of arguments"
        try:
            with torch.random.fork_rng(devices=()):
                found = self.make({}).state_dict()
        except Exception as error:  # whatever the user's model raises
            return f"it raises {type(error).__name__} with the arguments that it was given"
        state = self.original.state_dict()
        alike = found.keys() == state.keys() and all(
            (one.shape, one.dtype) == (state[name].shape, state[name].dtype) for name, one in found.items()
        )
        return "" if alike else "its weights were changed after its construction"


def run_constructions(
    again: Reconstruction,
    make_port: Callable[[Mapping[str, Any]], nn.Module],
    names: Mapping[str, str],
    keywords: Mapping[str, Any],
    inputs: Mapping[str, Any],
    *,
    seed: int,
    seconds: float,
    limit: int = 60,
    step: Callable[[str], None] = lambda _: None,
) -> Constructions:
    """Construct a port and its original with other arguments until they differ, ``seconds`` are over, or ``limit`` sets are drawn.

    ``make_port`` constructs the port with arguments by C#'s names; without changes these are ``keywords``. ``names`` maps Python's name of
    each parameter to C#'s. Sets that the original refuses are not counted. Both get the same weights, and are called with ``inputs`` if
    the original accepts these, else with inputs whose sizes are changed in the same way as the arguments.
    """
    start, found = time.monotonic(), Constructions()
    with without_fused(is_masked(again.original, inputs)):
        for number, changed in enumerate(islice(draw_arguments(again.original, again.given, names, seed), limit)):
            if found.difference or time.monotonic() - start > seconds:
                break
            step(f"constructing with other arguments, set {number + 1}")
            with torch.random.fork_rng(devices=()):
                torch.manual_seed(seed)
                try:
                    original = again.make(changed)
                except Exception:  # whatever the user's model raises for arguments that it does not take
                    continue
            given = {**keywords, **{names[name]: value for name, value in changed.items()}}
            sized = _sized(inputs, again.given, changed)
            found.count(changed, *_compare(original, partial(make_port, given), sized, seed))
    found.seconds = time.monotonic() - start
    found.changed, found.refused = ([name for name in names if name in some] for some in (found.changed, found.refused))
    return found


def _compare(
    original: nn.Module, make_port: Callable[[], nn.Module], inputs: Iterable[Mapping[str, Any]], seed: int
) -> tuple[bool, str | None]:
    """Return whether the original accepts any inputs, and the difference: empty if there is none, None if the port refuses the arguments.

    The arguments are those of the constructor, which ``make_port`` passes.
    """
    try:
        port = make_port()
    except CompareError as error:
        if _REFUSED.search(str(error)):
            return False, None
        return False, f"The original can be constructed, and the port cannot: {error}"
    try:
        share("python", original, port, ("the original", "the port"))
    except CompareError as error:
        return False, str(error)
    for one in inputs:
        difference = find_difference((original, port), Draw(one), seed)
        if difference is not None:
            return True, difference or find_difference((original, port), Draw(one, train=True), seed) or ""
    return False, ""


def _sized(
    inputs: Mapping[str, Any], given: Mapping[str, Any], changed: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the inputs, then inputs whose sizes are changed as the arguments are, and whose integers are below the least new size."""
    yield inputs
    sizes = {given[name]: value for name, value in changed.items() if type(value) is int and type(given[name]) is int}
    if sizes and min(sizes.values()) > 0:
        yield {
            name: _resized(value, sizes) if isinstance(value, torch.Tensor) else value for name, value in inputs.items()
        }


def _resized(value: torch.Tensor, sizes: Mapping[int, int]) -> torch.Tensor:
    made = draw_like(value, torch.Generator().manual_seed(0), [sizes.get(size, size) for size in value.shape])
    return made if value.is_floating_point() or value.is_complex() else (made % min(sizes.values())).to(value.dtype)
