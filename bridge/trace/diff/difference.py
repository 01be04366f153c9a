"""What comparing two traces finds: single differences, and all of them together with the alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from bridge.trace import Trace
from bridge.trace.diff.align import Row
from bridge.trace.diff.call_order import describe_order
from bridge.trace.diff.phrases import call_of, called, counted, names

#: What a :class:`Difference` can be. The first four are structural, the last two come from the values.
KINDS: Final = ("lost", "added", "moved", "repeated", "arguments", "values")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two traces.

    ``kind`` is one of :data:`KINDS`, ``clause`` the contract clause it is about. ``path``, ``type`` and ``phase`` say
    where; ``calls`` and ``positions`` are the call numbers and event positions in either trace, None where there is
    none (a moved call: from, to). ``row`` is the row of :attr:`Diff.pairs` where it is, ``other_row`` the second
    one of what was moved (else -1). ``absolute`` and ``relative`` are the largest difference of a number (``inf``
    where it is not known or not finite), ``elements`` counts the numbers out of tolerance, and ``nonfinite`` those of
    them that are NaN or infinite in one trace only. ``device_only``: only the device differs. ``fix`` is the code to
    write instead, where it is known.
    """

    kind: str
    clause: str
    path: str
    phase: str
    message: str
    type: str = ""
    calls: tuple[int | None, int | None] = (None, None)
    positions: tuple[int | None, int | None] = (None, None)
    row: int = -1
    other_row: int = -1
    absolute: float = 0.0
    relative: float = 0.0
    elements: int = 0
    nonfinite: int = 0
    device_only: bool = False
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.clause} {self.kind}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The message, and what to write."""
        return with_fix(self.message, self.fix)


class Sentence(NamedTuple):
    """One sentence of what a diff says: ``kind`` is ``input``, ``bypass``, ``calls``, ``values`` or ``note``, ``about`` the difference
    that it is of, ``fix`` the code to write instead."""

    kind: str
    words: str
    about: Difference | None = None
    fix: str = ""


def with_fix(message: str, fix: str) -> str:
    """A sentence, and the line to write."""
    return f"{message} Write {fix}." if fix else message


@dataclass(frozen=True, slots=True)
class Diff:
    """What :func:`diff` found.

    ``pairs`` is the alignment: each event of either trace in exactly one row, both columns in their own order, None
    where the other side has nothing. ``structural`` and ``numeric`` are in row order. ``culprit`` is the first module
    whose output differs while its inputs do not. ``largest_difference`` is over everything compared, also within
    tolerance (``inf`` where only digests differ); ``compared`` counts the tensors and numbers whose values were known
    on both sides. ``bypassed`` are the module paths run by ``forward()`` on one side only. ``origins`` is what the
    headers say about different inputs and weights, to be reported first; it is not a difference by itself. ``pairs`` and
    ``numeric`` may make their items when they are looked at.
    """

    a: Trace
    b: Trace
    pairs: Sequence[Row]
    structural: tuple[Difference, ...] = ()
    numeric: Sequence[Difference] = ()
    culprit: Difference | None = None
    largest_difference: float = 0.0
    compared: int = 0
    bypassed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """True when no difference of either kind was found."""
        return not self.structural and not self.numeric

    @property
    def first_structural(self) -> Difference | None:
        """The first structural difference in the order of execution."""
        return self.structural[0] if self.structural else None

    @property
    def _telling(self) -> Difference | None:
        """The first structural difference; of a call that never ended, what it calls otherwise tells more."""
        ended = (one for one in self.structural if (one.clause, one.kind, one.phase) != ("C-6", "lost", "forward"))
        return next(ended, self.first_structural)

    @property
    def first_numeric(self) -> Difference | None:
        """The :attr:`culprit`, or where there is none the first difference of arguments or values."""
        return self.culprit or (self.numeric[0] if self.numeric else None)

    @property
    def names(self) -> tuple[str, str]:
        """What to call the two sides: the runtimes' names, told apart when they are the same."""
        return names(self.a, self.b)

    def explain(self) -> str:
        """One to a few lines: other inputs and weights, the first structural difference, the first of values, the bypassed modules."""
        if self.same:
            left, right = self.names
            silent = (with_fix(one.words, one.fix) for one in self._silent())
            number = f"largest difference {self.largest_difference:g}" if self.compared else "values were not recorded"
            agree = f"{left} and {right} agree: {len(self.pairs)} events in the same order, {number}."
            return "\n".join((*self.origins, *silent, agree))
        return "\n".join(with_fix(one.words, one.fix) for one in self.sentences())

    def _silent(self) -> list[Sentence]:
        """Name the sides that have no event: the commonest cause is that ``forward()`` was run."""
        words = "In {} no module was called, as where forward() is run: no hook fired (C-3)."
        return [
            Sentence("bypass", words.format(name), fix=call_of("", trace.runtime))
            for name, trace in zip(self.names, (self.a, self.b), strict=True)
            if not len(trace)
        ]

    def sentences(self) -> list[Sentence]:
        """What :meth:`explain` says of two traces that differ, sentence by sentence."""
        said = [Sentence("input", words) for words in self.origins]
        said += self._silent()
        if (first := self._telling) is not None:
            words = f"First structural difference ({first.clause}, {first.kind}): {first.message}"
            if first.clause == "C-9" and first.row >= 0:
                words += describe_order(self.a, self.b, self.pairs, first.row, self.names)
            if len(self.structural) > 1:
                words += f" ({counted(len(self.structural) - 1, 'more structural difference')}.)"
            said.append(Sentence("bypass" if first.clause == "C-3" else "calls", words, first, first.fix))
        if (value := self.first_numeric) is not None:
            words = f"First difference of {value.kind} ({value.clause}): {value.message}"
            if value.kind == "values" and not value.elements:
                words += " Only digests were recorded: --values full (in Python values='full') shows by how much they differ."
            if value is self.culprit:
                words += " Its inputs are equal: look here first."
            if len(self.numeric) > 1:
                words += f" ({counted(len(self.numeric) - 1, 'more difference')} of arguments or values.)"
            said.append(Sentence("values", words, value))
            before = self.numeric[0]
            if before.kind == "arguments" and before.row < value.row and not before.device_only:
                said.append(Sentence("values", f"Before that ({before.clause}): {before.message}", before))
        if self.bypassed:
            words = f"Run by forward() and so unseen by hooks (C-3): {', '.join(map(called, self.bypassed))}."
            said.append(Sentence("note", words))
        return said
