"""examples/runtimes: the size of the adapters, their ledgers, and a run of the programs where the framework is installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from hook_contract.contract import load
from hook_contract.contract.ledger import matches, parse
from hook_contract.program import corpus

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLES: Final = ROOT / "examples" / "runtimes"
FRAMEWORKS: Final = ("jittor", "mindspore", "paddle")
LINES: Final = 200


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_adapter_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_ledger_is_about_clauses_and_programs_that_exist(name: str) -> None:
    rows = parse((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
    assert rows
    assert {row.runtime for row in rows} == {name}
    assert all(clause in load() for row in rows for clause in row.clauses)
    for row in rows:
        for pattern in row.programs:
            assert any(matches(pattern, program.name, "") for program in corpus()), (row.id, pattern)


def test_each_defect_has_a_short_reproduction() -> None:
    rows = [row for name in FRAMEWORKS for row in parse((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))]
    page = (EXAMPLES / "defects.md").read_text(encoding="utf-8")
    shown = re.findall(r"^### ([A-Z]+-\d+): .*\n\n```python\n([\s\S]*?)\n```", page, re.MULTILINE)
    assert {id for id, _ in shown} == {row.id for row in rows if row.reason.startswith("A defect:")}
    for id, code in shown:
        compile(code, id, "exec")
        assert len([line for line in code.splitlines() if line.strip()]) <= 10, id


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_ledger_explains_every_difference(name: str, tmp_path: Path) -> None:
    if find_spec(name) is None:
        pytest.skip(f"needs the package {name}")
    if not hasattr(os, "fork"):
        pytest.skip("the adapters run each program in a forked process")
    out = tmp_path / "judged.json"
    command = [
        "run",
        "--runtime",
        f"{name}_runtime:RUNTIME",
        "--ledger",
        str(EXAMPLES / f"{name}.toml"),
        "--json",
        str(out),
    ]
    found = subprocess.run(
        [sys.executable, "-m", "hook_contract", *command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "hook-contract"), str(EXAMPLES)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert json.loads(out.read_text(encoding="utf-8"))
