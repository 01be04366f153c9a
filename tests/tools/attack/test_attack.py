"""The attack itself: a few hundred cases with nothing wrong in them, and its command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from attack.__main__ import main
from attack.report import failed
from attack.running import ROOT, Attack

pytestmark = [pytest.mark.slow, pytest.mark.sdk]


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    """Return the models of tools/attack/models."""
    return build_csharp(sorted((ROOT / "tools" / "attack" / "models").glob("*.cs")), "Attack")


def test_three_hundred_cases_of_every_kind(assembly: Path) -> None:
    """No crash, no hang, no wrong result, flat memory."""
    outcomes = Attack(20, assembly).run(range(300))
    assert [(outcome.problem, outcome.kind, outcome.index, outcome.text) for outcome in failed(outcomes)] == []


def test_the_command_reports_and_runs_a_case_again(
    assembly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    assert main(["--cases", "3", "--kind", "errors", "--json", str(report), "--assembly", str(assembly)]) == 0
    assert json.loads(report.read_text(encoding="utf-8"))["kinds"]["errors"]["cases"] == 3
    capsys.readouterr()
    assert main(["--case", "1:0", "--kind", "errors", "--assembly", str(assembly)]) == 0
    assert capsys.readouterr().out == "errors: as it should be\n"
