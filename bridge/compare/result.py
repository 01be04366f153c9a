"""What comparing two runs gave: where they differ, the verdict, the findings in order and the figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from bridge.compare.findings import Finding, in_words, ranked
from bridge.compare.models.settings import Setting
from bridge.compare.run import Run, open_call
from bridge.compare.tensor_comparison import NamedDifference
from bridge.compare.tolerance import Tolerance
from bridge.trace.diff import Diff
from bridge.trace.diff.phrases import counted, expression

#: The kinds of findings that name what to change in the C# code.
CAUSES: Final = frozenset({"setting", "bypass", "calls", "operator", "in place", "input"})
#: An absolute difference that float32 makes by the order of sums.
ROUNDING: Final = 1e-5
#: The row of the ledger that says which buffers TorchSharp never lists.
UNLISTED: Final = "TS-23"
#: What lets C# code stay as it is.
FORWARD_FIRES: Final = (
    "With --forward-fires (in Python, bridge.load(…, forward_fires=True)) every child.forward(x) in the C# code runs as a "
    "call, without a change of the code."
)

_FRAME: Final = re.compile(r"^\s+at .* in (?:.*[/\\])?(?P<file>[^/\\]+\.cs):line (?P<line>\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The result of comparing two runs.

    ``diff`` is of the traces; ``gradients`` (in the order of the backward pass) and ``buffers`` are the tensors that
    differ as well. ``missing`` are modules that appeared on one side only, ``bypassed`` modules that were
    likely run by ``forward()``. ``tolerance`` would let all values pass; None when they pass as they are.
    ``nonfinite`` counts the NaN and infinite numbers of each trace. ``settings`` are what the modules were made with
    and differs, whether this run shows it or not. ``hollow`` says why equal values would mean nothing, ``raised``
    what ended one run early, up to where both were compared; each is empty where there is no such thing.
    ``unlisted`` are buffers that only PyTorch lists, by a row of the ledger (:data:`UNLISTED`); they are not compared.
    ``overwritten`` are arguments and parameters that differ after the run, which began with the same ones.
    ``structure`` says what holds the results otherwise, ``found`` is what further looks at the two models found
    (:attr:`findings` has them all, in order).
    """

    pytorch: Run
    dotnet: Run
    diff: Diff
    gradients: tuple[NamedDifference, ...]
    buffers: tuple[NamedDifference, ...]
    missing: tuple[Finding, ...]
    bypassed: tuple[Finding, ...]
    tolerance: Tolerance | None
    nonfinite: tuple[int, int]
    largest: float
    backward: bool
    settings: tuple[Setting, ...] = ()
    hollow: str = ""
    raised: str = ""
    unlisted: tuple[str, ...] = ()
    found: tuple[Finding, ...] = ()
    structure: tuple[Finding, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    causes: tuple[Setting, ...] = ()
    overwritten: tuple[NamedDifference, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What differs and why, further findings, and the tolerance that would pass: the most telling first."""
        return ranked(self._spelled(one) for one in (*_findings(self), *self.structure, *self.found))

    def _spelled(self, one: Finding) -> Finding:
        """With what to write in C# under the names that the C# code has."""
        other = self.names.get(one.path, one.path)
        if other == one.path or ".call(" not in one.fix:
            return one
        return replace(one, fix=one.fix.replace(expression(one.path), expression(other)))

    @property
    def raised_in(self) -> str:
        """The path of the module that raised; empty where none did, and for the root."""
        ended = next((one.trace for one in (self.pytorch, self.dotnet) if one.raised), None)
        event = None if ended is None else open_call(ended)
        return "" if event is None else event.path

    @property
    def begins(self) -> str:
        """The module at which a difference shows first: of structure or values, of a buffer, of a gradient."""
        for one in (self.diff.first_structural, self.diff.first_numeric):
            if one is not None:
                return one.path
        named = (*self.buffers, *self.gradients)
        return next((one.name.rpartition(".")[0] for one in named), "")

    @property
    def differs(self) -> bool:
        """Other events or another order, values, buffers or gradients beyond the tolerance, arguments or parameters that one side has
        changed, other keys or tuples, or one side raised."""
        named = self.gradients or self.buffers or self.overwritten
        return not self.diff.same or bool(named or self.raised or self.structure)

    @property
    def same(self) -> bool:
        """Nothing differs, and there was something to compare."""
        return not self.differs and not self.hollow

    @property
    def verdict(self) -> str:
        """One line: the same, different in what, or that there was nothing to compare, and why."""
        left, right = self.pytorch.trace, self.dotnet.trace
        if self.hollow and not self.differs:
            return f"Nothing to compare: {self.hollow}."
        if self.same:
            gradients = f", gradients of {len(self.pytorch.gradients or ())} tensors" if self.backward else ""
            unlisted = f", {counted(len(self.unlisted), 'buffer')} not compared ({UNLISTED})" if self.unlisted else ""
            return (
                f"Same: {left.calls} equal module calls on each side, identical order{gradients}, "
                f"largest difference {self.largest:g}{unlisted}."
            )
        parts = [f"{(self.pytorch if self.pytorch.raised else self.dotnet).runtime} raised"] if self.raised else []
        parts += [counted(len(self.diff.structural), "structural difference")] if self.diff.structural else []
        parts += ["another structure of the result"] if self.structure else []
        if self.diff.numeric:
            parts.append(f"{counted(len(self.diff.numeric), 'difference')} of arguments or values")
        if self.buffers:
            parts.append(f"{counted(len(self.buffers), 'buffer')} after the run")
        if self.overwritten:
            parts.append(f"{counted(len(self.overwritten), 'tensor')} changed in place")
        if self.gradients:
            parts.append(counted(len(self.gradients), "gradient"))
        return f"Different: {left.calls} module calls in {left.runtime}, {right.calls} in {right.runtime}; {', '.join(parts)}."

    def explain(self) -> str:
        """The findings in words; why there is nothing to compare says the verdict."""
        return "\n".join(in_words(one for one in self.findings if one.kind != "nothing"))

    def figures(self) -> dict[str, str]:
        """Figures in words, for a table."""
        left, right = self.pytorch, self.dotnet
        found = {
            "Module calls": f"{left.trace.calls} in {left.runtime}, {right.trace.calls} in {right.runtime}",
            "Events": f"{len(left.trace)} in {left.runtime}, {len(right.trace)} in {right.runtime}",
            "Tensors and numbers compared": f"{self.diff.compared}",
            "Largest difference": f"{self.largest:g}",
            "Time, recorded": f"{left.seconds * 1e3:.0f} ms in {left.runtime}, {right.seconds * 1e3:.0f} ms in {right.runtime}",
        }
        if any(self.nonfinite):
            counts = f"{self.nonfinite[0]} in {left.runtime}, {self.nonfinite[1]} in {right.runtime}"
            found["NaN or infinite numbers"] = counts
        if self.backward:
            found["Gradients"] = (
                f"{len(left.gradients or ())} in {left.runtime}, {len(right.gradients or ())} in {right.runtime}"
            )
        if self.tolerance is not None:
            found["Smallest tolerance that would pass"] = f"{self.tolerance}"
        return found


def _findings(compared: Comparison) -> Iterator[Finding]:
    diff, differs = compared.diff, compared.differs
    if compared.hollow and not differs:
        yield Finding("nothing", "", f"{compared.hollow[:1].upper()}{compared.hollow[1:]}.")
    if compared.raised:
        yield Finding("raised", compared.raised_in, compared.raised, source=_line_of(compared.raised))
        if diff.same:
            until = f"Until there {len(diff.pairs)} events are the same, largest difference {compared.largest:g}."
            yield Finding("raised", compared.raised_in, until)
    for one in compared.causes:
        yield Finding("setting", one.path, f"Set differently: {one}", row=_row(compared, one.path))
    if not diff.same:
        for said in diff.sentences():
            about = said.about
            path, row = ("", -1) if about is None else (about.path, about.row)
            yield Finding(said.kind, path, said.words, said.fix, row=row)
    bypassed = {*diff.bypassed, *(one.path for one in compared.bypassed)}
    if bypassed - {event.path for event in compared.dotnet.trace if event.phase == "pre"}:
        yield Finding("note", "", FORWARD_FIRES)
    yield from compared.bypassed
    yield from compared.missing
    for name in compared.unlisted:
        words = f"{name} was not compared: it is not a persistent buffer, and TorchSharp lists no others ({UNLISTED})."
        yield Finding("unlisted", name.rpartition(".")[0], words)
    for buffer in compared.buffers:
        yield Finding("buffer", buffer.name.rpartition(".")[0], f"After the run, {buffer}")
    if not any(said.kind == "in place" for said in compared.found):
        for changed in compared.overwritten:
            path = "" if changed.kind == "argument" else changed.name.rpartition(".")[0]
            yield Finding("in place", path, f"{changed}")
    for gradient in compared.gradients:
        yield Finding("gradient", gradient.name.rpartition(".")[0], f"Backward: {gradient}")
    words = "Also set differently:" if differs else "Set differently, which this run does not show:"
    for one in compared.settings:
        if one not in compared.causes and not any(f"{one}" in said.message for said in compared.found):
            yield Finding("latent", one.path, f"{words} {one}", row=_row(compared, one.path))
    yield from _notes(compared)


def _line_of(raised: str) -> str:
    """The innermost line of C# that a stack names, as ``MiniLm.cs:57``; empty where there is none."""
    found = _FRAME.search(raised)
    return f"{found['file']}:{found['line']}" if found else ""


def _notes(compared: Comparison) -> Iterator[Finding]:
    runtimes = compared.pytorch.runtime, compared.dotnet.runtime
    if any(compared.nonfinite):
        numbers = " and ".join(f"{count} in {name}" for count, name in zip(compared.nonfinite, runtimes, strict=True))
        yield Finding("note", "", f"NaN or infinite numbers in the traces: {numbers}.")
    tolerance = compared.tolerance
    if tolerance is None or (_is_proven(compared) and not _is_rounding(tolerance)):
        return
    if tolerance.atol is None and tolerance.rtol is None:
        yield Finding("note", "", "No tolerance would let the values pass.")
        return
    alone = compared.diff.structural
    words = "The values alone would pass with" if alone else "The smallest tolerance that would pass:"
    yield Finding("note", "", f"{words} {tolerance}")


def _is_proven(compared: Comparison) -> bool:
    """Return whether a cause is known: with that mended, another tolerance is needed, or none."""
    return bool(compared.raised or compared.causes or any(one.kind in CAUSES for one in compared.found))


def _is_rounding(tolerance: Tolerance) -> bool:
    """Return whether so little passes that the cause may be the same numbers in another order, which need not be mended."""
    return tolerance.atol is not None and tolerance.atol <= ROUNDING


def _row(compared: Comparison, path: str) -> int:
    """The first row of a module's events that differs, or its first."""
    for one in (compared.diff.first_structural, compared.diff.first_numeric):
        if one is not None and one.path == path:
            return one.row
    rows = enumerate(compared.diff.pairs)
    return next((row for row, pair in rows if any(event is not None and event.path == path for event in pair)), -1)
