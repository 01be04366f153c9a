"""Files of weights and tensors: TorchSharp's format and libtorch's archive, written and read by C# and by Python."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp([Path(__file__).with_name("Files.cs")], "Filed")


@pytest.fixture
def use(assembly: Path) -> Callable[..., torch.Tensor]:
    """Return ``use("streams", path, x)``, which uses files in C#."""

    def run(what: str, path: Path, x: torch.Tensor | None = None) -> torch.Tensor:
        result: torch.Tensor = bridge.load(assembly, "Filed.Files")(torch.ones(1) if x is None else x, what, str(path))
        return result

    return run


def test_every_element_type_crosses_both_ways(assembly: Path, tmp_path: Path, bits_equal: Any) -> None:
    """What C# writes, Python reads; what Python writes of it is the same file; and C# reads that."""
    torch.manual_seed(2)
    ours = bridge.load(assembly, "Filed.Kinds", str(tmp_path / "ours.dat"), "")
    read = bridge.read_weights(tmp_path / "ours.dat")
    assert sorted(read) == sorted(ours.state_dict())
    assert len({value.dtype for value in read.values()}) == 12
    for key, value in ours.state_dict().items():
        assert bits_equal(read[key], value.contiguous()), key
    assert read["number"].shape == ()
    assert read["nothing"].shape == (0, 300)
    bridge.write_weights(tmp_path / "theirs.dat", read)
    assert (tmp_path / "theirs.dat").read_bytes() == (tmp_path / "ours.dat").read_bytes()
    again = bridge.load(assembly, "Filed.Kinds", "", str(tmp_path / "theirs.dat"))
    for key, value in again.state_dict().items():
        assert bits_equal(value, ours.state_dict()[key]), key


def test_a_models_weights_from_python(assembly: Path, tmp_path: Path, use: Any) -> None:
    """The state_dict of a PyTorch model, for C# to read."""
    model = nn.ModuleDict({"a": nn.Linear(3, 2), "b": nn.Linear(2, 2)})
    bridge.write_weights(tmp_path / "net.dat", model.state_dict())
    assert torch.equal(use("create", tmp_path / "net.dat"), nn.utils.parameters_to_vector(model.parameters()))


def test_streams_are_read_and_written(tmp_path: Path, use: Any) -> None:
    weights = use("streams", tmp_path / "net.dat")
    state = bridge.read_weights(tmp_path / "net.dat")
    assert list(state) == ["a.weight", "a.bias", "b.weight", "b.bias"]
    assert torch.equal(torch.cat([value.view(-1) for value in state.values()]), weights)


def test_entries_may_be_skipped_and_are_reported(tmp_path: Path, use: Any) -> None:
    x = torch.randn(2, 3)
    assert torch.equal(use("state dict", tmp_path / "some.dat", x), x)
    assert list(bridge.read_weights(tmp_path / "some.dat")) == ["b.bias", "a.weight"]


def test_what_matches_is_read_if_it_need_not_be_all(tmp_path: Path, use: Any) -> None:
    weights = use("write", tmp_path / "net.dat")
    assert torch.equal(use("partly", tmp_path / "net.dat"), weights[:8])
    with pytest.raises(bridge.DotNetError, match="does not have a submodule or buffer named 'b.weight'"):
        use("strict", tmp_path / "net.dat")


def test_tensors_are_written_and_read_one_by_one(tmp_path: Path, use: Any) -> None:
    x = torch.randn(2, 3)
    expected = torch.cat([x.view(-1), x.t().reshape(-1), torch.zeros(4), torch.tensor([7.0])])
    assert torch.equal(use("tensor", tmp_path, x), expected)
    assert torch.equal(use("tensor file", tmp_path / "x.bin", x), x + x)
    assert (tmp_path / "x.bin").read_bytes() == bytes([6, 2, 2, 3]) + struct.pack("<6f", *x.view(-1).tolist())
    assert torch.equal(use("skipped", tmp_path / "x.bin", x), torch.zeros(2, 3))


def test_a_tensor_that_does_not_fit_is_refused(tmp_path: Path, use: Any) -> None:
    use("tensor file", tmp_path / "x.bin", torch.randn(2, 3))
    with pytest.raises(
        bridge.DotNetError, match=r"shape while loading: the tensor is \[2, 3\] in the file and \[3, 2\]"
    ):
        use("shape", tmp_path / "x.bin", torch.zeros(3, 2))
    with pytest.raises(bridge.DotNetError, match="types while loading: the tensor is Float32 in the file and Float64"):
        use("shape", tmp_path / "x.bin", torch.zeros(2, 3, dtype=torch.float64))
    (tmp_path / "x.bin").write_bytes((tmp_path / "x.bin").read_bytes()[:-3])
    with pytest.raises(bridge.DotNetError, match="ends within a tensor, 21 of 24 bytes"):
        use("shape", tmp_path / "x.bin", torch.zeros(2, 3))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bfloat16, torch.complex64])
@pytest.mark.filterwarnings("ignore:.*torch.jit")
def test_torch_save_writes_libtorchs_archive(tmp_path: Path, use: Any, bits_equal: Any, dtype: torch.dtype) -> None:
    """As C++'s torch::save: a module of TorchScript whose only attribute, "0", is the tensor."""
    x = torch.randn(2, 3).to(dtype).t()
    assert bits_equal(use("save", tmp_path / "x.pt", x), x)
    root = torch.jit.load(tmp_path / "x.pt")  # type: ignore[no-untyped-call]
    assert bits_equal(getattr(root, "0"), x)


@pytest.mark.filterwarnings("ignore:.*torch.jit")
def test_torch_save_keeps_that_a_tensor_requires_a_gradient(tmp_path: Path, use: Any) -> None:
    """As C++'s torch::save, of a leaf and of a result; what is read is a leaf."""
    leaf = torch.randn(3, requires_grad=True)
    for x in (leaf, leaf * 2):
        assert use("save", tmp_path / "x.pt", x).requires_grad
        root = torch.jit.load(tmp_path / "x.pt")  # type: ignore[no-untyped-call]
        assert getattr(root, "0").requires_grad
        assert getattr(root, "0").is_leaf
    assert not use("save", tmp_path / "x.pt", leaf.detach()).requires_grad


def test_torch_load_reads_what_python_wrote(tmp_path: Path, use: Any, bits_equal: Any) -> None:
    x = torch.randn(2, 3)
    torch.save(x, tmp_path / "x.pt")
    assert bits_equal(use("load", tmp_path / "x.pt"), x)
    torch.save({"x": x}, tmp_path / "dict.pt")
    with pytest.raises(bridge.DotNetError, match=r"dict\.pt holds dict, not a tensor"):
        use("load", tmp_path / "dict.pt")
    with pytest.raises(bridge.DotNetError, match=r"There is no file .*absent\.pt"):
        use("load", tmp_path / "absent.pt")
