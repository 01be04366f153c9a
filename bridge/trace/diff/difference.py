"""The differences between two traces, and the result of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from bridge.trace import Trace
from bridge.trace.diff.align import Row
from bridge.trace.diff.call_order import describe_order
from bridge.trace.diff.headers import unseen
from bridge.trace.diff.phrases import call_of, names, path_name
from hook_contract.output.sentences import plural

#: The kinds of a :class:`Difference`. The first four are structural, the last two concern values.
KINDS: Final = ("lost", "added", "moved", "repeated", "arguments", "values")


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two traces."""

    #: One of :data:`KINDS`.
    kind: str
    #: The clause of the contract (docs/contract.md) that the difference concerns.
    clause: str
    path: str
    phase: str
    message: str
    type: str = ""
    #: The number of the call in each trace; None if the trace lacks the call. For a direct call of ``forward()``, it can be None or -1.
    calls: tuple[int | None, int | None] = (None, None)
    #: The number of the event in each trace; None if the trace does not have the event.
    positions: tuple[int | None, int | None] = (None, None)
    #: The row in :attr:`Diff.pairs`.
    row: int = -1
    #: For a moved call or event, the row in :attr:`Diff.pairs` at which it begins in the second trace. -1 for other kinds, and for a moved
    #: call that is inside a lost call in the first trace or inside an added call in the second.
    other_row: int = -1
    #: The largest absolute difference of a tensor's elements; ``inf`` if unknown or not finite.
    absolute: float = 0.0
    #: The largest relative difference of a tensor's elements; ``inf`` if unknown or not finite.
    relative: float = 0.0
    #: The number of elements out of tolerance.
    elements: int = 0
    #: The number of elements that differ by a NaN or an infinity, such as NaN against 1, or inf against -inf.
    nonfinite: int = 0
    #: Whether only the device differs.
    device_only: bool = False
    #: The code to write instead, or "" if it is not known.
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.clause} {self.kind}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """Return the message, followed by the code to write instead, if known."""
        return with_fix(self.message, self.fix)


class Sentence(NamedTuple):
    """A sentence of a diff's explanation."""

    #: ``input``, ``bypass``, ``calls``, ``values`` or ``note``.
    kind: str
    words: str
    #: The difference that the sentence describes.
    about: Difference | None = None
    #: The code to write instead, or "".
    fix: str = ""


def with_fix(message: str, fix: str) -> str:
    """Append the code to write instead (``fix``), if any, to a message."""
    return f"{message} Write {fix}." if fix else message


