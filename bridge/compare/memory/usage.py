"""What one call of a model does with memory, by module."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor that lives at the end of a module's call, and that the call does not return and the model does not hold afterwards."""

    #: The type and the shape.
    tensor: str
    #: The bytes that only this tensor keeps: none if it shares its memory with a result or with what was there before.
    size: int
    #: The file and the line that created it, such as ``Block.cs:12``, or ``in Block.forward`` without symbols.
    source: str = ""
    #: The text of the line.
    line: str = ""


@dataclass(frozen=True, slots=True)
class ModuleMemory:
    """The memory of a module's calls within one call of the model: the sum of what they keep, otherwise the largest number."""

    path: str
    #: The tensors that code of the call has created, and that live at its end: those that it returns, and those that it keeps.
    live: int
    #: The bytes of memory that such tensors occupied at most during the call.
    peak: int
    kept: tuple[Kept, ...] = ()
    #: The place of the first call in the order in which the calls end.
    ended: int = 0

    @property
    def kept_size(self) -> int:
        return sum(item.size for item in self.kept)


def by_module(calls: Iterable[ModuleMemory]) -> dict[str, ModuleMemory]:
    """Return the memory of each module by its path, in the order in which first calls begin."""
    found: dict[str, ModuleMemory] = {}
    for call in calls:
        other = found.get(call.path)
        found[call.path] = (
            call
            if other is None
            else replace(
                other, live=max(other.live, call.live), peak=max(other.peak, call.peak), kept=other.kept + call.kept
            )
        )
    return found
