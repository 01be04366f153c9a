"""Runtimes that are broken, each in another way.

Each is an object of this module, such as ``broken:HANGS``, and a command, ``python broken.py HANGS``, which is written as in a language
that has no more than JSON. A runtime is broken for programs whose ``about`` is ``break``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def good() -> Any:
    """Return the trace of a program that calls a leaf with 3, and note this process in the file that ``PIDS`` names."""
    if "PIDS" in os.environ:
        with Path(os.environ["PIDS"]).open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
    return {"": [{"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}]}


def raises() -> Any:
    raise ValueError("odd,\nand more")


def hangs() -> Any:
    good()
    while True:
        time.sleep(60)


def clings() -> Any:
    """Ignore SIGINT, and hang."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return hangs()


def exits() -> Any:
    os._exit(7)


def leaves() -> Any:
    sys.stderr.write("no license\nbye\n")
    sys.exit(3)


def killed() -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def half() -> Any:
    """Begin an answer and die."""
    os.write(1, b'{"traces": ')
    os._exit(1)


def says(text: str) -> Callable[[], Any]:
    """Return a function that prints a text in three ways, and returns the right trace."""

    def run() -> Any:
        print(text, flush=True)
        os.write(1, f"{text}\n".encode())
        subprocess.run([sys.executable, "-c", f"print({text!r})"], check=True)
        return good()

    return run


def reads() -> Any:
    return good() if sys.stdin.read() == "" else None


def returns(value: Any) -> Callable[[], Any]:
    return lambda: value


class Broken:
    """A runtime that calls a function for its traces."""

    name, variants, devices = "broken", ("",), ("cpu",)
    lacks: Mapping[str, str] = {}

    def __init__(self, traces: Callable[[], Any], **attributes: Any) -> None:
        self.traces = traces
        vars(self).update(attributes)

    def version(self) -> str:
        return "Broken 1.0"

    def run(self, program: Any, device: str = "cpu") -> Any:
        return self.traces() if program.about == "break" else good()


class OfNoVersion(Broken):
    def version(self) -> str:
        raise OSError("no such library")


RUNS = {
    "GOOD": good,
    "RAISES": raises,
    "HANGS": hangs,
    "CLINGS": clings,
    "EXITS": exits,
    "LEAVES": leaves,
    "KILLED": killed,
    "HALF": half,
    "PRINTS": says("garbage"),
    "PRINTS_JSON": says('{"traces": {"": []}}'),
    "READS": reads,
    "NONE": returns(None),
    "A_LIST": returns([{"event": "return"}]),
    "NOTHING": returns({}),
    "NO_TRACE": returns({"": None}),
    "A_TEXT": returns({"": "enter"}),
    "NO_EVENTS": returns({"": [3]}),
    "NAMELESS": returns({"": [{"hook": "a"}]}),
    "NO_JSON": returns({"": [{"event": "return", "value": {3}}]}),
    "UNKNOWN_EVENT": returns({"": [{"event": "begin"}]}),
    "UNKNOWN_VARIANT": returns({"fast": []}),
}
globals().update({name: Broken(run) for name, run in RUNS.items()})

PARTLY = type("Partly", (), {"name": "partly", "variants": ("",), "version": Broken.version})()
MISNAMED = Broken(good, name="my runtime")
VARIANTLESS = Broken(good, variants=())
UNREASONED = Broken(good, lacks={"node:leaf": ""})
WITHOUT_VERSION = OfNoVersion(good)
LACKING = Broken(good, lacks={"node:leaf": "it has no leaves"})
DEVICES = Broken(good, devices=("cuda",))


def answer(request: Mapping[str, Any], run: Callable[[], Any]) -> Any:
    """Return the answer of the command to a request."""
    if request["do"] == "start":
        return {"format": 1, "name": "broken", "version": "Broken 1.0"}
    try:
        return {"traces": run() if request["program"]["about"] == "break" else good()}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main(name: str) -> None:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), RUNS[name])), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
