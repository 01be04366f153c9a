"""The pairs of traces on which Python and the .NET tool torchsharp-trace must agree: the recorded verdicts are those of this checkout."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bridge.trace.diff import KINDS
from bridge.trace.file import errors
from trace_pairs import corpus


def test_each_verdict_is_that_of_this_checkout(tmp_path: Path) -> None:
    """If a rule has changed on purpose: ``PYTHONPATH=tools python -m trace_pairs``, and the same change in dotnet/src/Bridge.Trace.Tool."""
    other = [pair.name for pair, recorded in corpus.load() if corpus.verdict(pair, tmp_path) != recorded]
    assert other == []


def test_the_pairs_have_each_verdict() -> None:
    verdicts = [recorded for _, recorded in corpus.load()]
    assert len(verdicts) >= 300
    assert Counter(found.get("verdict") for found in verdicts)["same"] >= 50
    assert {item[0] for found in verdicts for item in found.get("first", ()) if item} == set(KINDS)
    refused = {name for name in vars(errors) if name.endswith("Error")} - {
        "BridgeError",
        "TraceFileError",
        "TraceWriteError",
    }
    assert {found["error"] for found in verdicts if "error" in found} == refused - {"LineTooLongError"}


def test_the_names_are_unique_and_the_file_is_small() -> None:
    names = Counter(pair.name for pair, _ in corpus.load())
    assert [name for name, count in names.items() if count > 1] == []
    assert corpus.PAIRS.stat().st_size < 1_000_000
