"""What a comparison says, sentence by sentence: the screen, the page, JSON and assertions read these and word nothing themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from bridge.trace.diff import Row, with_fix

#: What a finding can be, the most telling first.
KINDS: Final[Mapping[str, str]] = {
    "nothing": "there was nothing to compare, and why",
    "raised": "one model raised; what both did until there is compared",
    "names": "modules, parameters or arguments have other names",
    "setting": "a module is made differently, and as in PyTorch nothing differs there",
    "bypass": "a module was run by forward() on one side, so that its hooks never fired",
    "calls": "a module call is on one side only, or in another place",
    "operator": "inside a forward, an operator is another one, has other arguments, is missing or is one too many",
    "in place": "a module changes what it was given, on one side only",
    "input": "the two runs were given other inputs or weights",
    "structure": "a result has other containers or keys",
    "between children": "what a forward does between its children differs",
    "alone": "a module alone gives something else on the very inputs of its counterpart",
    "values": "arguments or results differ",
    "missing": "a module was called on one side and never on the other",
    "buffer": "a buffer differs after the run",
    "gradient": "a gradient differs",
    "unseen": "a module was likely run by forward() although no difference shows it",
    "unlisted": "a buffer was not compared, since TorchSharp never lists such",
    "case": "of several inputs, which one this is, and how the others went",
    "left out": "what one side takes or returns and the other does not have, which was not compared",
    "latent": "a module is made differently, which is not proven to be why anything differs",
    "note": "what helps to read the rest: numbers that are NaN, the tolerance that would pass",
}
_RANK: Final = {kind: rank for rank, kind in enumerate(KINDS)}
#: These are about no module, or none that an event would show.
_NOWHERE: Final = frozenset({"nothing", "input", "missing", "left out", "unlisted", "unseen", "case", "note"})
#: Findings of one kind that are spelled out, and modules of one that several have; the rest is counted.
LINES: Final = 10
PATHS: Final = 8
_NUMBER: Final = re.compile(r"\d+")
_MEASURE: Final = re.compile(r"differs by .*? in \d+ of \d+ numbers")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a comparison found.

    ``kind`` is one of :data:`KINDS` and ``path`` the innermost module that it is about (empty: the root, or none).
    ``message`` says where and what, with both values; ``fix`` what to write, one line of the language of the side that
    needs it; ``source`` its place, ``MiniLm.cs:57``, where it is known. ``row`` is the row of the diff's ``pairs`` that
    it is about, -1 where there is none.
    """

    kind: str
    path: str
    message: str
    fix: str = ""
    source: str = ""
    row: int = -1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of finding: {', '.join(KINDS)}.")

    def __str__(self) -> str:
        place = f"{self.source}: " if self.source else ""
        return place + with_fix(self.message, self.fix)


def ranked(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The most telling first; of one kind, in the order given.

    What raised is told first, and what else is said of that after the causes; so are further modules that run the same line of C#.
    """
    some = tuple(dict.fromkeys(found))
    raised = next((one for one in some if one.kind == "raised"), None)
    lines: dict[str, Finding] = {}
    for one in some:
        if one.kind == "operator" and one.source:
            lines.setdefault(one.source, one)

    def rank(one: Finding) -> int:
        again = one.kind == "raised" and one is not raised
        again |= one.kind == "operator" and lines.get(one.source, one) is not one
        return _RANK["missing" if again else one.kind]

    return tuple(sorted(some, key=rank))


def in_words(found: Iterable[Finding], *, lines: int = LINES) -> list[str]:
    """The findings as sentences, of one kind at most ``lines``, and then how many more there are."""
    return [str(one) for one in spelled_out(found, lines=lines)]


def spelled_out(found: Iterable[Finding], *, lines: int = LINES) -> Iterator[Finding]:
    """Yield of each kind the first ``lines``, and a note of how many more there are; the same at several modules is one of them."""
    by_kind: dict[str, list[Finding]] = {}
    for one in _once(found):
        by_kind.setdefault(one.kind, []).append(one)
    for kind, some in by_kind.items():
        yield from some[:lines]
        if (rest := len(some) - lines) > 0:
            yield Finding("note", "", f"… and {rest} more ({kind}).")


def _once(found: Iterable[Finding]) -> Iterator[Finding]:
    """Join findings that tell the same of several modules, as of each layer: the first, with the paths of the others."""
    together: dict[object, list[Finding]] = {}
    for one in found:
        alike = (one.kind, one.source, _NUMBER.sub("#", one.fix), _without_path(one)) if one.path else one
        together.setdefault(alike, []).append(one)
    for first, *others in together.values():
        if not others:
            yield first
            continue
        paths = [one.path for one in others]
        more = f" and {len(paths) - PATHS} more" if len(paths) > PATHS else ""
        yield replace(first, message=f"{first.message} The same in {', '.join(paths[:PATHS])}{more}.")


def _without_path(one: Finding) -> str:
    """Return a finding's message without its module's path, and without by how much numbers differ where the cause is one line."""
    words = re.sub(rf"(?<![\w.]){re.escape(one.path)}(?!\w)", "", one.message)
    return _MEASURE.sub("", words) if one.kind == "operator" and one.source else words


def located(found: Iterable[Finding], pairs: Iterable[Row]) -> tuple[Finding, ...]:
    """The findings, each with a row: the first of its module's events, where it has none of its own and is about a module."""
    known = tuple(found)
    wanted = {one.path for one in known if one.row < 0 and one.kind not in _NOWHERE}
    rows: dict[str, int] = {}
    if wanted:
        for row, pair in enumerate(pairs):
            event = pair[0] or pair[1]
            if event is not None and event.path in wanted:
                rows.setdefault(event.path, row)
                if len(rows) == len(wanted):
                    break
    return tuple(
        replace(one, row=rows.get(one.path, -1)) if one.row < 0 and one.kind not in _NOWHERE else one for one in known
    )
