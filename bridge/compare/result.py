"""The result of comparing two runs: the differences, the verdict, the ranked findings and the figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from bridge.compare.findings import Finding, rank_findings, to_sentences
from bridge.compare.models.settings import Setting
from bridge.compare.run import ModelRun, open_call
from bridge.compare.tensor_comparison import NamedDifference
from bridge.compare.tolerance import Tolerance
from bridge.trace.diff import Diff
from bridge.trace.diff.phrases import expression
from hook_contract.output.sentences import plural

#: The kinds of findings that name a cause of differences.
CAUSES: Final = frozenset({"setting", "bypass", "calls", "operator", "in place", "input"})
#: The largest absolute difference of float32 numbers that is explained by sums in another order.
ROUNDING: Final = 1e-5
#: The entry of ``docs/divergences.md`` on the buffers that TorchSharp does not list.
UNLISTED: Final = "TS-23"
FORWARD_FIRES: Final = (
    "With --forward-fires (in Python, bridge.load(…, forward_fires=True)) every child.forward(x) in the C# code runs as a "
    "call, without a change of the code."
)

_FRAME: Final = re.compile(r"^\s+at .* in (?:.*[/\\])?(?P<file>[^/\\]+\.cs):line (?P<line>\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, eq=False)
class TensorDifferences:
    """The differing tensors that traces do not contain, and the measurements of the comparison."""

    #: The differing gradients, in the order of the backward pass.
    gradients: tuple[NamedDifference, ...] = ()
    #: The buffers that differ after the run.
    buffers: tuple[NamedDifference, ...] = ()
    #: The arguments that differ after ``forward``, and the differing parameters that a run changed in place.
    overwritten: tuple[NamedDifference, ...] = ()
    #: The largest difference of a gradient or buffer, even if it is within tolerance.
    largest: float = 0.0
    #: The smallest absolute tolerance with which the comparison would pass, or instead the smallest relative tolerance; None if values,
    #: buffers and gradients agree.
    tolerance: Tolerance | None = None
    #: The number of NaN and infinite elements in each trace.
    nonfinite: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class ModuleDifferences:
    """Differences of modules, apart from the differences of the traces."""

    #: Modules that were called in one model only.
    missing: tuple[Finding, ...] = ()
    #: Modules that were most likely run by ``forward()``, not called.
    bypassed: tuple[Finding, ...] = ()
    #: All settings that differ, including those that have no effect on the run.
    settings: tuple[Setting, ...] = ()
    #: Settings that cause a difference of the run: with PyTorch's values, the difference disappears.
    causes: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Uncompared:
    """Values that could not be compared."""

    #: Why equal values would prove nothing; empty if they would prove something.
    reason: str = ""
    #: The buffers that TorchSharp does not list (:data:`UNLISTED`).
    buffers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The result of comparing two runs."""

    pytorch: ModelRun
    dotnet: ModelRun
    #: The diff of the traces.
    diff: Diff
    tensors: TensorDifferences
    modules: ModuleDifferences
    uncompared: Uncompared = field(default_factory=Uncompared)
    backward: bool = False
    #: Findings on the nesting and the keys of results.
    structure: tuple[Finding, ...] = ()
    #: Further findings; :attr:`findings` has all.
    found: tuple[Finding, ...] = ()
    #: Maps PyTorch's module paths to C#'s, where they differ.
    csharp_paths: Mapping[str, str] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return all findings, those nearest to a cause first."""
        return rank_findings(
            self._in_csharp(finding) for finding in (*_all_findings(self), *self.structure, *self.found)
        )

    def _in_csharp(self, finding: Finding) -> Finding:
        """Return a finding whose fix has the C# path of the module."""
        own = self.csharp_paths.get(finding.path, finding.path)
        if own == finding.path or ".call(" not in finding.fix:
            return finding
        return replace(finding, fix=finding.fix.replace(expression(finding.path), expression(own)))

    @property
    def raised(self) -> str:
        """Return the error that ended one of the runs; empty if both runs finished."""
        return self.pytorch.raised or self.dotnet.raised

    @property
    def raised_in(self) -> str:
        """Return the path of the module that raised; empty for the root, and if no module raised."""
        ended = next((run.trace for run in (self.pytorch, self.dotnet) if run.raised), None)
        event = None if ended is None else open_call(ended)
        return "" if event is None else event.path

    @property
    def first_path(self) -> str:
        """Return the module path of the first difference; empty for the root, and if there is none.

        Structural differences come first, then numeric differences, buffers and gradients.
        """
        first = self.diff.first_structural or self.diff.first_numeric
        if first is not None:
            return first.path
        return next((tensor.path for tensor in (*self.tensors.buffers, *self.tensors.gradients)), "")

    @property
    def largest(self) -> float:
        """Return the largest difference of two numbers, even if it is within tolerance."""
        return max(self.diff.largest_difference, self.tensors.largest)

    @property
    def differs(self) -> bool:
        """Return whether calls, values, buffers, gradients, changed tensors or structures differ, or a model raised."""
        tensors = self.tensors.gradients or self.tensors.buffers or self.tensors.overwritten
        return not self.diff.same or bool(tensors or self.raised or self.structure)

    @property
    def same(self) -> bool:
        """Return whether nothing differs and equal values prove something."""
        return not self.differs and not self.uncompared.reason

    @property
    def verdict(self) -> str:
        """Return the verdict in one line: same, different, or why there is nothing to compare."""
        if not self.differs:
            reason = self.uncompared.reason
            return f"Nothing to compare: {reason}." if reason else self._same_verdict()
        left, right = self.pytorch.trace, self.dotnet.trace
        parts = ", ".join(self._count_differences())
        return f"Different: {plural(left.calls, 'module call')} in {left.runtime}, {right.calls} in {right.runtime}; {parts}."

    def _same_verdict(self) -> str:
        gradients = f", gradients of {plural(len(self.pytorch.gradients or ()), 'tensor')}" if self.backward else ""
        buffers = len(self.uncompared.buffers)
        unlisted = f", {plural(buffers, 'buffer')} not compared ({UNLISTED})" if buffers else ""
        return (
            f"Same: {self.pytorch.trace.calls} equal module calls on each side, identical order{gradients}, "
            f"largest difference {self.largest:g}{unlisted}."
        )

    def _count_differences(self) -> Iterator[str]:
        """Yield a part of the verdict for each kind of difference that occurs."""
        if self.raised:
            yield f"{(self.pytorch if self.pytorch.raised else self.dotnet).runtime} raised"
        if self.diff.structural:
            yield plural(len(self.diff.structural), "structural difference")
        if self.structure:
            yield "another structure of the result"
        if self.diff.numeric:
            yield f"{plural(len(self.diff.numeric), 'difference')} of arguments or values"
        if self.tensors.buffers:
            yield f"{plural(len(self.tensors.buffers), 'buffer')} after the run"
        if self.tensors.overwritten:
            yield f"{plural(len(self.tensors.overwritten), 'tensor')} changed in place"
        if self.tensors.gradients:
            yield plural(len(self.tensors.gradients), "gradient")

    def explain(self, *, all_of_them: bool = False) -> str:
        """Return the findings, except the kind ``nothing``, as lines: at most ten of each kind, or all with ``all_of_them``."""
        found = (finding for finding in self.findings if finding.kind != "nothing")
        return "\n".join(to_sentences(found, all_of_them=all_of_them))

    def figures(self) -> dict[str, str]:
        """Return the figures of a table, by label."""
        left, right = self.pytorch, self.dotnet

        def both(a: object, b: object) -> str:
            return f"{a} in {left.runtime}, {b} in {right.runtime}"

        found = {
            "Module calls": both(left.trace.calls, right.trace.calls),
            "Events": both(len(left.trace), len(right.trace)),
            "Tensors and numbers compared": f"{self.diff.compared}",
            "Largest difference": f"{self.largest:g}",
            "Time, recorded": both(f"{left.seconds * 1e3:.0f} ms", f"{right.seconds * 1e3:.0f} ms"),
        }
        if any(self.tensors.nonfinite):
            found["NaN or infinite numbers"] = both(*self.tensors.nonfinite)
        if self.backward:
            found["Gradients"] = both(len(left.gradients or ()), len(right.gradients or ()))
        if self.tensors.tolerance is not None:
            found["Smallest tolerance that would pass"] = f"{self.tensors.tolerance}"
        return found


