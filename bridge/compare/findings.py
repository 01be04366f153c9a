"""Findings of a comparison: the sentences that the terminal, the page, JSON and assertions show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from bridge.trace.diff import Row, with_fix
from hook_contract.output.sentences import join_some

#: The kinds of findings, those nearest to a cause first.
KINDS: Final[Mapping[str, str]] = {
    "nothing": "why there was nothing to compare",
    "raised": "one model raised; everything before was compared",
    "setting": "a setting of a module differs, and with PyTorch's value of the setting the results agree",
    "bypass": "forward() ran a module on one side, so its hooks never fired",
    "calls": "module calls are missing, additional or in another order",
    "operator": "an operator in a forward differs, has other arguments, is missing or is extra",
    "in place": "an argument or parameter is changed in place on one side only, or to other values",
    "input": "inputs or weights of the two runs differ",
    "structure": "a result has other containers or keys",
    "between children": "a forward computes something else outside of the calls of its children",
    "alone": "a module run in isolation on the inputs of its counterpart has another result, buffer or gradient",
    "values": "arguments or results differ",
    "missing": "a module was never called on one side",
    "buffer": "a buffer differs after the run",
    "gradient": "a gradient differs",
    "unseen": "forward() most likely ran a module, although the traces show no difference there",
    "unlisted": "a buffer was not compared, because TorchSharp does not list it",
    "case": "with several inputs: the worst one, and how many differ or could not be compared",
    "left out": "an argument, result or buffer that one side lacks was not compared",
    "latent": "a setting of a module differs, but is not proven to be a cause",
    "note": "a remark, such as the tolerance that would pass",
}
_RANK: Final = {kind: rank for rank, kind in enumerate(KINDS)}
#: The kinds of findings that are about no row of the diff.
_WITHOUT_ROW: Final = frozenset({"nothing", "input", "missing", "left out", "unlisted", "unseen", "case", "note"})
#: The largest number of findings that are listed for each kind; the rest is counted.
LINES: Final = 10
#: The largest number of other modules that a finding lists; the rest is counted.
PATHS: Final = 8
_NUMBER: Final = re.compile(r"\d+")
_MEASURE: Final = re.compile(r"differs (by .*? )?in \d+ of \d+ numbers( \(some of them NaN or infinite\))?")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a comparison."""

    #: One of :data:`KINDS`.
    kind: str
    #: The path of the innermost module concerned; empty for the root, or if no module is concerned.
    path: str
    message: str
    #: The code to write; empty if unknown.
    fix: str = ""
    #: The line concerned, such as ``MiniLm.cs:57``; empty if unknown.
    source: str = ""
    #: The row of the diff concerned, as an index of the diff's ``pairs``; -1 if there is none.
    row: int = -1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not a kind of finding: {', '.join(KINDS)}.")

    def __str__(self) -> str:
        place = f"{self.source}: " if self.source else ""
        return place + with_fix(self.message, self.fix)


def left_out_finding(results: str, compared: Iterable[str], left_out: Iterable[str]) -> Finding:
    """Return a finding that names the results that were compared and those left out.

    ``results`` is a phrase for the compared results: the finding begins with 'Only {results} were compared'.
    """
    names, others = (", ".join(f"`{name}`" for name in some) for some in (compared, left_out))
    words = f"Only {results} were compared: {names}; not compared: {others}. Choose others with --outputs."
    return Finding("left out", "", words)


def rank_findings(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by kind, those nearest to a cause first, and drop repeated ones.

    A ``raised`` finding after the first, and an ``operator`` finding after the first on its line of source, are sorted as if they were of
    the kind ``missing``.
    """
    findings = tuple(dict.fromkeys(found))
    raised = next((finding for finding in findings if finding.kind == "raised"), None)
    lines: dict[str, Finding] = {}
    for finding in findings:
        if finding.kind == "operator" and finding.source:
            lines.setdefault(finding.source, finding)

    def rank(finding: Finding) -> int:
        repeated = finding.kind == "raised" and finding is not raised
        repeated |= finding.kind == "operator" and lines.get(finding.source, finding) is not finding
        return _RANK["missing" if repeated else finding.kind]

    return tuple(sorted(findings, key=rank))


def to_sentences(found: Iterable[Finding], *, all_of_them: bool = False) -> list[str]:
    """Return the findings that :func:`shorten_findings` yields, as sentences; with ``all_of_them``, no finding or module is left out."""
    return [str(finding) for finding in (_join_modules(found, None) if all_of_them else shorten_findings(found))]


def shorten_findings(found: Iterable[Finding]) -> Iterator[Finding]:
    """Join findings that are equal for several modules; yield the first :data:`LINES` of each kind, and a note that counts the rest."""
    by_kind: dict[str, list[Finding]] = {}
    for finding in _join_modules(found, PATHS):
        by_kind.setdefault(finding.kind, []).append(finding)
    for kind, findings in by_kind.items():
        yield from findings[:LINES]
        if (rest := len(findings) - LINES) > 0:
            yield Finding("note", "", f"… and {rest} more ({kind}).")


def _join_modules(found: Iterable[Finding], limit: int | None) -> Iterator[Finding]:
    """Yield the findings; join those that differ only in the module, numbers of the fix, or text that :func:`_without_path` leaves out.

    The joined finding is about the first module, and lists up to ``limit`` others, or all if ``limit`` is None.
    """
    groups: dict[object, list[Finding]] = {}
    for finding in found:
        path = finding.path
        key = (finding.kind, finding.source, _NUMBER.sub("#", finding.fix), _without_path(finding)) if path else finding
        groups.setdefault(key, []).append(finding)
    for first, *others in groups.values():
        if not others:
            yield first
            continue
        paths = [finding.path for finding in others]
        yield replace(first, message=f"{first.message} The same in {join_some(paths, limit or len(paths))}.")


def _without_path(finding: Finding) -> str:
    """Return the message without the module's path; for an operator whose line is known, also without the size of the difference."""
    words = re.sub(rf"(?<![\w.]){re.escape(finding.path)}(?!\w)", "", finding.message)
    return _MEASURE.sub("", words) if finding.kind == "operator" and finding.source else words


def locate_findings(found: Iterable[Finding], pairs: Iterable[Row]) -> tuple[Finding, ...]:
    """Return the findings with their rows.

    A finding without a row gets the row of its module's first event, unless findings of its kind never have a row.
    """
    findings = tuple(found)
    wanted = {finding.path for finding in findings if _lacks_row(finding)}
    rows: dict[str, int] = {}
    if wanted:
        for row, pair in enumerate(pairs):
            event = pair[0] or pair[1]
            if event is not None and event.path in wanted:
                rows.setdefault(event.path, row)
                if len(rows) == len(wanted):
                    break
    return tuple(
        replace(finding, row=rows.get(finding.path, -1)) if _lacks_row(finding) else finding for finding in findings
    )


def _lacks_row(finding: Finding) -> bool:
    return finding.row < 0 and finding.kind not in _WITHOUT_ROW
