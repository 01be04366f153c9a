"""A process that runs the same cases of one kind in rounds, and answers by how much each round made it grow, and what was wrong first.

A leak comes in every round; heaps take room now and then, so the least of the rounds counts. .NET compiles each method once, at its first
call: otherwise it compiles again what was called often, between any two rounds of the first dozen, and its compiler takes up to 12 MiB
meanwhile, which it gives back ten rounds later.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from typing import Final

#: Rounds, the first of which warms up, and cases in each.
ROUNDS: Final = 5
CASES: Final = 6


def main(arguments: list[str]) -> None:
    """Run ``memory.py SEED DESCRIPTOR ASSEMBLY KIND``."""
    seed, descriptor, assembly, name = arguments
    os.environ["DOTNET_TieredCompilation"] = "0"  # noqa: SIM112  # the name is .NET's, which reads it when it starts
    from attack import state, worker
    from attack.kind import chosen

    worker.prepare()
    (kind,) = chosen([name])
    figures, failures = [], []
    for number in range(ROUNDS):
        for index in range(CASES):
            failure = worker.run(int(seed), index, kind, assembly)
            if failure is not None:
                failures.append(f"case {index} of the kind alone, in round {number}: {failure}")
        state.collect()
        figures.append((state.resident(), state.live()))
    grown = min(after[0] - before[0] for before, after in pairwise(figures[1:]))
    held = min(sum(after[1]) - sum(before[1]) for before, after in pairwise(figures[1:]))
    with os.fdopen(int(descriptor), "w") as answers:
        answers.write(json.dumps({"grown": grown, "held": held, "failures": failures}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
