"""Runs of hook programs by the C# interpreter of Bridge.Conformance, with one call from Python to C# per program."""

from __future__ import annotations

import json

from bridge.clr.call.conformance import program_runner
from bridge.runtimes.errors import InterpreterError, UnsupportedTreeError
from hook_contract.contract import messages
from hook_contract.program import Json, Program
from hook_contract.runtimes.runtime import Events


def run(program: Program, world: str, device: str = "cpu") -> Events:
    """Run a program on the modules that ``world`` names, and return the trace.

    ``world`` is one of

    - ``hooks``: modules that compute with integers, with the hooks of Bridge.Hooks;
    - ``typed``: modules of Bridge.Torch whose arguments are tensors;
    - ``object``: modules of Bridge.Torch whose arguments have the type ``object``.

    ``device`` is the device of the tensors.

    Raises UnsupportedTreeError if C#'s types do not allow the program's tree, and InterpreterError if the program cannot run for another
    reason.
    """
    return parse_answer(program, program_runner()(world, to_text(program), device))


def to_text(program: Program) -> str:
    """Return the program as the JSON text that C# reads."""
    return json.dumps(program.to_json() | {"expect": []})


def parse_answer(program: Program, answer: str) -> Events:
    """Return the trace in C#'s answer, a JSON text. Raises UnsupportedTreeError and InterpreterError as :func:`run`."""
    found = json.loads(answer)
    if isinstance(found, dict):
        raise (
            UnsupportedTreeError(found["forbidden"])
            if "forbidden" in found
            else InterpreterError(f"{program.name}: {found['defect']}")
        )
    return _replace_messages(found)


def _replace_messages(events: list[dict[str, Json]]) -> Events:
    """Replace each ``message`` by its match key (:func:`hook_contract.contract.messages.key`), and drop warnings that have no match key."""
    kept = []
    for event in events:
        if "message" in event:
            event["key"] = messages.key(event.pop("message"))
        if "events" in event:
            event["events"] = _replace_messages(event["events"])
        if event["event"] != "warning" or event["key"]:
            kept.append(event)
    return kept
