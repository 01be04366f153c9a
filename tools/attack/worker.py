"""A process that runs cases one after the other.

Says that it is ready, then reads a number of a case a line and answers with a line of JSON: ``failure`` (a text or null), ``seconds``,
``kind``, and after every CHECKED cases ``held`` and ``resident``. It answers on the descriptor that its second argument names, since
cases may print.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable
from typing import Any, Final, TextIO

#: After so many cases the worker looks at what is held.
CHECKED: Final = 25


def main(arguments: list[str]) -> None:
    """Run ``worker.py SEED DESCRIPTOR ASSEMBLY [KIND …]``."""
    seed, descriptor, assembly, *names = arguments
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored
    with os.fdopen(int(descriptor), "w") as answers:
        serve(sys.stdin, answers, int(seed), assembly, names)


def serve(numbers: Iterable[str], answers: TextIO, seed: int, assembly: str, names: list[str]) -> None:
    """Run the cases of those numbers."""
    from attack import state
    from attack.kind import chosen, kind_of

    prepare()
    kinds = chosen(names)
    answers.write("{}\n")
    answers.flush()
    for done, line in enumerate(numbers, 1):
        begun = time.monotonic()
        kind = kind_of(seed, int(line), kinds)
        failure = run(seed, int(line), kind, assembly)
        answer: dict[str, Any] = {"kind": kind.name, "failure": failure, "seconds": time.monotonic() - begun}
        if done % CHECKED == 0:
            state.collect()
            answer |= {"held": state.live(), "resident": state.resident(), "done": done}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def prepare() -> None:
    """Set one thread, ignore warnings, and freeze PyTorch's objects for the collector."""
    import gc

    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()


def run(seed: int, index: int, kind: Any, assembly: str) -> str | None:
    """Run a case, and return its problem or None."""
    import torch

    from attack import state
    from attack.case import Case, WrongResultError

    before = state.modes()
    unraisable: list[str] = []
    hooks = sys.unraisablehook, threading.excepthook
    sys.unraisablehook = threading.excepthook = lambda item: unraisable.append(  # type: ignore[assignment]  # either has these
        f"{item.exc_type.__name__}: {item.exc_value}"
    )
    torch.manual_seed(index)
    try:
        kind.function()(Case(seed, index, kind.name, assembly))
        failure = None
    except WrongResultError as error:
        failure = str(error)
    except BaseException as error:
        failure = "".join(traceback.format_exception(error)[-6:])
    finally:
        sys.unraisablehook, threading.excepthook = hooks
    # A handler of a signal may raise in a finalizer, of Python's too.
    unraisable = [text for text in unraisable if not text.startswith(("AlarmError", "KeyboardInterrupt"))]
    if failure is None and unraisable:
        failure = f"raised where nobody catches it: {unraisable[:2]}"
    return failure or state.changed(before)


if __name__ == "__main__":
    main(sys.argv[1:])
