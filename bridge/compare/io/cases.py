"""Comparisons on several inputs: random tensors of varying shapes, or the batches that a function returns. The worst case is reported."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import torch

from bridge.compare.errors import InputsError, RunError
from bridge.compare.findings import Finding
from bridge.compare.io.inputs import Inputs, RandomInput, from_shapes, split_arguments
from bridge.compare.isolate.state_guard import copy_buffers, set_buffers
from bridge.compare.result import Comparison
from hook_contract.output.sentences import join_some

#: A dimension of an input: the index of the input and of the dimension.
Dimension: TypeAlias = tuple[int, int]
_LISTED_CASES: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One of several inputs: its number, its description, and the seed of its run."""

    number: int
    inputs: Inputs
    description: str
    seed: int


def parse_cases(text: str) -> range:
    """Parse ``--cases``: ``20`` are the cases 0 to 19, ``7..7`` is case 7. Raises InputsError."""
    low, dots, high = text.partition("..")
    if not low.isdecimal() or (dots and not high.isdecimal()):
        raise InputsError(f"--cases: '{text}' is not a number (20) or a range (7..9).")
    found = range(int(low), int(high) + 1) if dots else range(int(low))
    if not found:
        raise InputsError(f"--cases: '{text}' selects no case.")
    return found


def group_dimensions(inputs: Sequence[RandomInput]) -> list[list[Dimension]]:
    """Return groups of dimensions that vary together: dimensions with the same range or, if no input has ranges, of the same size."""
    ranges = any(item.ends for item in inputs)
    found: dict[tuple[int, int], list[Dimension]] = {}
    for index, item in enumerate(inputs):
        for dimension, size in enumerate(item.shape):
            if not ranges or dimension in item.ends:
                found.setdefault((size, item.ends.get(dimension, size)), []).append((index, dimension))
    return list(found.values())


def find_varying(
    inputs: Sequence[RandomInput], accepts: Callable[[Sequence[RandomInput]], bool]
) -> list[list[Dimension]]:
    """Return the groups of dimensions that can vary.

    These are the dimensions with ranges. If no input has ranges, a dimension can vary if the model accepts a size larger by 1. Dimensions
    of the same size are tried together; if the model refuses them, each of them is tried alone.
    """
    if any(item.ends for item in inputs):
        return group_dimensions(inputs)

    def grows(dimensions: Sequence[Dimension]) -> bool:
        return accepts(
            _with_sizes(inputs, {(index, axis): inputs[index].shape[axis] + 1 for index, axis in dimensions})
        )

    found: list[list[Dimension]] = []
    for group in group_dimensions(inputs):
        if grows(group):
            found.append(group)
        elif len(group) > 1:
            found += [[dimension] for dimension in group if grows([dimension])]
    return found


def _with_sizes(inputs: Sequence[RandomInput], sizes: dict[Dimension, int]) -> list[RandomInput]:
    shapes = (
        tuple(sizes.get((index, dimension), size) for dimension, size in enumerate(item.shape))
        for index, item in enumerate(inputs)
    )
    return [replace(item, shape=shape, ends={}) for item, shape in zip(inputs, shapes, strict=True)]


def draw_cases(
    inputs: Sequence[RandomInput], vary: Sequence[Sequence[Dimension]], cases: Iterable[int], seed: int
) -> Iterator[Case]:
    """Yield random inputs. Case 0 has the given sizes; other cases draw one size for each group of dimensions in ``vary``.

    If a dimension has a range, the given size is the lower end of the range. A size is drawn from the range, if there is one, else from 1
    to twice the given size (for size 0, from 1 to 2). The draws of a case depend only on its number and on ``seed``. Raises InputsError.
    """
    for number in cases:
        generator = random.Random(seed + number)
        sizes: dict[Dimension, int] = {}
        for group in vary if number else ():
            index, dimension = group[0]
            size, end = inputs[index].shape[dimension], inputs[index].ends.get(dimension)
            size, end = (1, max(2 * size, 2)) if end is None else (size, end)
            sizes.update(dict.fromkeys(group, generator.randint(size, end)))
        items = _with_sizes(inputs, sizes)
        options = " ".join(f"--shape {item}" for item in items)
        yield Case(number, from_shapes(items, seed + number), options, seed + number)


