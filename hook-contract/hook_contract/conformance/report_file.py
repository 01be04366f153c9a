"""The conformance report as a file of JSON lines, in the format of ``contract/report.schema.json``.

The first line is a header, the last a footer. Equal judgements give equal bytes between header and footer.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from hook_contract.conformance.errors import ReportError
from hook_contract.conformance.judgement import FAIL, STATES, Judgement, Outcome
from hook_contract.contract.versions import __version__
from hook_contract.output.files import output_error, write_atomically
from hook_contract.program import Json
from hook_contract.program.validation import reason

FORMAT: Final = 2
_SCHEMA: Final = Path(__file__).parents[1] / "contract" / "report.schema.json"


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """A report that was read from a file, with its lines by kind."""

    path: Path
    header: Mapping[str, Json]
    programs: tuple[Mapping[str, Json], ...]
    cells: tuple[Mapping[str, Json], ...]
    divergences: tuple[Mapping[str, Json], ...]
    problems: tuple[str, ...]
    footer: Mapping[str, Json]


def text(judgement: Judgement, *, contract: str, chosen: Sequence[str] = (), seconds: float = 0.0) -> str:
    """Return the report of a judgement. ``contract`` is the contract's version, ``chosen`` the filters of the selection."""
    header = {
        "line": "header",
        "format": FORMAT,
        "contract": contract,
        "hook_contract": __version__,
        "runtimes": dict(judgement.runs.versions),
        "devices": list(judgement.runs.devices),
        "filter": list(chosen),
        "machine": machine(judgement.runs.devices),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    body = "".join(_dumps(line) for line in body_lines(judgement))
    footer = {
        "line": "footer",
        "passed": judgement.passed,
        "programs": counts(item.state for item in judgement.outcomes),
        "cells": counts(item.state for item in judgement.cells),
        "divergences": counts(item.state for item in judgement.rows),
        "digest": _digest(body),
        "seconds": round(seconds, 3),
    }
    return _dumps(header) + body + _dumps(footer)


def body_lines(judgement: Judgement) -> Iterator[dict[str, Json]]:
    """Yield the lines between header and footer."""
    yield from map(_program, judgement.outcomes)
    for cell in judgement.cells:
        yield {
            "line": "cell",
            "clause": cell.clause,
            "runtime": cell.runtime,
            "device": cell.device,
            "state": cell.state,
            "passed": cell.passed,
            "total": cell.total,
            "proofs": cell.proofs,
            "required": cell.required,
            **_reason(cell.reason),
        }
    for row in judgement.rows:
        yield {"line": "divergence", "id": row.row.id, "state": row.state, "seen": row.seen, **_reason(row.reason)}
    for problem in judgement.problems:
        yield {"line": "problem", "problem": problem}


def summary(judgement: Judgement, *, contract: str, seconds: float) -> dict[str, Json]:
    """Return a summary of the judgement: counts and failures.

    ``single`` lists, for each clause of the level *must*, the runtimes on which only one program of the clause passes.
    """
    return {
        "passed": judgement.passed,
        **({"note": judgement.note} if judgement.note else {}),
        **({"left_out": judgement.left_out} if judgement.left_out else {}),
        "contract": contract,
        "runtimes": dict(judgement.runs.versions),
        "devices": list(judgement.runs.devices),
        "programs": counts(item.state for item in judgement.outcomes),
        "cells": counts(item.state for item in judgement.cells),
        "divergences": counts(item.state for item in judgement.rows),
        "single": {clause: list(where) for clause, where in judgement.single.items()},
        "failures": [line for line in body_lines(judgement) if line.get("state") == FAIL or line["line"] == "problem"],
        "seconds": round(seconds, 3),
    }


def counts(states: Iterable[str]) -> dict[str, int]:
    """Return the number of occurrences of each state."""
    found = Counter(states)
    return {state: found[state] for state in STATES}


def machine(devices: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python and torch, the system and, if ``devices`` has ``cuda``, the GPU with its driver."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    try:
        found["torch"] = metadata.version("torch")
    except metadata.PackageNotFoundError:
        found["torch"] = "none"
    if "cuda" in devices and (gpu := _gpu()):
        found["cuda"] = gpu
    return found


def _gpu() -> str:
    """Return the name and the driver of the first GPU, or "" if there is none."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    name, _, driver = done.stdout.partition("\n")[0].partition(",")
    return f"{name}, driver {driver.strip()}"


def write(path: Path, text: str) -> None:
    """Write a report. Raises OutputError if the report cannot be written; an existing file is then unchanged."""
    try:
        write_atomically(path, text)
    except OSError as error:
        raise output_error(path, error) from error


def read(path: Path) -> ConformanceReport:
    """Read a report. Raises OSError, and ReportError for a file that is truncated, was changed, or is not a report."""
    data = path.read_bytes()
    lines = data.decode("utf-8", errors="replace").splitlines(keepends=True)
    parsed = [_line(line, path, number) for number, line in enumerate(lines, 1)]
    if not parsed or parsed[0]["line"] != "header":
        raise ReportError(f"{path} is not a conformance report: its first line is not a header.")
    if parsed[-1]["line"] != "footer":
        raise ReportError(f"{path} has no footer: the file is incomplete.")
    if sum(item["line"] in ("header", "footer") for item in parsed) > 2:
        raise ReportError(f"{path} has more than one header or footer.")
    if _digest("".join(lines[1:-1])) != parsed[-1]["digest"]:
        raise ReportError(f"{path} was changed after it was written: its lines do not match the footer's digest.")

    def kind(name: str) -> tuple[Mapping[str, Json], ...]:
        return tuple(item for item in parsed if item["line"] == name)

    problems = tuple(item["problem"] for item in kind("problem"))
    return ConformanceReport(path, parsed[0], kind("program"), kind("cell"), kind("divergence"), problems, parsed[-1])


def _program(outcome: Outcome) -> dict[str, Json]:
    ran, first = outcome.ran, outcome.difference
    found: dict[str, Json] = {
        "line": "program",
        "program": ran.program.name,
        "clauses": list(ran.program.clauses),
        "runtime": ran.runtime,
        "variant": ran.variant,
        "device": ran.device,
        "state": outcome.state,
        "events": len(ran.events),
        **_reason(outcome.reason),
    }
    if outcome.row:
        found["row"] = outcome.row
    if first is not None:
        found["first"] = {"number": first.number, "expected": first.expected, "got": first.got}
        found["trace"] = list(ran.events)
    return found


def _reason(reason: str) -> dict[str, Json]:
    return {"reason": reason} if reason else {}


def _dumps(item: Mapping[str, Json]) -> str:
    # ASCII, since splitlines() also splits at characters such as U+2028, which may occur in a reason.
    return json.dumps(item, ensure_ascii=True, separators=(",", ":")) + "\n"


def _digest(body: str) -> str:
    return "sha256:" + hashlib.sha256(body.encode()).hexdigest()


def _line(text: str, path: Path, number: int) -> dict[str, Json]:
    try:
        item = json.loads(text)
    except (ValueError, RecursionError):
        raise ReportError(f"{path}, line {number}: invalid JSON. The file is not a report, or was truncated.") from None
    import jsonschema

    error = jsonschema.exceptions.best_match(_validator().iter_errors(item))
    if error is not None:
        raise ReportError(f"{path}, line {number}: {error.json_path}: {reason(error)}")
    assert isinstance(item, dict)
    return item


@cache
def _validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_bytes()))
