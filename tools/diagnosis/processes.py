"""Runs workers, two at a time. A mutant that ends its worker takes no other with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import workers
from diagnosis.mutants import Mutant
from diagnosis.subjects import ROOT

JOBS: Final = 2
#: The mutants of one worker, and the seconds after which it hangs.
_CHUNK: Final = 40
_HANG: Final = 3600.0
_PATH: Final = os.pathsep.join((str(ROOT), str(ROOT / "tools")))
_ENDED: Final = {"lives": "ended the process", "noticed": False, "located": False, "explained": False, "wrong": []}


def judge(chosen: Sequence[Mutant]) -> list[workers.Row]:
    """Return the result of each mutant, with its model and kind; say on standard error how many are done."""
    chunks = []
    for subject in dict.fromkeys(mutant.subject for mutant in chosen):
        ids = [mutant.id for mutant in chosen if mutant.subject == subject]
        chunks += [(subject, ids[start : start + _CHUNK]) for start in range(0, len(ids), _CHUNK)]
    results: dict[tuple[str, str], workers.Row] = {}
    with ThreadPoolExecutor(JOBS) as pool:
        for (subject, _), rows in zip(chunks, pool.map(_run_workers, chunks), strict=True):
            results |= {(subject, row["id"]): row for row in rows}
            print(f"{len(results)} of {len(chosen)} mutants", file=sys.stderr, flush=True)
    return [
        {"subject": mutant.subject, "kind": mutant.kind, "held_out": mutant.held_out, "mutant": str(mutant)}
        | results[mutant.subject, mutant.id]
        for mutant in chosen
    ]


def measure_isolation(subjects: Sequence[str]) -> list[workers.Row]:
    """Return for each model how many modules the original calls, and why compare cannot judge some of them in isolation."""
    with ThreadPoolExecutor(JOBS) as pool:
        rows = pool.map(_run_workers, [(subject, ["isolation"]) for subject in subjects])
        return [row for (row,) in rows]


def _run_workers(chunk: tuple[str, list[str]]) -> list[workers.Row]:
    """Return a row for each id, with a new worker after an id that ends one. Raises SystemExit if a worker does not start."""
    subject, ids = chunk
    rows: list[workers.Row] = []
    while left := ids[len(rows) :]:
        command = [sys.executable, "-m", "diagnosis.worker", subject, *left]
        found, ended = workers.run(command, ROOT, _HANG, PYTHONPATH=_PATH)
        if not found or (ended and left == ["isolation"]):
            raise SystemExit(f"The worker of {subject} failed: {' '.join(command)}\n{ended}")
        rows += found[1:]  # the first row says that the worker is ready
        if len(found) <= len(left):
            rows.append({"id": left[len(found) - 1], **_ENDED, "said": [ended]})
    return rows