def select_batches(given: Iterable[Inputs], text: str, cases: range, seed: int) -> Iterator[Case]:
    """Yield a case for each batch in ``given`` whose number is in ``cases``.

    ``text`` is the value of ``--input``, which names the function that returns the batches.
    """
    last = max(cases)
    for number, inputs in enumerate(given):
        if number in cases:
            yield Case(number, inputs, f"{inputs} of {text}", seed)
        if number >= last:
            return


def accepts_inputs(model: torch.nn.Module, inputs: Inputs) -> bool:
    """Return whether the model accepts these inputs, in eval mode."""
    before = model.training
    model.eval()
    try:
        args, kwargs = split_arguments(model, inputs.bind(model))
        with torch.no_grad():
            model(*args, **kwargs)
    except Exception:  # a model may raise anything for a shape
        return False
    finally:
        model.train(before)
    return True


def compare_cases(
    cases: Iterable[Case],
    models: Sequence[torch.nn.Module],
    compare: Callable[..., Comparison],
    *,
    step: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> Comparison:
    """Compare the models on each case, and return the comparison of the worst case, with findings on all cases.

    ``compare`` (:func:`bridge.compare.comparison.compare`) gets the inputs, the seed and ``options``, at first with ``lockstep=False``.
    Then the worst case is compared again with the ``lockstep`` of ``options``, unless that is False. If this case now agrees, the next
    worst case that differed is compared again, and so on. Each case starts with the models' initial buffers. If every case fails, the
    first RunError or InputsError is raised; if there are no cases, InputsError.
    """
    buffers = [copy_buffers(model) for model in models]
    lockstep = options.pop("lockstep", None)
    found: list[tuple[Case, Comparison]] = []
    refused: list[tuple[Case, RunError | InputsError]] = []
    for case in cases:
        _restore_buffers(models, buffers)
        step_of_case = partial(_report_step, step, case.number)
        try:
            found.append((case, compare(case.inputs, seed=case.seed, lockstep=False, step=step_of_case, **options)))
        except (RunError, InputsError) as error:
            refused.append((case, error))
    if not found:
        raise (
            refused[0][1]
            if refused
            else InputsError("--cases: the function of --input returned too few batches: use smaller numbers.")
        )
    ranked = sorted(found, key=lambda pair: _severity(pair[1]), reverse=True)
    case, chosen = ranked[0]
    if lockstep is not False:
        for case, first in ranked:
            _restore_buffers(models, buffers)
            chosen = compare(case.inputs, seed=case.seed, lockstep=lockstep, step=step, **options)
            found = [(one, chosen if one is case else compared) for one, compared in found]
            # The case may agree now: if modules run in isolation, the order of the keys in their results is ignored.
            if chosen.differs or not first.differs:
                break
    _restore_buffers(models, buffers)
    return replace(chosen, found=(*chosen.found, *_case_findings(found, case, refused)))


def _report_step(step: Callable[[str], None], number: int, words: str) -> None:
    step(f"case {number}: {words}")


def _severity(compared: Comparison) -> tuple[bool, bool, float]:
    return compared.differs, bool(compared.diff.structural or compared.raised), compared.largest


def _restore_buffers(models: Sequence[torch.nn.Module], buffers: Sequence[dict[str, torch.Tensor]]) -> None:
    for model, values in zip(models, buffers, strict=True):
        set_buffers(model, values)


def _case_findings(
    found: Sequence[tuple[Case, Comparison]],
    worst: Case,
    refused: Sequence[tuple[Case, Exception]],
) -> Iterator[Finding]:
    different = sum(1 for _, compared in found if compared.differs)
    kind = "compared case" if refused else "case"
    many = (
        f"{different} of {len(found)} {kind}s differ. The worst is"
        if different
        else f"All {len(found)} {kind}s agree. This report is of"
    )
    if len(found) == 1:
        many = f"The only {kind} {'differs' if different else 'agrees'}:"
    number = worst.number
    words = f"{many} case {number}, {worst.description}; run it again with --cases {number}..{number}."
    yield Finding("case", "", words)
    if refused:
        shown = join_some([f"{case.inputs}" for case, _ in refused], _LISTED_CASES, "; ")
        first = f"{refused[0][1]}".partition("\n")[0]
        yield Finding("case", "", f"{len(refused)} of the cases could not be compared ({shown}): {first}")
