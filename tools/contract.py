"""Writes docs/contract.md and docs/divergences.md from the contract's data.

python tools/contract.py write    writes both pages
python tools/contract.py check    exits 1 if one of them is not what the data give
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "hook-contract")]  # the checkout's own packages, also where others are installed

from bridge.conformance import ledger_page  # noqa: E402  # the path comes first
from bridge.runtimes.ledger import ledger  # noqa: E402  # the path comes first
from hook_contract import contract, program  # noqa: E402  # the path comes first
from hook_contract.conformance import documents  # noqa: E402  # the path comes first


def pages() -> dict[Path, str]:
    """Yield the pages with their generated text."""
    return {
        ROOT / "docs" / "contract.md": documents.contract_page(contract.load(), program.corpus()),
        ROOT / "docs" / "divergences.md": ledger_page.divergences_page(ledger()),
    }


def main(arguments: list[str]) -> int:
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stale = [path for path, text in pages().items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if arguments == ["write"]:
            path.write_text(pages()[path], encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'written' if arguments == ['write'] else 'stale: make contract'}")
    return 1 if stale and arguments == ["check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
