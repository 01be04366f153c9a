"""The comparison of two traces.

The structure is compared first, that is, whether both traces have the same events in the same order. Then the values of each pair of
aligned events are compared within a tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.trace import Trace
from bridge.trace.diff.align import align, call_tree
from bridge.trace.diff.allowed import Allowed
from bridge.trace.diff.blame import compare_columns, compare_rows
from bridge.trace.diff.difference import Diff
from bridge.trace.diff.headers import differences as header_differences
from bridge.trace.diff.phrases import names, path_name
from bridge.trace.diff.prefilter import Pairs, other_types, same_structure
from bridge.trace.diff.structure import Places, describe_finding
from hook_contract.output.sentences import with_article


def diff(
    a: Trace, b: Trace, *, rtol: float = 0.0, atol: float = 0.0, by_path: Sequence[tuple[str, float]] = ()
) -> Diff:
    """Compare two traces: first their structure, then the values.

    Numbers ``x`` and ``y`` are equal if ``|x - y| <= atol + rtol * max(|x|, |y|)``. NaN equals NaN, and infinities of equal sign are equal.
    Complex numbers are compared by component. ``by_path`` has another ``atol`` for some modules (:class:`.allowed.Allowed`). Tensors
    without recorded elements are compared by digest, and those without digests only by shape, dtype and device. The values of a call that
    is at another place in the other trace are not compared.

    If the structures are equal, the time is linear in the number of events. Raises ValueError for a negative or NaN tolerance.
    """
    allowed = Allowed(rtol, atol, tuple(by_path))
    both = names(a, b)
    origins = header_differences(a.header, b.header, both)
    if same_structure(a.columns, b.columns):
        types = other_types(a.columns, b.columns)
        found = compare_columns(a, b, both, allowed)
        return Diff(a, b, Pairs(a, b), (), *found, (), _type_notes(types, both), origins)
    rows, findings = align(call_tree(a.events), call_tree(b.events))
    places = Places()
    found_structural = tuple(describe_finding(finding, both, places) for finding in findings)
    bypassed = tuple(dict.fromkeys(d.path for d in found_structural if d.clause == "C-3"))
    types = [(x.path, x.type, y.type) for x, y in rows if x is not None and y is not None and x.type != y.type]
    found = compare_rows(rows, both, allowed)
    return Diff(a, b, tuple(rows), found_structural, *found, bypassed, _type_notes(types, both), origins)


def _type_notes(types: list[tuple[str, str, str]], names: tuple[str, str]) -> tuple[str, ...]:
    """Return a sentence for each module whose type names differ. A C# port may have other class names, so this is not a difference."""
    return tuple(
        f"{path_name(path)} is {with_article(left)} in {names[0]} and {with_article(right)} in {names[1]}."
        for path, left, right in dict.fromkeys(types)
    )
