"""The command group of ``python -m bridge``. Each command is in a file of ``bridge.commands``.

torch is imported and .NET is started only while a command runs, so that ``--help`` answers at once and ``doctor`` works without torch.
"""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from typing import Any

import click

from bridge.commands.common import CANNOT_RUN, INTERRUPTED
from bridge.commands.compare import compare
from bridge.commands.conformance import conformance
from bridge.commands.demo import demo
from bridge.commands.diff import diff
from bridge.commands.doctor import doctor
from bridge.commands.export import export
from bridge.commands.fuzz import fuzz
from bridge.commands.port import port
from bridge.commands.schema import schema
from bridge.commands.terminal import interrupt, stdio
from bridge.commands.trace import trace
from bridge.contract.versions import __version__


class _Group(click.Group):
    """A command group that exits with 130 on Ctrl-C, unlike click, which prints 'Aborted!' and exits with 1."""

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


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchsharp-bridge")
def main() -> None:
    """Compare, port and run C# models written for TorchSharp beside PyTorch.

    `torchsharp-bridge` is the same command as `python -m bridge`. Start with `doctor`, which checks the installation. The --help of each
    command has an example.
    """


for command in (compare, port, export, trace, diff, conformance, fuzz, schema, demo, doctor):
    main.add_command(command)
