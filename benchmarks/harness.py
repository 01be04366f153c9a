"""The benchmarks' common parts: how a figure is measured, and the page docs/benchmarks.md.

``python benchmarks/harness.py`` measures every figure of the modules ``bench_*.py`` and writes the page with the machine's data; ``--only
NAME`` (repeatable) measures one and writes nothing, or with ``--write`` its line; ``--list`` names them. The exit code is 1 if a goal is
missed. While the figure NAME is missed, the page shows ``benchmarks/profiles/NAME.md`` below the table.

A verdict should not depend on the machine's load: times are this process's own processor time (the timed code neither waits nor runs in
parallel), and a ratio is measured round by round, ours and the peer in turn within some tens of milliseconds; the median of the rounds'
ratios counts.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE.parent / "docs" / "benchmarks.md"
PROFILES = HERE / "profiles"
ROUNDS = 31
FEW = 7  # rounds of slow figures
SLICE = 0.03  # seconds that a round spends on each side
# Rounds and their seconds for differences smaller than the noise of some milliseconds.
MANY, SHORT = 2001, 0.0005
QUIET = 5  # consecutive tenths of a second without compilation before measuring
WARM = 50  # tenths of a second after which to measure anyway


@dataclass(frozen=True, slots=True)
class Samples:
    """The measurements, one number per round; with a peer, the figure is the ratio of the two. ``said`` is a remark on them."""

    ours: list[float]
    peer: list[float] | None = None
    said: str = ""

    @property
    def values(self) -> list[float]:
        """Return the figure of each round, ascending."""
        if self.peer is None:
            return sorted(self.ours)
        return sorted(ours / peer for ours, peer in zip(self.ours, self.peer, strict=True))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: ``measure`` measures ``what`` in ``unit``, divided by ``peer`` (None: not divided). Without a goal it is only reported.

    A ``long`` figure takes many minutes, or needs rare hardware, and is measured only on request.
    """

    name: str
    what: str
    peer: str | None
    unit: str
    measure: Callable[[], Samples]
    goal: float | None = None
    at_least: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """A figure with its samples."""

    figure: Figure
    samples: Samples

    @property
    def value(self) -> float:
        """Return the median of the rounds."""
        return statistics.median(self.samples.values)

    @property
    def met(self) -> bool | None:
        """Return whether the goal is met; None without a goal."""
        goal = self.figure.goal
        if goal is None:
            return None
        return self.value >= goal if self.figure.at_least else self.value <= goal

    def row(self) -> list[str]:
        """Return the cells of its line."""
        figure, samples, values = self.figure, self.samples, self.samples.values
        sides = [f"{statistics.median(side):.4g}" for side in (samples.ours, samples.peer) if side]
        middle = f"{values[len(values) // 4]:.3g} to {values[-1 - len(values) // 4]:.3g}"
        goal = "" if figure.goal is None else f"{'≥' if figure.at_least else '≤'} {figure.goal:g}"
        unit = "" if figure.peer else f" {figure.unit}"
        what = f"{figure.what}: {samples.said}" if samples.said else figure.what
        return [
            figure.name, what, figure.peer or "", f"{' / '.join(sides)} {figure.unit}", f"**{self.value:.3g}**{unit}",
            middle, goal, {None: "reported", True: "met", False: "**missed**"}[self.met],
        ]  # fmt: skip


def in_turn(
    ours: Callable[[], object], peer: Callable[[], object], rounds: int = ROUNDS, seconds: float = SLICE
) -> Samples:
    """Return the microseconds of processor time per call of each function, in turn; every other round the peer begins.

    Each side runs about ``seconds`` per round.
    """
    number = max(1, int(seconds / max(warm(ours), warm(peer))))
    time.sleep(0.3)  # .NET compiles hot methods in the background
    times: tuple[list[float], list[float]] = ([], [])
    sides = [(ours, times[0]), (peer, times[1])]
    for _ in range(rounds):
        for function, found in sides:
            begin = time.process_time()
            for _ in range(number):
                function()
            found.append((time.process_time() - begin) / number * 1e6)
        sides.reverse()
    return Samples(*times)


def rate(count: int, run: Callable[[], object], rounds: int = FEW) -> Samples:
    """Return millions of ``count`` items per second of processor time."""
    return Samples([count / _seconds(run) / 1e6 for _ in range(rounds)])


def rates(count: int, run: Callable[[], object], other: int, peer: Callable[[], object]) -> Samples:
    """Return the rates of two functions, in turn."""
    pairs = [(count / _seconds(run) / 1e6, other / _seconds(peer) / 1e6) for _ in range(FEW)]
    return Samples([ours for ours, _ in pairs], [peer for _, peer in pairs])


