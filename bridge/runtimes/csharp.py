"""Programs that C# runs from beginning to end, in one crossing: the interpreter of Bridge.Conformance over one of its worlds."""

from __future__ import annotations

import json

from bridge.clr.conformance import standalone
from bridge.contract import messages
from bridge.program import Json, Program
from bridge.runtimes.runtime import Events


class Defect(RuntimeError):
    """The C# interpreter could not run a program that it was given."""


class Forbidden(Exception):
    """Types forbid the program's tree (F-2)."""


def run(program: Program, world: str, device: str = "cpu") -> Events:
    """The trace of a program over a world: ``hooks``, ``typed``, ``object``. Raises Defect, and Forbidden where the world has types."""
    trace = json.loads(standalone()(world, json.dumps(program.to_json() | {"expect": []}), device))
    if isinstance(trace, dict):
        raise Forbidden(trace["forbidden"]) if "forbidden" in trace else Defect(f"{program.name}: {trace['defect']}")
    return _keyed(trace)


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
