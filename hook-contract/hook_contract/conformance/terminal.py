"""Text for a terminal: a judgement (a table of chapters and runtimes, the failures, the verdict), and the changes between two reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from hook_contract.conformance.changes import Change
from hook_contract.conformance.judgement import (
    DIVERGES,
    ERROR,
    FAIL,
    NOT_APPLICABLE,
    PASS,
    STATES,
    UNTESTED,
    Cell,
    Judgement,
    Outcome,
)
from hook_contract.conformance.runs import ABSENT
from hook_contract.program.events import describe

if TYPE_CHECKING:
    from hook_contract.contract import Contract

#: The gap between two columns of the table, and the maximum width of the first column on a narrow terminal.
_GAP: Final = 2
_TITLE: Final = 24
#: The maximum number of problems, of failed clauses, of failed runs and of unjudged programs that are listed.
LISTED: Final = 20
_STYLES: Final = {
    PASS: "green",
    FAIL: "bold red",
    ERROR: "bold magenta",
    DIVERGES: "yellow",
    NOT_APPLICABLE: "dim",
    UNTESTED: "dim",
}
#: A sign for each state, so that no state is shown by color alone.
SIGNS: Final = {PASS: "✓", FAIL: "✗", ERROR: "!", DIVERGES: "≠", NOT_APPLICABLE: "·", UNTESTED: "?"}


def matrix(judgement: Judgement, contract: Contract) -> RenderableType:
    """Return a table of chapters and runtimes with the numbers of clauses in each state, of passed runs, and of judged runs."""
    columns = [(name, device) for name in judgement.runs.versions for device in judgement.runs.devices]
    cells = {(cell.clause, cell.runtime, cell.device): cell for cell in judgement.cells}
    rows: list[tuple[str | Text, ...]] = []
    for chapter in contract.chapters:
        mine = [
            [cells[key] for clause in chapter.clauses if (key := (clause.id, *column)) in cells] for column in columns
        ]
        if any(mine):
            rows.append((f"{chapter.letter} {chapter.title}", *map(_summary, mine)))
    heads = [name if judgement.runs.devices == ("cpu",) else f"{name} {device}" for name, device in columns]
    return _Matrix(heads, rows)


class _Matrix:
    """A table whose numbers are never cut. Columns that do not fit the terminal follow in another table, and titles wrap."""

    def __init__(self, heads: Sequence[str], rows: Sequence[tuple[str | Text, ...]]) -> None:
        self._heads = heads
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [
            max(cell_len(str(cell)) for cell in (head, *(row[place] for row in self._rows))) + _GAP
            for place, head in enumerate(("Clauses", *self._heads))
        ]
        title = widths[0] if sum(widths) <= options.max_width else min(widths[0], _TITLE)
        places = list(range(1, len(widths)))
        while places:
            fit = 1
            while fit < len(places) and title + sum(widths[place] for place in places[: fit + 1]) <= options.max_width:
                fit += 1
            table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
            table.add_column("Clauses", width=title - _GAP)
            for place in places[:fit]:
                table.add_column(self._heads[place - 1], no_wrap=True)
            for row in self._rows:
                table.add_row(row[0], *(row[place] for place in places[:fit]))
            yield table
            if places := places[fit:]:
                yield ""


def legend() -> RenderableType:
    """Return the meaning of the matrix's signs."""
    signs = [Text(f"{SIGNS[state]} {state}", style=_STYLES[state]) for state in STATES]
    return Group("Clauses by state, and how many of their runs passed:", Columns(signs, padding=(0, 3)))


def failures(judgement: Judgement, contract: Contract) -> Iterator[Text]:
    """Yield texts on problems, failed clauses, failed runs whose programs cite none of these clauses, and failed rows of the ledger.

    The text on a clause describes the first failed run whose program cites the clause. Without one,
    it gives the reasons of the failure.
    """
    for problem in judgement.problems[:LISTED]:
        yield Text(problem, style="red")
    if len(judgement.problems) > LISTED:
        yield Text(f"… and {len(judgement.problems) - LISTED} more problems", style="red")
    failed = [cell for cell in judgement.cells if cell.state in (FAIL, ERROR)]
    by_clause: dict[str, list[Cell]] = {}
    for cell in failed:
        by_clause.setdefault(cell.clause, []).append(cell)
    for clause, cells in list(by_clause.items())[:LISTED]:
        where = ", ".join(dict.fromkeys(_where(cell.runtime, cell.device) for cell in cells))
        found = Text.assemble((f"{clause} on {where}", "bold red"), f"\n  {contract[clause].text}")
        first = next(
            (item for item in judgement.outcomes if item.state in (FAIL, ERROR) and clause in item.ran.program.clauses),
            None,
        )
        if first is None:
            found.append("\n  " + "; ".join(dict.fromkeys(cell.reason for cell in cells)))
        else:
            found.append("\n" + "\n".join(f"  {line}" for line in describe_outcome(first)))
        yield found
    if len(by_clause) > LISTED:
        yield Text(f"… and {len(by_clause) - LISTED} more clauses")
    cited = set(by_clause)
    others = [
        item for item in judgement.outcomes if item.state in (FAIL, ERROR) and not cited & set(item.ran.program.clauses)
    ]
    for item in others[:LISTED]:
        yield Text("\n".join(describe_outcome(item)), style="red")
    if len(others) > LISTED:
        yield Text(f"… and {len(others) - LISTED} more runs", style="red")
    for row in judgement.rows:
        if row.state == FAIL:
            yield Text(f"{row.row.id} ({row.row.title}): {row.reason}", style="red")


