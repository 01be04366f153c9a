"""One mistake in a runtime: a small change of a source's text."""

from __future__ import annotations

from dataclasses import dataclass

from mutation.scoring import MODEL

Change = tuple[str, str]


class NotThere(ValueError):
    """A change names a text that does not stand in the source exactly once; the message says which."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One mistake: what it is called, what it does, and the texts that it replaces, all of them in ``module``."""

    name: str
    about: str
    changes: tuple[Change, ...]
    module: str = MODEL

    def source(self, right: str) -> str:
        """The source with the mistake in it. Raises NotThere."""
        for old, new in self.changes:
            if (times := right.count(old)) != 1:
                raise NotThere(f"{self.name}: this stands {times} times in {self.module}, not once: {old!r}")
            right = right.replace(old, new)
        return right


def one(name: str, about: str, old: str, new: str, module: str = MODEL) -> Wrong:
    return Wrong(name, about, ((old, new),), module)
