"""The other end of :mod:`hook_contract.runtimes.command` for a runtime that is a Python object."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from hook_contract.program import Json, parse
from hook_contract.runtimes.command import FORMAT
from hook_contract.runtimes.errors import AdapterError
from hook_contract.runtimes.loading import load_object
from hook_contract.runtimes.runtime import Runtime


def serve(text: str) -> None:
    """Answer the requests on standard input for the runtime ``package.module:OBJECT`` until standard input ends.

    What the runtime prints goes to standard error, so that it cannot damage an answer, and the runtime reads an empty standard input.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    runtime: Runtime | None = None
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for line in requests:
        request = json.loads(line)
        try:
            if request["do"] == "start":
                runtime = load_object(text)
                answer = _dump(_describe(runtime))
            else:
                assert runtime is not None
                answer = _dump(_run(runtime, request))
        except AdapterError as error:
            answer = json.dumps({"error": str(error)})
        except Exception as error:
            answer = json.dumps({"error": _describe_error(error)})
        answers.write(answer + "\n")
        answers.flush()


def _describe(runtime: Runtime) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "name": runtime.name,
        "version": runtime.version(),
        "variants": list(runtime.variants),
        "lacks": dict(runtime.lacks),
        "devices": list(runtime.devices),
    }


def _run(runtime: Runtime, request: Mapping[str, Json]) -> dict[str, Json]:
    traces = runtime.run(parse(request["program"], validate=False), request["device"])
    if not isinstance(traces, Mapping):
        raise AdapterError(f"run returned {type(traces).__name__}, not a dict with a trace for each variant")
    for variant, events in traces.items():
        if not isinstance(events, (list, tuple)):
            raise AdapterError(f"the variant {variant!r} has {type(events).__name__}, not a list of events")
    return {"traces": dict(traces)}


def _dump(answer: dict[str, Json]) -> str:
    try:
        return json.dumps(answer)
    except (TypeError, ValueError, RecursionError) as error:
        raise AdapterError(f"the answer is not JSON: {error}") from None


def _describe_error(error: Exception) -> str:
    """Return the class and message of an error, and the file and line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
