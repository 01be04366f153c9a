"""How many modules of the ports are judged alone (the comparison's issue, 1: at most 5 % are not)."""

from __future__ import annotations

import pytest
from diagnosis import lockstep
from diagnosis.lockstep import Lockstep
from diagnosis.subjects import named


def test_the_share_is_of_all_modules_together() -> None:
    found = [Lockstep("A", 10, {}), Lockstep("B", 10, {"": "it is given a socket"})]
    assert lockstep.words(found) == "Judged alone: 19 of 20 modules (95%)."
    assert not lockstep.too_few(found)
    assert lockstep.too_few([*found, Lockstep("C", 1, {"x": "no"})])
    assert found[1].cells == ("B", "9 of 10", "`the root`: it is given a socket")


@pytest.mark.slow
@pytest.mark.sdk
def test_a_model_with_a_cache_and_a_module_that_is_called_often() -> None:
    assert lockstep.of([named("Captioner")], 1) == [Lockstep("Captioner", 20, {})]
