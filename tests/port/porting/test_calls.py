"""Calls in whole ports: of modules, of methods of other classes, and of functions of PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.porting import Port
from tests.port import everyday, styles

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2)

    def forward(self, x: torch.Tensor) -> Any:
        mask = torch.ones(x.size(0), x.size(0)).tril() == 0
        y, _ = self.attention(x, x, x, attn_mask=mask)
        return y


class Tree(nn.Module):
    """Holds itself, or a layer; both are called at one place."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.below = Tree(depth - 1) if depth else Leaf()

    def forward(self, x: torch.Tensor, seen: list[torch.Tensor] | None = None) -> torch.Tensor:
        if seen is None:
            seen = []
        seen.append(x)
        x = self.below(x, seen)
        return x + seen[0]


class Trees(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tree = Tree(1)

    def forward(self, x: torch.Tensor) -> Any:
        return self.tree(x)


class Leaf(nn.Module):
    def forward(self, x: torch.Tensor, seen: list[torch.Tensor]) -> torch.Tensor:
        return torch.cat([x] + seen[:1], 0)[: x.shape[0]]  # noqa: RUF005  # as people write it


class Various(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.width, self.drop = 2, nn.Dropout(0.5)

    @staticmethod
    def dropped(x: torch.Tensor, drop: nn.Dropout) -> torch.Tensor:
        return drop(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, _ = torch.split(x, self.width, 2)
        index = a.argmax(-1, keepdim=True)
        chosen = torch.zeros(x.shape[0], x.shape[1], 4).scatter_(2, index, 1)
        chosen = chosen.masked_fill(chosen == 0, torch.finfo(x.dtype).min)
        power = 2.0 ** x.mean(0)
        y = F.max_pool1d(x, x.size(2))
        return self.dropped(chosen + y + power, self.drop)


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(4, 5, batch_first=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        steps = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        steps, (h, _) = self.rnn(steps)
        steps, _ = nn.utils.rnn.pad_packed_sequence(steps, batch_first=True)
        return steps.sum(1) + h[-1]


def test_keywords_of_a_layer_stand_at_their_places(lines: Lines) -> None:
    assert "var (y, _) = attention.call(x, x, x, null, true, mask);" in lines(Attending, X)


def test_a_module_of_one_of_several_classes_is_asked_which(ported: Callable[..., Port]) -> None:
    port = ported(Trees, X)
    assert port.left == ()
    text = port.files["Tree.cs"]
    assert "private readonly Module below;" in text
    assert "below is Tree ? ((Tree)below).call(x, seen) : ((Leaf)below).call(x, seen);" in text


def test_functions(lines: Lines) -> None:
    assert lines(Various, X) == [
        "var (a, _) = x.split(width, 2);",
        "var index = a.argmax(-1, true);",
        "var chosen = torch.zeros(x.shape[0], x.shape[1], 4).scatter_(2, index, torch.full_like(index, 1, torch.float32));",
        "chosen = chosen.masked_fill(chosen.eq(0), -3.4028234663852886e+38);",
        "var power = torch.pow(2.0f, x.mean(new long[] { 0 }));",
        "var y = F.max_pool1d(x, x.shape[2]);",
        "return Functions.dropped(chosen + y + power, drop);",
    ]


def test_packed_sequences(lines: Lines) -> None:
    assert lines(Packed, torch.rand(2, 3, 4), torch.tensor([3, 2])) == [
        "var steps = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, true, false);",
        "(steps, var h, _) = rnn.call(steps);",
        "var (stepsValue, _) = torch.nn.utils.rnn.pad_packed_sequence(steps, true);",
        "return stepsValue.sum(1) + h[-1];",
    ]


def test_methods_of_other_modules_and_of_what_a_class_derives_from(ported: Callable[..., Port]) -> None:
    files = ported(styles.Tied, torch.tensor([[1, 2]])).files
    assert "internal (Tensor, Tensor) tables(long length)" in files["Rotary.cs"]
    assert 'var (cos, _) = ((ModuleList<Rotary>)parts["layers"])[0].tables(x.shape[1]);' in files["Tied.cs"]
    text = ported(styles.Recurrent, torch.rand(2, 5, 4)).files["Recurrent.cs"]
    assert "x = base_forward(x);" in text
    assert "private Tensor base_forward(Tensor x)" in text


def test_a_model_that_is_a_part_of_itself_is_refused(ported: Callable[..., Port]) -> None:
    with pytest.raises(Unwritable, match="Tree is the class of the model and of a part of it"):
        ported(lambda: Tree(1), X)


def test_functions_of_linalg_and_fft(lines: Lines) -> None:
    found = lines(everyday.Spectral, torch.rand(4, 2, 16), torch.tensor([0, 1, 0, 1]))
    assert "var frequencies = torch.fft.rfft(x);" in found
    assert "x = x + drop(torch.fft.irfft(mixed, x.shape[^1]));" in found
    assert "var apart = torch.linalg.norm(x.unsqueeze(1) - means, new long[] { -1 });" in found


class Kinds(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blur = functools.partial(F.avg_pool2d, kernel_size=3, stride=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        near = (x > 0).type(torch.FloatTensor) + (x < 0).type("torch.DoubleTensor")
        return self.blur(near) + x.new(x.size(0), 1, 1, 1).fill_(2)


def test_types_of_tensors_are_dtypes_and_partial_functions_are_called_whole(lines: Callable[..., list[str]]) -> None:
    assert lines(Kinds, torch.rand(2, 3, 4, 4)) == [
        "var near = x.gt(0).type(torch.float32) + x.lt(0).type(torch.float64);",
        "return F.avg_pool2d(near, 3, 1) + x.new_empty(x.shape[0], 1, 1, 1).fill_(2);",
    ]


class Hiding(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        score = self.score(x)
        return score * 2

    def score(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


def test_a_method_that_a_variable_hides_is_called_by_this(lines: Callable[..., list[str]]) -> None:
    assert lines(Hiding, torch.rand(2))[0] == "var score = this.score(x);"


class Direct(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.chain, self.one = nn.Sequential(nn.Linear(4, 4)), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sum(self.one.forward(self.chain.forward(x)), 0) + x.sum(0)


def test_forwards_are_called_as_in_python_and_no_dimension_is_taken_for_a_dtype(
    lines: Callable[..., list[str]],
) -> None:
    assert lines(Direct, torch.rand(2, 4)) == ["return torch.sum(one.forward(chain.forward(x)), 0L) + x.sum(0L);"]
