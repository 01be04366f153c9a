"""A judge of ports that is independent of ``bridge.port.verify``: it draws inputs, and runs the original and the port on equal copies.

Of each call it compares whether both raise, the result's structure, dtypes, shapes and values (with the tolerances of
``torch.testing.assert_close``), the arguments after the call, and the buffers after the call. Models keep their state over a few calls.
"""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, Final

import torch
from torch import nn

from tests.port.checking.drawing import Drawer, Input, shown, tensors_in

#: Most calls in a row before both models get their first weights again, most rows on the same pair of models, and the number of inputs
#: that may be drawn for each that is wanted.
_CALLS: Final = 5
_ROWS: Final = 8
_TRIES: Final = 4
#: The exception of a port for a branch without a translation: it names the file and the line of the original.
_DECLINED: Final = re.compile(r"NotSupportedException.*\.py:\d+: ", re.DOTALL)


#: A place, and the values there in Python and in C#.
Words = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: the calls in a row that led to it, the last of which shows it, the place, and both values as text."""

    calls: tuple[Input, ...]
    place: str
    original: str
    port: str

    def __str__(self) -> str:
        lines = [f"  call {number}: {call}" for number, call in enumerate(self.calls, 1)]
        return "\n".join([f"{self.place}: {self.original} in Python, {self.port} in C#", *lines])


@dataclass(frozen=True, slots=True)
class Report:
    """The seed, the number of inputs that the original accepted and refused, those in train mode, and the first difference.

    ``unstable`` is the number of inputs for which the original gives another result the second time, as PyTorch's kernels do that read
    beyond a tensor whose size they do not check, or another result once it is constructed anew with the same weights. ``declined`` is the
    number of those for which the port throws an exception that names a place of the original: a branch that has no translation.
    """

    seed: int
    accepted: int
    refused: int
    in_train_mode: int
    difference: Difference | None = None
    unstable: int = 0
    declined: int = 0

    def __str__(self) -> str:
        tried = f"seed {self.seed}: {self.accepted} inputs ({self.in_train_mode} in train mode), {self.refused} refused"
        tried += f", {self.unstable} unstable" if self.unstable else ""
        tried += f", {self.declined} declined by name" if self.declined else ""
        return f"{tried}: {'same' if self.difference is None else self.difference}"


def check(
    original: nn.Module,
    make_port: Callable[[], nn.Module],
    given: Mapping[str, Any],
    *,
    seed: int,
    inputs: int = 200,
    apart: bool = False,
    make_original: Callable[[], nn.Module] | None = None,
    make_again: Callable[[], nn.Module] | None = None,
) -> Report:
    """Compare a port with its original for ``inputs`` inputs that the original accepts, or until the first difference.

    ``make_port`` returns a new port, which gets the original's weights. ``given`` are the arguments that the port has parameters for.
    A port that runs ``apart``, in a process with another libtorch, has other random numbers, gets copies without strides, and may round
    otherwise: it is compared in eval mode, relative to the largest elements. The original is not changed.

    ``make_original`` returns a model that is equal to the original; by default, a deep copy of it. A model that holds functions over
    its own modules needs this: those of a copy call the modules of the original. ``make_again`` constructs one with the same weights, whose
    constructor draws other random numbers.
    """
    drawer = Drawer(original, given, seed, apart)
    copied = make_original or partial(copy.deepcopy, original)
    accepted = refused = trained = unstable = declined = 0
    with _quiet():
        pair, calls = Pair(copied, make_port), list[Input]()
        while accepted < inputs and accepted + refused + unstable + declined < _TRIES * inputs:
            one = drawer.draw()
            if len(calls) == _CALLS:
                pair, calls = pair.renewed(), []
            calls.append(one)
            took, difference = pair.call(one, apart)
            if difference is not None and pair.rows:  # of earlier rows, the models may keep what is no weight
                pair, (took, difference) = _repeated(pair, calls, apart)
            named = difference is not None and _DECLINED.search(difference[2]) is not None
            if difference is not None and not named and _is_stable(copied, make_again or copied, calls):
                return Report(
                    seed, accepted, refused, trained, Difference(tuple(calls), *difference), unstable, declined
                )
            if difference is not None:
                unstable, declined = unstable + (not named), declined + named
            else:
                accepted, refused, trained = accepted + took, refused + (not took), trained + (took and one.train)
            if not took or difference is not None:  # an exception may leave either model in the middle of a call
                drawer.refuse(one)
                pair, calls = pair.renewed(), []
    return Report(seed, accepted, refused, trained, None, unstable, declined)


class Pair:
    """A copy of the original and a port with equal weights; ``rows`` counts how often both got their first weights again."""

    def __init__(self, copied: Callable[[], nn.Module], make_port: Callable[[], nn.Module]) -> None:
        self.copied, self.make_port, self.rows = copied, make_port, 0
        self.models = copied(), make_port()
        self.models[1].load_state_dict(self.models[0].state_dict(), strict=True)
        self._first = [{name: value.clone() for name, value in _weights(one).items()} for one in self.models]

    def call(self, one: Input, apart: bool) -> tuple[bool, Words | None]:
        """Call both models; see :func:`_call`."""
        return _call(*self.models, one, apart)

    def renewed(self) -> Pair:
        """Return this pair with its first weights, or a new one: to make models takes longer than most calls."""
        now = [_weights(one) for one in self.models]
        self.rows += 1
        if self.rows == _ROWS or [_kinds(one) for one in now] != [_kinds(one) for one in self._first]:
            return Pair(self.copied, self.make_port)
        for tensors, first in zip(now, self._first, strict=True):
            for name, value in first.items():
                if not torch.equal(tensors[name], value):
                    tensors[name].copy_(value)
        return self


def _weights(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the parameters and buffers by name."""
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