def _all_findings(compared: Comparison) -> Iterator[Finding]:
    reason = compared.uncompared.reason
    if reason and not compared.differs:
        yield Finding("nothing", "", f"{reason[:1].upper()}{reason[1:]}.")
    yield from _run_findings(compared)
    for setting in compared.modules.causes:
        yield Finding("setting", setting.path, f"Set differently: {setting}", row=_row(compared, setting.path))
    yield from _module_findings(compared)
    yield from _tensor_findings(compared)
    words = "Also set differently:" if compared.differs else "Set differently, which this run does not show:"
    for setting in compared.modules.settings:
        known = setting in compared.modules.causes or any(f"{setting}" in found.message for found in compared.found)
        if not known:
            yield Finding("latent", setting.path, f"{words} {setting}", row=_row(compared, setting.path))
    yield from _note_findings(compared)


def _run_findings(compared: Comparison) -> Iterator[Finding]:
    if not compared.raised:
        return
    yield Finding("raised", compared.raised_in, compared.raised, source=_source_line(compared.raised))
    if compared.diff.same:
        events = len(compared.diff.pairs)
        equal = f"Before the exception, {plural(events, 'event')} agreed, largest difference {compared.largest:g}."
        yield Finding("raised", compared.raised_in, equal)


def _module_findings(compared: Comparison) -> Iterator[Finding]:
    diff, modules = compared.diff, compared.modules
    if not diff.same:
        for sentence in diff.sentences():
            path, row = ("", -1) if sentence.about is None else (sentence.about.path, sentence.about.row)
            yield Finding(sentence.kind, path, sentence.words, sentence.fix, row=row)
    bypassed = {*diff.bypassed, *(finding.path for finding in modules.bypassed)}
    if bypassed - {event.path for event in compared.dotnet.trace if event.phase == "pre"}:
        yield Finding("note", "", FORWARD_FIRES)
    yield from modules.bypassed
    yield from modules.missing


