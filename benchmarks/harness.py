"""What the benchmarks share: ratios to a peer in one run, and the table that they leave in docs/benchmarks.md.

A module ``bench_*.py`` has ``figures()``, which yields :class:`Figure`. ``python benchmarks/harness.py [NAME …]`` runs them, prints the
table and writes it with the machine's data; with names, only those, and nothing is written.
"""

from __future__ import annotations

import importlib
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE.parent / "docs" / "benchmarks.md"
ROUNDS = 9  # at least 7, by the rules of the house


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: ``ours`` and ``peer`` with their unit, and the goal for their ratio (None: reported only)."""

    name: str
    ours: float
    peer: float | None
    unit: str
    goal: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def value(self) -> float:
        """The ratio, or the figure itself where there is no peer."""
        return self.ours / self.peer if self.peer else self.ours

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def microseconds(*functions: Callable[[], object], number: int, warm: int | None = None) -> list[float]:
    """Median time of one call of each, in us: rounds of ``number`` calls, in turn, so that all meet the same noise."""
    for function in functions:
        for _ in range(number if warm is None else warm):
            function()
    time.sleep(0.3)  # .NET compiles what became hot in the background
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, found in zip(functions, times, strict=True):
            begin = time.perf_counter()
            for _ in range(number):
                function()
            found.append((time.perf_counter() - begin) / number * 1e6)
    return [statistics.median(found) for found in times]


def main(names: list[str]) -> int:
    """Runs the benchmarks; 0 when every goal is met."""
    sys.path.insert(0, str(HERE))
    modules = names or sorted(path.stem for path in HERE.glob("bench_*.py"))
    found = []
    for name in modules:
        print(f"{name} …", flush=True)
        for figure in _figures(name):
            found.append(figure)
            print("  " + " | ".join(_row(figure)), flush=True)
    if not names:
        TABLE.write_text(_page(found), encoding="utf-8")
        print(f"written: {TABLE.relative_to(HERE.parent)}")
    return int(any(figure.met is False for figure in found))


def _figures(name: str) -> Iterator[Figure]:
    yield from importlib.import_module(name).figures()


def _row(figure: Figure) -> list[str]:
    ours = f"{figure.ours:.4g} {figure.unit}"
    peer = "" if figure.peer is None else f"{figure.peer:.4g} {figure.unit}"
    ratio = "" if figure.peer is None else f"{figure.value:.3g}"
    goal = "" if figure.goal is None else f"{'>=' if figure.at_least else '<='} {figure.goal:.3g}"
    met = {None: "reported", True: "met", False: "missed"}[figure.met]
    return [figure.name, ours, peer, ratio, goal, met, figure.note]


def _page(figures: list[Figure]) -> str:
    import numpy
    import torch

    from bridge.clr import start

    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Every ratio was measured in one run, ours and the peer in turn, the median of "
        f"{ROUNDS} rounds. Times of another machine differ; the ratios should not, much.",
        "",
        f"{platform.system()} {platform.machine()}, {_processor()}, {torch.get_num_threads()} thread(s); "
        f"Python {platform.python_version()}, torch {torch.__version__}, NumPy {numpy.__version__}, .NET {start().version}.",
        "",
        "| figure | ours | peer | ratio | goal | | |",
        "|---|---|---|---|---|---|---|",
        *("| " + " | ".join(_row(figure)) + " |" for figure in figures),
        "",
    ]
    return "\n".join(lines)


def _processor() -> str:
    import os

    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        model = next(line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or "unknown processor"
    return f"{model}, {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
