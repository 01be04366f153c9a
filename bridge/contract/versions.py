"""Versions: the package's own, and those of PyTorch and .NET as the contract and the ledger write them (``>=2.1,<2.6``)."""

from __future__ import annotations

import re
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

__version__ = "0.1.0"

_RELEASE: Final = re.compile(r"\d+(?:\.\d+)*")


def release(text: str) -> Version:
    """The first release in a text: 2.13.0 of ``PyTorch 2.13.0+cpu``, previews and nightlies counting as the release that they are of.

    Raises ValueError where there is none.
    """
    found = _RELEASE.search(text)
    if found is None:
        raise ValueError(f"'{text}' is not a version")
    return Version(found[0])


def within(version: str, bounds: str) -> bool:
    """Whether a version keeps all ``bounds``; "" is every version, of whatever text. Raises ValueError for invalid bounds."""
    try:
        wanted = SpecifierSet(bounds)
    except InvalidSpecifier:
        raise ValueError(f"'{bounds}' is not a version bound: write >=2.1, <2.6 or ==2.13") from None
    return not bounds or wanted.contains(release(version))


def holds(version: str, since: str, until: str | None) -> bool:
    """Whether what holds from PyTorch ``since`` on ("": from the first), and no longer in ``until``, holds for this version."""
    asked = release(version)
    return (not since or release(since) <= asked) and (until is None or asked < release(until))
