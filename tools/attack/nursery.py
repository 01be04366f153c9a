"""A process that has imported everything but started no .NET, and forks one for each case: those start in a fraction of a second.

Reads numbers and answers as a worker does. The forked process leaves as any program does, by the interpreter's own end, and tells by
``kinds.alone`` how it means to end; the nursery compares that with how it ended, and with what it wrote to standard error.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
import tempfile
import time
import warnings
from typing import IO, Any, Final

#: Seconds after which a case hangs.
HANG: Final = 90.0
#: What no case may write to standard error.
BAD: Final = ("Fatal", "Unhandled exception", "terminate called", "Segmentation fault", "exception ignored in: <module")


def main(arguments: list[str]) -> None:
    """Run ``nursery.py SEED DESCRIPTOR ASSEMBLY [KIND …]``."""
    seed, descriptor, assembly, *names = arguments
    import pythonnet  # noqa: F401  # a child would spend its time on importing it
    import torch

    from attack import state  # noqa: F401  # the same
    from attack.kind import chosen, kind_of
    from attack.kinds import alone

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    kinds = chosen(names)
    with os.fdopen(int(descriptor), "w") as answers:
        answers.write("{}\n")
        answers.flush()
        for line in sys.stdin:
            begun = time.monotonic()
            index, kind = int(line), kind_of(int(seed), int(line), kinds)
            with tempfile.TemporaryFile("w+") as errors:
                reads, writes = os.pipe()
                child = os.fork()
                if not child:
                    os.dup2(errors.fileno(), 2)
                    break
                os.close(writes)
                failure = _verdict(child, reads, errors)
            seconds = time.monotonic() - begun
            answers.write(json.dumps({"kind": kind.name, "failure": failure, "seconds": seconds}) + "\n")
            answers.flush()
        else:
            return
        # The child. Its output is the case's, and nothing of the nursery's may be answered by it.
        os.setsid()
        os.close(reads)
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        faulthandler.enable()
        faulthandler.register(signal.SIGUSR1, all_threads=True)
        alone.channel = writes
        from attack.case import Case, WrongResultError

        try:
            kind.function()(Case(int(seed), index, kind.name, assembly))
        except WrongResultError as error:
            alone.say(failure=str(error))


def _verdict(child: int, reads: int, errors: IO[str]) -> str | None:
    """Return the problem of a process that has ended, or None."""
    end, status = time.monotonic() + HANG, None
    while status is None and time.monotonic() < end:
        done, code = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        if status is None:
            time.sleep(0.005)
    if status is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGUSR1)
            time.sleep(1)
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.set_blocking(reads, False)
    said: dict[str, Any] = {}
    with os.fdopen(reads) as pipe:
        for line in (pipe.read() or "").splitlines():
            said |= json.loads(line)
    errors.seek(0)
    written = errors.read()
    tail = f"\n{written[-3000:]}" if written else ""
    if status is None:
        return f"HANG: it did not end in {HANG:.0f} s{tail}"
    if "failure" in said:
        return f"{said['failure']}{tail}"
    if status < 0 and status != said.get("expect"):
        return f"CRASH: it was ended by {signal.Signals(-status).name}{tail}"
    if "reached" not in said:
        return f"it ended with {status} before its end{tail}"
    if status != said["expect"]:
        return f"it ended with {status}, not {said['expect']}{tail}"
    return f"it wrote to standard error:{tail}" if any(word in written for word in BAD) else None


if __name__ == "__main__":
    main(sys.argv[1:])
