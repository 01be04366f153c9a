"""formats.py: str.format and % are f-strings (issue 43, section 2)."""

from __future__ import annotations

import torch

from tests.port.frontend.lowering import differences

T = torch.tensor([[1.0, -2.0]])


def texts(n: int, f: float) -> tuple[str, ...]:
    return "{} of {:.2f}".format(n, f), "{1}{0}".format(n, "a"), "%d%% and %s: %.3f" % (n, "b", f)  # noqa: UP030, UP031, UP032  # it is what is translated


def test_a_format_of_old_gives_the_same_text() -> None:
    assert differences(texts, ((1, 0.5),), ((-7, 1e6), (0, -0.0))) == []
