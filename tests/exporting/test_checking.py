"""The check of a file against the model, on files that are wrong on purpose."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.exporting.checking import check_file
from bridge.exporting.dimensions import find_tensors, parse
from bridge.exporting.errors import ExportError


class _Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return 100 * x.tanh(), x.argmax(-1)


def _check(
    wrong: Any, x: torch.Tensor | None = None, model: torch.nn.Module | None = None, readers: tuple[str, ...] = ()
) -> Any:
    """Check a file that returns the model's results, changed by ``wrong``."""
    model = model or _Net()
    x = torch.randn(3, 4) if x is None else x
    dimensions = parse(["batch"], {"x": x})

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
        return list(wrong(args[0], *find_tensors(model(*args, **kwargs))))

    return check_file(run, model, (x,), {}, dimensions, 1e-4, 1e-5, 0, readers, lambda _: None)


def test_equal_results_pass_at_several_sizes() -> None:
    rounds = _check(lambda x, a, b: (a + 1e-3, b))
    assert [round.sizes["batch"] for round in rounds] == [3, 3, 1, 4, 6]
    assert all(0.5e-3 < round.largest < 2e-3 for round in rounds)
    assert all(0.5e-5 < round.relative < 1e-3 for round in rounds)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda x, a, b: (a + 0.1, b), r"on the given inputs \(batch 3\), result 0 differs by 0.1"),
        (lambda x, a, b: (a, b + 1), r"result 1 differs by 1, and 0 is allowed"),
        (lambda x, a, b: (a.double(), b), r"result 0 is float64\[3, 4\] by the file and float32\[3, 4\] by the model"),
        (lambda x, a, b: (a[:1], b), r"result 0 is float32\[1, 4\] by the file"),
        (lambda x, a, b: (a,), "the file returns 1 tensors and the model 2"),
        (lambda x, a, b: (a * float("nan"), b), "result 0 differs by inf"),
        (lambda x, a, b: (a if len(x) != 4 else -a, b), r"on other inputs \(batch 4\), result 0 differs"),
        (lambda x, a, b: 1 // 0, "the file raised an error on the given inputs .*ZeroDivisionError"),
    ],
)
def test_a_wrong_file_is_refused(wrong: Any, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        _check(wrong)


def test_equal_infinities_and_nans_agree() -> None:
    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cat([x, x * torch.inf, x * torch.nan])

    assert max(round.largest for round in _check(lambda x, a: (a,), model=Net())) == 0


def test_a_size_that_cannot_change_is_refused() -> None:
    with pytest.raises(ExportError, match="the model runs with no size of batch but 3"):
        _check(lambda x, a: (a,), model=torch.nn.Unflatten(0, (3, 1)))


def test_more_sizes_are_checked_where_a_size_is_read() -> None:
    rounds = _check(lambda x, a, b: (a, b), readers=("block",))
    assert {round.sizes["batch"] for round in rounds} >= {*range(1, 8)}
    with pytest.raises(ExportError, match="A size is read as a number in module 'block'") as caught:
        _check(lambda x, a, b: (a if len(x) != 7 else -a, b), readers=("block",))
    assert caught.value.module_path == "block"
