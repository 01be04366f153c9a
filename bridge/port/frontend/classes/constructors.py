"""A constructor of the model's source while it is lowered: the attributes that it assigns become the fields of its class."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from torch import nn

from bridge.port.frontend import functions
from bridge.port.frontend.classes import settings
from bridge.port.frontend.classes.instances import ENTRIES
from bridge.port.frontend.values import literal
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Expression, Field, Function, Literal, Origin
from bridge.port.ir.types import NONE, UNKNOWN, ConstantOf, Type, join, required
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import is_method, read_method

_ROUNDS: Final = 8
_MISSING: Final = object()


class Constructor:
    """The :class:`bridge.port.frontend.surroundings.Surroundings` of a class's constructor and of the methods that it calls.

    ``stored`` are the types of the attributes that it assigns, ``helpers`` the methods that it calls, lowered.
    """

    constructs = True
    is_translated = True

    def __init__(
        self,
        kind: type[nn.Module],
        constructors: dict[types.FunctionType, Method],
        module_type: Callable[[nn.Module], Type],
        is_own: Callable[[type], bool],
        is_chained: Callable[[type], bool],
        is_there: Callable[[type], bool],
        forward_of: Callable[[type], types.FunctionType],
        free: Callable[[types.FunctionType, Origin], Function],
        constructor: Callable[[type[nn.Module], Origin], Function],
        builder: Callable[[type[nn.Module], Origin], Function],
        new_type: Callable[[type[nn.Module]], Type],
        rank: Callable[[type[nn.Module]], int],
        known: Mapping[str, Type],
        member: Callable[[type[nn.Module], str, Origin], Type],
        entries: Type | None = None,
    ) -> None:
        self.kind: type[nn.Module] | None = kind
        #: Without constructors that assign attributes of ``self`` only, since these leave the attributes of other objects unchanged.
        self.methods = {one: method for one, method in constructors.items() if not _is_of_self(one, method)}
        self.module_type = module_type
        self.is_own = is_own
        self.is_chained = is_chained
        self.is_there = is_there
        self.forward_of = forward_of
        self.constructor = constructor
        self.builder = builder
        self.new_type = new_type
        self.rank = rank
        self.member = member
        self.stored: dict[str, Type] = {}
        self.helpers: dict[types.FunctionType, Function] = {}
        self._kind = kind
        self._constructors = constructors
        self._free = free
        self._known = known
        self._entries = entries
        #: Whether the constructor belongs to a chain and becomes a function that returns the chain.
        self.builds = False
        self._open: set[types.FunctionType] = set()

    def lower(self) -> Function:
        """Return the constructor, lowered. Raises Untranslatable."""
        init = self._kind.__init__
        if init is nn.Module.__init__:
            return Function("__init__", (), NONE, ())
        method = self._constructors.get(init)  # type: ignore[call-overload]  # a function, or PyTorch's
        if method is None:
            raise Untranslatable(Origin(), f"the constructor of {self._kind.__name__} is not of the model's source")
        if not (method.given or method.seen):
            raise Untranslatable(Origin(), f"the constructor of {self._kind.__name__}, which was not run again")
        for _ in range(_ROUNDS):
            before = dict(self.stored)
            self.helpers.clear()
            made = functions.lower(method, self, bound=True)
            if self.stored == before:
                return made
        raise Untranslatable(made.origin, "the types of the fields do not settle")

    # -- The module itself ---------------------------------------------------------------------------------------------

    def has(self, name: str) -> bool | None:
        """Return whether the module itself has an attribute; None if that depends on the statements that ran before."""
        return True if hasattr(self._kind, name) else None

    def field(self, name: str, origin: Origin) -> Expression:
        """Return an attribute of the module itself: a field that the constructor assigns, or the literal of a class attribute."""
        found = self.stored.get(name)
        if isinstance(found, ConstantOf):
            return Literal(found.value, type=found, origin=origin)
        if found is not None:
            return Field(name, type=found, origin=origin)
        value = getattr(self._kind, name, _MISSING)
        known = literal(value, origin, name)
        if known is None:
            raise Untranslatable(origin, f"self.{name}, which the constructor did not assign")
        return known

    def parts(self) -> list[str]:
        """Return no names, since the constructor may still assign others."""
        return []

    def store(self, name: str, type: Type, origin: Origin) -> None:
        """Note that the constructor assigns an attribute."""
        known = self.stored.get(name, self._known.get(name, UNKNOWN))
        found = join((known, type))
        constant = any(isinstance(required(one), ConstantOf) for one in (known, type))
        if found is None or (constant and UNKNOWN != known != type):
            raise Untranslatable(origin, f"self.{name} is {known}, and becomes {type}")
        self.stored[name] = found

    def is_buffer(self, name: str) -> bool:
        """Return False, since a constructor registers each buffer."""
        return False

    def setting(self, names: tuple[str, ...], origin: Origin) -> Expression | None:
        """Return an attribute of a settings object that the constructor has stored; None for another object, or if a method assigns it."""
        found = self.stored.get(names[0])
        if not isinstance(found, ConstantOf) or not settings.is_settings(found.value):
            return None
        if settings.assigned(names[1:], self.methods.values()):
            return None
        return settings.setting(found.value, names[1:], origin)

    def entries(self, origin: Origin) -> Expression | None:
        """Return the children with their names, if the class takes any number of them; None if it names each child."""
        return None if self._entries is None else Field(ENTRIES, type=self._entries, origin=origin)

    # -- Other modules and functions -----------------------------------------------------------------------------------

    def settings(self, kind: type[nn.Module], name: str) -> list[Any]:
        """Return no values, since other arguments make modules with other values."""
        return []

    def function(self, function: types.FunctionType, origin: Origin, *, of_self: bool = False) -> Function:
        """Return a function or method that the constructor calls, lowered. Raises Untranslatable."""
        if not of_self and not self._is_method(function):
            return self._free(function, origin)
        method = self._constructors.get(function) or read_method(function)
        if method is None or not (method.seen or method.given or functions.is_annotated(method.tree)):
            raise Untranslatable(origin, f"{function.__qualname__}, which did not run")
        if function in self._open:
            return functions.head(method, self, bound=True)
        if function not in self.helpers:
            self._constructors[function] = method
            self._open.add(function)
            try:
                self.helpers[function] = functions.lower(method, self, bound=True)
            except Untranslatable as error:
                raise Untranslatable(origin, f"{function.__name__} ({error.origin}): {error.why}") from None
            finally:
                self._open.discard(function)
        return self.helpers[function]

    def _is_method(self, function: types.FunctionType) -> bool:
        bases = [one for one in self._kind.__mro__ if issubclass(one, nn.Module)]
        return any(is_method(base, function) for base in bases)


def _is_of_self(function: types.FunctionType, method: Method) -> bool:
    """Return whether a function, whose method may stand in its place, is a constructor that assigns attributes of ``self`` only."""
    stored = (
        one for one in ast.walk(method.tree) if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)
    )
    own = all(isinstance(one.value, ast.Name) and one.value.id == "self" for one in stored)
    return function.__name__ == "__init__" and own
