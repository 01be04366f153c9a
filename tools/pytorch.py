"""Writes docs/pytorch.md: what PyTorch's tools say about C# models and their originals.

python tools/pytorch.py               runs all checks (half an hour on two cores) and writes the page
python tools/pytorch.py CHECK ...     runs these, and leaves the other rows as they are
"""

from __future__ import annotations

import sys

from pytorch_tools import families, page, running
from pytorch_tools.checks import CHECKS


def main(*names: str) -> int:
    families.load()
    wrong = 0
    for name in names or tuple(CHECKS):
        rows = running.rows(CHECKS[name])
        page.write(rows)
        for row in rows:
            print(f"{row.check:32} {row.model:12} {row.outcome:12} {row.text}", flush=True)
            wrong += row.outcome == "differs" and not CHECKS[name].reason
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
