"""Hook programs (docs/programs.md): their format, the events of their traces, descriptions, and random programs.

This package does not import torch. :mod:`hook_contract.runtimes` runs the programs.
"""

from __future__ import annotations

from hook_contract.program.errors import ProgramError
from hook_contract.program.format import (
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
