"""Calls of a port and its original with drawn inputs, until a time limit or the first difference, whose inputs are simplified."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import torch
from torch import nn

from bridge.compare.isolate.value_comparison import NEAR, are_near, compare_values
from bridge.port.forwards.attention import is_masked, without_fused
from bridge.port.observe.state import save_state
from bridge.port.verify.drawn_inputs import Draw, draws
from bridge.runtimes.recording import leaves
from hook_contract.output.sentences import plural

#: The search for simpler inputs may take this share of the time limit, in addition to the limit.
_SHRINKING: Final = 0.5

Pair = tuple[nn.Module, nn.Module]


@dataclass(frozen=True, slots=True)
class Trials:
    """The number of inputs that were tried, how many of them in train mode, and the first difference."""

    accepted: int
    in_train_mode: int
    seconds: float
    #: The calls that show the difference, in order. If there is no difference, this and ``difference`` are empty.
    calls: tuple[Draw, ...] = ()
    difference: str = ""

    def __str__(self) -> str:
        tried = (
            f"Tried {plural(self.accepted, 'other input')} ({self.in_train_mode} in train mode) in {self.seconds:.0f} s"
        )
        if not self.calls:
            return f"{tried}: same."
        calls = [f"  {'call' if number == 1 else 'then'} with {call}" for number, call in enumerate(self.calls, 1)]
        return "\n".join([f"{tried}: differs.", *calls, f"  {self.difference}"])


def run_trials(
    original: nn.Module,
    make_port: Callable[[], nn.Module],
    given: Mapping[str, Any],
    *,
    seed: int,
    seconds: float,
    limit: int | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Trials:
    """Call a port and its original with the same drawn inputs until they differ, ``seconds`` are over, or ``limit`` inputs are drawn.

    ``make_port`` returns a new port with the weights of ``original``. Both models keep their state between calls, so a later call shows
    what an earlier one changed; the original is restored at the end. Inputs for which the original raises are not counted.
    """
    start, restore = time.monotonic(), save_state(original)

    def new_pair() -> Pair:
        restore()
        return original, make_port()

    pair, accepted = new_pair(), list[Draw]()
    with ExitStack() as stack:
        stack.callback(restore)
        stack.enter_context(without_fused(is_masked(original, given)))
        for number, draw in enumerate(islice(draws(original, given, seed), limit)):
            if time.monotonic() - start > seconds:
                break
            step(f"trying input {number + 1}")
            difference = find_difference(pair, draw, seed + number)
            if difference is None:
                continue
            accepted.append(draw)
            if difference:
                calls, difference = _smaller(new_pair, accepted, difference, seed + number, seconds * _SHRINKING)
                return _trials(accepted, start, calls, difference)
    return _trials(accepted, start)


def _trials(accepted: Sequence[Draw], start: float, calls: Sequence[Draw] = (), difference: str = "") -> Trials:
    seconds, in_train_mode = time.monotonic() - start, sum(draw.train for draw in accepted)
    return Trials(len(accepted), in_train_mode, seconds, tuple(calls), difference)


def find_difference(pair: Pair, draw: Draw, seed: int) -> str | None:
    """Return how results or buffers differ after one call; empty if they do not.

    If the original raises, restore its state from before the call, and return None.
    """
    original, port = pair
    restore = save_state(original)
    with torch.random.fork_rng(devices=()), torch.no_grad():
        torch.manual_seed(seed)
        try:
            expected = original.train(draw.train)(**_copied(draw))
        except Exception:  # whatever the user's model raises for inputs that it does not take
            restore()
            return None
        torch.manual_seed(seed)
        try:
            found = port.train(draw.train)(*_copied(draw).values())
        except Exception as error:  # whatever the port's C# raises
            return f"The original returns, and the port raises {type(error).__name__}: {str(error).splitlines()[0]}"
    return _compared(expected, found) or _buffers(original, port)


def _copied(draw: Draw) -> dict[str, Any]:
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in draw.arguments.items()}


def _compared(expected: Any, found: Any) -> str:
    return _words("The result", *([leaf for leaf in leaves(value) if leaf is not None] for value in (expected, found)))


def _buffers(original: nn.Module, port: nn.Module) -> str:
    found = dict(port.named_buffers())
    both = ((name, value) for name, value in original.named_buffers() if name in found)
    return next(filter(None, (_words(f"The buffer '{name}'", value, found[name]) for name, value in both)), "")


def _words(name: str, expected: Any, found: Any) -> str:
    """Return the sentence on a difference, or empty if the values are near."""
    difference = (
        None if are_near(expected, found, NEAR) else compare_values(expected, found, ("the original", "the port"))
    )
    return f"{name} {difference.text}." if difference else ""


def _smaller(
    new_pair: Callable[[], Pair], accepted: Sequence[Draw], difference: str, seed: int, seconds: float
) -> tuple[Sequence[Draw], str]:
    """Return calls that also show a difference, if possible fewer and with simpler inputs, and that difference."""
    start = time.monotonic()
    calls, found = accepted, difference
    for fewer in (accepted[-1:], accepted[-2:]):
        if words := _replayed(new_pair(), fewer, seed):
            calls, found = fewer, words
            break
    if len(calls) == 1:
        while time.monotonic() - start < seconds:
            for simpler in _simpler(calls[0]):
                if words := _replayed(new_pair(), [simpler], seed):
                    calls, found = [simpler], words
                    break
                if time.monotonic() - start > seconds:
                    return calls, found
            else:
                return calls, found
    return calls, found


def _replayed(pair: Pair, calls: Sequence[Draw], seed: int) -> str | None:
    words: str | None = ""
    for number, call in zip(count(), calls, strict=False):
        words = find_difference(pair, call, seed + number)
        if words:
            return words
    return words


def _simpler(draw: Draw) -> Iterator[Draw]:
    """Yield draws that are simpler in one respect: eval mode, fewer elements, or plainer values."""
    if draw.train:
        yield Draw(draw.arguments)
    for name, value in draw.arguments.items():
        if not isinstance(value, torch.Tensor):
            continue
        for dim, size in enumerate(value.shape):
            for part in dict.fromkeys((1, size // 2)):
                if 0 < part < size:
                    yield Draw({**draw.arguments, name: value.narrow(dim, 0, part)}, draw.train)
        for plain in (
            torch.zeros_like(value),
            torch.ones_like(value),
            value.round() if value.is_floating_point() else value,
        ):
            # Only towards plainer values, so that the search ends.
            if _plainness(plain) < _plainness(value):
                yield Draw({**draw.arguments, name: plain}, draw.train)


def _plainness(value: torch.Tensor) -> tuple[int, bool]:
    """Return the number of distinct values, and whether one of them is no integer."""
    return len(set(value.flatten().tolist())), bool(
        (value != value.round()).any()
    ) if value.is_floating_point() else False
