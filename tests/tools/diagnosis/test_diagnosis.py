"""make diagnosis: mistakes planted in ports are noticed, located and explained (C-3, F-1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnosis.__main__ import drawn, main
from diagnosis.planted import mutants
from diagnosis.running import results
from diagnosis.subjects import named
from diagnosis.table import aside, counted

pytestmark = pytest.mark.sdk


@pytest.mark.slow
def test_a_few_mistakes_of_the_tagger() -> None:
    """One of each of these kinds, in one process."""
    wanted = ("dropout p", "call to forward", "bias", "batch first", "other dim", "frozen")
    chosen = [next(one for one in mutants([named("Tagger")]) if one.kind == kind) for kind in wanted]
    found = results(chosen, 1, lambda _: None)
    assert len(found) == len(wanted)
    total = counted(found.values())
    assert total.live == total.noticed == total.located == len(wanted), found
    assert total.explained >= len(wanted) - 1, found
    assert total.wrong == 0, found


def test_what_is_set_aside_is_run_only_where_it_is_asked_for() -> None:
    assert not any(aside(one) for one in drawn(["Tagger"], 2, 1, with_aside=False))
    assert drawn(["padding", "Plates"], 2, 1, with_aside=False) == []
    assert len(drawn(["padding", "Plates"], 2, 1, with_aside=True)) == 2


@pytest.mark.slow
def test_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every live mutant is noticed and no cause is wrong, or the command ends with 1."""
    assert main(["--aside", "--page", str(tmp_path / "diagnosis.md")]) == 0, capsys.readouterr().out
    assert "set aside" in capsys.readouterr().out
    assert (tmp_path / "diagnosis.md").read_text(encoding="utf-8").startswith("# What compare makes of mistakes")
