"""Headers of recordings, and the file that .NET writes itself."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge.clr import DotNetRuntime
from bridge.clr.find.assemblies import sample
from bridge.runtimes import dotnet, header, pytorch
from bridge.samples.mtcnn import PNet
from bridge.trace.event import digest
from bridge.trace.file import encoder, read, write
from bridge.trace.file.errors import TraceWriteError


def test_a_recording_has_a_header() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    before = {name: digest(tensor.numpy().copy()) for name, tensor in model.state_dict().items()}
    x = torch.ones(4, 2)
    with pytorch.record({"net": model}, values="digest") as recording:
        model(x)
        model(x + 1)
    header = recording.trace.header
    assert header is not None
    assert (header.runtime, header.torch, header.dotnet) == ("pytorch", torch.__version__, None)
    assert (header.modules, header.device, header.values, header.roots) == (3, "cpu", "digest", ("net",))
    assert (header.threads, header.seed) == (torch.get_num_threads(), torch.initial_seed())
    # As they were before the first call: batch norm has counted since.
    assert header.weights == {f"net.{name}": value for name, value in before.items()}
    assert header.inputs == {"0.0": digest(x.numpy()), "1.0": digest((x + 1).numpy())}


def test_without_values_nothing_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = torch.nn.Linear(2, 3)
    monkeypatch.setattr(header, "weights", None)
    with pytorch.record(model) as recording:
        model(torch.ones(1, 2))
    assert recording.trace.header is not None
    assert (recording.trace.header.inputs, recording.trace.header.weights) == ({}, {})


def test_dtypes_that_numpy_lacks_have_digests() -> None:
    model = torch.nn.Linear(2, 3)
    model.register_buffer("scale", torch.ones(2).to(torch.float8_e5m2))
    model.register_buffer("brief", torch.ones(2, dtype=torch.bfloat16))
    model.register_buffer("nowhere", torch.ones(2, device="meta"))
    assert set(header.weights({"": model})) == {"weight", "bias", "scale", "brief"}


@pytest.mark.parametrize("values", ["none", "digest"])
def test_csharp_writes_the_bytes_that_python_writes(dotnet_host: DotNetRuntime, tmp_path: Path, values: str) -> None:
    """Two calls, a listened child (its events come from Python), a bypass-free net: every line is the same."""
    original = PNet()
    model = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")
    model.load_state_dict(original.state_dict())
    model.conv2.register_forward_hook(lambda *_: None)
    x = torch.rand(1, 3, 12, 14)
    with dotnet.record({'p\u00e9 "n"': model}, values=values, file=tmp_path / "a.jsonl") as recording:  # type: ignore[arg-type]
        model(x)
        model(x)
    write(tmp_path / "b.jsonl", recording.trace)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    found = read(tmp_path / "a.jsonl")
    assert found.events == recording.trace.events
    assert found.header == recording.trace.header
    assert len(found) == 44
    assert found.header is not None
    assert found.header.dotnet == dotnet_host.version
    assert bool(found.header.weights) == bool(found.header.inputs) == (values == "digest")
    with pytorch.record({'p\u00e9 "n"': original}, values=values) as counterpart:  # type: ignore[arg-type]
        original(x)
        original(x)
    assert counterpart.trace.header is not None
    assert (counterpart.trace.header.weights, counterpart.trace.header.inputs) == (
        found.header.weights,
        found.header.inputs,
    )


def test_csharp_writes_numbers_and_strings_of_calls(
    dotnet_host: DotNetRuntime, build_csharp: Callable[..., Path], tmp_path: Path
) -> None:
    """Arguments of every kind, as an event has them: tensor, long, double, bool, string; a default at the end is left out (P-1)."""
    source = Path(__file__).parents[1] / "mirror" / "Signatures.cs"
    model = bridge.load(build_csharp([source], "Models"), "Models.Six")
    with dotnet.record(model, file=tmp_path / "a.jsonl") as recording:
        model(torch.ones(2), 3, 0.1, True, 'quo"te é', None)
    write(tmp_path / "b.jsonl", recording.trace)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    literals = [value.literal for value in read(tmp_path / "a.jsonl")[0].values]
    assert literals == [None, 3, 0.1, True, 'quo"te é']


def test_csharp_writes_no_elements(dotnet_host: DotNetRuntime, tmp_path: Path) -> None:
    model = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")
    with (
        pytest.raises(ValueError, match="cannot write elements"),
        dotnet.record(model, values="full", file=tmp_path / "a"),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_a_file_that_csharp_cannot_write(dotnet_host: DotNetRuntime, tmp_path: Path) -> None:
    model = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")
    with pytest.raises(TraceWriteError, match="none"), dotnet.record(model, file=tmp_path / "none" / "a"):
        model(torch.ones(1, 3, 12, 12))
    with dotnet.record(model) as recording:  # the failed one was stopped
        model(torch.ones(1, 3, 12, 12))
    assert recording.trace.calls == 11


def test_csharp_writes_numbers_and_texts_as_python_does(dotnet_host: DotNetRuntime) -> None:
    """Random bits of doubles, and the borders of the two notations."""
    from Bridge.Hooks import TraceText

    numbers = [
        0.0,
        -0.0,
        1.0,
        1e-4,
        9.999e-5,
        1e15,
        9999999999999998.0,
        1e16,
        5e-324,
        1.7976931348623157e308,
        0.1,
        123.456,
    ]
    numbers += [float("nan"), float("inf"), float("-inf"), 2**53 + 0.0, 1e22, 1e21, 123456789012345680.0]
    chance = random.Random(7)
    numbers += [struct.unpack("<d", chance.randbytes(8))[0] for _ in range(2000)]
    numbers += [chance.uniform(-1, 1) * 10 ** chance.randint(-8, 20) for _ in range(2000)]
    assert [TraceText.Real(number) for number in numbers] == [encoder.literal(number) for number in numbers]
    texts = ["", 'q"\\/', "\x00\x1f\x7f\x80\xff", "\n\r\t\f\b", "é漢\U0001f600", "<>&+'"]
    assert [TraceText.Quoted(text) for text in texts] == [encoder.quoted(text) for text in texts]
