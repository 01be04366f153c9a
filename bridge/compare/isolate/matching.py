"""Arguments of PyTorch's call as the C# counterpart takes them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch

from bridge.compare.alignment import partners, returned
from bridge.compare.io.outputs import kept
from bridge.compare.isolate.copies import tensors
from bridge.compare.isolate.record import Call
from bridge.mirror import Mirror, link_of
from bridge.mirror.crossing.conversion import Default
from bridge.runtimes.binding import Binder, defaults_of, parameters_of, trailing
from bridge.runtimes.recording import labelled, leaves

_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class NoCounterpartError(Exception):
    """Some argument cannot be handed over; the message says which."""


def arguments_for(dotnet: torch.nn.Module, call: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What to call the C# module with. Raises NoCounterpartError.

    Parameters correspond as :func:`bridge.compare.alignment.partners` says; what C# lacks is left out unless it is a tensor.
    """
    if not isinstance(dotnet, Mirror):
        # One of PyTorch's classes for a built-in: C# has the same parameters, or fewer at the end.
        taken = len(link_arguments(dotnet))
        bound = _named(call)
        if bound is None:
            return call.args, call.kwargs
        values = [value for _, value, _ in bound]
        while len(values) > taken and bound[len(values) - 1][2]:
            values.pop()
        while values and bound[len(values) - 1][2] and _may_end(dotnet, len(values)):
            values.pop()
        if len(values) > taken:
            raise NoCounterpartError(
                f"the C# forward has no counterpart of {', '.join(n for n, _, _ in bound[taken:])}"
            )
        return tuple(values), {}
    theirs = parameters_of(dotnet)
    bound = _named(call)
    if bound is None:
        if call.kwargs:
            raise NoCounterpartError(f"it is given {', '.join(call.kwargs)} by keyword")
        return call.args, {}
    known = {one: (value, default) for one, value, default in bound}
    passed = [one for one, (value, default) in known.items() if not default and value is not None]
    pairs = partners([one for one, _ in theirs], list(known), passed)
    # What is no tensor was said by the comparison; a tensor that C# does not have makes it another computation.
    lacking = [one for one in passed if one not in pairs.values() and tensors(known[one][0])]
    if lacking:
        names = ", ".join(one for one, _ in theirs)
        raise NoCounterpartError(
            f"PyTorch's call is given {', '.join(lacking)}, which the C# forward({names}) does not take"
        )
    while theirs and (pairs.get(theirs[-1][0]) is None or (known[pairs[theirs[-1][0]]][1] and theirs[-1][1])):
        # What is left out at the end takes C#'s default.
        theirs.pop()
    return tuple(known[pairs[one]][0] if one in pairs else Default for one, _ in theirs), {}


def result_for(dotnet: torch.nn.Module, call: Call) -> Any:
    """Of what PyTorch's module returned, as much as the C# counterpart is declared to return (see :mod:`bridge.compare.io.outputs`)."""
    if not isinstance(dotnet, Mirror) or isinstance(call.result, torch.Tensor) or (count := returned(dotnet)) == 0:
        return call.result
    found, names = leaves(call.result), labelled(call.result)
    places = kept(names, [leaf is None for leaf in found], count, inner=True)
    if places is None:
        # One tensor in a container of PyTorch's, such as a ModelOutput.
        return found[0] if len(found) == count == 1 else call.result
    chosen = tuple(found[place] for place in places)
    return chosen[0] if count == 1 else chosen


def link_arguments(dotnet: torch.nn.Module) -> list[tuple[str, bool]]:
    link = link_of(dotnet)
    return list(link.arguments or ()) if link is not None else []


def _may_end(dotnet: torch.nn.Module, count: int) -> bool:
    """The parameter at that place has a default in C#."""
    known = link_arguments(dotnet)
    return count <= len(known) and known[count - 1][1]


def _named(call: Call) -> list[tuple[str, Any, bool]] | None:
    """The call's arguments in order: name, value, whether it is the default. None where the signature does not tell."""
    try:
        signature = inspect.signature(type(call.module).forward)
        bound = signature.bind(call.module, *call.args, **call.kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    found: list[tuple[str, Any, bool]] = []
    for name, value in list(bound.arguments.items())[1:]:
        parameter = signature.parameters[name]
        if parameter.kind in _SPREAD:
            spread = (
                value.items() if isinstance(value, dict) else ((f"{name}[{at}]", one) for at, one in enumerate(value))
            )
            found += [(key, one, False) for key, one in spread]
        else:
            default = parameter.default
            found.append((name, value, trailing([value], [default]) == 1))
    return found


class Binding:
    """Arguments of either side as one list: without those at the end that are the defaults of PyTorch's."""

    def __init__(self) -> None:
        self._bind = Binder()

    def both(
        self, call: Call, dotnet: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """PyTorch's recorded arguments, and those that the C# counterpart was given."""
        right = self._bind(dotnet, args, kwargs)
        if isinstance(dotnet, Mirror):
            try:
                left = arguments_for(dotnet, call)[0]
            except NoCounterpartError:
                left = self._bind(call.module, call.args, call.kwargs)
            defaults = defaults_of(dotnet)
            left, right = _shortened(left, right, defaults), _shortened(right, left, defaults)
            # What only C# has a parameter for is not compared.
            return tuple(
                y if x is Default else x for x, y in zip(left, (*right, *left[len(right) :]), strict=False)
            ), right
        left = self._bind(call.module, call.args, call.kwargs)
        defaults = defaults_of(call.module)
        return left, _shortened(right, left, defaults)


def _shortened(values: tuple[Any, ...], other: tuple[Any, ...], defaults: Sequence[Any]) -> tuple[Any, ...]:
    """Without those at the end that ``other`` lacks, if all are defaults."""
    extra = values[len(other) :]
    spare = len(extra) if trailing(extra, defaults[len(other) : len(values)]) == len(extra) else 0
    return values[: len(values) - spare]