def unjudged(judgement: Judgement) -> Iterator[Text]:
    """Yield a text for each program with runs that would fail, but are not judged since PyTorch is newer than any tested version.

    The text describes the first of these runs.
    """
    found: dict[str, Outcome] = {}
    for item in judgement.outcomes:
        if item.unjudged:
            found.setdefault(item.ran.program.name, item)
    for item in list(found.values())[:LISTED]:
        yield Text("\n".join(describe_outcome(item)), style="yellow")
    if len(found) > LISTED:
        yield Text(f"… and {len(found) - LISTED} more programs")


def describe_outcome(item: Outcome) -> list[str]:
    """Return the lines that describe a run: program, runtime and reason, then the first difference, if any."""
    ran = item.ran
    found = [f"{ran.program.name} on {_where(ran.runtime, ran.device, ran.variant)}: {item.reason}"]
    if item.difference is not None:
        sides = (("expected", item.difference.expected), ("got", item.difference.got))
        found.append(f"  event {item.difference.number} of {len(ran.program.expect or ())}")
        found += [
            f"    {name:8} {'the end of the trace' if event is None else describe(event)}" for name, event in sides
        ]
    return found


def verdict(judgement: Judgement) -> str:
    """Return the verdict in one line, with the counts."""
    runs = Counter(item.state for item in judgement.outcomes)
    cells = Counter(cell.state for cell in judgement.cells)
    rows = Counter(row.state for row in judgement.rows)
    names = "; ".join(judgement.runs.versions.values())
    figures = (
        f"{_counts(cells, 'clause cell')}; {_counts(runs, 'run')}{_absent(judgement)}; {_counts(rows, 'ledger row')}"
    )
    note = f" {judgement.note}: {_unjudged(judgement)}." if judgement.note else ""
    return f"{_word(judgement)}: {names}. {figures}.{note}"


def _word(judgement: Judgement) -> str:
    if judgement.passed:
        listed = any(cell.state == DIVERGES for cell in judgement.cells)
        return "Conforms but for what ledgers list" if listed else "Conforms"
    return "Does not conform" if judgement.failed else "Not judged, since an adapter failed"


def _absent(judgement: Judgement) -> str:
    """Return how many of the untested runs are so because their runtime lacks the device, or "" if none is."""
    absent = [item.ran for item in judgement.outcomes if item.ran.how == ABSENT]
    where = sorted({f"{ran.runtime} on {ran.device}" for ran in absent})
    return f" ({len(absent)} of the untested lack the device: {', '.join(where)})" if absent else ""


def _unjudged(judgement: Judgement) -> str:
    differ = {item.ran.program.name for item in judgement.outcomes if item.unjudged}
    if not differ:
        return "it agrees with that version in all programs"
    return f"differences are not judged ({', '.join(sorted(differ)[:LISTED])}{', …' if len(differ) > LISTED else ''})"


def single(judgement: Judgement) -> str:
    """Return a sentence that lists the MUST clauses with only one passing program on some runtime, or "" if there are none."""
    found = judgement.single
    if not found:
        return ""
    everywhere = list(judgement.runs.versions)
    parts = [
        clause if list(where) == everywhere else f"{clause} ({', '.join(where)})" for clause, where in found.items()
    ]
    return f"Shown by a single program: {', '.join(parts)}."


def describe_changes(found: Sequence[Change]) -> Iterator[Text]:
    """Yield a line for each difference between two reports."""
    for change in found:
        yield Text(f"{change.kind} {change}", style="red" if change.worse else "")


def _summary(cells: Sequence[Cell]) -> Text:
    states = Counter(cell.state for cell in cells)
    parts = [(f"{SIGNS[state]}{states[state]} ", _STYLES[state]) for state in STATES if states[state]]
    passed, total = sum(cell.passed for cell in cells), sum(cell.total for cell in cells)
    return Text.assemble(*parts, (f"{passed}/{total}" if total else "", "dim"))


def _counts(states: Counter[str], noun: str) -> str:
    total = states.total()
    parts = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
    return f"{total} {noun}{'' if total == 1 else 's'}: {parts or 'none'}"


def _where(runtime: str, device: str, variant: str = "") -> str:
    return f"{runtime}{f' ({variant})' if variant else ''}{'' if device == 'cpu' else f' on {device}'}"
