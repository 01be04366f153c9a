"""The check of an exported file: other inputs, other sizes, and the largest difference from the model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import torch

from bridge.compare.errors import describe
from bridge.exporting import behavior
from bridge.exporting.dimensions import Dimension, candidates, draw, find_tensors
from bridge.exporting.errors import ExportError, name_module
from bridge.exporting.files import Run
from hook_contract.output.sentences import join_some

#: How many other sizes of each dynamic dimension are checked; how many if numbers were inferred from sizes, where a branch may be missed.
_OTHER_SIZES: Final = 3
_INFERRED_SIZES: Final = 7
#: How many modules a message lists.
_LISTED: Final = 5


@dataclass(frozen=True, slots=True)
class Round:
    """A check of a file on one set of inputs.

    Attributes:
        sizes: The sizes of the dynamic dimensions by name.
        largest: The largest difference of the file's results from the model's.
        relative: The largest difference of a result, divided by the largest element of that result.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    largest: float = 0.0
    relative: float = 0.0


def check_file(
    run: Run,
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dimensions: Sequence[Dimension],
    rtol: float,
    atol: float,
    seed: int,
    readers: Sequence[str],
    step: Callable[[str], None],
) -> list[Round]:
    """Compare the results of a file and a model on the given inputs, and on other inputs of these and of other sizes.

    ``readers`` are the modules that read a size as a number. Raises ExportError if the results differ, or if the model runs with no other
    size of a dynamic dimension.
    """
    with _ask_for_branches(readers):
        given = {dimension.name: dimension.size for dimension in dimensions}
        count = _INFERRED_SIZES if readers else _OTHER_SIZES
        step("checking the file on the given inputs")
        rounds = [Round(given, *_compare(run, model, (args, kwargs), None, given, rtol, atol))]
        tried: list[Mapping[str, int]] = [given]
        by_name = {
            dimension.name: _sizes_that_run(model, (args, kwargs), dimensions, dimension, seed, count)
            for dimension in dimensions
        }
        tried += [given | {name: size} for name, found in by_name.items() for size in found]
        if len(by_name) > 1:
            tried.append({name: found[0] for name, found in by_name.items()})
        for number, sizes in enumerate(tried, 1):
            values = draw((args, kwargs), dimensions, sizes, seed + number)
            step(f"checking the file on other inputs{''.join(f', {name} {size}' for name, size in sizes.items())}")
            # All dimensions at once may not fit each other, such as those of a window and of what it moves over.
            if len(by_name) > 1 and number == len(tried) and not behavior.runs(model, values):
                continue
            rounds.append(Round(sizes, *_compare(run, model, values, number, sizes, rtol, atol)))
        return rounds


@contextmanager
def _ask_for_branches(readers: Sequence[str]) -> Iterator[None]:
    """Add the modules that read a size as a number, if there are any, to the message of an ExportError in the block."""
    try:
        yield
    except ExportError as error:
        if not readers:
            raise
        modules = join_some([name_module(path) for path in readers], _LISTED)
        raise ExportError(
            f"{error} A size is read as a number in {modules}: is there a branch on it?", readers[0]
        ) from error


def _sizes_that_run(
    model: torch.nn.Module, values: Any, dimensions: Sequence[Dimension], dimension: Dimension, seed: int, count: int
) -> list[int]:
    """Return other sizes of a dimension with which the model runs. Raises ExportError if there are none."""
    found: list[int] = []
    for size in candidates(dimension.size):
        if len(found) < count and behavior.runs(model, draw(values, dimensions, {dimension.name: size}, seed)):
            found.append(size)
    if not found:
        raise ExportError(
            f"the model runs with no size of {dimension.name} but {dimension.size}, as far as was tried: leave out --dynamic "
            f"{dimension.name}."
        )
    return found


def _compare(
    run: Run,
    model: torch.nn.Module,
    values: tuple[tuple[Any, ...], dict[str, Any]],
    number: int | None,
    sizes: Mapping[str, int],
    rtol: float,
    atol: float,
) -> tuple[float, float]:
    where = ", ".join(f"{name} {size}" for name, size in sizes.items())
    where = f"on {'the given' if number is None else 'other'} inputs{f' ({where})' if where else ''}"
    args, kwargs = copy.deepcopy(values)
    wanted = find_tensors(behavior.call(model, args, kwargs))
    try:
        got = run(*values)
    except ExportError as error:
        raise ExportError(f"{error} This happened {where}.") from error
    except Exception as error:
        raise ExportError(f"the file raised an error {where}: {describe(error)}") from error
    if len(got) != len(wanted):
        raise ExportError(f"{where}, the file returns {len(got)} tensors and the model {len(wanted)}.")
    pairs = enumerate(zip(got, wanted, strict=True))
    found = [_difference(a, b, f"result {index}", where, rtol, atol) for index, (a, b) in pairs]
    return max(largest for largest, _ in found), max(relative for _, relative in found)


def _difference(
    got: torch.Tensor, wanted: torch.Tensor, name: str, where: str, rtol: float, atol: float
) -> tuple[float, float]:
    """Return the largest difference of two tensors, and its ratio to the largest element.

    Raises ExportError if they differ by more than the tolerances.
    """
    wanted = wanted.detach().cpu()
    got = got.detach().cpu()
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        raise ExportError(
            f"{where}, {name} is {_kind(got)} by the file and {_kind(wanted)} by the model: the file would be wrong, and was not kept."
        )
    if not wanted.numel():
        return 0.0, 0.0
    exact = not (wanted.is_floating_point() or wanted.is_complex())
    wide = torch.complex128 if wanted.is_complex() else torch.float64
    a, b = got.to(wide), wanted.to(wide)
    finite = torch.isfinite(b)
    same = torch.isclose(a, b, rtol=0, atol=0, equal_nan=True)
    differences = torch.where(same, 0.0, (a - b).abs())
    largest = float(differences.nan_to_num(nan=torch.inf, posinf=torch.inf).max())
    scale = float(b[finite].abs().max()) if bool(finite.any()) else 0.0
    allowed = 0.0 if exact else atol + rtol * scale
    if largest > allowed:
        raise ExportError(
            f"{where}, {name} differs by {largest:.3g}, and {allowed:.3g} is allowed: the file would be wrong, and was not kept."
        )
    return largest, largest / scale if scale else largest


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype)[6:]}{list(tensor.shape)}"
