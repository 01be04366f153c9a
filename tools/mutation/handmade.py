"""Wrong runtimes made by hand: typical mistakes in writing a dispatcher, read from mistakes.txt.

Most change ``hook_contract/runtimes/model/``; some the nodes of a program's tree or the interpreter. ``mutation.lying`` has the runtimes
that report a false trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final

from mutation.mistake import Insert, Replace, Wrong
from mutation.scoring import SOURCES

_HEADING = re.compile(r"([\w-]+)(?: \[(\w+)\])?: (.+)")
_MODULES = {name.rpartition(".")[2]: name for name in SOURCES}


def read_mistakes(text: str) -> Iterator[Wrong]:
    """Yield the mistakes of a text in the format that mistakes.txt describes. Raises ValueError for a malformed one."""
    for block in re.split(r"\n\n+", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip()):
        heading, *lines = block.split("\n")
        if (match := _HEADING.fullmatch(heading)) is None:
            raise ValueError(f"not a mistake's heading: {heading!r}")
        name, module, about = match.groups("dispatcher")
        yield Wrong(name, about, tuple(_changes(lines)), _MODULES[module])


def _changes(lines: list[str]) -> Iterator[Replace | Insert]:
    before = ("", "")
    for mark, group in groupby(lines, key=lambda line: line[:1]):
        code = "\n".join(line[2:] for line in group)
        if mark == "+":
            yield Replace(before[1], code) if before[0] == "-" else Insert(code, before[1])
        before = (mark, code)


WRONGS: Final = tuple(read_mistakes(Path(__file__).with_name("mistakes.txt").read_text("utf-8")))


def wrong_models(sources: Mapping[str, str]) -> Iterator[tuple[Wrong, Mapping[str, str]]]:
    """Yield each mistake with its mutated source, by module name. Raises NotThere if the source has changed."""
    for wrong in WRONGS:
        yield wrong, {wrong.module: wrong.source(sources[wrong.module])}