def _kinds(tensors: Mapping[str, torch.Tensor]) -> dict[str, tuple[torch.Size, torch.dtype]]:
    return {name: (value.shape, value.dtype) for name, value in tensors.items()}


def _repeated(pair: Pair, calls: Sequence[Input], apart: bool) -> tuple[Pair, tuple[bool, Words | None]]:
    """Return a new pair after the calls, and what :func:`_call` says of the last, or of the first that shows a difference."""
    new = Pair(pair.copied, pair.make_port)
    said: tuple[bool, Words | None] = True, None
    for one in calls:
        said = new.call(one, apart)
        if said[1] is not None:
            break
    return new, said


@contextmanager
def _quiet() -> Iterator[None]:
    """Run with one thread, without gradients and warnings, and without the fused kernels of attention, which round otherwise."""
    threads, fused = torch.get_num_threads(), torch.backends.mha.get_fastpath_enabled()
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with warnings.catch_warnings(action="ignore"), torch.no_grad(), torch.random.fork_rng(devices=()):
            yield
    finally:
        torch.set_num_threads(threads)
        torch.backends.mha.set_fastpath_enabled(fused)


def _is_stable(copied: Callable[[], nn.Module], constructed: Callable[[], nn.Module], calls: Sequence[Input]) -> bool:
    """Return whether a copy of the original gives the same results in a row of calls as another copy, and as one constructed anew.

    It must also accept the last call without oneDNN, whose LSTM reads beyond a packed sequence of another width than it has.
    """
    same = all(
        _call(first, second, one, apart=False, named=True)[1] is None
        for first, second in ((copied(), copied()), (copied(), constructed()))
        for one in calls
    )
    return same and _accepts(copied(), calls) == _accepts(copied(), calls, onednn=False)


def _accepts(model: nn.Module, calls: Sequence[Input], onednn: bool = True) -> bool:
    """Return whether a model accepts the last of a row of calls, with or without the kernels of oneDNN."""
    accepted = False
    with _quiet(), torch.backends.mkldnn.flags(enabled=onednn):
        for one in calls:
            torch.manual_seed(one.seed)
            given = copy.deepcopy(one.arguments)
            accepted = not isinstance(_outcome(partial(model.train(one.train), **given)), Exception)
    return accepted


