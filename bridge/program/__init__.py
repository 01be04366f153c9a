"""Hook programs: the format (:mod:`bridge.program.format`), the events of their traces, how one is described, and random ones.

Data and what reads it: nothing here imports torch or runs a program.
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
