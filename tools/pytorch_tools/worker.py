"""The process of a check, in the environment of the tools: ``python -m pytorch_tools.worker CHECK CASE ...``.

It reports a row for each model. The first process of a check with several ranks starts the others.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

import workers
from pytorch_tools.cases import CASES, Case
from pytorch_tools.checks import CHECKS, Check
from pytorch_tools.comparing import differences
from pytorch_tools.torchvision_stub import without_torchvision_operators


def outcome(check: Check, case: Case) -> tuple[str, str]:
    """Return 'same', 'both refuse', 'refused' or 'differs', and the reason."""
    expected, theirs = _try(check, case, case.in_pytorch)
    found, ours = _try(check, case, case.in_csharp)
    if theirs:
        if ours and (check.refusal or ours == theirs):
            return "both refuse", theirs
        return "differs", f"PyTorch's: {theirs}; ours: {ours or 'no error'}"
    if ours:
        return ("refused" if check.refusal else "differs"), ours
    apart = list(differences(expected, found, check.tolerance))
    return ("differs", f"{apart[0]} ({len(apart)} in all)") if apart else ("same", "")


def _try(check: Check, case: Case, make: Callable[[], nn.Module]) -> tuple[Any, str]:
    """Return the tool's result, or else the error: its type and first line, or the reason that torch.compile gives."""
    try:
        model = make()
        torch.manual_seed(0)
        return check.run(model, case), ""
    except Exception as error:  # a tool may raise anything; the page shows it
        traceback.print_exc()
        reason = re.search(r"\(reason: (.*?)\)\n", str(error))
        line = reason[1] if reason else (str(error).strip().splitlines() or [""])[0]
        return None, f"{type(error).__name__}: {line}"


def main(name: str, *cases: str) -> None:
    """Run a check on models, and report a row for each."""
    warnings.simplefilter("ignore")
    without_torchvision_operators()
    check, rank = CHECKS[name], int(os.environ.get("RANK", "0"))
    torch.set_num_threads(1)
    if check.ranks > 1:
        for other in range(1, check.ranks) if rank == 0 else ():
            command = [sys.executable, "-m", "pytorch_tools.worker", name, *cases]
            subprocess.Popen(command, env={**os.environ, "RANK": f"{other}"})
        store = f"file://{Path.cwd()}/store"
        torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=check.ranks)
    version = importlib.metadata.version(check.distribution)
    for case in cases:
        status, text = outcome(check, CASES[case])
        if check.ranks > 1:
            of_ranks: list[Any] = [None] * check.ranks
            torch.distributed.all_gather_object(of_ranks, (status, text))
            status, text = next((each for each in of_ranks if each[0] != "same"), of_ranks[0])
        if rank == 0:
            workers.report({"check": name, "model": case, "version": version, "outcome": status, "text": text})
    if check.ranks > 1:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
