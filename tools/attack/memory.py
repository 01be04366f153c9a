"""A process that runs the same cases of one kind in rounds, and answers by how much each round made it grow.

A leak comes in every round; heaps take room now and then, so the least of the rounds counts.
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
    """``memory.py SEED DESCRIPTOR ASSEMBLY KIND``."""
    seed, descriptor, assembly, name = arguments
    from attack import state, worker
    from attack.kind import chosen

    worker.prepare()
    (kind,) = chosen([name])
    figures = []
    for _ in range(ROUNDS):
        for index in range(CASES):
            worker.run(int(seed), index, kind, assembly)
        state.collect()
        figures.append((state.resident(), state.held()))
    grown = min(after[0] - before[0] for before, after in pairwise(figures[1:]))
    held = min(sum(after[1]) - sum(before[1]) for before, after in pairwise(figures[1:]))
    with os.fdopen(int(descriptor), "w") as answers:
        answers.write(json.dumps({"grown": grown, "held": held}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
