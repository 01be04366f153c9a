"""Writes the file of pairs, with Python's verdicts."""

from __future__ import annotations

import argparse
import sys

from trace_pairs import cases, corpus, damage, random_pairs


def main(arguments: list[str] | None = None) -> int:
    """Write the file and print its size."""
    parser = argparse.ArgumentParser(
        prog="trace_pairs", description="Writes tests/trace/pairs.jsonl, with the verdicts of this checkout."
    )
    parser.add_argument("--seed", type=int, default=1, help="for the random pairs (default: 1)")
    parser.add_argument("--count", type=int, default=140, help="the number of random pairs (default: 140)")
    parsed = parser.parse_args(arguments)
    made = (*cases.pairs(), *damage.pairs(), *random_pairs.pairs(parsed.seed, parsed.count))
    count = corpus.save(made, {"seed": parsed.seed, "random": parsed.count})
    print(
        f"{corpus.PAIRS.relative_to(corpus.ROOT)}: {count} pairs, seed {parsed.seed}, {corpus.PAIRS.stat().st_size:,} bytes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
