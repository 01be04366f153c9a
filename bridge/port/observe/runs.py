"""Runs of a model whose methods record the values of their expressions."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from types import MappingProxyType
from typing import Any

import torch

from bridge.compare.errors import describe
from bridge.compare.io.inputs import describe_value
from bridge.port.errors import PortError
from bridge.port.observe.arguments import copy_arguments, double_batch, halve_batch, mask_last
from bridge.port.observe.instrumentation import Instrumentation
from bridge.port.observe.modules import forward_of
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_foreign, read_method, unwrap
from bridge.port.observe.state import keep_state, save_state
from bridge.port.observe.stored_functions import define_within
from bridge.runtimes.recording import leaves


def observe(
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    own: Callable[[type], bool],
    forwards: Mapping[type, types.FunctionType] = MappingProxyType({}),
) -> dict[types.FunctionType, Method]:
    """Run a model several times, and return its methods and functions with the observations of all runs.

    ``own`` returns whether the methods of a class belong to the model's source. ``forwards`` maps classes to the functions that run in
    place of their forwards.
    """
    methods: dict[types.FunctionType, Method] = {}
    instances: dict[type[torch.nn.Module], list[torch.nn.Module]] = {}
    for module in model.modules():
        if own(type(module)):
            instances.setdefault(type(module), []).append(module)
    for kind, modules in instances.items():
        method = read_method(forwards.get(kind, forward_of(kind)), modules)
        if method is not None:
            method = methods.setdefault(method.function, method)
            of_class = vars(kind).get(method.function.__name__) is method.function
            method.stands_for = kind if kind in forwards and not of_class else method.stands_for
    every = list(model.modules())
    for method in methods.values():
        define_within(method, every)
    properties = _properties(instances)
    methods |= {function: method for function, method in properties.items() if function not in methods}
    with _replace_forwards(model, forwards), Instrumentation(methods, own) as instrumentation:
        _run(model, arguments, instrumentation)
    return {function: one for function, one in methods.items() if function not in properties or one.seen}


def _properties(kinds: Iterable[type[torch.nn.Module]]) -> dict[types.FunctionType, Method]:
    """Return the functions that compute the properties of classes of the model's source."""
    found: dict[types.FunctionType, Method] = {}
    for owner in dict.fromkeys(one for kind in kinds for one in kind.__mro__ if issubclass(one, torch.nn.Module)):
        for value in vars(owner).values():
            function = unwrap(value.fget) if isinstance(value, property) else None
            if isinstance(function, types.FunctionType) and not is_foreign(function):
                method = read_method(function)
                found |= {function: method} if method is not None else {}
    return found


def observe_function(method: Method, run: Callable[[], None]) -> dict[types.FunctionType, Method]:
    """Observe one function and the functions that it calls, while ``run`` calls it."""
    methods = {method.function: method}
    method.seen.clear()
    method.given.clear()
    with Instrumentation(methods, lambda kind: False):
        run()
    return methods


def observe_ranks(model: torch.nn.Module, arguments: Mapping[str, Any]) -> dict[torch.nn.Module, int]:
    """Return the number of dimensions of the input of each module whose class in TorchSharp depends on it."""
    modules = [module for module in model.modules() if isinstance(module, torch.nn.Upsample)]
    found: dict[torch.nn.Module, int] = {}

    def note(module: torch.nn.Module, args: tuple[Any, ...]) -> None:
        found[module] = args[0].dim() if args else 0

    if modules:
        with keep_state(model), ExitStack() as hooks, torch.no_grad(), torch.random.fork_rng(devices=()):
            for module in modules:
                hooks.callback(module.register_forward_pre_hook(note).remove)
            model.eval()(**arguments)
    return found


def _run(model: torch.nn.Module, arguments: Mapping[str, Any], instrumentation: Instrumentation) -> None:
    """Run the model in eval mode, twice in a row and with other batch sizes, and in train mode as far as it runs without an exception.

    A model of sequences that is given no mask of attention is also run with one.
    """
    restore = save_state(model)

    def run(train: bool, given: Mapping[str, Any]) -> Any:
        return model.train(train)(**copy_arguments(given))

    def attempt(train: bool, given: Mapping[str, Any]) -> bool:
        accepted = []
        with instrumentation.tentative():
            run(train, given)
            accepted.append(train)
        return bool(accepted)

    with torch.no_grad(), torch.random.fork_rng(devices=()), ExitStack() as stack:
        stack.callback(restore)
        try:
            result = run(False, arguments)
        except Exception as error:
            given = ", ".join(f"{name}={describe_value(value)}" for name, value in arguments.items())
            raise PortError(f"the model cannot be run with {given}: {describe(error)}") from error
        if (found := list(leaves(result))) and all(one is None for one in found):
            raise PortError(f"the model returns {describe_value(result)}: return at least one tensor.")
        attempt(False, arguments)
        doubled, halved, masked = double_batch(arguments), halve_batch(arguments), mask_last(model, arguments)
        restore()
        if masked is not None:
            attempt(False, masked)
            restore()
        if not attempt(True, doubled):  # in train mode, a batch norm refuses a channel with one value
            restore()
            attempt(False, doubled)
            restore()
            with suppress(Exception):  # observations made before an exception are kept
                run(True, arguments)
        if halved is not None:
            restore()
            attempt(False, halved)


@contextmanager
def _replace_forwards(model: torch.nn.Module, forwards: Mapping[type, types.FunctionType]) -> Iterator[None]:
    modules = [module for module in model.modules() if type(module) in forwards]
    before = {module: vars(module)["forward"] for module in modules if "forward" in vars(module)}
    try:
        for module in modules:
            module.forward = types.MethodType(forwards[type(module)], module)
        yield
    finally:
        for module in modules:
            vars(module).pop("forward", None)
        for module, forward in before.items():
            vars(module)["forward"] = forward
