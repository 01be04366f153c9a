"""The runtime ``model``, spoiled for single programs, and as a whole."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hook_contract.program import Program
from hook_contract.runtimes.loading import OWN, load_object
from hook_contract.runtimes.runtime import Events

MODEL = load_object(OWN["model"])
Spoil = Callable[[Events], Events]


def differ(events: Events) -> Events:
    return [*events[:-1], {"event": "return", "value": -1}]


def fail(events: Events) -> Events:
    raise KeyError("no such module")


def hang(events: Events) -> Events:
    """Note the process in the file that ``PID`` names."""
    if "PID" in os.environ:
        Path(os.environ["PID"]).write_text(str(os.getpid()), encoding="utf-8")
    while True:
        time.sleep(60)


class Spoiled:
    variants, devices, lacks = MODEL.variants, MODEL.devices, MODEL.lacks

    def __init__(self, name: str, spoils: Mapping[str, Spoil]) -> None:
        self.name, self.spoils = name, spoils

    def version(self) -> str:
        return f"{self.name.title()} 1.2.3"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        events = MODEL.run(program, device)[""]
        spoil = self.spoils.get(program.name, self.spoils.get("all"))
        return {"": spoil(events) if spoil is not None else events}


RIGHT = Spoiled("right", {})
WRONG = Spoiled("wrong", {"O-1-global-pre-before-own": differ})
FAULTY = Spoiled("faulty", {"O-1-global-pre-before-own": fail})
BOTH = Spoiled("both", {"O-1-global-pre-before-own": differ, "O-2-prepend-order": fail})
USELESS = Spoiled("useless", {"all": fail})
HANGING = Spoiled("hanging", {"O-1-global-pre-before-own": hang})
