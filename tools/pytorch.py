"""Writes docs/pytorch.md: what PyTorch's tools say about C# models and their originals.

python tools/pytorch.py               runs all checks (half an hour on two cores) and writes the page
python tools/pytorch.py CHECK ...     runs these, and leaves the other rows as they are
"""

from __future__ import annotations

import sys

from pytorch_tools import page, running
from pytorch_tools.checks import CHECKS


def main(*names: str) -> int:
    """Run checks, and return 1 if a result differs without a stated reason."""
    failed = False
    for name in names or CHECKS:
        rows = running.rows(CHECKS[name])
        page.write(rows)
        for row in rows:
            print(f"{name:32} {row['model']:12} {row['outcome']:12} {row['text']}", flush=True)
            failed |= row["outcome"] == "differs" and not CHECKS[name].reason
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