def _call(
    original: nn.Module, port: nn.Module, one: Input, apart: bool, named: bool = False
) -> tuple[bool, Words | None]:
    """Return whether the original accepts the input, and what differs after the call: the place and both values.

    A port gets its arguments by position; in place of a port, another copy of the original gets them ``named``, with other memory behind
    each tensor.
    """
    ours, theirs = copy.deepcopy(one.arguments), copy.deepcopy(one.arguments)
    if named:
        theirs = {
            name: _followed(value) if isinstance(value, torch.Tensor) else value for name, value in theirs.items()
        }
    torch.manual_seed(one.seed)
    expected = _outcome(lambda: original.train(one.train)(**ours))
    torch.manual_seed(one.seed)
    found = _outcome(lambda: port.train(one.train)(**theirs) if named else port.train(one.train)(*theirs.values()))
    if isinstance(expected, Exception) or isinstance(found, Exception):
        both = isinstance(expected, Exception) and isinstance(found, Exception)
        return not isinstance(expected, Exception), None if both else ("the call", _said(expected), _said(found))
    return True, (
        _unlike(expected, found, "the result", apart)
        or _tensors_unlike(dict(tensors_in(ours)), dict(tensors_in(theirs)), "the argument", apart)
        or _tensors_unlike(dict(original.named_buffers()), dict(port.named_buffers()), "the buffer", apart)
    )


def _followed(tensor: torch.Tensor) -> torch.Tensor:
    """Return an equal tensor that is followed in memory by sevens, which a kernel would see that reads beyond its end."""
    if not tensor.is_contiguous():
        return tensor
    memory = tensor.new_full((2 * tensor.numel() + 64,), 7)
    memory[: tensor.numel()] = tensor.flatten()
    return memory[: tensor.numel()].view(tensor.shape)


def _outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the exception that it raises."""
    try:
        return call()
    except Exception as error:  # whatever the user's model or its C# raises
        return error


def _said(outcome: Any) -> str:
    if isinstance(outcome, Exception):
        return f"raises {type(outcome).__name__}: {(str(outcome).splitlines() or [''])[0]}"
    return f"returns {shown(outcome)}"


def _tensors_unlike(
    expected: Mapping[str, torch.Tensor], found: Mapping[str, torch.Tensor], kind: str, apart: bool
) -> Words | None:
    """Compare tensors by name; those that the port lacks, which its ``state_dict`` may do without, are left out."""
    both = (_unlike(value, found[name], f"{kind} {name}", apart) for name, value in expected.items() if name in found)
    return next((words for words in both if words is not None), None)


def _unlike(expected: Any, found: Any, place: str, apart: bool = False) -> Words | None:
    """Return the first place where two values differ, with the texts of both."""
    if isinstance(expected, torch.Tensor) and isinstance(found, torch.Tensor):
        return _tensor_unlike(expected, found, place, apart)
    parts, others = _parts(expected), _parts(found)
    if parts is not None and others is None and len(parts) == 1 and type(expected) is not dict:
        return _unlike(next(iter(parts.values())), found, place, apart)
    if parts is None or others is None:
        return None if _equal(expected, found) else (place, shown(expected), shown(found))
    if list(parts) != list(others):
        return place, f"parts {[*parts]}", f"parts {[*others]}"
    both = (_unlike(parts[key], others[key], f"{place}[{key!r}]", apart) for key in parts)
    return next((words for words in both if words is not None), None)


def _tensor_unlike(expected: torch.Tensor, found: torch.Tensor, place: str, apart: bool) -> Words | None:
    rtol = atol = None  # those of the dtype
    finite = expected[expected.isfinite()].abs() if apart and expected.is_floating_point() else expected.new_empty(0)
    if finite.numel():
        rtol, atol = 1e-5, 1e-5 * max(1.0, finite.max().item())
    try:
        torch.testing.assert_close(found, expected, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        why = "; ".join(str(error).splitlines()[:5])
        return place, shown(expected), f"{shown(found)} ({why})"
    return None


def _parts(value: Any) -> dict[Any, Any] | None:
    """Return the parts of a collection by name or place, as C# returns them; None for a value without parts.

    Results with names are tuples in C#, a tuple of one is its item, and tuples, lists and sizes are sequences.
    """
    if isinstance(value, dict) and type(value) is dict:
        return value
    if isinstance(value, Mapping):  # one with attributes, as the results of transformers, which are dataclasses, too
        return dict(enumerate(value.values()))
    if is_dataclass(value) and not isinstance(value, type):
        return dict(enumerate(getattr(value, field.name) for field in fields(value)))
    return dict(enumerate(value)) if isinstance(value, (list, tuple)) else None


def _equal(expected: Any, found: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        return torch.allclose(torch.tensor(expected), torch.tensor(found), rtol=1e-6, equal_nan=True)
    return type(expected) is type(found) and bool(expected == found)
