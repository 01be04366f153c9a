"""Members of torch.nn.Module that TorchSharp's code uses: conversions, weight files, setters, registration, packed sequences."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

_SOURCE = """using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Members;

/// <summary>A network with a tied weight, a buffer, and a field that is registered by hand first.</summary>
public sealed class Net : Module<Tensor, Tensor>
{
    public readonly Embedding wte = Embedding(7, 4);
    public readonly Linear lm_head = Linear(4, 7, hasBias: false);
    private readonly Linear twice = Linear(4, 4);
    private readonly Module norm = BatchNorm1d(4);
    private readonly Tensor table = tensor(new[] { 1L, 2L });

    public Net(string what) : base(nameof(Net))
    {
        register_module("twice", twice);
        RegisterComponents();
        if (what == "double") this.to(ScalarType.Float64);
        if (what == "other") this.to(zeros(1, dtype: ScalarType.Float64));
        if (what == "gradient")
        {
            twice.call(ones(2, 4)).sum().backward();
            this.@double();
            if (twice.weight.grad.dtype != ScalarType.Float64) throw new System.InvalidOperationException("the gradient stayed");
        }

        lm_head.weight = wte.weight;
        if (what == "half") this.half();
        if (what == "integers") this.@long();
        if (what == "clear") ClearModules();
    }

    public override Tensor forward(Tensor input) => lm_head.call(twice.call(wte.call(input)));
}

/// <summary>Writes and reads files while it is made.</summary>
public sealed class Filed : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential(("a", Linear(3, 2)), ("b", BatchNorm1d(2)));

    public Filed(string write, string read, string skip, bool strict) : base(nameof(Filed))
    {
        RegisterComponents();
        var skipped = skip.Length == 0 ? null : new List<string> { skip };
        if (write.Length > 0) save(write, skipped);
        var seen = new Dictionary<string, bool>();
        if (read.Length > 0) load(read, strict, skipped, seen);
    }

    public override Tensor forward(Tensor input) => layers.call(input);
}

/// <summary>Packs, runs and unpacks.</summary>
public sealed class Packed : Module<Tensor, Tensor, (Tensor, Tensor, Tensor, Tensor)>
{
    private readonly LSTM lstm = LSTM(3, 4, batchFirst: true);

    public Packed() : base(nameof(Packed)) => RegisterComponents();

    public override (Tensor, Tensor, Tensor, Tensor) forward(Tensor input, Tensor lengths)
    {
        var packed = nn.utils.rnn.pack_padded_sequence(input, lengths, batch_first: true, enforce_sorted: false);
        var (output, hidden, cell) = lstm.call(packed);
        var (padded, counts) = nn.utils.rnn.pad_packed_sequence(output, batch_first: true, padding_value: -1.0);
        return (padded, counts, hidden, cell);
    }
}

