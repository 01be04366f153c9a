"""Runs checks in the environment of the tools, each in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pytorch_tools import environment
from pytorch_tools.checks import Check

#: Seconds after which a check of one model counts as hanging. Compiling ResNet-18 takes minutes on two busy cores.
DEADLINE = 900.0


@dataclass(frozen=True)
class Row:
    """What came of a check of a model: 'same', 'both refuse', 'refused', 'differs', or 'not installed'."""

    check: str
    model: str
    version: str
    outcome: str
    text: str


def rows(check: Check) -> list[Row]:
    """Run a check on all of its models, in a new process after one that ends without a result."""
    executable = environment.python()
    if (why := environment.absent().get(check.distribution)) is not None:
        return [Row(check.name, model, "", "not installed", why) for model in check.cases]
    found: list[Row] = []
    while len(found) < len(check.cases):
        found += _tried(executable, check, check.cases[len(found) :])
    return found


def _tried(executable: Path, check: Check, models: tuple[str, ...]) -> list[Row]:
    """Return the rows of the first models, at least one, up to one that ends the process without a result."""
    with tempfile.TemporaryDirectory() as folder:
        processes = [_started(executable, check, models, rank, Path(folder)) for rank in range(check.ranks)]
        late = time.monotonic() + DEADLINE * len(models)
        try:
            for process in processes:
                process.wait(max(0.0, late - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        codes = [process.poll() for process in processes]
        for process in processes:
            _end(process)
        outputs = [(Path(folder) / f"{rank}.txt").read_text(errors="replace") for rank in range(check.ranks)]
    of_ranks = [_read(output) for output in outputs]
    found = []
    for model in models:
        each = [of_rank.get(model) for of_rank in of_ranks]
        known = [row for row in each if row is not None]
        if len(known) < check.ranks:
            rank = each.index(None)
            last = (outputs[rank].strip().splitlines() or [""])[-1]
            how = "took too long" if codes[rank] is None else f"ended with {codes[rank]}"
            found.append(Row(check.name, model, "", "differs", f"The process {how}: {last}"))
            break
        # The first rank that differs speaks for all.
        found.append(next((row for row in known if row.outcome != "same"), known[0]))
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children: compilers and workers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _started(
    executable: Path, check: Check, models: tuple[str, ...], rank: int, folder: Path
) -> subprocess.Popen[bytes]:
    environment_ = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "RANK": str(rank),
        "WORLD_SIZE": str(check.ranks),
        "PYTORCH_TOOLS_STORE": f"file://{folder}/store",
        "HF_HUB_OFFLINE": "1",
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
    }
    with (folder / f"{rank}.txt").open("wb") as output:
        return subprocess.Popen(
            [executable, "-m", "pytorch_tools.run", check.name, *models],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment_,
            cwd=folder,
            start_new_session=True,
        )


def _read(output: str) -> dict[str, Row]:
    lines = [json.loads(line.removeprefix("ROW ")) for line in output.splitlines() if line.startswith("ROW ")]
    return {line["model"]: Row(**line) for line in lines}
