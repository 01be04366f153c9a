"""Binding of call arguments to ``forward``'s parameters. ``m(a, b)`` and ``m(a, b=b)`` give equal events.

Trailing arguments that equal their defaults are dropped. For ``forward(a, b=None)``, ``m(a)`` and ``m(a, None)`` give equal events. A
*mirror* is the ``torch.nn.Module`` that represents a C# module.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from bridge.mirror import Mirror, linked
from bridge.mirror.crossing.conversion import Default
from bridge.torchsharp.classes import ON_TORCHSHARP
from bridge.trace import Event, Trace

_EMPTY = inspect.Parameter.empty
_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Arguments(tuple[Any, ...]):
    """The arguments of a call in the order of ``forward``'s parameters, with the parameters' ``names``."""

    names: tuple[str, ...] = ()


class Binder:
    """A binder of the arguments of module calls. It reads the signature of each Python module once."""

    def __init__(self) -> None:
        self._known: dict[torch.nn.Module, inspect.Signature | None] = {}

    def __call__(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments in the order of the parameters, without trailing defaults.

        If ``forward`` has no signature, or the arguments do not fit the signature, returns all arguments as given, keyword arguments last.
        """
        if isinstance(module, Mirror):
            return _bind_csharp(module, args, kwargs)
        if module not in self._known:
            self._known[module] = _signature(module)
        signature = self._known[module]
        if signature is None:
            return (*args, *kwargs.values())
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return (*args, *kwargs.values())
        bound.apply_defaults()
        values: list[Any] = []
        defaults: list[Any] = []
        names: list[str] = []
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind in _SPREAD:
                spread = (
                    value if isinstance(value, dict) else {f"{name}[{index}]": item for index, item in enumerate(value)}
                )
                values += spread.values()
                defaults += [_EMPTY] * len(spread)
                names += spread
            else:
                values.append(value)
                defaults.append(parameter.default)
                names.append(name)
        count = len(values) - count_trailing_defaults(values, defaults)
        found = Arguments(values[:count])
        found.names = tuple(names[:count])
        return found


def _bind_csharp(mirror: Mirror, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    # An omitted argument before a given one gets the parameter's default value, or ``Default`` if the parameter has no default value or one
    # that Python cannot express.
    defaults = defaults_of(mirror)
    if not kwargs and (len(args) > len(defaults) or not (args and defaults[len(args) - 1] is not _EMPTY)):
        return args
    names = [name for name, _ in parameters_of(mirror)]
    if not kwargs.keys() <= set(names[len(args) :]):
        return (*args, *kwargs.values())
    values = list(args)
    if kwargs:
        values += [kwargs.get(name, Default) for name in names[len(args) :]]
        while values and values[-1] is Default:
            values.pop()
        known = zip(values, defaults, strict=False)
        values = [default if value is Default and default is not _EMPTY else value for value, default in known]
    return tuple(values[: len(values) - count_trailing_defaults(values, defaults[: len(values)])])


def parameters_of(mirror: torch.nn.Module) -> list[tuple[str, bool]]:
    """Return the name of each parameter of a C# ``forward``, and whether its argument may be omitted."""
    if isinstance(mirror, ON_TORCHSHARP):
        parameters = inspect.signature(mirror.forward).parameters.values()
        return [(parameter.name, parameter.default is not _EMPTY) for parameter in parameters]
    return list(linked(mirror).arguments or ())


def defaults_of(module: torch.nn.Module) -> tuple[Any, ...]:
    """Return the defaults of ``forward``'s parameters in order, ``inspect.Parameter.empty`` for parameters without a default.

    Returns () for a ``forward`` with ``*args`` or ``**kwargs``, or without a signature. For a mirror, a default that Python cannot express
    is ``empty``.
    """
    if isinstance(module, Mirror):
        return module._link.defaults
    signature = _signature(module)
    if signature is None or any(parameter.kind in _SPREAD for parameter in signature.parameters.values()):
        return ()
    return tuple(parameter.default for parameter in signature.parameters.values())


def count_trailing_defaults(values: Sequence[Any], defaults: Sequence[Any]) -> int:
    """Count the trailing ``values`` that equal their ``defaults``."""
    count = 0
    for value, default in zip(reversed(values), reversed(defaults), strict=False):
        if default is _EMPTY or not _same(value, default):
            break
        count += 1
    return count


def without_defaults(trace: Trace, model: torch.nn.Module) -> Trace:
    """Return ``trace`` without trailing arguments that equal the defaults of ``forward``: C# records every argument, even a default.

    The defaults of a call are those of the module that has the same path in ``model``. ``model`` is the PyTorch model with which the trace
    is compared, or the C# model if there is no PyTorch model. A call changes only if it has one value for each parameter.
    """
    defaults = {path: defaults_of(module) for path, module in model.named_modules()}
    if not any(defaults.values()):
        return trace
    events = [_drop_defaults(event, defaults.get(event.path, ())) for event in trace]
    if all(new is old for new, old in zip(events, trace, strict=True)):
        return trace
    return Trace(trace.runtime, events, trace.roots, trace.header)


def _drop_defaults(event: Event, defaults: tuple[Any, ...]) -> Event:
    if event.phase != "pre" or not defaults or len(event.values) != len(defaults):
        return event
    plain = [value if value.kind in ("tensor", "object") else value.literal for value in event.values]
    count = count_trailing_defaults(plain, defaults)
    return replace(event, values=event.values[:-count]) if count else event


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    plain = isinstance(value, (bool, int, float, str)) and type(value) is type(default)
    return plain and value == default


def _signature(module: torch.nn.Module) -> inspect.Signature | None:
    try:
        return inspect.signature(module.forward)
    except (TypeError, ValueError):
        return None
