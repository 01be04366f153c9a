"""Draws random functions of Python, runs each in Python and, translated by `port` and compiled in one assembly of many, in C#.

    python tools/port_functions.py [--count 20000] [--seed 1]

It prints the functions whose C# gives something else, each with its arguments and both results, how many were refused, by reason, and
the counts; the exit code is nonzero if there is a difference. Needs the SDK.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Final

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
    options = parser.parse_args(arguments)
    its_sdk, report = sdk.Sdk(), harness.Report()
    for part, start in enumerate(range(0, options.count, _PART)):
        began = time.monotonic()
        found = harness.check(its_sdk, min(_PART, options.count - start), options.seed + part)
        for one in found.differences:
            print(one, end="\n\n")
        report.add(found)
        said = f"{len(found.differences)} differ, {found.refused.total()} refused"
        print(
            f"seed {options.seed + part}: {found.functions} functions, {said}, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    for why, count in report.refused.most_common():
        print(f"{count:6} refused: {why}")
    share = report.refused.total() / max(report.functions, 1)
    print(
        f"{report.functions} functions from seed {options.seed}, {report.calls} calls, {report.raised} of them raise; "
        f"{report.refused.total()} functions refused ({share:.1%}); {len(report.differences)} differ"
    )
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
