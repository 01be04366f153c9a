"""The surroundings of a method that is lowered: the fields of its class, and the other methods and functions of the model's source."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Protocol

from torch import nn

from bridge.port.ir.nodes import Expression, Function, Origin
from bridge.port.ir.types import Type
from bridge.port.observe.observations import Method


class Surroundings(Protocol):
    """A class of the model, as its methods see it; or the functions of the model that are no methods."""

    @property
    def kind(self) -> type[nn.Module] | None:
        """Return the class of modules whose method is lowered; None for a function that is no method."""
        ...

    @property
    def constructs(self) -> bool:
        """Return whether a constructor is lowered, or a function that a constructor calls; both may create modules and parameters."""
        ...

    @property
    def builds(self) -> bool:
        """Return whether the constructor of a subclass of nn.Sequential is lowered, which becomes a function in C#."""
        ...

    @property
    def is_translated(self) -> bool:
        """Return whether C#'s constructors come from the source, so that other arguments make other modules than the instances."""
        ...

    @property
    def methods(self) -> Mapping[types.FunctionType, Method]:
        """Return every function of the model's source that ran, with its observations."""
        ...

    def has(self, name: str) -> bool | None:
        """Return whether the module itself has an attribute; None where some instances have it and some do not."""
        ...

    def parts(self) -> list[str]:
        """Return the names of the fields of the module itself that hold modules."""
        ...

    def member(self, kind: type[nn.Module], name: str, origin: Origin) -> Type:
        """Return the type of an attribute of another module by its class; UNKNOWN if the class does not determine it."""
        ...

    def field(self, name: str, origin: Origin) -> Expression:
        """Return an attribute of the module itself: a Field, or the Literal of a setting that no method assigns.

        ``name`` may be the path of a setting in an object of settings: ``config.width``.
        """
        ...

    def settings(self, kind: type[nn.Module], name: str) -> list[Any]:
        """Return the distinct values that an attribute has in the modules of a class; none if the model's source assigns it."""
        ...

    def setting(self, names: tuple[str, ...], origin: Origin) -> Expression | None:
        """Return an attribute of a settings object of the module (``self.config.hidden_size``); None if it is no setting."""
        ...

    def entries(self, origin: Origin) -> Expression | None:
        """Return the children of the module with their names, if its class takes any number of them; None if the class names each child."""
        ...

    def store(self, name: str, type: Type, origin: Origin) -> None:
        """Note that a method assigns an attribute of the module itself."""
        ...

    def is_buffer(self, name: str) -> bool:
        """Return whether an attribute of the module itself is a buffer that its constructor registers, while another method is lowered."""
        ...

    def function(self, function: types.FunctionType, origin: Origin, *, of_self: bool = False) -> Function:
        """Return a function or method of the model's source with its parameters and result; it is lowered at the first request.

        ``of_self`` says that a function that is no method takes the module itself as its first argument, and becomes a method of the class.
        """
        ...

    def constructor(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Return the constructor of a class of the model, with the parameters that C#'s constructor takes; the others are in ``fixed``.

        Raises Untranslatable if the class has no translated constructor.
        """
        ...

    def builder(self, kind: type[nn.Module], origin: Origin) -> Function:
        """Return the function that creates the nn.Sequential for a subclass of it without its own forward. Raises Untranslatable."""
        ...

    def module_type(self, module: nn.Module) -> Type:
        """Return the type of a module: ModuleOf or ModulesOf."""
        ...

    def new_type(self, kind: type[nn.Module]) -> Type:
        """Return the type of a new module of a class."""
        ...

    def rank(self, kind: type[nn.Module]) -> int:
        """Return the number of dimensions of the inputs of a class's modules; 0 if it differs or is not known."""
        ...

    def is_chained(self, kind: type) -> bool:
        """Return whether modules of the class are children of nn.Sequential, which gives them one argument."""
        ...

    def is_own(self, kind: type) -> bool:
        """Return whether a class of modules becomes a class of C#."""
        ...

    def is_there(self, kind: type) -> bool:
        """Return whether a class of modules outside PyTorch belongs to the model; C# has no counterpart of other classes."""
        ...

    def forward_of(self, kind: type) -> types.FunctionType:
        """Return the function that runs when a module of the class is called."""
        ...
