"""``compare --watch``: a child process runs the comparisons. The command waits for it, and ends it when the command itself ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from hook_contract.commands.terminal import stdio

_ARGUMENTS: Final = f"{__name__}.arguments"
#: Seconds for the child process to remove its files: less than :data:`hook_contract.commands.terminal.interrupt.GRACE_PERIOD`.
_GRACE_PERIOD: Final = 0.4
#: The Python code that the child process runs.
_CHILD: Final = "import sys; from bridge.commands.watch import serve; serve(sys.argv[1])"


@dataclass(frozen=True, slots=True)
class Watched:
    """A comparison under ``--watch``. ``assembly`` is the file built for the comparison; None if the user gave a ``.dll``."""

    assembly: Path | None


class Watchable(click.Command):
    """A command that stores its arguments, so that it can be called again."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)


def watch(target: Path, runtime: str, files: Sequence[Path]) -> int:
    """Run the current command without ``--watch``, and again after each save, until Ctrl-C.

    ``target`` is the C# model's file.
    """
    from bridge.clr.compile.children import Child

    arguments = [item for item in click.get_current_context().meta[_ARGUMENTS] if item != "--watch"]
    request = {
        "arguments": arguments,
        "target": str(target),
        "dotnet": runtime == "dotnet",
        "files": [str(file) for file in files],
        "parent": os.getpid(),
    }
    stdio.flush()
    process = Child([sys.executable, "-c", _CHILD, json.dumps(request)], own_group=False)
    try:
        return process.wait()
    finally:
        # The child gets time to remove its files. The child's own children end with the child.
        process.ask_to_end()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_PERIOD)
        process.kill_all()
        process.wait()


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A comparison with the command's arguments, which can be pickled."""

    arguments: tuple[str, ...]

    def __call__(self, assembly: Path | None) -> int:
        # By name: the modules of the commands must not import ``bridge.cli``, which imports them.
        main: click.Command = import_module("bridge.cli").main
        try:
            main(["compare", *self.arguments], prog_name="python -m bridge", obj=Watched(assembly))
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        return 0


def serve(text: str) -> None:
    """Run the child process; ``text`` is the request as JSON."""
    request: dict[str, Any] = json.loads(text)
    # The terminal sends Ctrl-C to this process, too. The signal is ignored, since the parent process ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from bridge.clr.compile.children import END, exit_with_parent

    exit_with_parent(request["parent"])
    signal.signal(END, _end)
    stdio.prepare()
    target = Path(request["target"])
    with ExitStack() as stack:
        project = None
        if target.suffix != ".dll":
            from bridge.clr.compile.recompiler import Project
            from bridge.clr.find import assemblies

            project = stack.enter_context(Project(target, assemblies.folder()[0]))
        files = [*map(Path, request["files"]), *([target] if project is None else [])]
        from bridge.compare.watch.rounds import Rounds
        from bridge.compare.watch.worker import FORKS

        if FORKS:
            _import_early()
        run = _Comparison(tuple(request["arguments"]))
        Rounds(run, _say, project, files, dotnet=request["dotnet"]).forever()


def _end(*_: object) -> NoReturn:
    raise SystemExit(0)


def _say(words: str) -> None:
    stdio.say(words)
    stdio.flush()


def _import_early() -> None:
    """Import the modules of a comparison before this process is forked. None of them may start a thread."""
    import torch  # noqa: F401  # the slowest import

    import bridge.compare.comparison
    import bridge.compare.models.targets
    import bridge.compare.models.weights
    import bridge.compare.report.summary
    import bridge.compare.report.terminal
    import bridge.loading  # noqa: F401  # imported for the forked processes
