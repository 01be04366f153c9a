"""Models in folders of files that others wrote, kept outside of this repository: the layouts of KernelBench and of ParityBench."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from zoo_models.folders.kernelbench import KernelBench
from zoo_models.folders.paritybench import ParityBench


def layout(folder: Path) -> KernelBench | ParityBench:
    """Return the models of a folder by the layout that its files have. Raises ValueError."""
    for made in (KernelBench(folder), ParityBench(folder)):
        if made.files():
            return made
    raise ValueError(f"{folder} has no file with get_init_inputs, nor one with TESTCASES")


def draw(files: Mapping[str, Path], count: int, seed: int) -> list[str]:
    """Return the models of ``count`` files, in an order that the seed draws: those of a smaller count are the first."""
    order = sorted(set(files.values()))
    random.Random(seed).shuffle(order)
    return [name for file in order[:count] for name, its_file in files.items() if its_file == file]
