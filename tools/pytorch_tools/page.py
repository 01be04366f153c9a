"""docs/pytorch.md: a table with a row for each check and a column for each model. Only the table is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pytorch_tools.cases import CASES
from pytorch_tools.checks import CHECKS, Check
from workers import Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytorch.md"
_COLUMNS = ("Tool", "Version", "What is run", *CASES, "Check", "Remark")
_CELL = re.compile(r"(?<!\\)\|")


def write(rows: Iterable[Row]) -> None:
    """Write the table; rows of checks that did not run are kept."""
    known = {(row["check"], row["model"]): row for row in (*read(), *rows)}
    checks = sorted(CHECKS.values(), key=lambda check: _tool(check).lower())
    table = [_COLUMNS, ["---"] * len(_COLUMNS), *(_cells(check, known) for check in checks)]
    prose, _, _ = PAGE.read_text(encoding="utf-8").partition("| Tool |")
    PAGE.write_text(prose + "".join(f"| {' | '.join(cells)} |\n" for cells in table), encoding="utf-8")


def read() -> list[Row]:
    """Return the rows of the page."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)][1:-1]
        row = dict(zip(_COLUMNS, cells, strict=False))
        if row.get("Check", "").startswith("`"):
            common = {"check": row["Check"].strip("`"), "version": row["Version"]}
            outcomes = {model: row[model] for model in CASES if row[model] != "-"}
            found += [
                {**common, "model": model, "outcome": outcome, "text": "" if outcome == "same" else row["Remark"]}
                for model, outcome in outcomes.items()
            ]
    return found


def described(check: Check) -> str:
    """Return the row's description of the run."""
    ranks = f"; {check.ranks} processes, gloo" if check.ranks > 1 else ""
    return check.what + ranks + (f"; to {check.tolerance:g}" if check.tolerance else "")


def _tool(check: Check) -> str:
    return "PyTorch" if check.distribution == "torch" else check.distribution


def _cells(check: Check, known: dict[tuple[str, str], Row]) -> list[str]:
    rows = [known[check.name, model] for model in check.cases if (check.name, model) in known]
    outcomes = {row["model"]: row["outcome"] for row in rows}
    remarks = dict.fromkeys(row["text"] for row in rows if row["text"] and row["outcome"] != "same")
    if check.reason and "differs" in outcomes.values():
        remarks = {check.reason: None}
    cells = [
        _tool(check),
        ", ".join(sorted({row["version"] for row in rows if row["version"]})),
        described(check),
        *(outcomes.get(model, "-") for model in CASES),
        f"`{check.name}`",
        " ".join(remarks),
    ]
    return [cell.replace("|", "\\|") for cell in cells]
