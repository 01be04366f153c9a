"""Programs that C# runs from beginning to end, in one crossing: the interpreter of Bridge.Conformance over one of its worlds."""

from __future__ import annotations

import json

from bridge.clr.call.conformance import standalone
from bridge.contract import messages
from bridge.program import Json, Program
from bridge.runtimes.errors import Defect, Forbidden
from bridge.runtimes.runtime import Events


def run(program: Program, world: str, device: str = "cpu") -> Events:
    """The trace of a program over a world: ``hooks``, ``typed``, ``object``. Raises Defect, and Forbidden where the world has types."""
    return trace(program, standalone()(world, text(program), device))


def text(program: Program) -> str:
    """A program as C# takes it."""
    return json.dumps(program.to_json() | {"expect": []})


def trace(program: Program, answer: str) -> Events:
    """The trace that C# answered with. Raises Defect, and Forbidden."""
    found = json.loads(answer)
    if isinstance(found, dict):
        raise Forbidden(found["forbidden"]) if "forbidden" in found else Defect(f"{program.name}: {found['defect']}")
    return _keyed(found)


def _keyed(events: list[dict[str, Json]]) -> Events:
    """Events with match keys in place of C#'s messages; a warning without a match key is dropped, as for every runtime."""
    kept = []
    for event in events:
        if "message" in event:
            event["key"] = messages.key(event.pop("message"))
        if "events" in event:
            event["events"] = _keyed(event["events"])
        if event["event"] != "warning" or event["key"]:
            kept.append(event)
    return kept
