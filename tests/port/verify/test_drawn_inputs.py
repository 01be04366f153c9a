"""drawn_inputs.py: what is drawn, and that the same seed draws the same."""

from __future__ import annotations

from itertools import islice

import torch
from torch import nn

from bridge.port.verify.drawn_inputs import Draw, draws


class Model(nn.Module):
    """A model with an optional parameter."""

    def forward(self, x: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return x


GIVEN = {
    "x": torch.rand((2, 3, 8), generator=torch.Generator().manual_seed(5)),
    "ids": torch.tensor([[1, 5, 2], [4, 0, 3]]),
    "mask": torch.tensor([True, False]),
}


def drawn(number: int = 200, seed: int = 0) -> list[Draw]:
    """Return the first draws."""
    return list(islice(draws(Model(), GIVEN, seed), number))


def test_sizes_change_together_and_alone() -> None:
    shapes = [tuple(tuple(value.shape) for value in draw.arguments.values() if value is not None) for draw in drawn()]
    assert ((3, 3, 8), (3, 3), (3,)) in shapes  # the batch of all
    assert ((2, 3, 8), (3, 3), (2,)) in shapes  # that of one alone
    assert {shape[0][2] for shape in shapes} >= {1, 2, 7, 8, 9, 16, 40}


def test_values_are_negative_zero_large_and_equal() -> None:
    values = [draw.arguments["x"] for draw in drawn()]
    assert any((value < 0).all() for value in values)
    assert any(not value.any() for value in values)
    assert any(value.max() > 1000 for value in values)
    assert any(value.unique().numel() == 2 for value in values if value.numel() == 48)


def test_integers_are_of_the_range_seen_and_beyond() -> None:
    values = [draw.arguments["ids"] for draw in drawn()]
    assert all(value.dtype == torch.int64 for value in values)
    assert any(value.min() < 0 for value in values)
    assert any(value.max() > 5 for value in values)
    assert sum(value.min() >= 0 and value.max() <= 5 for value in values) > 100


def test_an_optional_argument_is_left_out_and_the_model_is_in_train_mode() -> None:
    found = drawn()
    assert any(draw.arguments["mask"] is None for draw in found)
    assert all(draw.arguments["x"] is not None for draw in found)
    assert 20 < sum(draw.train for draw in found) < 100


def test_a_seed_draws_the_same_and_another_seed_does_not() -> None:
    first, again, other = ([str(draw) for draw in drawn(60, seed)] for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_large_inputs_do_not_grow_without_end() -> None:
    given = {"x": torch.zeros(64, 3, 64, 64)}
    largest = max(draw.arguments["x"].numel() for draw in islice(draws(Model(), given, 0), 100))
    assert largest <= 4 * given["x"].numel()


def test_an_input_is_written_as_an_expression_if_it_is_small() -> None:
    text = str(Draw({"x": torch.tensor([[1.0]]), "y": torch.zeros(4, 4), "z": None}, train=True))
    assert text == "x = torch.tensor([[1.0]], dtype=torch.float32), y = float32[4, 4], all 0, z = None, in train mode"


def test_negative_integers_and_bytes_have_a_range_too() -> None:
    given = {"x": torch.tensor([-3, -7]), "y": torch.tensor([200, 3], dtype=torch.uint8)}
    values = [draw.arguments for draw in islice(draws(Model(), given, 0), 60)]
    assert min(int(value["x"].min()) for value in values) >= -7
    assert max(int(value["x"].max()) for value in values) > 0
    assert all(value["y"].dtype == torch.uint8 for value in values)
