"""Plants mistakes in C# ports and counts how many ``compare`` notices, locates and explains.

    python -m diagnosis [--sample N] [--seed N] [--only KIND|MODEL …] [--aside] [--details FILE] [--page FILE]

Of each kind and model at most ``--sample`` mutants are run, drawn by ``--seed``. What was set aside is run with ``--aside``, and only
counted. ``--details`` writes what was said of each mutant as JSON lines, ``--page`` the page. Ends with 1 where a live mutant is not
noticed, a cause is wrong, or too few modules of the models are judged alone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from diagnosis import lockstep, page
from diagnosis.planted import Mutant, mutants
from diagnosis.running import results
from diagnosis.subjects import SUBJECTS
from diagnosis.table import aside, plain, rows


def main(arguments: Sequence[str]) -> int:
    """Parse the command and run it."""
    parser = argparse.ArgumentParser(
        prog="diagnosis", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--aside", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--details", type=Path)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args(arguments)
    begun = time.monotonic()
    chosen = drawn(options.only, options.sample, options.seed, with_aside=options.aside)
    if not chosen:
        parser.error(f"nothing is named {' or '.join(options.only)}")
    found = results(chosen, options.jobs, Progress(len(chosen)))
    pairs = [(one, found[one.subject, one.id]) for one in chosen]
    open_ones = [pair for pair in pairs if not aside(pair[0])]
    apart = [pair for pair in pairs if aside(pair[0])]
    if options.details is not None:
        lines = [
            json.dumps({**found[one.subject, one.id], "mutant": str(one), "kind": one.kind}) for one, _ in open_ones
        ]
        options.details.write_text("\n".join(lines), encoding="utf-8")
    print(plain("kind", rows(open_ones, lambda one: one.kind)))
    print()
    print(plain("model", rows(open_ones, lambda one: one.subject)))
    if apart:
        print()
        print(plain("set aside", rows(apart, lambda one: "kinds and models")))
    models = [one for one in SUBJECTS if any(mutant.subject == one.name for mutant in chosen)]
    judged = lockstep.of(models, options.jobs)
    print(f"\n{lockstep.words(judged)}")
    print(f"\n{len(pairs)} mutants of seed {options.seed} in {time.monotonic() - begun:.0f} s.")
    if options.page is not None:
        page.write(options.page, open_ones, apart, judged, options.seed, options.sample)
    live = [result for _, result in pairs if result["lives"]]
    return int(lockstep.too_few(judged) or not all(one["noticed"] and not one["wrong"] for one in live))


def drawn(only: Sequence[str], sample: int, seed: int, *, with_aside: bool) -> list[Mutant]:
    """Return the mutants of a run: at most ``sample`` of each kind and model."""
    subjects = [one for one in SUBJECTS if with_aside or not one.aside]
    models = {one.name for one in SUBJECTS} & {*only}
    if models:
        subjects = [one for one in subjects if one.name in models]
    kinds = {*only} - models
    groups: dict[tuple[str, str], list[Mutant]] = {}
    for one in mutants(subjects):
        if (with_aside or not aside(one)) and (not kinds or one.kind in kinds):
            groups.setdefault((one.subject, one.kind), []).append(one)
    chosen = []
    for key, group in groups.items():
        dice = random.Random(f"{seed} {key}")
        chosen += sorted(dice.sample(group, min(sample, len(group))), key=lambda one: one.id)
    return chosen


class Progress:
    """A line on a terminal, and every hundred mutants one elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.said = total, 0

    def __call__(self, done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {self.total}", end="" if done < self.total else "\n", file=sys.stderr, flush=True)
        elif done // 100 > self.said:
            self.said = done // 100
            print(f"{done} of {self.total}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
