"""Search for the causes of a module's findings in the operators that PyTorch and C# call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.compare.isolate.causes.counterfactual import find_operator_cause
from bridge.compare.isolate.causes.inplace import find_inplace_cause
from bridge.compare.isolate.causes.memory import find_writing_operator
from bridge.compare.isolate.causes.missing_calls import find_bypassed, find_call_differences
from bridge.compare.isolate.divergence import Divergence, find_divergences, find_near
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.pairs import CallPair
from bridge.compare.isolate.value_comparison import compare_values


def add_causes(pair: CallPair, findings: Sequence[ModuleFinding]) -> list[ModuleFinding]:
    """Return the findings with their causes, and the findings about child calls.

    Leaves out findings that a missing or wrong child call may explain. Returns the findings unchanged if the run in
    which the operators are recorded has another outcome than the run before.
    """
    recordings = pair.recordings
    if recordings.python.raised is not None or (recordings.dotnet.raised is None) != (pair.outcome.raised is None):
        return list(findings)
    if compare_values(pair.call.result, recordings.python.result, pair.names) is not None:
        return list(findings)
    divergences = find_divergences(recordings.left, recordings.right)
    calls = find_call_differences(pair)
    # A missing or wrong child call can cause all later differences of child arguments and results.
    located = [
        _add_cause(pair, finding, divergences)
        for finding in findings
        if not calls or not _is_after(finding, calls[0].number)
    ]
    return [*located, *find_bypassed(pair), *calls]


def _is_after(finding: ModuleFinding, number: int) -> bool:
    return finding.kind in ("result", "raised") or (finding.kind == "input" and finding.number >= number)


def _add_cause(pair: CallPair, finding: ModuleFinding, divergences: Sequence[Sequence[Divergence]]) -> ModuleFinding:
    if finding.kind == "input" and (sink := pair.recordings.right.sink_of(finding.number)) is not None:
        finding = replace(finding, location=sink.location)
    if finding.kind == "in place":
        name, source = find_writing_operator(pair)
        return _with_operator(finding, f": {name}", source) if name else finding
    divergence = find_operator_cause(pair, finding, divergences)
    if divergence is None:
        operator = find_inplace_cause(pair, finding)
        if operator is not None:
            return _with_operator(finding, f": {operator.aten} changed it in place", operator.location.source)
        return finding
    location = finding.location
    if source := _insertion_point(pair, divergence):
        location = location._replace(source=source)
    return replace(finding, divergence=divergence, location=location)


def _with_operator(finding: ModuleFinding, text: str, source: str) -> ModuleFinding:
    return replace(finding, text=finding.text + text, location=finding.location._replace(source=source))


def _insertion_point(pair: CallPair, divergence: Divergence) -> str:
    """Return the C# location that computes the input of a missing operator; empty if it is not known or no operator is missing."""
    if divergence.left is None or not (divergence.missing or divergence.right is None):
        return ""
    equals = (find_near(value, pair.recordings.right) for value in divergence.left.inputs)
    return next((equal.made_at for equal in equals if equal is not None and equal.made_at), "")
