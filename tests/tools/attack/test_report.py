"""attack.report: what runs a case again."""

from __future__ import annotations

from attack.kind import chosen, kind_of
from attack.report import replay
from attack.running import Outcome


def test_a_case_of_a_chosen_kind_is_run_again_as_that() -> None:
    """Where all kinds are drawn from, a number has another one."""
    mine = kind_of(1, 7, chosen()).name
    assert replay(1, Outcome(7, mine, 0.0)) == "make attack CASE=1:7"
    assert mine != "raising modes"
    assert replay(1, Outcome(7, "raising modes", 0.0)) == "make attack CASE=1:7 KIND='raising modes'"
