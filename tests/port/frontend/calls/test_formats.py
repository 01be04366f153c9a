"""formats.py: str.format and % are f-strings (issue 43, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import pytest
import torch
from torch import nn

from bridge.port.porting import Port
from tests.port.frontend.lowering import differences

T = torch.tensor([[1.0, -2.0]])


def texts(n: int, f: float) -> tuple[str, ...]:
    return "{} of {:.2f}".format(n, f), "{1}{0}".format(n, "a"), "%d%% and %s: %.3f" % (n, "b", f)  # noqa: UP030, UP031, UP032  # it is what is translated


def test_a_format_of_old_gives_the_same_text() -> None:
    assert differences(texts, ((1, 0.5),), ((-7, 1e6), (0, -0.0))) == []


class Layout(str, Enum):  # noqa: UP042  # the text of a StrEnum's member is its value
    ROWS = "rows"


class Formatted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layout = Layout.ROWS

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, str]:
        return x, f"{self.layout}"


class Percent(Formatted):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, str]:
        return x, "%s" % (self.layout,)  # noqa: UP031  # it is what is translated


class Method(Formatted):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, str]:
        return x, "{}".format(self.layout)  # noqa: UP032  # it is what is translated


class Converted(Formatted):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, str]:
        return x, str(self.layout)


@pytest.mark.parametrize("kind", [Formatted, Percent, Method, Converted])
def test_the_text_of_a_member_of_an_enumeration_is_refused(kind: type[nn.Module], ported: Callable[..., Port]) -> None:
    text = ported(kind, T).files[f"{kind.__name__}.cs"]
    assert "the text of <Layout.ROWS: 'rows'>, for which C# has its value" in text
    assert '(x, "Layout.ROWS")' in text  # from its graph
