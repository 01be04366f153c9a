"""Hook programs: their format (:mod:`bridge.program.format`), events, descriptions, and random programs.

Nothing here imports torch or runs a program.
"""

from __future__ import annotations

from bridge.program.errors import ProgramError
from bridge.program.format import (
    Json,
    Program,
    corpus,
    corpus_files,
    dumps,
    load,
    nodes,
    parse,
    registrations,
    steps,
    words,
)

__all__ = [
    "Json",
    "Program",
    "ProgramError",
    "corpus",
    "corpus_files",
    "dumps",
    "load",
    "nodes",
    "parse",
    "registrations",
    "steps",
    "words",
]
