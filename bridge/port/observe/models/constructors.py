"""Constructors, observed: the model is made once more, while each ``__init__`` of its classes records the values of its expressions."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import types
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from bridge.port.observe.instrumentation import Instrumentation
from bridge.port.observe.modules import is_own
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_foreign, read_method


def observe_constructors(
    factory: Callable[[], torch.nn.Module],
    model: torch.nn.Module,
    substitutes: Mapping[type[torch.nn.Module], types.FunctionType] = MappingProxyType({}),
) -> tuple[dict[types.FunctionType, Method], set[tuple[type, str]]]:
    """Make a model again, and return the constructors of its classes and the functions that they call, with the observations of that run.

    The second result has the tensors, by class and name, that no ``state_dict`` has and that differ between ``model`` and the new one.
    Output and exceptions of the factory are discarded, since it was called before. ``substitutes`` maps classes of
    PyTorch to constructors that run in place of theirs; their observations are returned for the constructors that they replace.
    """
    kinds = dict.fromkeys(map(type, model.modules()))
    methods: dict[types.FunctionType, Method] = {}
    drawn = set[tuple[type, str]]()
    for owner in dict.fromkeys(one for kind in kinds for one in kind.__mro__ if issubclass(one, torch.nn.Module)):
        init = vars(owner).get("__init__")
        if isinstance(init, types.FunctionType) and not is_foreign(init) and (method := read_method(init)) is not None:
            methods[method.function] = method
    standing = {kind: method for kind, one in substitutes.items() if (method := read_method(one)) is not None}
    for kind, method in standing.items():
        method.stands_for = kind
        methods[method.function] = method
    with contextlib.ExitStack() as stack:
        stack.enter_context(_random_state())
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        stack.enter_context(Instrumentation(methods, lambda kind: False))
        stack.enter_context(_replaced({kind: method.function for kind, method in standing.items()}))
        stack.enter_context(contextlib.suppress(Exception))
        drawn |= _drawn(model, factory())
    for kind, method in standing.items():
        methods[vars(kind)["__init__"]] = methods.pop(method.function)
    return methods, drawn


@contextlib.contextmanager
def _replaced(constructors: Mapping[type, types.FunctionType]) -> Iterator[None]:
    """Replace the constructors of PyTorch's classes within the ``with`` statement."""
    before = {kind: vars(kind)["__init__"] for kind in constructors}
    try:
        for kind, one in constructors.items():
            kind.__init__ = one  # type: ignore[misc]  # mypy forbids to assign a constructor
        yield
    finally:
        for kind, one in before.items():
            kind.__init__ = one  # type: ignore[misc]  # mypy forbids to assign a constructor


def _drawn(model: torch.nn.Module, again: torch.nn.Module) -> set[tuple[type, str]]:
    """Return the tensors, by class and name, that no ``state_dict`` has and that differ between the two models."""
    found = set()
    others = dict(again.named_modules())
    for path, one in model.named_modules():
        kept = {name: value for name, value in one._buffers.items() if name in one._non_persistent_buffers_set}
        for name, value in {**kept, **vars(one)}.items():
            other = getattr(others.get(path), name, None)
            if isinstance(value, torch.Tensor) and not (isinstance(other, torch.Tensor) and torch.equal(value, other)):
                found.add((type(one), name))
    return found


@contextlib.contextmanager
def _random_state() -> Iterator[None]:
    """Restore the state of the generators of PyTorch, Python and NumPy afterwards."""
    numpy = sys.modules.get("numpy")
    of_python, of_numpy = random.getstate(), numpy.random.get_state() if numpy is not None else None
    try:
        with torch.random.fork_rng(devices=()):
            yield
    finally:
        random.setstate(of_python)
        if numpy is not None:
            numpy.random.set_state(of_numpy)


def describe_module(module: torch.nn.Module, without: Collection[str] = (), attributes: bool = False) -> list[Any]:
    """Return a description of a module that shows whether it was changed: its children, parameters, buffers and plain attributes.

    Modules below it are included, down to modules of the model's own classes, which are described by themselves. Attributes named in
    ``without`` are left out. The attributes of a module of PyTorch's are included only with ``attributes``.
    """
    found: list[Any] = [type(module), module.extra_repr() if not is_own(type(module)) else ""]
    found += [(name, id(one), _kind(one)) for name, one in module._parameters.items()]
    found += [(name, _kind(one)) for name, one in module._buffers.items()]
    if is_own(type(module)) or attributes:
        found += [(name, _plain(value)) for name, value in vars(module).items() if name not in ("training", *without)]
    for name, child in module._modules.items():
        found.append((name, id(child)))
        if child is not None and not is_own(type(child)):
            found += describe_module(child)
    return found


def _kind(tensor: torch.Tensor | None) -> Any:
    return None if tensor is None or is_lazy(tensor) else (tensor.shape, tensor.dtype)


def _plain(value: Any) -> Any:
    """Return the part of a value that is compared: a plain value itself, the items of a tuple or list, and the class of another value."""
    if isinstance(value, (bool, int, float, str, type(None), types.FunctionType, types.BuiltinFunctionType)):
        return value
    if isinstance(value, (tuple, list)):
        return [type(value), *map(_plain, value)]
    return type(value)
