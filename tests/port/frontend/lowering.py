"""Functions and modules of the tests, run under observation and lowered."""

from __future__ import annotations

import copy
import itertools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn

from bridge.port.frontend import functions
from bridge.port.frontend.classes import settings
from bridge.port.frontend.evidence import type_of
from bridge.port.ir.nodes import Expression, Field, Function, Literal, Node, Origin
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import PLAIN_MODULE, UNKNOWN, ModuleOf, ModulesOf, Type, join
from bridge.port.observe import modules as layers
from bridge.port.observe.observations import Method
from bridge.port.observe.runs import observe, observe_function
from bridge.port.observe.sources import read_method
from tests.port.frontend.interpreter import run


class Surroundings:
    """One module (or none) and its source: settings are those of the instance."""

    def __init__(
        self,
        methods: Mapping[types.FunctionType, Method],
        module: nn.Module | None = None,
        *,
        constructs: bool = False,
    ) -> None:
        self.methods = methods
        self.constructs = constructs
        self.builds = False
        self.is_translated = False
        self.module = module
        self.kind = None if module is None else type(module)
        self.stored: dict[str, Type] = {}

    def field(self, name: str, origin: Origin) -> Expression:
        """Return an attribute of the module."""
        value = getattr(self.module, name, None)
        found = self.stored.get(name) or type_of(value, self)
        if name in self.stored or isinstance(value, (torch.Tensor, nn.Module)):
            return Field(name, type=found, origin=origin)
        return Literal(value, name, type=found, origin=origin)

    def has(self, name: str) -> bool | None:
        """Return whether the module has an attribute."""
        return hasattr(self.module, name)

    def parts(self) -> list[str]:
        """Return the names of the children."""
        return [] if self.module is None else [name for name, _ in self.module.named_children()]

    def member(self, kind: type[nn.Module], name: str, origin: Origin) -> Type:
        """Return the type of an attribute of another module."""
        return UNKNOWN

    def setting(self, names: tuple[str, ...], origin: Origin) -> Expression | None:
        """Return an attribute of a settings object of the module."""
        if settings.assigned(names, self.methods.values()):
            return None
        return settings.constant(settings.read(getattr(self.module, names[0], None), names[1:]), origin)

    def settings(self, kind: type[nn.Module], name: str) -> list[Any]:
        """Return the values in the module's parts."""
        return (
            settings.distinct([one for one in self.module.modules() if isinstance(one, kind)], name)
            if self.module
            else []
        )

    def entries(self, origin: Origin) -> Expression | None:
        """Return that the class names its children."""
        return None

    def store(self, name: str, type: Type, origin: Origin) -> None:
        """Note an attribute that a method assigns."""
        self.stored[name] = type

    def is_buffer(self, name: str) -> bool:
        """Return False: the tests of buffers port whole classes."""
        return False

    def function(self, function: types.FunctionType, origin: Origin, *, of_self: bool = False) -> Function:
        """Lower another function."""
        return functions.lower(self.methods[function], self)

    def is_there(self, kind: type) -> bool:
        """Return True: each class of the tests' is there."""
        return True

    def builder(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Return the constructor of a class, which makes a chain."""
        return self.constructor(kind, origin)

    def constructor(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Return the constructor of a class of the tests', lowered by its own observations."""
        function = kind.__init__
        return functions.lower(self.methods[function], self)  # type: ignore[index]  # a function

    def module_type(self, module: nn.Module) -> Type:
        """Return the type of a module."""
        if isinstance(module, (nn.ModuleList, nn.Sequential, nn.ModuleDict)):
            inner = join(self.module_type(one) for one in module.children())
            return ModulesOf(type(module), inner or ModuleOf(nn.Module))
        return self.new_type(type(module))

    def new_type(self, kind: type[nn.Module]) -> Type:
        """Return the type of a new module."""
        if issubclass(kind, nn.Sequential):
            return ModulesOf(kind, PLAIN_MODULE)
        return ModuleOf(kind, kind.__name__ not in layers.OF_MORE)

    def rank(self, kind: type[nn.Module]) -> int:
        """Return that inputs are images."""
        return 4

    def is_chained(self, kind: type) -> bool:
        """Return False: no module is in a chain here."""
        return False

    def is_own(self, kind: type) -> bool:
        """Return whether a class is one of the tests'."""
        return kind.__module__.startswith("test")

    def forward_of(self, kind: type) -> types.FunctionType:
        """Return a class's forward."""
        forward: types.FunctionType = kind.forward  # type: ignore[attr-defined]  # a module
        return forward


def lower(
    function: Callable[..., Any],
    *calls: tuple[Any, ...],
    constructs: bool = False,
    named: Iterable[dict[str, Any]] = ({},),
) -> Function:
    """Observe a function in these calls, each with the ``named`` arguments, and lower it; ``constructs`` as what a constructor calls."""
    method = read_method(function)
    assert method is not None

    def run() -> None:
        for call, given in itertools.product(calls, named):
            function(*call, **given)

    methods = observe_function(method, run)
    return functions.lower(method, Surroundings(methods, constructs=constructs))


def lower_forward(model: nn.Module, **arguments: Any) -> Function:
    """Observe a model, and lower its forward."""
    methods = observe(model, arguments, lambda kind: kind is type(model))
    return functions.lower(methods[type(model).forward], Surroundings(methods, model))  # type: ignore[index]  # a function


def found(node: Node, *kinds: type[Node]) -> list[Any]:
    """Return the nodes of these kinds, parents first."""
    return [one for one in walk(node) if isinstance(one, kinds)]


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call gives, or the name of its error."""
    try:
        value = call()
    except Exception as error:
        return type(error).__name__
    return value


def same(a: Any, b: Any) -> bool:
    """Return whether two results are the same, tensors by dtype, shape and values."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and same(list(a.values()), list(b.values()))
    return type(a) is type(b) and bool(a == b)


def differences(
    function: Callable[..., Any], seen: tuple[tuple[Any, ...], ...], tried: tuple[tuple[Any, ...], ...]
) -> list[str]:
    """Return the calls in which a function and what it is lowered to differ; it is observed in the first calls only."""
    lowered = lower(function, *seen)
    found = []
    for call in (*seen, *tried):
        wanted = outcome(lambda call=call: function(*copies(call)))  # type: ignore[misc]
        given = outcome(lambda call=call: run(lowered, *copies(call)))  # type: ignore[misc]
        if not same(wanted, given):
            found.append(f"{call}: {wanted}, and {given}")
    return found


def copies(given: Any) -> Any:
    """Return arguments that a call may change."""
    return copy.deepcopy(given)