def _tensor_findings(compared: Comparison) -> Iterator[Finding]:
    for name in compared.uncompared.buffers:
        words = f"{name} was not compared: TorchSharp lists only persistent buffers ({UNLISTED})."
        yield Finding("unlisted", name.rpartition(".")[0], words)
    for buffer in compared.tensors.buffers:
        yield Finding("buffer", buffer.path, f"After the run, {buffer}")
    if not any(finding.kind == "in place" for finding in compared.found):
        for changed in compared.tensors.overwritten:
            yield Finding("in place", "" if changed.kind == "argument" else changed.path, f"{changed}")
    for gradient in compared.tensors.gradients:
        yield Finding("gradient", gradient.path, f"Backward: {gradient}")


def _source_line(stack: str) -> str:
    """Return the innermost line of C# in a stack trace, as ``MiniLm.cs:57``; empty if there is none."""
    found = _FRAME.search(stack)
    return f"{found['file']}:{found['line']}" if found else ""


def _note_findings(compared: Comparison) -> Iterator[Finding]:
    counts, tolerance = compared.tensors.nonfinite, compared.tensors.tolerance
    if any(counts):
        left, right = compared.pytorch.runtime, compared.dotnet.runtime
        words = f"NaN or infinite numbers in the traces: {counts[0]} in {left} and {counts[1]} in {right}."
        yield Finding("note", "", words)
    if tolerance is None or (_has_cause(compared) and not _is_rounding(tolerance)):
        return
    if tolerance.atol is None and tolerance.rtol is None:
        yield Finding("note", "", "No tolerance would let the values pass.")
        return
    structural = compared.diff.structural
    words = "The values alone would pass with" if structural else "The smallest tolerance that would pass:"
    yield Finding("note", "", f"{words} {tolerance}")


def _has_cause(compared: Comparison) -> bool:
    """Return whether a model raised or a cause is known, so that a fix is needed, not a tolerance."""
    causes = compared.modules.causes or any(finding.kind in CAUSES for finding in compared.found)
    return bool(compared.raised or causes)


def _is_rounding(tolerance: Tolerance) -> bool:
    """Return whether the differences are as small as rounding errors of sums in another order, which need no fix."""
    return tolerance.atol is not None and tolerance.atol <= ROUNDING


def _row(compared: Comparison, path: str) -> int:
    """Return the index in ``diff.pairs`` of the first difference if it is in the module, else of the module's first event, else -1."""
    for first in (compared.diff.first_structural, compared.diff.first_numeric):
        if first is not None and first.path == path:
            return first.row
    rows = enumerate(compared.diff.pairs)
    return next((row for row, pair in rows if any(event is not None and event.path == path for event in pair)), -1)
