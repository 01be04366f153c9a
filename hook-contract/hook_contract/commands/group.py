"""A group of commands that Ctrl-C ends with exit code 130."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from typing import Any

import click

from hook_contract.commands.common import CANNOT_RUN, INTERRUPTED
from hook_contract.commands.terminal import interrupt, stdio


class CommandGroup(click.Group):
    """A group of commands. On Ctrl-C it exits with 130, unlike click, which prints 'Aborted!' and exits with 1."""

    def main(self, *args: Any, **extra: Any) -> Any:
        stdio.prepare()
        try:
            with stdio.writing(stderr=False):  # for click's own output: --help, --version
                return super().main(*args, **extra)
        except stdio.ScreenError as error:
            stdio.say(f"cannot run: {error}", stderr=True)
            sys.exit(CANNOT_RUN)
        finally:
            # Registered last, since exit functions run in reverse order and this function must run first.
            atexit.unregister(_default_interrupt)
            atexit.register(_default_interrupt)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except KeyboardInterrupt:  # while the command line is parsed
            raise _interrupted() from None

    def invoke(self, context: click.Context) -> object:
        interrupted = interrupt.Interrupt(INTERRUPTED)
        try:
            with interrupt.guard(interrupted):
                try:
                    return super().invoke(context)
                except KeyboardInterrupt:
                    stdio.say("interrupted", stderr=True)
                    interrupted.exit()
                    context.exit(INTERRUPTED)
        except KeyboardInterrupt:  # while ``guard`` was entered or left
            interrupted.handled.set()
            raise _interrupted() from None


def _interrupted() -> click.exceptions.Exit:
    stdio.say("interrupted", stderr=True)
    return click.exceptions.Exit(INTERRUPTED)


def _default_interrupt() -> None:
    """Let SIGINT end the process while Python exits: a KeyboardInterrupt in an exit function would print a traceback."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
