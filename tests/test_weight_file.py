"""bridge/weight_file.py: files in TorchSharp's format, written and read in Python. C# reads and writes them in torchsharp/test_files.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

STATE = {
    "weight": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "ü" * 70: torch.tensor([True, False]),
    "long": torch.zeros(300, 1, dtype=torch.int16),
    "scalar": torch.tensor(2.5, dtype=torch.bfloat16),
    "empty": torch.zeros(0, 5),
    "complex": torch.tensor([1 + 2j]).conj(),
    "turned": torch.arange(6).reshape(2, 3).t(),
}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    bridge.write_weights(tmp_path / "net.dat", STATE)
    read = bridge.read_weights(str(tmp_path / "net.dat"))
    assert list(read) == list(STATE)
    for key, value in STATE.items():
        assert read[key].dtype == value.dtype
        assert read[key].shape == value.shape
        assert torch.equal(read[key], value)


def test_the_bytes_are_those_of_the_format(tmp_path: Path) -> None:
    bridge.write_weights(tmp_path / "net.dat", {"a": torch.ones(1, dtype=torch.uint8), "b": torch.zeros(200, 0)})
    assert (tmp_path / "net.dat").read_bytes() == b"\x02\x01a\x00\x01\x01\x01\x01b\x06\x02\xc8\x01\x00"


def test_parameters_are_written_without_their_graph(tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 2)
    bridge.write_weights(tmp_path / "net.dat", model.state_dict(keep_vars=True))
    read = bridge.read_weights(tmp_path / "net.dat")
    assert not read["weight"].requires_grad
    model.load_state_dict(read)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1.0], TypeError, "'x' is list, not a tensor"),
        (torch.zeros(2).to(torch.float8_e5m2), ValueError, "'x' has elements of torch.float8_e5m2, which TorchSharp"),
        (torch.zeros(2, device="meta"), ValueError, "'x' is on the meta device"),
        (torch.eye(2).to_sparse(), ValueError, "'x' has the layout torch.sparse_coo"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path: Path, value: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        bridge.write_weights(tmp_path / "net.dat", {"x": value})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("length", range(40))
def test_a_file_that_ends_early_is_refused(tmp_path: Path, length: int) -> None:
    """Wherever it ends: 40 bytes of two entries."""
    path = tmp_path / "net.dat"
    bridge.write_weights(path, {"weight": torch.ones(2, 2), "bias": torch.ones(1)})
    data = path.read_bytes()
    assert len(data) == 40
    path.write_bytes(data[:length])
    with pytest.raises(ValueError, match=r"net\.dat is not a weight file in TorchSharp's format, or is damaged"):
        bridge.read_weights(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 an archive", "it cannot have 80 entries|ends within|unknown type|not UTF-8"),
        (b"\x01\x01a\x40\x00", "'a' has elements of the unknown type 64"),
        (b"\x01\x01\xff\x06\x00" + bytes(4), "a name is not UTF-8"),
        (b"\x01\x01a\x06\x00" + bytes(5), "1 bytes follow the last entry"),
        (b"\x02" + 2 * (b"\x01a\x06\x00" + bytes(4)), "the name 'a' occurs twice"),
        (b"\x01\x01a\x06" + b"\xff" * 12, "the dimensions of 'a' is not a number"),
        (b"\x01\x01a\x06\x03" + 2 * (b"\xff" * 8 + b"\x7f") + b"\x00", "the sizes of 'a'"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "net.dat").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        bridge.read_weights(tmp_path / "net.dat")
