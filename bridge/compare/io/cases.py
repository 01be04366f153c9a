"""Several inputs instead of one: random ones of varied shapes, or the batches of a function. The worst is reported."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import torch

from bridge.compare.errors import InputsError, RunError
from bridge.compare.findings import Finding
from bridge.compare.io.inputs import Inputs, Random, from_shapes, spread
from bridge.compare.result import Comparison

#: A dimension of an input: the place of the input, and of the dimension.
Dimension: TypeAlias = tuple[int, int]
#: Shapes of a sort that a sentence spells out.
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One of several inputs: its number, what it is in words, and the seed of its run."""

    number: int
    inputs: Inputs
    words: str
    seed: int


def numbers(text: str) -> range:
    """``20`` are the cases 0 to 19, ``7..7`` is the case 7. Raises InputsError for anything else."""
    low, dots, high = text.partition("..")
    if not low.isdecimal() or (dots and not high.isdecimal()):
        raise InputsError(f"--cases: '{text}' is not a number, such as 20, or a range, such as 7..9.")
    found = range(int(low), int(high) + 1) if dots else range(int(low))
    if not found:
        raise InputsError(f"--cases: '{text}' selects no case.")
    return found


def groups(inputs: Sequence[Random]) -> list[list[Dimension]]:
    """The dimensions that vary together: those with the same range, if ranges were given, else those of one size."""
    ranges = any(one.ends for one in inputs)
    found: dict[tuple[int, int], list[Dimension]] = {}
    for place, one in enumerate(inputs):
        for dimension, size in enumerate(one.shape):
            if not ranges or dimension in one.ends:
                found.setdefault((size, one.ends.get(dimension, size)), []).append((place, dimension))
    return list(found.values())


def varying(inputs: Sequence[Random], accepts: Callable[[Sequence[Random]], bool]) -> list[list[Dimension]]:
    """Which dimensions can have other sizes: those with ranges, or those with which the model still runs when they are one larger.

    Dimensions of one size are tried together, and where the model refuses that, each by itself.
    """
    if any(one.ends for one in inputs):
        return groups(inputs)
    found: list[list[Dimension]] = []
    for together in groups(inputs):
        if accepts(_sized(inputs, {key: inputs[key[0]].shape[key[1]] + 1 for key in together})):
            found.append(together)
        elif len(together) > 1:
            found += [[one] for one in together if accepts(_sized(inputs, {one: inputs[one[0]].shape[one[1]] + 1}))]
    return found


def _sized(inputs: Sequence[Random], sizes: dict[Dimension, int]) -> list[Random]:
    return [
        replace(
            one, shape=tuple(sizes.get((place, dimension), size) for dimension, size in enumerate(one.shape)), ends={}
        )
        for place, one in enumerate(inputs)
    ]


def drawn(
    inputs: Sequence[Random], vary: Sequence[Sequence[Dimension]], cases: Iterable[int], seed: int
) -> Iterator[Case]:
    """Random inputs: case 0 as it was asked for, each other one of drawn sizes, from 1 to twice the size, or from the range.

    A case depends on its number and ``seed`` alone.
    """
    for number in cases:
        chosen = random.Random(seed + number)
        sizes: dict[Dimension, int] = {}
        for together in vary if number else ():
            place, dimension = together[0]
            size, end = inputs[place].shape[dimension], inputs[place].ends.get(dimension)
            size, end = (1, max(2 * size, 2)) if end is None else (size, end)
            sizes.update(dict.fromkeys(together, chosen.randint(size, end)))
        made = _sized(inputs, sizes)
        yield Case(number, from_shapes(made, seed + number), " ".join(f"--shape {one}" for one in made), seed + number)


def batches(given: Iterable[Inputs], text: str, cases: range, seed: int) -> Iterator[Case]:
    """Of the batches of a function those with these numbers."""
    last = max(cases)
    for number, inputs in enumerate(given):
        if number in cases:
            yield Case(number, inputs, f"{inputs} of {text}", seed)
        if number >= last:
            return


def runs(model: torch.nn.Module, inputs: Inputs) -> bool:
    """Whether the PyTorch model takes these inputs, in eval mode."""
    before = model.training
    model.eval()
    try:
        args, kwargs = spread(model, inputs.bind(model))
        with torch.no_grad():
            model(*args, **kwargs)
    except Exception:  # whatever a model says to a shape
        return False
    finally:
        model.train(before)
    return True


def worst(
    cases: Iterable[Case],
    models: Sequence[torch.nn.Module],
    compare: Callable[..., Comparison],
    *,
    step: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> Comparison:
    """Compares the models on each case, and gives the comparison of the worst with a finding on all.

    ``compare`` is called with the inputs, the seed and ``options``; ``lockstep`` among these is for the worst alone. Buffers of the models
    are put back before each. Raises RunError when both models refuse every case.
    """
    kept = [{name: value.detach().clone() for name, value in model.named_buffers()} for model in models]
    lockstep = options.pop("lockstep", None)
    found: list[tuple[Case, Comparison]] = []
    refused: list[tuple[Case, RunError | InputsError]] = []
    for case in cases:
        _put_back(models, kept)
        try:
            told = partial(_told, step, case.number)
            one = compare(case.inputs, seed=case.seed, lockstep=False, step=told, **options)
        except (RunError, InputsError) as error:
            refused.append((case, error))
            continue
        found.append((case, one))
    if not found:
        raise refused[0][1] if refused else InputsError("there is no case.")
    case, chosen = max(found, key=lambda pair: _badness(pair[1]))
    if chosen.differs and lockstep is not False:
        _put_back(models, kept)
        chosen = compare(case.inputs, seed=case.seed, lockstep=lockstep, step=step, **options)
    _put_back(models, kept)
    return replace(chosen, found=(*chosen.found, *_said(found, case, refused)))


def _told(step: Callable[[str], None], number: int, words: str) -> None:
    step(f"case {number}: {words}")


def _badness(one: Comparison) -> tuple[bool, bool, float]:
    return one.differs, bool(one.diff.structural or one.raised), one.largest


def _put_back(models: Sequence[torch.nn.Module], kept: Sequence[dict[str, torch.Tensor]]) -> None:
    with torch.no_grad():
        for model, buffers in zip(models, kept, strict=True):
            for name, value in model.named_buffers():
                if name in buffers and not torch.equal(value, buffers[name].to(value.device)):
                    value.copy_(buffers[name])


def _said(
    found: Sequence[tuple[Case, Comparison]],
    worst: Case,
    refused: Sequence[tuple[Case, Exception]],
) -> Iterator[Finding]:
    different = sum(1 for _, one in found if one.differs)
    many = f"{different} of {len(found)} cases differ" if different else f"All {len(found)} cases agree"
    what = "The worst" if different else "The largest difference"
    words = f"{many}. {what} is case {worst.number}, {worst.words}; run it again with --cases {worst.number}..{worst.number}."
    yield Finding("case", "", words)
    if refused:
        shown = "; ".join(f"{case.inputs}" for case, _ in refused[:_SHOWN])
        more = f" and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        first = f"{refused[0][1]}".partition("\n")[0]
        yield Finding("case", "", f"Neither model takes {len(refused)} of the cases ({shown}{more}): {first}")
