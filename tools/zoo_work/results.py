"""How models went, kept in a file of JSON lines, and the tables of it."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

#: The outcomes, best first. What is not eager does not run in PyTorch here, so that it says nothing about ``port``.
OUTCOMES: Final = ("Same", "differs", "left", "refused", "raised", "no build", "timeout", "not eager")
#: Names that stay in reasons.
_OURS: Final = ("PyTorch", "TorchSharp")
HEAD: Final = (
    "| model | verdict | difference | train mode and gradients | shapes | left to do | methods from source | lines of C# over Python |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


@dataclass(frozen=True, slots=True)
class Root:
    """The class of a whole port by its full name, and its constructor's arguments by C#'s names."""

    name: str = ""
    keywords: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Result:
    """How one model went. ``verdict`` is one of OUTCOMES; ``difference`` the largest at any shape.

    ``why`` has pairs of a place and a message. ``digest`` is that of the C#, ``asked`` that of the model's text and of ``port``'s.
    ``sizes`` is the limit to which constants of the model's file were made smaller; 0 where they were not.
    ``inputs`` is the number of inputs that the tests' checker was asked for, ``accepted`` the number that the original accepted.
    """

    model: str
    verdict: str
    shapes: int = 0
    difference: float | None = None
    left: int = 0
    methods: int = 0
    source: int = 0
    csharp: int = 0
    python: int = 0
    why: list[tuple[str, str]] = field(default_factory=list)
    digest: str = ""
    backward: bool = False
    asked: str = ""
    sizes: int = 0
    inputs: int = 0
    accepted: int = 0
    seconds: float = 0.0

    @property
    def row(self) -> str:
        """Return the model's line of the table."""
        difference = "" if self.difference is None else f"{self.difference:.3g}"
        source = f"{self.source} of {self.methods}" if self.methods else ""
        lines = f"{self.csharp / self.python:.2f}" if self.python else ""
        both = "yes" if self.backward and self.verdict == "Same" else ""
        return f"| {self.model} | {self.verdict} | {difference} | {both} | {self.shapes} | {self.left} | {source} | {lines} |"

    @property
    def said(self) -> str:
        """Return the messages with their places, on one line."""
        return "; ".join(f"{place}: {text}" if place else text for place, text in self.why)

    @property
    def reasons(self) -> set[str]:
        """Return the messages without names, so that those of several models are equal."""
        return {reason(text) for _, text in self.why}


def kept(file: Path | None) -> dict[str, Result]:
    """Return the last result of each model in a file of results."""
    if file is None or not file.exists():
        return {}
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    found = (Result(**row | {"why": [tuple(pair) for pair in row["why"]]}) for row in rows)
    return {result.model: result for result in found}


def keep(file: Path, result: Result) -> None:
    """Append a result to a file of results."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(result)) + "\n")


def reason(message: str) -> str:
    """Return the first line of a message without the names, paths and numbers in it.

    Names are what is quoted or in brackets, and words with a dot, an underscore, a digit or a capital inside; those of errors stay.
    """
    text = (message.strip().splitlines() or [""])[0]
    text = re.sub(r"^\S*\.cs\(\d+,\d+\): error |\s\[\S*\.csproj\]$", "", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^][]*\]", "…", text)
    return re.sub(r"[\w.<>/-]+", _without_name, text)[:160]


def _without_name(word: re.Match[str]) -> str:
    text = word[0].rstrip(".")
    if re.fullmatch(r"CS\d+|\w+(Error|Exception|Warning)", text) or text in _OURS:
        return word[0]
    if re.fullmatch(r"-?\d[\d.e-]*", text):
        return "N" + word[0][len(text) :]
    return "…" + word[0][len(text) :] if re.search(r"\w[./]\w|[_\d<>]|[a-z][A-Z]", text) else word[0]


def tables(found: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of the tables by outcome and by reason; the rate is of the models that run in PyTorch."""
    count = Counter(result.verdict for result in found)
    run = len(found) - count["not eager"]
    yield "| outcome | models |\n| --- | --- |"
    for outcome in sorted(count, key=[*OUTCOMES, *count].index):
        yield f"| {outcome} | {count[outcome]} |"
    share = f" ({count['Same'] / run:.1%})" if run else ""
    smaller = sum(result.sizes > 0 for result in found)
    yield f"\n{count['Same']} of {run} that run in PyTorch are the same{share}; {smaller} of {len(found)} made smaller."
    for outcome in OUTCOMES[1:]:
        if some := [result for result in found if result.verdict == outcome]:
            yield from _by_reason(outcome, some)


def _by_reason(outcome: str, found: Collection[Result]) -> Iterator[str]:
    models: Mapping[str, list[Result]] = defaultdict(list)
    for result in found:
        for text in result.reasons or {""}:
            models[text].append(result)
    yield f"\n| {outcome}: reason | models | of these for no other reason | such as |\n| --- | --- | --- | --- |"
    for text, those in sorted(models.items(), key=lambda item: (-len(item[1]), item[0])):
        alone = sum(len(result.reasons) <= 1 for result in those)
        yield f"| {text.replace('|', '/')} | {len(those)} | {alone} | {', '.join(one.model for one in those[:3])} |"


def projects(found: Sequence[Result]) -> tuple[int, int]:
    """Return how many files have all their cases the same, and how many have a case that runs; a case ends with ``_`` and its number."""
    files: Mapping[str, list[str]] = defaultdict(list)
    for result in found:
        if result.verdict != "not eager":
            files[result.model.rpartition("_")[0]].append(result.verdict)
    return sum(set(verdicts) == {"Same"} for verdicts in files.values()), len(files)


def report(found: Sequence[Result], whole: bool) -> Iterator[str]:
    """Yield the lines of the report on models: a row each, the tables, what each message was, and figures; ``whole`` counts files."""
    yield HEAD
    yield from (result.row for result in found)
    yield ""
    yield from tables(found)
    yield ""
    yield from (f"{result.model}: {result.said}" for result in found if result.why)
    exact = sum(result.verdict == "Same" and not result.difference for result in found)
    yield f"\n{exact} of {len(found)} the same with difference 0, {_sum(found, 'source')} of {_sum(found, 'methods')} methods from source;"
    yield f"{_sum(found, 'csharp')} lines of C# for {_sum(found, 'python')} of Python."
    if whole:
        same, files = projects(found)
        yield f"{same} of {files} files have all cases the same that run in PyTorch."


def _sum(found: Sequence[Result], name: str) -> int:
    return sum(getattr(result, name) for result in found)
