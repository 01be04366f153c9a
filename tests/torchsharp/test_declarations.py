"""Types and members are declared as TorchSharp declares them: what a compiler sees, and a signature does not have.

C# that writes ``torch.mm(a, target: b)`` compiles by a parameter's name. Compared are also defaults, params, [Obsolete] and other
attributes, readonly, constants, tuples' names, access, what can be overridden, the accessors of properties, base types, interfaces and
constraints; and nullability, where TorchSharp's is annotated. Bridge.Torch may have more interfaces and attributes.
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
_EQUATABLE = ".NET declares IEquatable's method so: null equals no tensor"
_OPTIONAL = (
    "the states of the built-in optimizers share these methods, and a class without them is told when it is used"
)
_STATIC = (
    "its base class has overloads that TorchSharp has only for assemblies compiled earlier, and a static class has none"
)
_SEALED = (
    "one `forward` serves all layers without parameters, and traces rely on it: derive from `Module` to have another"
)
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
    _EQUATABLE: {"torch.Tensor.Equals": "nullability of target"},
    _OPTIONAL: {f"OptimizerState.{name}": "abstract" for name in ("SaveStateDict", "LoadStateDict", "Initialize")},
    _STATIC: {"torch.nn.functional": "kind"},
    _SEALED: {"PadBase.forward": "virtual"},
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


def _entry(types: list[Any], name: str) -> Any:
    return next(entry for entry in types if entry.get("name") == name)


def _method(types: list[Any], type_name: str, name: str, *parameters: str) -> Any:
    return next(
        method
        for method in _entry(types, type_name)["methods"]
        if method["n"] == name and [parameter["n"] for parameter in method.get("p", ())] == list(parameters)
    )


def _named(entries: list[Any], name: str) -> Any:
    return next(entry for entry in entries if entry["n"] == name)


def _marks(*marks: int) -> Any:
    """Return a NullableAttribute: 1 is not null, 2 may be null."""
    return ["System.Runtime.CompilerServices.NullableAttribute", [["byte[]", list(marks)]]]


def _differences(program: Callable[..., str], types: list[Any], folder: Path) -> set[tuple[tuple[str, str], str, str]]:
    (folder / "surface.jsonl").write_text("\n".join(map(json.dumps, types)), encoding="utf-8")
    program(folder / "surface.jsonl", folder / "TorchSharp.dll")
    differences, _ = _compared(program("--declarations", folder / "TorchSharp.dll"))
    return {(difference.key, *difference[2:]) for difference in _unexpected(differences)}


@pytest.fixture
def types() -> list[Any]:
    """Return the lines of surface.jsonl, to be changed."""
    return [json.loads(line) for line in _LIST.read_text(encoding="utf-8").splitlines()]


def test_each_kind_of_difference_is_found(program: Callable[..., str], types: list[Any], tmp_path: Path) -> None:
    _method(types, "TorchSharp.torch", "mm", "input", "target")["p"][1]["n"] = "another"
    _method(types, "TorchSharp.torch", "tril", "input", "diagonal")["p"][1]["d"] = ["long", 7]
    del _method(types, "TorchSharp.torch", "cholesky", "input")["a"]
    _method(types, "TorchSharp.torch", "qr", "input", "some")["a"][0][1][1][1] = False
    del _method(types, "TorchSharp.torch", "permute", "input", "permutation")["p"][1]["a"]
    _named(_entry(types, "TorchSharp.torch")["fields"], "float32")["f"] += " initonly"
    assert _differences(program, types, tmp_path) == {
        (("torch.mm", "name of another"), "another", "target"),
        (("torch.tril", "default of diagonal"), "7 (Int64)", "0 (Int64)"),
        (("torch.cholesky", "obsolete"), "", "warning"),
        (("torch.qr", "obsolete"), "warning", "error"),
        (("torch.permute", "params of permutation"), "", "params"),
        (("torch.float32", "field"), "readonly", ""),
    }


def test_each_kind_of_difference_of_types_is_found(
    program: Callable[..., str], types: list[Any], tmp_path: Path
) -> None:
    layer, tensor = _entry(types, "TorchSharp.Modules.Conv1d"), _entry(types, "TorchSharp.torch/Tensor")
    layer["flags"] = "public beforefieldinit"
    layer["base"] = "TorchSharp.Modules.Linear"
    tensor["interfaces"].append("System.IComparable")
    tensor["attributes"].append(["System.Diagnostics.CodeAnalysis.DisallowNullAttribute"])
    _entry(types, "TorchSharp.torch/nn/HookableModule`2")["generics"][0]["c"] = ["System.IDisposable"]
    kinds = _entry(types, "TorchSharp.DeviceType")["fields"]
    kinds[0]["t"], _named(kinds, "CUDA")["c"][1] = "byte", 7
    assert _differences(program, types, tmp_path) == {
        (("Conv1d", "kind"), "class", "sealed class"),
        (("Conv1d", "base"), "TorchSharp.Modules.Linear", ""),
        (("torch.Tensor", "interfaces"), "System.IComparable", ""),
        (("torch.Tensor", "attributes"), "System.Diagnostics.CodeAnalysis.DisallowNullAttribute()", ""),
        (("torch.nn.HookableModule", "constraint of TPreHook"), "System.IDisposable", ""),
        (("DeviceType", "kind"), "enum of byte", "enum of int"),
        (("DeviceType.CUDA", "field"), "const 7 (Int32)", "const 1 (Int32)"),
    }


def test_each_kind_of_difference_of_members_is_found(
    program: Callable[..., str], types: list[Any], tmp_path: Path
) -> None:
    layer = _entry(types, "TorchSharp.Modules.Convolution")
    _method(types, "TorchSharp.torch/nn/Module", "train", "train")["f"] = "protected abstract virtual newslot"
    _method(types, "TorchSharp.torch/nn/Module", "add_module", "name", "module")["f"] = "virtual newslot"
    _method(types, "TorchSharp.torch/linalg", "lu_factor", "input", "pivot")["ra"][1] = _marks(0, 1, 1)
    _method(types, "TorchSharp.torch/Tensor", "rename", "names")["p"][0]["a"] = [_marks(2, 1)]
    _named(layer["fields"], "_bias")["a"] = [_marks(1)]
    _named(layer["properties"], "bias")["a"] = [_marks(1)]
    _named(layer["properties"], "in_channels")["n"] = "channels"
    layer["methods"].append(
        {"n": "set_out_channels", "f": "specialname", "r": "void", "p": [{"n": "value", "t": "long"}]}
    )
    _named(layer["properties"], "out_channels")["set"] = "set_out_channels"
    assert _differences(program, types, tmp_path) == {
        (("torch.nn.Module.train", "access"), "protected", "public"),
        (("torch.nn.Module.train", "abstract"), "abstract", ""),
        (("torch.nn.Module.add_module", "virtual"), "virtual", ""),
        (
            ("torch.linalg.lu_factor", "nullability"),
            "ValueTuple<torch.Tensor!, torch.Tensor!>",
            "ValueTuple<torch.Tensor!, torch.Tensor?>",
        ),
        (("torch.Tensor.rename", "nullability of names"), "IEnumerable<string!>?", "IEnumerable<string?>?"),
        (("Convolution._bias", "nullability"), "Parameter!", "Parameter?"),
        (("Convolution.bias", "nullability"), "Parameter!", "Parameter?"),
        (("Convolution.channels", "property"), "property", ""),
        (("Convolution.out_channels", "accessors"), "set", ""),
    }
