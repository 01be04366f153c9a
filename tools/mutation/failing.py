"""List the programs that the runtime ``hooks`` fails with the assemblies of BRIDGE_ASSEMBLIES, which may crash the process.

    python -m mutation.failing [--all] [--but PROGRAM …]

Prints JSON: ``[program, how]`` of the first that fails, ``[null, ""]`` if none does; with ``--all`` a list of all that fail. As in the
suite, a difference that the ledger lists is no failure. The variants of ``dotnet`` are left out: their hooks use the same dispatcher, and
importing torch would double the time of each mutant.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Collection, Iterator

from bridge.conformance.choice import prepare_suite
from hook_contract.conformance.judgement import FAIL

#: Seconds of processor time: the corpus takes three.
SECONDS = 30


def main() -> int:
    """Run the corpus until a program fails."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    parser = argparse.ArgumentParser(description="List the programs that the runtime hooks fails.")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--but", nargs="*", default=())
    options = parser.parse_args()
    found = _failures(options.but)
    sys.stdout.write(json.dumps([name for name, _ in found] if options.all else next(found, (None, ""))) + "\n")
    return 0


def _failures(but: Collection[str]) -> Iterator[tuple[str, str]]:
    made = prepare_suite(["hooks"])
    (runtime,) = made.runtimes
    for program in made.selection.programs:
        if program.name in but:
            continue
        for found in made.outcomes(runtime, program, "cpu"):
            if found.state == FAIL:
                yield program.name, found.reason


if __name__ == "__main__":
    sys.exit(main())