@dataclass(frozen=True, slots=True)
class Diff:
    """The result of :func:`diff`. Items of ``pairs`` and ``numeric`` may be created on access."""

    a: Trace
    b: Trace
    #: The events of the aligned traces in rows of two, with None for an event that one trace does not have.
    pairs: Sequence[Row]
    #: The differences of structure, in the order of the rows.
    structural: tuple[Difference, ...] = ()
    #: The differences of the kinds ``arguments`` and ``values``, in the order of the rows.
    numeric: Sequence[Difference] = ()
    #: The difference at the first module whose output differs although its inputs do not; None if there is no such module. If
    #: ``forward()`` was called directly, the inputs are unknown: such a module counts only if no value before its output differs.
    culprit: Difference | None = None
    #: The largest difference of two numbers, even within tolerance. ``inf`` if it is not finite, or if only digests are known and differ.
    largest_difference: float = 0.0
    #: The number of tensors, numbers and booleans whose values both traces have.
    compared: int = 0
    #: The paths of modules whose ``forward()`` was called directly in one trace only.
    bypassed: tuple[str, ...] = ()
    #: Other remarks, such as different type names.
    notes: tuple[str, ...] = ()
    #: Sentences about inputs and weights that differ between the headers. They do not count as differences of the traces.
    origins: tuple[str, ...] = ()
    #: A sentence for each trace whose file has no end: the rest of the recording is unknown.
    incomplete: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Return whether no difference was found in two complete traces."""
        return not self.structural and not self.numeric and not self.incomplete

    @property
    def first_structural(self) -> Difference | None:
        """Return the first structural difference in the order of execution."""
        return self.structural[0] if self.structural else None

    @property
    def _first_reported(self) -> Difference | None:
        """Return the first structural difference that is not a lost ``forward`` event, or else the first structural difference.

        A call without a ``forward`` event may have raised. Then the differences inside the call say more.
        """
        ended = (item for item in self.structural if (item.clause, item.kind, item.phase) != ("C-6", "lost", "forward"))
        return next(ended, self.first_structural)

    @property
    def first_numeric(self) -> Difference | None:
        """Return the :attr:`culprit`, or the first difference of arguments or values."""
        return self.culprit or (self.numeric[0] if self.numeric else None)

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of the two traces: the runtimes' names, made distinct if equal."""
        return names(self.a, self.b)

    def explain(self) -> str:
        """Return a few lines about the result: inputs and weights that differ, the first differences, unseen and bypassed modules."""
        if not self.structural and not self.numeric:
            left, right = self.names
            silent = (with_fix(item.words, item.fix) for item in self._empty_traces())
            number = f"largest difference {self.largest_difference:g}" if self.compared else "values were not recorded"
            agree = "agree up to there" if self.incomplete else "agree"
            agree = f"{left} and {right} {agree}: {plural(len(self.pairs), 'event')} in the same order, {number}."
            return "\n".join((*self.incomplete, *self.origins, *silent, agree))
        return "\n".join((*self.incomplete, *(with_fix(item.words, item.fix) for item in self.sentences())))

    def _empty_traces(self) -> list[Sentence]:
        """Return a sentence for each trace without events, usually because ``forward()`` of the root was called directly."""
        words = "In {} no module was called and no hook fired (C-3), for example because forward() was run directly."
        return [
            Sentence("bypass", words.format(name), fix=call_of("", trace.runtime))
            for name, trace in zip(self.names, (self.a, self.b), strict=True)
            if not len(trace)
        ]

    def sentences(self) -> list[Sentence]:
        """Return the sentences of :meth:`explain` for two traces that differ."""
        said = [Sentence("input", words) for words in self.origins]
        said += self._empty_traces()
        if (first := self._first_reported) is not None:
            words = f"First structural difference ({first.clause}, {first.kind}): {first.message}"
            if first.clause == "C-9" and first.row >= 0:
                words += describe_order(self.a, self.b, self.pairs, first.row, self.names)
            if len(self.structural) > 1:
                words += f" ({plural(len(self.structural) - 1, 'more structural difference')}.)"
            said.append(Sentence("bypass" if first.clause == "C-3" else "calls", words, first, first.fix))
            said += (Sentence("note", words) for words in unseen(self.a, self.b, self.names))
        if (value := self.first_numeric) is not None:
            words = f"First difference of {value.kind} ({value.clause}): {value.message}"
            if value.kind == "values" and not value.elements:
                words += " Only digests were recorded: --values full (in Python values='full') shows by how much they differ."
            if value is self.culprit:
                # A direct call of forward() has no recorded inputs.
                known = all(event is None or event.phase != "bypass" for event in self.pairs[value.row])
                words += f" {'Its inputs are equal' if known else 'No value before it differs'}: look here first."
            if len(self.numeric) > 1:
                words += f" ({plural(len(self.numeric) - 1, 'more difference')} of arguments or values.)"
            said.append(Sentence("values", words, value))
            before = self.numeric[0]
            if before.kind == "arguments" and before.row < value.row and not before.device_only:
                said.append(Sentence("values", f"Before that ({before.clause}): {before.message}", before))
        if self.bypassed:
            words = f"Run by forward() and so unseen by hooks (C-3): {', '.join(map(path_name, self.bypassed))}."
            said.append(Sentence("note", words))
        return said
