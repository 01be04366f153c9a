"""Memory by module: what C# keeps that PyTorch frees, with the line; and TorchSharp's own count of the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.compare.errors import RunError
from bridge.compare.io.inputs import from_shapes, parse_shape
from bridge.compare.memory.comparison import MemoryComparison, compare_memory, size_text
from bridge.mirror.loading import exact_lines
from tests.compare.memory import originals

pytestmark = pytest.mark.dotnet
SOURCE = Path(__file__).with_name("Memory.cs")
MODULES = ("Tidy", "Using", "Leaky", "Holding", "Net")


def line(comment: str) -> int:
    """Return the number of the line of Memory.cs that ends in this comment."""
    (found,) = (
        number
        for number, text in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1)
        if text.endswith(f" // {comment}")
    )
    return found


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([SOURCE], "Memory", against=[reference], symbols=True)


@pytest.fixture
def measure(assembly: Path) -> Callable[[str], MemoryComparison]:
    def run(name: str) -> MemoryComparison:
        with exact_lines():
            model = bridge.load(assembly, f"Memory.{name}")
        return compare_memory(getattr(originals, name)(), model, from_shapes([parse_shape("4,8")], 0))

    return run


def test_the_first_module_that_keeps_more_is_named_with_its_lines(measure: Callable[[str], MemoryComparison]) -> None:
    found = measure("Net")
    assert {path: len(memory.kept) for path, memory in found.pytorch.items()} == dict.fromkeys(found.pytorch, 0)
    kept = {path: [item.source for item in memory.kept] for path, memory in found.dotnet.items() if memory.kept}
    assert sorted(kept) == ["", "leaky"]
    assert sorted(kept["leaky"]) == sorted(
        [f"Memory.cs:{line('hidden')} in Leaky.forward", f"Memory.cs:{line('view')} in Leaky.forward"]
    )
    assert kept[""] == [f"Memory.cs:{line('d')} in Net.forward"]
    assert found.first is found.dotnet["leaky"]
    assert found.first.kept_size == 128, "the view has no memory of its own"
    text = found.explain()
    assert text.startswith("Memory: leaky keeps 2 tensors (128 B) that PyTorch frees"), text
    assert f"Memory.cs:{line('hidden')} in Leaky.forward: " in text
    assert "NewDisposeScope" in text
    table = found.table().splitlines()
    assert table[0].split() == ["module", "live", "in", "C#", "kept", "in", "C#", "peak", "in", "C#"]
    assert next(row for row in table if row.startswith("leaky")).split()[:5] == ["leaky", "1", "3", "0", "2"]


def test_peaks_are_the_bytes_that_live_at_once(measure: Callable[[str], MemoryComparison]) -> None:
    """[4, 8] floats are 128 bytes: of linear, relu and tanh, two live at once in PyTorch, and all in a scope."""
    found = measure("Tidy")
    assert found.pytorch[""].peak == 256
    assert found.dotnet[""].peak == 384
    assert (found.dotnet[""].live, found.dotnet[""].kept) == (1, ())
    assert (found.dotnet["fc"].live, found.dotnet["fc"].peak) == (1, 128)


@pytest.mark.parametrize("name", ["Tidy", "Using", "Holding", "Clean"])
def test_a_module_that_frees_what_it_creates_is_not_named(
    measure: Callable[[str], MemoryComparison], name: str
) -> None:
    """Neither is a tensor that a field holds."""
    found = measure(name)
    assert found.first is None
    assert found.explain() == "Memory: no module keeps tensors that PyTorch frees."
    assert "leaky" not in found.dotnet


def test_tensors_of_other_threads_are_refused(measure: Callable[[str], MemoryComparison]) -> None:
    with pytest.raises(RunError, match=r"\d of its tensors were created on other threads"):
        measure("Tasks")


def test_both_models_stay_as_they_were(assembly: Path) -> None:
    model, original = bridge.load(assembly, "Memory.Leaky"), originals.Leaky()
    torch.manual_seed(1)
    compare_memory(original, model, from_shapes([parse_shape("4,8")], 0), train=False)
    after = torch.rand(())
    torch.manual_seed(1)
    assert torch.equal(torch.rand(()), after)
    assert model.training
    assert original.training
    assert model(torch.ones(1, 8)).shape == (1, 8)


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 20, "3.0 MiB"), (5 << 30, "5.0 GiB")]
)
def test_a_size(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_torchsharp_counts_the_same(
    name: str,
    build_csharp: Callable[..., Path],
    torchsharp: Path,
    measure: Callable[[str], MemoryComparison],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """TorchSharp itself lists in a scope around the call what the measurement says lives after it."""
    monkeypatch.delenv("BRIDGE_TORCHSHARP", raising=False)
    built = build_csharp([SOURCE], "Memory", against=[torchsharp])
    for file in (built, torchsharp):
        shutil.copy(file, tmp_path / file.name)
    (tmp_path / "runtimes").symlink_to(torchsharp.with_name("runtimes"), target_is_directory=True)
    there: Any = bridge.load(tmp_path / built.name, "Memory.Counting", name, runtime="torchsharp")
    found = measure(name)
    kept = sum(len(memory.kept) for memory in found.dotnet.values())
    assert int(there(torch.randn(4, 8))) == kept + 1, "what is kept, and the result"
