"""The table of TorchSharp's members that may be called, and of its enumerations (``members.tsv``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Final

from bridge.port.csharp import tree

MISSING: Final = object()
#: Parameters that together stand for a list, as in ``zeros(rows, columns)``, and come first, or after one other parameter.
_GROUPS: Final = (("rows", "columns"), *(tuple(f"dim{place}" for place in range(count)) for count in (4, 3, 2)))
#: The name of that list by member, if it is not ``size``.
_GROUPED: Final = {"sum": "dim"}
_MAKERS: Final = frozenset({"zeros", "ones", "empty", "full", "rand", "randn"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a member; ``spread`` says that it is declared with ``params``: its elements may be separate arguments.

    A ``count`` above one says that the parameter is a list, for which the member has ``count`` parameters. ``direction`` is ``ref``,
    ``out``, ``in`` or empty.
    """

    type: tree.Type
    name: str
    default: Any = MISSING
    spread: bool = False
    direction: str = ""
    count: int = 1

    @property
    def required(self) -> bool:
        """Return whether a call must give the parameter."""
        return self.default is MISSING and not self.spread


@dataclass(frozen=True, slots=True)
class Member:
    """A method: its holder (``torch``, ``nn``, ``functional``, ``Tensor``, ``special``, …), and the type of its result."""

    holder: str
    name: str
    result: tree.Type
    parameters: tuple[Parameter, ...]


@cache
def plain(name: str) -> str:
    """Return a name without case, ``_`` and ``-``."""
    return name.lower().replace("_", "").replace("-", "")


@cache
def overloads(holder: str, name: str) -> tuple[Member, ...]:
    """Return the members of ``holder`` with that name; an empty tuple if TorchSharp has none."""
    return tuple(_member(holder, name, line) for line in _lines().get((holder, name), ()))


@cache
def enumeration(name: str) -> Mapping[str, str] | None:
    """Return the members of an enumeration by their plain names; None if ``name`` is no enumeration."""
    found = _lines().get(("enum", name))
    return {plain(one): one for one in found[0].split("\t")} if found else None


@cache
def _lines() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    text = resources.files("bridge.port.csharp.calls").joinpath("members.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        holder, name, rest = line.split("\t", 2)
        found.setdefault((holder, name), []).append(rest)
    return found


def _member(holder: str, name: str, line: str) -> Member:
    result, *parameters = line.split("\t")
    return Member(holder, name, parsed(result), _grouped(name, tuple(map(_parameter, parameters))))


def _parameter(text: str) -> Parameter:
    declared, _, default = text.partition(" = ")
    kind, _, name = declared.rpartition(" ")
    direction, _, type_ = kind.rpartition(" ")
    value = json.loads(default) if default else MISSING
    spread = direction == "params"
    return Parameter(parsed(type_), name, value, spread, "" if spread else direction)


def _grouped(name: str, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return the parameters; those that together stand for a list are replaced by one parameter."""
    names = tuple(one.name for one in parameters)
    if name.removeprefix("new_") not in {*_MAKERS, *_GROUPED}:
        return parameters
    for group in _GROUPS:
        place = next((at for at in (0, 1) if names[at : at + len(group)] == group), None)
        if place is not None:
            made = Parameter(parameters[place].type, _GROUPED.get(name, "size"), count=len(group))
            return (*parameters[:place], made, *parameters[place + len(group) :])
    return parameters


@cache
def parsed(text: str) -> tree.Type:
    """Return the type that a text of C# names: ``(long, long)?``, ``IList<Tensor>``, ``long[]``."""
    found, rest = _parsed(text.replace(" ", ""))
    assert not rest, text
    return found


def _parsed(text: str) -> tuple[tree.Type, str]:
    """Return the type at the start of a text, and the rest of the text."""
    if text.startswith("("):
        items, rest = _several(text[1:], ")")
        return _suffixed(tree.TupleType("", items), rest)
    end = next((place for place, letter in enumerate(text) if letter in "<>,()[]?"), len(text))
    name, rest = text[:end], text[end:]
    items = ()
    if rest.startswith("<"):
        items, rest = _several(rest[1:], ">")
    return _suffixed(tree.Type(name, items), rest)


def _several(text: str, close: str) -> tuple[tuple[tree.Type, ...], str]:
    items: list[tree.Type] = []
    while True:
        item, text = _parsed(text)
        items.append(item)
        mark, text = text[0], text[1:]
        if mark == close:
            return tuple(items), text


def _suffixed(found: tree.Type, rest: str) -> tuple[tree.Type, str]:
    while rest[:1] in ("?", "["):
        if rest[0] == "?":
            found, rest = replace(found, nullable=True), rest[1:]
        else:
            brackets, _, rest = rest.partition("]")
            found = tree.ArrayType(f"{brackets}]", (found,))
    return found, rest
