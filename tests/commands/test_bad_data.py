"""Weights, inputs and results that do not fit: exit code 2, everything that is wrong, and nothing half-loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import Result

Compare = Callable[..., Result]
Refused = Callable[..., None]


def test_weights_that_do_not_fit_are_listed(refused: Refused, compare: Compare, tmp_path: Path) -> None:
    """Names, shapes and dtypes at once."""
    done = compare("Net(0.1, 7)", "Masked")
    refused(done, "weights do not fit, nothing was loaded:", "conv.weight: pytorch has it, dotnet does not")
    assert "fc.bias: dotnet has it, pytorch does not" in done.stderr
    done = compare("Net(0.1, 7)", "Net", "--weights", "dotnet")
    refused(done, "1 weight does not fit", "head.weight: shape [2, 144] in dotnet, [2, 7] in pytorch")


def test_a_weights_file_that_does_not_fit(refused: Refused, compare: Compare, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "w.safetensors"
    save_file({"fc.weight": torch.zeros(3, 3, dtype=torch.float64), "extra": torch.zeros(1)}, path)
    done = compare("Masked", "Masked", "--weights", path, shape="2,3")
    for side in ("pytorch", "dotnet"):
        assert f"fc.weight: dtype float64 in {path}, float32 in {side}" in done.stderr
        assert f"extra: {path} has it, {side} does not" in done.stderr
        assert f"fc.bias: {side} has it, {path} does not" in done.stderr
    refused(done, "3 weights do not fit, nothing was loaded:")


@pytest.mark.parametrize(
    ("option", "name", "content", "words"),
    [
        ("--weights", "w.safetensors", b"not one", "cannot be read as a safetensors file"),
        ("--weights", "w.safetensors", None, "there is no weights file"),
        ("--weights", "w.pt", b"", "--weights must be none, python, dotnet or a .safetensors file, not"),
        ("--input", "x.npy", b"nothing", "cannot be read as a NumPy file"),
        ("--input", "x.npz", b"PK\x03\x04nothing", "cannot be read as a NumPy file"),
        ("--input", "x.npy", None, "there is no input file"),
        ("--input", "x.csv", b"1,2", "is neither .npy nor .npz"),
    ],
)
def test_a_file_that_cannot_be_read(
    refused: Refused, compare: Compare, tmp_path: Path, option: str, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(compare("Masked", "Masked", option, tmp_path / name), words)


def test_an_input_of_the_wrong_rank(refused: Refused, compare: Compare) -> None:
    done = compare("Net", "Net", shape="3,8")
    refused(done, "pytorch: conv (Conv2d) raised RuntimeError: ", "The inputs were x=float32[3, 8].")


def test_an_input_of_the_wrong_dtype(refused: Refused, compare: Compare, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((1, 3, 8, 8)))
    done = compare("Net", "Net", "--input", tmp_path / "x.npy")
    refused(done, "pytorch: conv (Conv2d) raised RuntimeError: ", "The inputs were x=float64[1, 3, 8, 8].")


def test_inputs_of_the_wrong_number(refused: Refused, compare: Compare, tmp_path: Path) -> None:
    refused(
        compare("Net", "Net", "--shape", "1,3,8,8", "--shape", "1"),
        "the inputs do not fit forward(x) of Net: too many positional arguments",
    )
    np.savez(tmp_path / "x.npz", y=np.ones(3))
    refused(
        compare("Net", "Net", "--input", tmp_path / "x.npz"),
        "of Net: missing a required argument: 'x'. Given: y=float64[3].",
    )
    refused(
        compare("Masked", "Net", "--weights", "none", "--shape", "2,3", "--shape", "2,3"),
        "cannot take mask of the 2 arguments (x, mask)",
    )


def test_an_input_file_runs_nothing(refused: Refused, compare: Compare, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    np.save(tmp_path / "x.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    refused(compare("Net", "Net", "--input", tmp_path / "x.npy"), "cannot be read as a NumPy file")
    assert not (tmp_path / "ran").exists()


def test_an_input_of_a_dtype_that_torch_lacks(refused: Refused, compare: Compare, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array(["text"]))
    refused(compare("Net", "Net", "--input", tmp_path / "x.npy"), "torch has no dtype for NumPy's <U4")


@pytest.mark.parametrize("shape", ["", "1,,2", "1,-3", "a", "1.5"])
def test_a_shape_that_is_none(refused: Refused, compare: Compare, shape: str) -> None:
    refused(compare("Net", "Net", "--shape", shape), f"'{shape}' is not a shape")


@pytest.mark.parametrize("shape", ["9999999999,9999999", "99999999999999999999"])
def test_a_shape_that_is_too_large(refused: Refused, compare: Compare, shape: str) -> None:
    done = compare("Net", "Net", "--shape", shape)
    refused(done, f"cannot make an input of shape {shape}: ")
    assert done.stderr.count("\n") == 1


def test_no_inputs_and_both_kinds(refused: Refused, compare: Compare, command: Compare) -> None:
    done = command("compare", "--python", "ports:Net", "--dotnet", "x.dll:A.B")
    refused(done, "the model needs inputs")
    refused(compare("Net", "Net", "--shape", "1", "--input", "x.npy"), "not both")


@pytest.mark.parametrize(
    ("factory", "words"),
    [
        ("odd", "pytorch: the model returns an object, which cannot be compared"),
        ("silent", "pytorch: the model returns (None, 1.5), without a tensor"),
    ],
)
def test_a_model_that_returns_something_else(refused: Refused, compare: Compare, factory: str, words: str) -> None:
    refused(compare(factory, "Net", "--weights", "none"), words)


def test_a_port_that_returns_something_else(refused: Refused, compare: Compare) -> None:
    refused(compare("silent", "Talker", "--weights", "none"), "without a tensor")
    done = compare("Masked", "Talker", "--weights", "none", shape="2,3")
    refused(done, "dotnet: the model returns 'no tensor', without a tensor")
