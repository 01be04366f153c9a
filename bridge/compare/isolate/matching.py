"""Conversion of PyTorch's arguments and results to the arguments and results of the C# counterpart."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch

from bridge.compare.alignment import VARIADIC, count_returned, partners
from bridge.compare.errors import NoCounterpartError
from bridge.compare.io.outputs import matching_results
from bridge.compare.isolate.copies import tensors
from bridge.compare.isolate.record import RecordedCall
from bridge.mirror import Mirror, link_of
from bridge.mirror.crossing.conversion import Default
from bridge.runtimes.binding import Binder, count_trailing_defaults, defaults_of, parameters_of
from bridge.runtimes.recording import leaf_names, leaves


def arguments_for(dotnet: torch.nn.Module, call: RecordedCall) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the positional and keyword arguments with which to call the C# module as PyTorch's module was called.

    Parameters of a user's class correspond as in :func:`bridge.compare.alignment.partners`; arguments without tensors are left out if that
    class has no parameter for them. Raises NoCounterpartError for any other argument that cannot be passed.
    """
    bound = _bind(call)
    if not isinstance(dotnet, Mirror):
        return (call.args, call.kwargs) if bound is None else (_builtin_arguments(dotnet, bound), {})
    if bound is None:
        if call.kwargs:
            raise NoCounterpartError(
                f"PyTorch passes {', '.join(call.kwargs)} by keyword to a forward whose signature is not known"
            )
        return call.args, {}
    return _user_arguments(dotnet, bound), {}


def _builtin_arguments(dotnet: torch.nn.Module, bound: list[tuple[str, Any, bool]]) -> tuple[Any, ...]:
    """Return the arguments of a built-in module such as Linear, whose C# ``forward`` has PyTorch's parameters or only the leading ones."""
    link = link_of(dotnet)
    parameters = [] if link is None else list(link.arguments or ())
    count = len(bound)
    # A trailing argument that is a default is omitted if C# has no parameter for it, or the C# parameter has a default.
    while count and bound[count - 1][2] and (count > len(parameters) or parameters[count - 1][1]):
        count -= 1
    if count > len(parameters):
        names = ", ".join(name for name, _, _ in bound[len(parameters) :])
        raise NoCounterpartError(f"the C# forward has no parameter for {names}")
    return tuple(value for _, value, _ in bound[:count])


def _user_arguments(dotnet: torch.nn.Module, bound: list[tuple[str, Any, bool]]) -> tuple[Any, ...]:
    """Return the arguments of a user's C# module in the order of its parameters (see :func:`bridge.compare.alignment.partners`)."""
    parameters = parameters_of(dotnet)
    known = {name: (value, is_default) for name, value, is_default in bound}
    passed = [name for name, (value, is_default) in known.items() if not is_default and value is not None]
    pairs = partners([name for name, _ in parameters], list(known), passed)
    # An argument that C# cannot take is an error only if it contains tensors: without them, C# cannot compute the same. The comparison of
    # the whole models reports the other arguments that C# cannot take.
    lacking = [name for name in passed if name not in pairs.values() and tensors(known[name][0])]
    if lacking:
        names = ", ".join(name for name, _ in parameters)
        raise NoCounterpartError(f"PyTorch passes {', '.join(lacking)}, which the C# forward({names}) does not accept")
    found = [(*known.get(pairs.get(name, ""), (Default, True)), optional) for name, optional in parameters]
    while found and (found[-1][0] is Default or (found[-1][1] and found[-1][2])):
        found.pop()
    return tuple(value for value, _, _ in found)


def result_for(dotnet: torch.nn.Module, call: RecordedCall) -> Any:
    """Return the part of PyTorch's result that the C# counterpart is declared to return (see :mod:`bridge.compare.io.outputs`).

    The whole result is returned if the declaration does not determine a part.
    """
    if (
        not isinstance(dotnet, Mirror)
        or isinstance(call.result, torch.Tensor)
        or (count := count_returned(dotnet)) == 0
    ):
        return call.result
    found, names = leaves(call.result), leaf_names(call.result)
    places = matching_results(names, [leaf is None for leaf in found], count, inner=True)
    if places is None:
        # A result such as a ModelOutput of transformers can contain a single tensor, which C# returns by itself.
        return found[0] if len(found) == count == 1 else call.result
    chosen = tuple(found[place] for place in places)
    return chosen[0] if count == 1 else chosen


def _bind(call: RecordedCall) -> list[tuple[str, Any, bool]] | None:
    """Return the name and value of each argument, and whether the value is the default; None if the signature is not known."""
    try:
        signature = inspect.signature(type(call.module).forward)
        bound = signature.bind(call.module, *call.args, **call.kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    found: list[tuple[str, Any, bool]] = []
    for name, value in list(bound.arguments.items())[1:]:
        parameter = signature.parameters[name]
        if parameter.kind in VARIADIC:
            items = value if isinstance(value, dict) else {f"{name}[{at}]": item for at, item in enumerate(value)}
            found += [(key, item, False) for key, item in items.items()]
        else:
            found.append((name, value, count_trailing_defaults([value], [parameter.default]) == 1))
    return found


class ArgumentBinder:
    """A binder that brings the arguments of PyTorch's and C#'s calls into one order, without trailing defaults."""

    def __init__(self) -> None:
        self._bind = Binder()

    def bind_both(
        self, call: RecordedCall, dotnet: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arguments of PyTorch's recorded call and of the C# module's call, both by position."""
        right = self._bind(dotnet, args, kwargs)
        if not isinstance(dotnet, Mirror):
            left = self._bind(call.module, call.args, call.kwargs)
            return left, _without_defaults(right, left, defaults_of(call.module))
        try:
            left = arguments_for(dotnet, call)[0]
        except NoCounterpartError:
            left = self._bind(call.module, call.args, call.kwargs)
        defaults = defaults_of(dotnet)
        left, right = _without_defaults(left, right, defaults), _without_defaults(right, left, defaults)
        # A parameter that only C# has is not compared.
        pairs = zip(left, (*right, *left[len(right) :]), strict=False)
        return tuple(theirs if mine is Default else mine for mine, theirs in pairs), right


def _without_defaults(values: tuple[Any, ...], other: tuple[Any, ...], defaults: Sequence[Any]) -> tuple[Any, ...]:
    """Drop the values beyond the length of ``other`` if each of these values is its parameter's default."""
    extra = values[len(other) :]
    unused = count_trailing_defaults(extra, defaults[len(other) : len(values)]) == len(extra)
    return values[: len(other)] if unused else values
