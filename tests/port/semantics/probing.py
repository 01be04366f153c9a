"""Probes of Python's semantics: small models, what `port` is given, and the calls whose results the C# must share with Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from torch import nn

Made = TypeVar("Made", bound=Callable[..., nn.Module])


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model: its arguments by position and by name."""

    positional: tuple[Any, ...]
    named: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Probe:
    """A model's factory, the call that `port` sees, and further ones that it does not see.

    ``refused`` is a word of the message of a probe that `port` rightly refuses, and empty otherwise.
    """

    factory: Callable[[], nn.Module]
    given: Call
    hidden: tuple[Call, ...]
    refused: str

    @property
    def name(self) -> str:
        """Return the name of the model's class, or of the function that makes it."""
        return self.factory.__name__

    @property
    def theme(self) -> str:
        """Return the name of the module that holds the probe."""
        return self.factory.__module__.rpartition(".")[2]


#: All probes of the modules that were imported.
PROBES: Final[dict[str, Probe]] = {}


def call(*positional: Any, **named: Any) -> Call:
    """Return a call with these arguments."""
    return Call(positional, named)


def probe(given: Call, *hidden: Call, refused: str = "") -> Callable[[Made], Made]:
    """Register the decorated class or factory as a probe; it is returned as it is."""

    def register(factory: Made) -> Made:
        assert factory.__name__ not in PROBES, f"two probes are named {factory.__name__}"
        PROBES[factory.__name__] = Probe(factory, given, hidden, refused)
        return factory

    return register
