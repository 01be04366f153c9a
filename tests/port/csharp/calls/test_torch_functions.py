"""torch_functions.py: the counterparts of PyTorch's functions, and their defaults."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.csharp.calls.torch_functions import defaults_of, holder_of, is_default, name_of, paths_of


@pytest.mark.parametrize(
    ("callee", "holder", "name"),
    [
        (torch.relu, "torch", "relu"),
        (F.relu, "functional", "relu"),
        (F.gelu, "functional", "gelu"),
        (F.threshold, "functional", "threshold"),
        (torch.special.expit, "special", "expit"),
        (torch.linalg.norm, "linalg", "norm"),
        (torch.fft.fft, "fft", "fft_"),
        (torch.fft.rfft, "fft", "rfft"),
        (nn.utils.rnn.pad_packed_sequence, "rnn", "pad_packed_sequence"),
        (torch.cuda.is_available, "torch", "cuda_is_available"),
        (len, None, "len"),
    ],
)
def test_functions_have_a_holder_and_a_name(callee: Any, holder: str | None, name: str) -> None:
    assert (holder_of(callee), name_of(callee)) == (holder, name)


def test_linalg_and_fft_have_no_counterparts_elsewhere() -> None:
    assert paths_of(torch.linalg.norm) == ("linalg",)
    assert paths_of(F.relu)[:2] == ("functional", "torch")


@pytest.mark.parametrize(
    ("callee", "name", "value"),
    [
        (torch.addcmul, "value", 1),
        (torch.Tensor.index_add_, "alpha", 1),
        (F.kl_div, "log_target", False),
        (F.max_pool2d, "ceil_mode", False),
        (torch.Tensor.sum, "keepdim", False),
    ],
)
def test_defaults_come_from_schemas_and_signatures(callee: Any, name: str, value: Any) -> None:
    assert is_default(defaults_of(callee)[name], value)


def test_a_default_is_of_the_same_type() -> None:
    assert not is_default(1, True)
    assert not is_default(0, False)
