"""What a method is lowered within: the fields of its class, and the other methods and functions of the model's source."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Protocol

from torch import nn

from bridge.port.ir.nodes import Expression, Function, Origin
from bridge.port.ir.types import Type
from bridge.port.observe.observations import Method


class Surroundings(Protocol):
    """A class of the model (or its functions that are no methods) as one of its methods sees it."""

    @property
    def kind(self) -> type[nn.Module] | None:
        """Return the class of modules whose method is lowered; None for a function that is no method."""
        ...

    @property
    def methods(self) -> Mapping[types.FunctionType, Method]:
        """Return every function of the model's source that ran, with its observations."""
        ...

    def has(self, name: str) -> bool | None:
        """Return whether the module itself has an attribute; None where some instances have it and some do not."""
        ...

    def member(self, kind: type[nn.Module], name: str, origin: Origin) -> Type:
        """Return the type of an attribute of another module by its class; UNKNOWN where the class does not tell."""
        ...

    def field(self, name: str, origin: Origin) -> Expression:
        """Return an attribute of the module itself: a Field, or the Literal of a setting that no method assigns.

        ``name`` may be the path of a setting in an object of settings: ``config.width``.
        """
        ...

    def settings(self, kind: type[nn.Module], name: str) -> set[Any]:
        """Return the values that an attribute has in all modules of another class of the model; none where a method assigns it."""
        ...

    def setting(self, names: tuple[str, ...], origin: Origin) -> Expression | None:
        """Return an attribute of a settings object of the module (``self.config.hidden_size``); None for what is no setting."""
        ...

    def entries(self, origin: Origin) -> Expression | None:
        """Return the children of the module with their names, where its class takes any number of them; None where it names them."""
        ...

    def store(self, name: str, type: Type, origin: Origin) -> None:
        """Note that a method assigns an attribute of the module itself."""
        ...

    def function(self, function: types.FunctionType, origin: Origin, *, of_self: bool = False) -> Function:
        """Return a function or method of the model's source with its parameters and result; lowered when first asked for.

        ``of_self`` says of a function that is no method that it is given the module itself first: it becomes a method of the class.
        """
        ...

    def module_type(self, module: nn.Module) -> Type:
        """Return the type of a module: ModuleOf or ModulesOf."""
        ...

    def is_chained(self, kind: type) -> bool:
        """Return whether modules of the class are children of nn.Sequential, which gives them one argument."""
        ...

    def is_own(self, kind: type) -> bool:
        """Return whether a class of modules becomes a class of C#."""
        ...

    def forward_of(self, kind: type) -> types.FunctionType:
        """Return the function that runs when a module of the class is called."""
        ...
