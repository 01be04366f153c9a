"""One check in this process: ``python -m pytorch_tools.run CHECK [CASE ...]`` writes a line of JSON for each model.

It runs in the environment of the tools. With RANK and WORLD_SIZE set, the processes of a check meet over gloo.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from pytorch_tools import families
from pytorch_tools.cases import CASES, Case
from pytorch_tools.checks import CHECKS, Check
from pytorch_tools.comparing import differences
from pytorch_tools.torchvision_stub import without_torchvision_operators


def outcome(check: Check, case: Case) -> tuple[str, str]:
    """Return 'same', 'both refuse', 'refused' or 'differs', and the reason."""
    expected, failed = _tried(check, case, case.in_pytorch)
    found, raised = _tried(check, case, case.in_csharp)
    if failed is not None:
        if raised is not None and (check.refusal or _first(raised) == _first(failed)):
            return "both refuse", _first(failed)
        return "differs", f"PyTorch's: {_first(failed)}; ours: {_first(raised) if raised else 'no error'}"
    if raised is not None:
        return ("refused" if check.refusal else "differs"), _first(raised)
    apart = list(differences(expected, found, check.tolerance))
    return ("differs", f"{apart[0]} ({len(apart)} in all)") if apart else ("same", "")


def _tried(check: Check, case: Case, make: Callable[[], nn.Module]) -> tuple[Any, BaseException | None]:
    try:
        model = make()
        torch.manual_seed(0)
        return check.run(model, case), None
    except Exception as error:
        traceback.print_exc()
        return None, error


def _first(error: BaseException) -> str:
    """Return the kind of an error and the first line of its text, without .NET's type name."""
    if found := re.search(r"\(reason: (.*?)\)\n", str(error)):  # torch.compile's explanations
        return f"{type(error).__name__}: {found[1]}"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def version(distribution: str) -> str:
    return importlib.metadata.version(distribution)


def main(name: str, *cases: str) -> None:
    warnings.simplefilter("ignore")
    without_torchvision_operators()
    families.load()
    check = CHECKS[name]
    torch.set_num_threads(1)
    if check.ranks > 1:
        torch.distributed.init_process_group(
            "gloo",
            init_method=os.environ["PYTORCH_TOOLS_STORE"],
            rank=int(os.environ["RANK"]),
            world_size=check.ranks,
        )
    for case in cases or check.cases:
        status, text = outcome(check, CASES[case])
        row = {"check": name, "model": case, "version": version(check.distribution), "outcome": status, "text": text}
        print("ROW " + json.dumps(row), flush=True)
    if check.ranks > 1:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
