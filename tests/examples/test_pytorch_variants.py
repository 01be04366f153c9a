"""examples/runtimes/pytorch_variants.py: the ledger, a few programs on each variant, and the entire corpus."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from hook_contract.contract import load
from hook_contract.contract.ledger import matches, read
from hook_contract.program import corpus

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples" / "runtimes"
LEDGER: Final = EXAMPLES / "pytorch_variants.toml"
#: The runtimes by the names of their objects.
NAMES: Final[Mapping[str, str]] = {
    "COMPILED": "pytorch-compile",
    "SCRIPTED": "pytorch-jit",
    "EXPORTED": "pytorch-export",
    "FSDP": "pytorch-fsdp2",
    "DDP": "pytorch-ddp",
    "DATA_PARALLEL": "pytorch-dataparallel",
}
#: For each runtime, a program that passes in each variant and one that differs in one.
SHOWN: Final[Mapping[str, tuple[str, str]]] = {
    "COMPILED": ("O-2-prepend-order", "A-9-swallowed-midway"),
    "SCRIPTED": ("O-2-prepend-order", "A-3-forward-raises"),
    "EXPORTED": ("O-2-prepend-order", "A-3-forward-raises"),
    "FSDP": ("O-2-prepend-order", "C-5-bare-at-entry"),
    "DDP": ("O-2-prepend-order", "B-16-output-in-place"),
    "DATA_PARALLEL": ("O-2-prepend-order", "O-1-global-pre-before-own"),
}


def _judge(name: str, out: Path, *filters: str) -> dict[str, Any]:
    """Run the command for a runtime, and return its summary."""
    command = [
        "run",
        "--runtime",
        f"pytorch_variants:{name}",
        "--ledger",
        str(LEDGER),
        "--json",
        str(out),
        "--limit",
        "120",
    ]
    found = subprocess.run(
        [sys.executable, "-m", "hook_contract", *command, *(part for item in filters for part in ("--filter", item))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((*sys.path, str(EXAMPLES)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    summary: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return summary


def test_the_ledger_is_about_clauses_and_programs_that_exist() -> None:
    rows = read(LEDGER)
    assert {row.runtime for row in rows} == set(NAMES.values())
    assert all(clause in load() for row in rows for clause in row.clauses)
    for row in rows:
        for pattern in row.programs:
            name = pattern.partition("@")[0]
            assert any(matches(name, program.name, "") for program in corpus()), (row.id, pattern)


@pytest.mark.skipif(sys.platform == "win32", reason="PyTorch's wrappers were tried on Linux only")
@pytest.mark.parametrize(
    "name", ["DDP", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES if name != "DDP")]
)
def test_some_programs_pass_and_others_diverge_as_listed(name: str, tmp_path: Path) -> None:
    summary = _judge(name, tmp_path / "out.json", *SHOWN[name])
    assert summary["programs"]["pass"]
    assert summary["programs"]["diverges as listed"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_ledger_explains_every_difference(name: str, tmp_path: Path) -> None:
    _judge(name, tmp_path / "out.json")
