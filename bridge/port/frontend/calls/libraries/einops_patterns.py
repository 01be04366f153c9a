"""Patterns of einops, such as ``b (h w) c -> b c h w``: the reasons why einops refuses a pattern for an operation."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

REST: Final = "..."
_TOKENS: Final = re.compile(r"\.\.\.|[^ ().]+|[().]")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pattern: its axes in order without those of length 1, and whether ``...`` is within parentheses."""

    axes: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    encloses_rest: bool

    @property
    def names(self) -> frozenset[str]:
        """Return the names of axes, without numbers."""
        return frozenset(one for one in self.axes if one.isidentifier())

    @property
    def numbers(self) -> frozenset[str]:
        """Return the axes that are given by their length."""
        return frozenset(one for one in self.axes if one.isdecimal())

    @property
    def has_rest(self) -> bool:
        """Return whether the side has ``...``."""
        return REST in self.axes


def problem(pattern: str, operation: str, lengths: Collection[str]) -> str:
    """Return why einops refuses a pattern with the ``lengths`` of these axes; empty if it does not.

    ``operation`` is ``rearrange``, ``repeat`` or ``reduce``.
    """
    parts = pattern.split("->")
    if len(parts) != 2:
        return "not two sides with '->' between them"
    sides = [_read(one) for one in parts]
    for side in sides:
        if isinstance(side, str):
            return side
    left, right = (one for one in sides if isinstance(one, Side))
    return _between(left, right, operation, frozenset(lengths)) or _unsolved(left, frozenset(lengths))


def _between(left: Side, right: Side, operation: str, lengths: frozenset[str]) -> str:
    """Return which axes of one side the other side lacks; empty if an operation allows those."""
    if left.encloses_rest or (right.has_rest and not left.has_rest):
        return "'...' that the left side has not, or has in parentheses"
    if lengths - left.names - right.names:
        return f"the length of {_listed(lengths - left.names - right.names)}, which is no axis of it"
    lost, new = left.names - right.names, right.names - left.names
    if operation != "reduce" and (lost or left.numbers or (left.has_rest and not right.has_rest)):
        return f"{_listed(lost | left.numbers) or REST} on its left side only"
    if operation != "repeat" and (new or right.numbers):
        return f"{_listed(new | right.numbers)} on its right side only"
    return f"{_listed(new - lengths)} without a length" if new - lengths else ""


def _unsolved(left: Side, lengths: frozenset[str]) -> str:
    """Return which axes that are composed to one have no lengths; empty if at most one of each has none."""
    for group in left.groups:
        unknown = frozenset(one for one in group if one.isidentifier()) - lengths
        if len(unknown) > 1:
            return f"{_listed(unknown)} in one dimension, of which only one length can be found"
    return ""


def _read(text: str) -> Side | str:
    """Return a side of a pattern, or why it is none."""
    groups: list[list[str]] = []
    within = encloses = False
    for token in _TOKENS.findall(text):
        if token in ("(", ")"):
            if within == (token == "("):
                return "parentheses that are not balanced, or within others"
            within = token == "("
            groups += [[]] if within else []
            continue
        if why := _wrong(token):
            return why
        if not within:
            groups.append([])
        encloses |= within and token == REST
        if not (token.isdecimal() and int(token) == 1):
            groups[-1].append(token)
    axes = tuple(axis for group in groups for axis in group)
    named = [one for one in axes if not one.isdecimal()]
    if within or len(set(named)) < len(named):
        return "parentheses that are not balanced" if within else "an axis twice on one side"
    return Side(axes, tuple(map(tuple, groups)), encloses)


def _wrong(token: str) -> str:
    if token == REST:
        return ""
    if token.isascii() and token.isdecimal():
        return "" if int(token) > 0 else "an axis of length 0"
    plain = token.isascii() and token.isidentifier() and "_" not in (token[0], token[-1])
    return "" if plain else f"'{token}', which is no name of an axis"


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names))
