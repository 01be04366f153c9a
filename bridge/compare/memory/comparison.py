"""The memory of a PyTorch model beside that of its C# port, and the first module that keeps more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch

from bridge.compare.alignment import dotnet_arguments
from bridge.compare.errors import RunError, describe
from bridge.compare.io.inputs import Inputs, split_arguments
from bridge.compare.isolate.state_guard import preserve_state
from bridge.compare.memory import dotnet_memory, python_memory
from bridge.compare.memory.usage import Kept, ModuleMemory, by_module
from bridge.compare.models.renamed_model import RenamedModel
from bridge.trace.diff.phrases import path_name
from hook_contract.output.sentences import plural


@dataclass(frozen=True, slots=True)
class MemoryComparison:
    """The memory of both models by module path."""

    pytorch: Mapping[str, ModuleMemory]
    dotnet: Mapping[str, ModuleMemory]

    @property
    def first(self) -> ModuleMemory | None:
        """Return the first module, in the order in which calls end, that keeps more tensors in C# than in PyTorch."""
        more = (memory for memory in self.dotnet.values() if len(memory.kept) > self._kept(memory.path))
        return min(more, key=lambda memory: memory.ended, default=None)

    def explain(self) -> str:
        """Return the first module that keeps more, with the line, in sentences."""
        if (found := self.first) is None:
            return "Memory: no module keeps tensors that PyTorch frees."
        more = len(found.kept) - self._kept(found.path)
        lines = "".join(f"\n  {words}" for words in _lines(found.kept))
        return (
            f"Memory: {path_name(found.path)} keeps {plural(more, 'tensor')} ({size_text(found.kept_size)}) that PyTorch frees:{lines}\n"
            "No dispose scope frees what these lines create, so TorchSharp keeps it until a garbage collection. Begin the method with "
            "`using var scope = torch.NewDisposeScope();` and return `result.MoveToOuterDisposeScope()`, or dispose each tensor."
        )

    def table(self) -> str:
        """Return a table of the modules: tensors that live at the end, tensors that are kept, and the peak."""
        paths = [*self.dotnet, *(path for path in self.pytorch if path not in self.dotnet)]
        rows: list[tuple[str, ...]] = [("module", "live", "in C#", "kept", "in C#", "peak", "in C#")]
        for path in paths:
            pair = self.pytorch.get(path), self.dotnet.get(path)
            cells = [
                *("-" if memory is None else f"{memory.live}" for memory in pair),
                *("-" if memory is None else f"{len(memory.kept)}" for memory in pair),
                *("-" if memory is None else size_text(memory.peak) for memory in pair),
            ]
            rows.append((path_name(path), *cells))
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if at else cell.ljust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )

    def to_json(self) -> dict[str, Any]:
        """Return the memory as JSON values."""
        return {
            "explanation": self.explain(),
            "first": None if self.first is None else self.first.path,
            "pytorch": [asdict(memory) for memory in self.pytorch.values()],
            "dotnet": [asdict(memory) for memory in self.dotnet.values()],
        }

    def _kept(self, path: str) -> int:
        return len(self.pytorch[path].kept) if path in self.pytorch else 0


def compare_memory(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    inputs: Inputs,
    *,
    train: bool = False,
    device: str = "cpu",
    seed: int = 0,
) -> MemoryComparison:
    """Call both models once, without gradients, and compare their memory. Both have their state from before afterwards.

    The models are on ``device``. Raises RunError if a model raises, or if the C# model creates tensors on other threads.
    """
    arguments = {
        name: value.to(device) if isinstance(value, torch.Tensor) else value
        for name, value in inputs.bind(python).items()
    }
    theirs = dotnet_arguments(python, dotnet, arguments)
    renamed = dotnet if isinstance(dotnet, RenamedModel) else None
    own = dotnet if renamed is None else renamed.model
    original = {} if renamed is None else {csharp: path for path, csharp in renamed.csharp_paths.items()}
    with preserve_state(python, dotnet):
        found = []
        for measure, model, given in ((python_memory.measure, python, arguments), (dotnet_memory.measure, own, theirs)):
            torch.manual_seed(seed)
            try:
                found.append(measure(model.train(train), *split_arguments(model, given)))
            except RunError:
                raise
            except Exception as error:
                raise RunError(f"the memory of a model that raises cannot be measured. {describe(error)}") from error
    left, right = found
    return MemoryComparison(
        by_module(left), by_module(replace(call, path=original.get(call.path, call.path)) for call in right)
    )


def size_text(size: int) -> str:
    """Return a number of bytes in words: ``512 B``, ``1.5 KiB``."""
    amount = float(size)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def _lines(kept: tuple[Kept, ...]) -> list[str]:
    """Return a line for each line of code that creates kept tensors."""
    by_source: dict[str, list[Kept]] = {}
    for item in kept:
        by_source.setdefault(item.source, []).append(item)
    return [
        f"{source}: {items[0].line or plural(len(items), 'tensor')}  ({', '.join(item.tensor for item in items[:3])}"
        f"{', …' if len(items) > 3 else ''})"
        for source, items in by_source.items()
    ]