/// <summary>What hooks give back, and parts of a Sequential.</summary>
public sealed class Hooked : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential(("a", Linear(3, 3)), ("b", ReLU()), ("c", Linear(3, 2)));
    private HookableModule<System.Func<Module<Tensor, Tensor>, Tensor, Tensor>,
        System.Func<Module<Tensor, Tensor>, Tensor, Tensor, Tensor>>.HookRemover handle;

    public Hooked(bool remove) : base(nameof(Hooked))
    {
        RegisterComponents();
        handle = ((Linear)layers[0]).register_forward_hook((module, input, output) => output * 2);
        if (remove) handle.remove();
        foreach (var (name, _) in _internal_submodules) if (name != "layers") throw new System.InvalidOperationException(name);
    }

    public override Tensor forward(Tensor input)
    {
        var part = layers[(0, 2)];
        return ((Linear)layers[2]).call(part.call(input)) + layers[1..].Count;
    }
}
"""


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp({"Members.cs": _SOURCE}, "Members")


@pytest.mark.parametrize(
    ("what", "dtype"),
    [("", torch.float32), ("double", torch.float64), ("other", torch.float64), ("half", torch.float16)],
)
def test_to_converts_floating_point_tensors_of_the_tree_and_keeps_ties(
    assembly: Path, what: str, dtype: torch.dtype
) -> None:
    net: Any = bridge.load(assembly, "Members.Net", what)
    for key, value in net.state_dict().items():
        assert value.dtype == (torch.int64 if key in ("table", "norm.num_batches_tracked") else dtype), key
    assert net.lm_head.weight is net.wte.weight
    assert list(net.state_dict()) == [
        "table", "twice.weight", "twice.bias", "wte.weight", "lm_head.weight",
        *(f"norm.{name}" for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")),
    ]  # fmt: skip


def test_a_tied_weight_gets_the_gradient_of_both_places(assembly: Path, bits_equal: Any) -> None:
    torch.manual_seed(3)
    net: Any = bridge.load(assembly, "Members.Net", "")
    wte, twice = nn.Embedding(7, 4), nn.Linear(4, 4)
    wte.load_state_dict({"weight": net.wte.weight.detach()})
    twice.load_state_dict(net.twice.state_dict())
    words = torch.tensor([[1, 2, 2], [6, 0, 1]])
    expected = nn.functional.linear(twice(wte(words)), wte.weight)
    result = net(words)
    assert bits_equal(result, expected)
    result.sum().backward()
    expected.sum().backward()
    assert bits_equal(net.wte.weight.grad, wte.weight.grad)


def test_to_converts_gradients_too(assembly: Path) -> None:
    net: Any = bridge.load(assembly, "Members.Net", "gradient")
    assert net.twice.weight.dtype == torch.float64


def test_to_refuses_integers_and_clear_modules_forgets_the_children(assembly: Path) -> None:
    with pytest.raises(bridge.DotNetError, match="only accepts floating point or complex types"):
        bridge.load(assembly, "Members.Net", "integers")
    assert list(dict(bridge.load(assembly, "Members.Net", "clear").named_children())) == []


def test_weights_are_written_in_torchsharps_format_and_read_back(
    assembly: Path, tmp_path: Path, bits_equal: Any
) -> None:
    file = str(tmp_path / "weights.dat")
    torch.manual_seed(1)
    written = bridge.load(assembly, "Members.Filed", file, "", "", True).state_dict()
    data = (tmp_path / "weights.dat").read_bytes()
    weight = written["layers.a.weight"].detach()
    head = bytes([len(written), len("layers.a.weight")]) + b"layers.a.weight" + bytes([6, 2, 2, 3])
    assert data.startswith(head + struct.pack("<6f", *weight.flatten().tolist()))
    torch.manual_seed(2)
    read = bridge.load(assembly, "Members.Filed", "", file, "", True).state_dict()
    assert all(bits_equal(read[key], value) for key, value in written.items())
    torch.manual_seed(2)
    skipped = bridge.load(assembly, "Members.Filed", "", file, "layers.a.weight", True).state_dict()
    assert not bits_equal(skipped["layers.a.weight"], written["layers.a.weight"])
    assert bits_equal(skipped["layers.a.bias"], written["layers.a.bias"])


def test_a_weight_file_that_does_not_fit_is_refused(assembly: Path, tmp_path: Path) -> None:
    file = tmp_path / "weights.dat"
    bridge.load(assembly, "Members.Filed", str(file), "", "layers.a.weight", True)
    with pytest.raises(bridge.DotNetError, match="Mismatched state_dict sizes: expected 7, but found 6"):
        bridge.load(assembly, "Members.Filed", "", str(file), "", True)
    bridge.load(assembly, "Members.Filed", "", str(file), "", False)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(bridge.DotNetError, match="EndOfStream"):
        bridge.load(assembly, "Members.Filed", "", str(file), "", False)


def test_packed_sequences_go_through_a_recurrent_layer_as_in_pytorch(assembly: Path, bits_equal: Any) -> None:
    ours: Any = bridge.load(assembly, "Members.Packed")
    lstm = nn.LSTM(3, 4, batch_first=True)
    lstm.load_state_dict(ours.lstm.state_dict())
    lengths = torch.tensor([2, 5, 3])
    inputs = [torch.randn(3, 5, 3, generator=torch.Generator().manual_seed(0)).requires_grad_() for _ in range(2)]
    padded, counts, hidden, cell = ours(inputs[0], lengths)
    packed, (h, c) = lstm(nn.utils.rnn.pack_padded_sequence(inputs[1], lengths, batch_first=True, enforce_sorted=False))
    expected, expected_counts = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0)
    for mine, other in ((padded, expected), (counts, expected_counts), (hidden, h), (cell, c)):
        assert bits_equal(mine, other)
    padded.sum().backward()
    expected.sum().backward()
    assert bits_equal(inputs[0].grad, inputs[1].grad)
    for (key, mine), (_, other) in zip(ours.lstm.named_parameters(), lstm.named_parameters(), strict=True):
        assert bits_equal(mine.grad, other.grad), key


@pytest.mark.parametrize("remove", [False, True])
def test_a_hook_gives_back_torchsharps_nested_type_and_a_sequential_its_parts(
    assembly: Path, remove: bool, bits_equal: Any
) -> None:
    ours: Any = bridge.load(assembly, "Members.Hooked", remove)
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    a, c = ours.layers.a, ours.layers.c
    first = nn.functional.linear(x, a.weight, a.bias) * (1 if remove else 2)
    assert bits_equal(ours(x), nn.functional.linear(first.relu(), c.weight, c.bias) + 2)
