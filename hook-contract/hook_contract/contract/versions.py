"""Versions of this package, PyTorch and .NET, and bounds of versions (``>=2.1,<2.6``)."""

from __future__ import annotations

import re
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

__version__ = "0.1.0"

_RELEASE: Final = re.compile(r"\d+(?:\.\d+)*")


def release(text: str) -> Version:
    """Return the first release number in a text: 2.13.0 for ``PyTorch 2.13.0+cpu``. Raises ValueError if there is no number."""
    found = _RELEASE.search(text)
    if found is None:
        raise ValueError(f"'{text}' is not a version")
    return Version(found[0])


def within(version: str, bounds: str) -> bool:
    """Return whether a version satisfies all ``bounds``. Raises ValueError for invalid bounds.

    Any version satisfies the bounds "". For other bounds, a version without a number raises ValueError.
    """
    try:
        wanted = SpecifierSet(bounds)
    except InvalidSpecifier:
        raise ValueError(f"'{bounds}' is not a version bound: write a bound such as >=2.1, <2.6 or ==2.13") from None
    return not bounds or wanted.contains(release(version))


def holds(version: str, since: str, until: str | None) -> bool:
    """Return whether a version is at least ``since`` ("": no limit) and before ``until`` (None: no limit).

    Raises ValueError for a version or limit without a number.
    """
    found = release(version)
    return (not since or release(since) <= found) and (until is None or found < release(until))
