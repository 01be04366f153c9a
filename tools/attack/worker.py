"""A process that runs cases, one after the other.

It writes ``{}`` when it is ready. Then each line that it reads is the number of a case, and the answer is a line of JSON: ``problem``
("wrong", "crash", "hang" or null), ``text`` and ``seconds``. The line ``measure`` asks for ``held`` and ``resident`` of ``state``.
Answers go to the descriptor in its second argument, since cases may print.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from typing import Any, Final

import torch

from attack import state
from attack.case import Case, WrongResultError
from attack.comparing import is_refusal
from attack.kind import Kind, chosen, kind_of

#: Seconds after which a case in a process of its own hangs.
HANG: Final = 90.0
#: Words that no such case may write to standard error.
BAD: Final = ("Fatal", "Unhandled exception", "terminate called", "Segmentation fault", "exception ignored in: <module")

Answer = tuple[str | None, str]


def main(arguments: list[str]) -> None:
    """Run ``worker.py SEED DESCRIPTOR ASSEMBLY [KIND …]``."""
    seed, descriptor, assembly, *names = arguments
    kinds = chosen(names)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    prepare()
    with os.fdopen(int(descriptor), "w") as answers:
        print("{}", file=answers, flush=True)
        for line in sys.stdin:
            if line == "measure\n":
                answer = measure()
            else:
                begun = time.monotonic()
                problem, text = run(int(seed), int(line), kind_of(int(seed), int(line), kinds), assembly)
                answer = {"problem": problem, "text": text, "seconds": time.monotonic() - begun}
            print(json.dumps(answer), file=answers, flush=True)


def prepare() -> None:
    """Set one thread, ignore warnings, and freeze PyTorch's objects for the collector."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell lets its children ignore it
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()


def measure() -> dict[str, Any]:
    """Collect garbage, and return what .NET holds and the memory of the process."""
    state.collect()
    return {"held": sum(state.live()), "resident": state.resident()}


def run(seed: int, index: int, kind: Kind, assembly: str) -> Answer:
    """Run a case, and return its problem, or None, and a text about it."""
    torch.manual_seed(index)
    if kind.alone:
        return _run_alone(seed, index, kind, assembly)
    before = state.modes()
    unraisable: list[str] = []
    hooks = sys.unraisablehook, threading.excepthook
    sys.unraisablehook = threading.excepthook = lambda item: unraisable.append(  # type: ignore[assignment]  # either has these
        f"{item.exc_type.__name__}: {item.exc_value}"
    )
    try:
        kind.run(Case(seed, index, kind.name, assembly))
    except WrongResultError as error:
        return "wrong", str(error)
    except BaseException as error:
        if is_refusal(error):
            return None, ""
        return "wrong", "".join(traceback.format_exception(error)[-6:])
    finally:
        sys.unraisablehook, threading.excepthook = hooks
    # A handler of a signal may raise within a finalizer.
    unraisable = [text for text in unraisable if not text.startswith(("AlarmError", "KeyboardInterrupt"))]
    if unraisable:
        return "wrong", f"raised where nobody catches it: {unraisable[:2]}"
    text = state.changed(before)
    return "wrong" if text else None, text or ""


def _run_alone(seed: int, index: int, kind: Kind, assembly: str) -> Answer:
    """Run a case in a forked process, which leaves as any program does, and compare its end with what it announced."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        tempfile.TemporaryFile("w+", encoding="utf-8") as announcements,
    ):
        child = os.fork()
        if not child:
            os.dup2(errors.fileno(), 2)
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            case = Case(seed, index, kind.name, assembly, announcements.fileno())
            try:
                kind.run(case)
            except WrongResultError as error:
                os.write(announcements.fileno(), f"{error}\n".encode())
                sys.exit()
            case.ends_with(0)
            sys.exit()
        status = _wait(child)
        for file in (errors, announcements):
            file.seek(0)
        written, announced = errors.read(), announcements.read().strip()
    problem, text = _verdict(status, announced, written)
    return problem, f"{text}\n{written[-3000:]}" if problem else ""


def _wait(child: int) -> int | None:
    """Return the exit code of a process, or None if it had to be killed."""
    descriptor = os.pidfd_open(child)
    ended, _, _ = select.select([descriptor], [], [], HANG)
    os.close(descriptor)
    if not ended:
        os.kill(child, signal.SIGUSR1)
        time.sleep(1)
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if ended else None


def _verdict(status: int | None, announced: str, written: str) -> Answer:
    if status is None:
        return "hang", f"it did not end in {HANG:.0f} s"
    if announced == str(status):
        return ("wrong", "it wrote to standard error:") if any(word in written for word in BAD) else (None, "")
    if status < 0:
        return "crash", f"it was ended by {signal.Signals(-status).name}"
    if not announced:
        return "wrong", f"it ended with {status} before its end"
    is_code = announced.removeprefix("-").isdigit()
    return "wrong", f"it ended with {status}, not {announced}" if is_code else announced


if __name__ == "__main__":
    main(sys.argv[1:])
