"""The wrong runtimes for other processes: objects of this module, and a command.

``mutation.served:NAME`` is a runtime as ``python -m hook_contract run --runtime`` takes it. ``python -m mutation.served NAME`` is a command
that answers in lines of JSON; it shares no code with :mod:`hook_contract.runtimes.server`. NAME is one of :func:`makers`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hook_contract.program import parse
from hook_contract.runtimes.runtime import Runtime
from mutation.handmade import WRONGS
from mutation.lying import elsewhere, liars
from mutation.mistake import Wrong
from mutation.scoring import limit_process, load_runtime, source_of


def makers() -> Mapping[str, Callable[[], Runtime]]:
    """Return a function for each runtime that makes it in this process, by name: the right one, the hand-made ones, those that lie."""
    right = load_runtime({})
    found: dict[str, Callable[[], Runtime]] = {"right": lambda: right}
    found |= {_identifier(wrong.name): partial(_make, wrong) for wrong in WRONGS}
    return found | {_identifier(liar.about): partial(_itself, liar) for liar in (*liars(right), elsewhere(right))}


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _make(wrong: Wrong) -> Runtime:
    return load_runtime({wrong.module: wrong.source(source_of(wrong.module))})


def _itself(runtime: Any) -> Runtime:
    found: Runtime = runtime
    return found


def __getattr__(name: str) -> Runtime:
    known = makers()
    if name not in known:
        raise AttributeError(name)
    limit_process()
    return known[name]()


def main(name: str) -> None:
    """Answer the requests on standard input."""
    runtime: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "start":
                runtime = __getattr__(name)
                answer = {part: getattr(runtime, part) for part in ("name", "variants", "lacks", "devices")}
                answer |= {"format": 1, "version": runtime.version()}
            else:
                answer = {"traces": runtime.run(parse(request["program"], validate=False), request["device"])}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
