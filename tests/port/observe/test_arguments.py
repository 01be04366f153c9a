"""arguments.py: the arguments of further runs."""

from __future__ import annotations

import torch
from torch import nn

from bridge.port.observe.arguments import copy_arguments, double_batch, drop_defaults, halve_batch, mask_last

X = torch.arange(8.0).reshape(4, 2)
ARGUMENTS = {
    "x": X,
    "labels": torch.arange(4),
    "mask": torch.ones(2, 2),
    "deep": [(X,)],
    "scale": torch.tensor(1.0),
    "n": 4,
}


def test_tensors_of_the_batch_change_and_others_stay() -> None:
    for arguments, size in ((double_batch(ARGUMENTS), 8), (halve_batch(ARGUMENTS), 2)):
        assert arguments is not None
        assert [len(one) for one in (arguments["x"], arguments["labels"], arguments["deep"][0][0])] == [size] * 3
        assert torch.equal(arguments["mask"], ARGUMENTS["mask"])
        assert (arguments["scale"], arguments["n"]) == (1, 4)
    assert torch.equal(double_batch(ARGUMENTS)["x"], torch.cat([X, X]))


def test_a_batch_of_one_has_no_half() -> None:
    assert halve_batch({"x": X[:1]}) is None
    assert halve_batch({"n": 3}) is None


def test_copies_share_nothing() -> None:
    copies = copy_arguments(ARGUMENTS)
    copies["x"].zero_()
    copies["deep"][0][0].zero_()
    assert X.any()


class Net(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, n: int = 2) -> torch.Tensor:
        return x


def test_the_last_arguments_that_are_the_defaults_are_dropped() -> None:
    assert list(drop_defaults(Net(), {"x": X, "mask": None, "n": 2})) == ["x"]
    assert list(drop_defaults(Net(), {"x": X, "mask": None, "n": 3})) == ["x", "mask", "n"]


class Reader(nn.Module):
    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        return input_ids if attention_mask is None else input_ids * attention_mask


def test_a_mask_of_attention_leaves_out_the_last_token() -> None:
    tokens = torch.tensor([[3, 4, 5]])
    masked = mask_last(Reader(), {"input_ids": tokens})
    assert masked is not None
    assert Reader()(**masked).tolist() == [[3, 4, 0]]
    assert mask_last(Reader(), masked) is None
    assert mask_last(Reader(), {"input_ids": tokens[0]}) is None
    assert mask_last(Net(), {"input_ids": tokens}) is None
