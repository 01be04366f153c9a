"""Tolerances for numbers, by module."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Allowed:
    """Tolerances. Numbers are equal if ``|x - y| <= atol + rtol * max(|x|, |y|)``.

    Each pair in ``by_path`` has a module path or a glob, and an ``atol``. A path matches that module and its submodules, but "" only the
    root. A glob matches the paths that :func:`fnmatch.fnmatchcase` matches: ``*`` matches dots too. The last matching pair applies.

    Raises ValueError for a negative or NaN tolerance.
    """

    rtol: float = 0.0
    atol: float = 0.0
    by_path: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        by_path = ((f"atol of '{path}'", atol) for path, atol in self.by_path)
        for name, number in (("rtol", self.rtol), ("atol", self.atol), *by_path):
            if not number >= 0:
                raise ValueError(f"Tolerances must be zero or more, but the {name} is {number}.")

    def __bool__(self) -> bool:
        return bool(self.rtol or self.atol or self.by_path)

    def at(self, path: str) -> tuple[float, float]:
        """Return ``rtol`` and ``atol`` for a module path."""
        return self.rtol, next((atol for pattern, atol in reversed(self.by_path) if fits(pattern, path)), self.atol)

    def unused(self, paths: Iterable[str]) -> list[str]:
        """Return the patterns of ``by_path`` that match none of these paths."""
        known = list(paths)
        return [pattern for pattern, _ in self.by_path if not any(fits(pattern, path) for path in known)]


def fits(pattern: str, path: str) -> bool:
    """Return whether a path or glob applies to the module at ``path``."""
    return path == pattern or path.startswith(f"{pattern}.") or fnmatchcase(path, pattern)
