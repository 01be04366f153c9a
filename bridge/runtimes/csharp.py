"""Runs hook programs in C#: the interpreter of Bridge.Conformance over one of its worlds, one crossing per program."""

from __future__ import annotations

import json

from bridge.clr.call.conformance import program_runner
from bridge.contract import messages
from bridge.program import Json, Program
from bridge.runtimes.errors import InterpreterError, UnsupportedTreeError
from bridge.runtimes.runtime import Events


def run(program: Program, world: str, device: str = "cpu") -> Events:
    """Run a program over a world (``hooks``, ``typed`` or ``object``) and return its trace.

    Raises InterpreterError, and UnsupportedTreeError where the world's types forbid the tree.
    """
    return parse_answer(program, program_runner()(world, to_text(program), device))


def to_text(program: Program) -> str:
    """Return the program as the JSON text that C# reads."""
    return json.dumps(program.to_json() | {"expect": []})


def parse_answer(program: Program, answer: str) -> Events:
    """Return the trace in an answer of C#. Raises InterpreterError and UnsupportedTreeError."""
    found = json.loads(answer)
    if isinstance(found, dict):
        raise (
            UnsupportedTreeError(found["forbidden"])
            if "forbidden" in found
            else InterpreterError(f"{program.name}: {found['defect']}")
        )
    return _replace_messages(found)


def _replace_messages(events: list[dict[str, Json]]) -> Events:
    """Replace C#'s messages by match keys and drop warnings without one, as every runtime does."""
    kept = []
    for event in events:
        if "message" in event:
            event["key"] = messages.key(event.pop("message"))
        if "events" in event:
            event["events"] = _replace_messages(event["events"])
        if event["event"] != "warning" or event["key"]:
            kept.append(event)
    return kept