def _seconds(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def warm(function: Callable[[], object]) -> float:
    """Run a function until it is warm, and return the seconds of one call.

    .NET compiles hot methods on a thread of its own, whose time would count: as long as other threads use time, the function is not warm.
    """
    shortest = float("inf")
    quiet = 0
    for _ in range(WARM):
        process, thread = time.process_time(), time.thread_time()
        end = time.perf_counter() + 0.1
        while (begin := time.perf_counter()) < end:
            function()
            shortest = min(shortest, time.perf_counter() - begin)
        process, thread = time.process_time() - process, time.thread_time() - thread
        quiet = quiet + 1 if process - thread < 0.01 * process else 0
        if quiet >= QUIET:
            break
    return shortest


def figures() -> Iterator[Figure]:
    """Yield all figures."""
    for path in sorted(HERE.glob("bench_*.py")):
        yield from importlib.import_module(path.stem).FIGURES


def main(arguments: list[str]) -> int:
    """Measure the figures; return 0 if every goal is met."""
    import torch

    sys.modules["harness"] = sys.modules[__name__]  # the benchmarks import this module, which runs as __main__
    known = {figure.name: figure for figure in figures()}
    parser = argparse.ArgumentParser(description="Measure the figures and write docs/benchmarks.md.")
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        choices=list(known),
        help="measure this figure and write nothing; repeatable",
    )
    parser.add_argument("--write", action="store_true", help="with --only: replace the figures' lines in the page")
    parser.add_argument("--long", action="store_true", help="also measure figures that take many minutes")
    parser.add_argument("--list", action="store_true", help="list the figures' names")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(f"{figure.name:16} {figure.what}" for figure in known.values()))
        return 0
    torch.set_num_threads(1)
    begin, load = time.monotonic(), os.getloadavg()[0]
    taken = []
    for name in options.only or [name for name, figure in known.items() if options.long or not figure.long]:
        taken.append(Taken(known[name], known[name].measure()))
        print(" | ".join(taken[-1].row()), flush=True)
    print(f"{time.monotonic() - begin:.0f} s; load average {load:.1f} before, {os.getloadavg()[0]:.1f} after")
    if options.write or not options.only:
        if options.only:
            rows, machine = _rows(), _notes()
        else:  # figures that take many minutes stay on the page until they are measured again
            rows = {name: row for name, row in _rows().items() if name in known and known[name].long}
            machine = _machine(load) + [f"`{name}` from an earlier run" for name in rows if not options.long]
        rows.update({item.figure.name: item.row() for item in taken})
        if options.only:
            mine = " and ".join(f"`{name}`" for name in options.only)
            machine = [line for line in machine if not line.startswith(f"{mine} ")]
            machine.append(f"{mine} by itself, later: load average {load:.1f} before the run")
        TABLE.write_text(_page(rows, machine), encoding="utf-8")
        print(f"written: {TABLE.relative_to(HERE.parent)}")
    return int(any(item.met is False for item in taken))


_HEAD = ["name", "of", "divided by", "medians", "figure", "middle half", "goal", ""]


def _rows() -> dict[str, list[str]]:
    """Return the lines of the current page, by the figures' names."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return {row[0]: row for row in cells if len(row) == len(_HEAD) and row[0] not in ("name", "---")}


def _notes() -> list[str]:
    """Return the current page's remarks about the machine."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("- ") for line in lines[: lines.index(_line(_HEAD))] if line.startswith("- ")]


def _page(rows: dict[str, list[str]], machine: list[str]) -> str:
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. A ratio is taken round by round, ours and the peer in turn, and its figure is the median of the",
        f"rounds' ratios ({ROUNDS} rounds, {FEW} of what takes long, {MANY:,} short ones of `training` and `csharp-hooks`); the middle",
        "half shows how far they spread. Times are processor time; only what runs inside .NET (`event`, `pair`, `call` …) or in",
        "processes of its own (`start`, `corpus`, `fuzz` …) is timed by the clock. Times of another machine differ;",
        "the ratios should not, much.",
        "",
        *(f"- {line}" for line in machine),
        "",
        _line(_HEAD),
        _line(["---"] * len(_HEAD)),
        *map(_line, rows.values()),
        "",
    ]
    missed = [name for name, row in rows.items() if row[-1] == "**missed**"]
    if missed:
        lines += ["## Missed", ""]
    for name in missed:
        profile = PROFILES / f"{name}.md"
        text = profile.read_text(encoding="utf-8").strip() if profile.exists() else "Not profiled yet."
        lines += [f"### {name}", "", text, ""]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _machine(load: float) -> list[str]:
    import numpy
    import torch

    from bridge.clr import start

    return [
        f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores, load average {load:.1f} before the run",
        f"Python {platform.python_version()}, torch {torch.__version__} with {torch.get_num_threads()} thread, "
        f"NumPy {numpy.__version__}, .NET {start().version}",
    ]


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        return next(line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
