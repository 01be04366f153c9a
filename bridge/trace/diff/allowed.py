"""By how much numbers may differ, module by module."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Allowed:
    """Tolerances: ``|x - y| <= atol + rtol * max(|x|, |y|)``.

    ``by_path`` are other ``atol``: for the module of a path and all below it, or for the paths that match a glob, in which
    ``*`` stands for dots too; the last that fits counts. Raises ValueError for one that is negative or NaN.
    """

    rtol: float = 0.0
    atol: float = 0.0
    by_path: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if not all(number >= 0 for number in (self.rtol, self.atol, *(one for _, one in self.by_path))):
            raise ValueError(f"Tolerances must be zero or more, not rtol={self.rtol}, atol={self.atol}.")

    def __bool__(self) -> bool:
        return bool(self.rtol or self.atol or self.by_path)

    def at(self, path: str) -> tuple[float, float]:
        """``rtol`` and ``atol`` for the module of this path."""
        return self.rtol, next((atol for one, atol in reversed(self.by_path) if fits(one, path)), self.atol)

    def unused(self, paths: Iterable[str]) -> list[str]:
        """Those of ``by_path`` that fit none of these paths."""
        known = list(paths)
        return [one for one, _ in self.by_path if not any(fits(one, path) for path in known)]


def fits(pattern: str, path: str) -> bool:
    """Whether a path or glob is about the module of ``path``."""
    return path == pattern or path.startswith(f"{pattern}.") or fnmatchcase(path, pattern)
