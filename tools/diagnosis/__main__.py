"""Plant mistakes in C# ports and count how many ``compare`` notices, locates and explains.

    python -m diagnosis [--sample N] [--seed N] [--only KIND|MODEL ...] [--aside] [--details FILE] [--page FILE]

The command fails if a live mutant is not noticed, a stated cause is wrong, or too few modules of the models are judged in isolation.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from diagnosis import processes, report
from diagnosis.mutants import Mutant, mutants
from diagnosis.subjects import HELD_OUT_MODELS, SUBJECTS


def main(arguments: Sequence[str]) -> int:
    """Parse the command and run it."""
    parser = argparse.ArgumentParser(
        prog="diagnosis", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=4, help="draw at most this many mutants of each kind and model")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the draw")
    parser.add_argument("--only", nargs="*", default=[], metavar="KIND|MODEL", help="run only these kinds and models")
    parser.add_argument(
        "--aside", action="store_true", help="also run and count the kinds and models that are set aside"
    )
    parser.add_argument(
        "--details", type=Path, help="write the result of each mutant that is not set aside as JSON lines"
    )
    parser.add_argument("--page", type=Path, help="write the page")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    chosen = draw(options.only, options.sample, options.seed, aside=options.aside)
    if not chosen:
        parser.error(f"no mutant is of {' or '.join(options.only)}")
    results = processes.judge(chosen)
    shown = [result for result in results if not result["held_out"]]
    if options.details is not None:
        options.details.write_text("\n".join(map(json.dumps, shown)), encoding="utf-8")
    print(report.plain("kind", report.lines(shown, lambda result: result["kind"])), end="\n\n")
    print(report.plain("model", report.lines(shown, lambda result: result["subject"])), end="\n\n")
    if len(shown) < len(results):
        held_out = [result for result in results if result["held_out"]]
        print(report.plain("set aside", report.lines(held_out, lambda _: "kinds and models")), end="\n\n")
    isolation = processes.measure_isolation(list(dict.fromkeys(mutant.subject for mutant in chosen)))
    print(report.total_isolation(isolation), end="\n\n")
    print(f"{len(results)} mutants of seed {options.seed} in {time.monotonic() - started:.0f} s.")
    if options.page is not None:
        options.page.write_text(report.page(results, isolation, options.seed, options.sample), encoding="utf-8")
    passed = all(result["noticed"] and not result["wrong"] for result in results if result["lives"])
    return int(report.too_few_isolated(isolation) or not passed)


def draw(only: Sequence[str], sample: int, seed: int, *, aside: bool) -> list[Mutant]:
    """Return at most ``sample`` mutants of each kind and model; none that is held out unless ``aside``."""
    names = {*only} & SUBJECTS.keys() or {name for name in SUBJECTS if aside or name not in HELD_OUT_MODELS}
    kinds = {*only} - SUBJECTS.keys()
    groups: dict[tuple[str, str], list[Mutant]] = {}
    with ThreadPoolExecutor(processes.JOBS) as pool:
        planted = pool.map(mutants, [subject for name, subject in SUBJECTS.items() if name in names])
    for mutant in (mutant for of_subject in planted for mutant in of_subject):
        if (aside or not mutant.held_out) and (not kinds or mutant.kind in kinds):
            groups.setdefault((mutant.subject, mutant.kind), []).append(mutant)
    chosen = []
    for key, group in groups.items():
        drawn = random.Random(f"{seed} {key}").sample(group, min(sample, len(group)))
        chosen += sorted(drawn, key=lambda mutant: mutant.id)
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
