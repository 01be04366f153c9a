"""Members are declared as TorchSharp declares them: parameters' names and defaults, params, [Obsolete], readonly and tuples' names.

A compiler sees these, and a signature does not have them: C# that writes ``torch.mm(a, target: b)`` compiles by a parameter's name.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = [pytest.mark.dotnet, pytest.mark.sdk]
_LIST = Path(__file__).parents[2] / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"

#: What Bridge.Torch declares otherwise, on purpose: the reason, and per class and method the parameters.
_ONE_FORWARD = "Python passes a forward's arguments by name, and PyTorch's name is `input`"
_OMITTED = "Python leaves the argument out, as in PyTorch: `forward` has the default that TorchSharp's `call` has"
_INHERITED = "one member of a base class serves all its classes, and another of them has TorchSharp's declaration"
_TENSOR_TO_TENSOR = (
    "AlphaDropout CELU ChannelShuffle Dropout Dropout1d ELU Fold GELU GLU GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh Identity"
    " LayerNorm LeakyReLU Linear LogSigmoid LogSoftmax Mish PReLU RReLU ReLU ReLU6 SELU Sequential SiLU Sigmoid Softmax Softmax2d Softmin"
    " Softplus Softshrink Softsign Tanh Tanhshrink Threshold Unflatten Unfold"
)
ON_PURPOSE: dict[str, dict[str, str]] = {
    _ONE_FORWARD: {f"{name}.forward": "name of tensor" for name in _TENSOR_TO_TENSOR.split()},
    _OMITTED: {
        "EmbeddingBag.forward": "default of offsets, default of perSampleWeights",
        "LSTMCell.forward": "default of h0_c0",
        "MultiheadAttention.forward": "default of key_padding_mask, default of need_weights, default of attn_mask",
        "RNN.forward": "default of h0",
        "TransformerDecoder.forward": "default of tgt_mask",
        "TransformerDecoderLayer.forward": "default of tgt_mask, default of memory_mask, default of tgt_key_padding_mask,"
        " default of memory_key_padding_mask",
        "TransformerEncoder.forward": "default of src_mask, default of src_key_padding_mask",
    },
    _INHERITED: {
        "ParameterDict.named_parameters": "default of recurse",
        "ParameterList.extend": "name of parameters",
        "Sequential.named_buffers": "name of include_persistent",
        "Sequential.train": "name of on",
    },
}


class Difference(NamedTuple):
    """A line of TorchSharp.Reference --declarations."""

    member: str
    what: str
    theirs: str
    ours: str

    @property
    def key(self) -> tuple[str, str]:
        """Return class and member without types, and what differs."""
        return self.member.partition("(")[0].split(" ")[-1], self.what


@pytest.fixture(scope="module")
def program(tools: Callable[[str], Any], sdk: object) -> Callable[..., str]:
    """Return ``program(*arguments)``, which runs TorchSharp.Reference and returns its output."""
    found = tools("sdk").Sdk()
    reference: Path = tools("sdk").ARTIFACTS / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"

    def run(*arguments: str | Path) -> str:
        command = [found.command, str(reference), *map(str, arguments)]
        return subprocess.run(command, env=found.environ, capture_output=True, text=True, check=True).stdout

    return run


def _compared(output: str) -> tuple[list[Difference], int]:
    """Return the differences, and how many members were compared."""
    *lines, (_, count) = (line.split("\t") for line in output.splitlines())
    return [Difference(*line) for line in lines], int(count)


def _unexpected(differences: list[Difference]) -> list[Difference]:
    allowed = {(name, what) for rows in ON_PURPOSE.values() for name, all_ in rows.items() for what in all_.split(", ")}
    return [difference for difference in differences if difference.key not in allowed]


@pytest.mark.parametrize("library", ["reference", "torchsharp"])
def test_declarations_are_torchsharps(
    program: Callable[..., str], library: str, request: pytest.FixtureRequest
) -> None:
    differences, count = _compared(program("--declarations", request.getfixturevalue(library)))
    assert count > 4500
    assert _unexpected(differences) == []
    found = {difference.key for difference in differences}
    listed = [(name, what) for rows in ON_PURPOSE.values() for name, all_ in rows.items() for what in all_.split(", ")]
    assert [key for key in listed if key not in found] == [], "these no longer differ"


def _method(types: list[Any], type_name: str, name: str, *parameters: str) -> Any:
    entry = next(entry for entry in types if entry.get("name") == type_name)
    return next(
        method
        for method in entry["methods"]
        if method["n"] == name and [parameter["n"] for parameter in method.get("p", ())] == list(parameters)
    )


def test_each_kind_of_difference_is_found(program: Callable[..., str], tmp_path: Path) -> None:
    types = [json.loads(line) for line in _LIST.read_text(encoding="utf-8").splitlines()]
    _method(types, "TorchSharp.torch", "mm", "input", "target")["p"][1]["n"] = "another"
    _method(types, "TorchSharp.torch", "tril", "input", "diagonal")["p"][1]["d"] = ["long", 7]
    del _method(types, "TorchSharp.torch", "cholesky", "input")["a"]
    _method(types, "TorchSharp.torch", "qr", "input", "some")["a"][0][1][1][1] = False
    del _method(types, "TorchSharp.torch", "permute", "input", "permutation")["p"][1]["a"]
    fields = next(entry for entry in types if entry.get("name") == "TorchSharp.torch")["fields"]
    next(field for field in fields if field["n"] == "float32")["f"] += " initonly"
    (tmp_path / "surface.jsonl").write_text("\n".join(map(json.dumps, types)), encoding="utf-8")
    program(tmp_path / "surface.jsonl", tmp_path / "TorchSharp.dll")
    differences, _ = _compared(program("--declarations", tmp_path / "TorchSharp.dll"))
    assert {(difference.key, *difference[2:]) for difference in _unexpected(differences)} == {
        (("torch.mm", "name of another"), "another", "target"),
        (("torch.tril", "default of diagonal"), "7 (Int64)", "0 (Int64)"),
        (("torch.cholesky", "obsolete"), "", "warning"),
        (("torch.qr", "obsolete"), "warning", "error"),
        (("torch.permute", "params of permutation"), "", "params"),
        (("torch.float32", "field"), "readonly", ""),
    }
