"""The page of the known divergences, ``docs/divergences.md``, from the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hook_contract.contract.ledger import Divergence

_GENERATED: Final = "Made by `python tools/contract.py write`; a test fails when it is stale."
_SECTIONS: Final = (
    ("contract", "Departures from the contract",
     "Each is shown by hook programs, exactly as its row describes. A row is untested in a run without its runtime and version."),
    ("interface", "Differences that no hook program shows",
     "They affect everyone who ports a model."),
    ("port", "Bridge.Torch and TorchSharp",
     "Where the same C# source behaves differently on Bridge.Torch than on TorchSharp, and why."),
)  # fmt: skip


def divergences_page(rows: Sequence[Divergence]) -> str:
    """Return the text of ``docs/divergences.md``."""
    parts = [
        "# Known divergences",
        f"{_GENERATED} The ledger is `bridge/runtimes/divergences.toml`; [conformance.md](conformance.md) says how it is judged.",
    ]
    for kind, title, words in _SECTIONS:
        mine = [row for row in rows if row.kind == kind]
        if not mine:
            continue
        parts.append(f"## {title}\n\n{words}")
        table = ["| row | runtime | difference | reason |", "|---|---|---|---|"]
        table += [
            f"| {row.id} | {_cell(_scope(row))} | {_cell(_title(row))} | {_cell(_explanation(row))} |" for row in mine
        ]
        parts.append("\n".join(table))
    return "\n\n".join(parts) + "\n"


def _scope(row: Divergence) -> str:
    parts = [row.runtime, row.about, *row.devices]
    return " ".join(part for part in parts if part)


def _title(row: Divergence) -> str:
    return f"{row.title} ({', '.join(row.clauses)})" if row.clauses else row.title


def _explanation(row: Divergence) -> str:
    parts = [row.reason]
    if row.upstream:
        parts.append(f"[{row.upstream.removeprefix('https://github.com/')}]({row.upstream})")
    if row.programs:
        parts.append(f"Programs: {', '.join(f'`{name}`' for name in row.programs)}.")
    if row.shown_by:
        parts.append(f"Shown by {', '.join(f'`{name}`' for name in row.shown_by)}, run by hand.")
    return " ".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
