"""The lines that ``port`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

from bridge.compare.result import Comparison
from bridge.port.porting import Port
from bridge.port.verify.summary import list_fixed, summarize
from hook_contract.output.sentences import plural


def report_lines(
    folder: Path,
    port: Port,
    judged: Sequence[tuple[str, Comparison]] | None,
    why: str = "",
    trials: Sequence[object] = (),
) -> list[str]:
    """Return the lines to print: verdicts by shape, each exception once, the methods left to do, the trials, and the size of the port.

    ``judged`` is None if nothing was built; ``why`` is the reason. ``trials`` are further results, each printed by ``str``.
    """
    found: list[str] = []
    for shape, one in judged or ():
        found.append(f"{shape}: {one.verdict}")
        raised = indent(one.raised, "  ")
        found += [raised] if raised and raised not in found else []
    if judged is not None and port.left:
        around = "There, the original's methods ran, with the children in C#:"
        nothing = "Not compared: no call ran in C#."
        places = plural(len(port.left), "place")
        found.insert(0, f"Built, {places} left to do. {around if judged else nothing}")
    found += [f"Left to do: {left.where} ({left.place}): {left.why}." for left in port.left]
    found += list_fixed(port.wrote)
    if judged is None:
        found.append(f"Neither built nor compared: {why}")
    found += map(str, trials)
    left = plural(len(port.left), "method") if port.left else "nothing"
    found.append(f"{folder}: {summarize(port)}, {left} left to do.")
    return found
