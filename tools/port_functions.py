"""Draws random functions of Python, runs each in Python and, translated by `port` and compiled in one assembly of many, in C#.

    python tools/port_functions.py [--count 20000] [--seed 1] [--results FILE]

It prints the functions whose C# gives something else, each with its arguments and both results, how many were refused, by reason, and
the counts; the exit code is nonzero if there is a difference. With --results an assembly's result is appended to FILE, and a run that was
stopped goes on where it stopped. Needs the SDK.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import Counter
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

import sdk

sys.path.insert(0, str(sdk.ROOT))

from tests.port.functions import harness

#: How many functions one assembly has.
_PART: Final = 1000


def main(arguments: list[str] | None = None) -> int:
    """Compare and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20000, help="how many functions are drawn (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=1, help="the first seed: each assembly has one (default: %(default)s)"
    )
    parser.add_argument("--results", type=Path, help="a file of results that is read and appended to")
    options = parser.parse_args(arguments)
    its_sdk, report, known = sdk.Sdk(), harness.Report(), kept(options.results)
    for part, start in enumerate(range(0, options.count, _PART)):
        seed, count = options.seed + part, min(_PART, options.count - start)
        found = known.get((seed, count))
        if found is None:
            began, used = time.monotonic(), _processor_time()
            found = harness.check(its_sdk, count, seed)
            keep(options.results, seed, found)
            took = f", {time.monotonic() - began:.0f} s, {_processor_time() - used:.0f} s of a processor"
        else:
            took = ", known"
        for one in found.differences:
            print(one, end="\n\n")
        report.add(found)
        said = f"{len(found.differences)} differ, {found.refused.total()} refused"
        print(f"seed {seed}: {found.functions} functions, {said}{took}", flush=True)
    for why, count in report.refused.most_common():
        print(f"{count:6} refused: {why}")
    share = report.refused.total() / max(report.functions, 1)
    print(
        f"{report.functions} functions from seed {options.seed}, {report.calls} calls, {report.raised} of them raise; "
        f"{report.refused.total()} functions refused ({share:.1%}); {len(report.differences)} differ"
    )
    return 1 if report.differences else 0


def kept(file: Path | None) -> dict[tuple[int, int], harness.Report]:
    """Return the results in a file, by seed and number of functions."""
    found: dict[tuple[int, int], harness.Report] = {}
    if file is not None and file.exists():
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            seed = row.pop("seed")
            row["differences"] = [harness.Difference(**one) for one in row["differences"]]
            found[seed, row["functions"]] = harness.Report(**row | {"refused": Counter(row["refused"])})
    return found


def keep(file: Path | None, seed: int, found: harness.Report) -> None:
    """Append the result of a seed to a file."""
    if file is not None:
        row: dict[str, Any] = {one.name: getattr(found, one.name) for one in fields(found)}
        row |= {"seed": seed, "differences": [asdict(one) for one in found.differences]}
        with file.open("a", encoding="utf-8") as lines:
            print(json.dumps(row), file=lines)


def _processor_time() -> float:
    """Return the seconds of a processor that this process and its children took."""
    usages = (resource.getrusage(one) for one in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usages)


if __name__ == "__main__":
    sys.exit(main())
