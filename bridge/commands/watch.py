"""``compare --watch``: the process that the user started, which waits, and the one that works, which ends with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from bridge.commands import stdio

#: Where a command's context keeps what it was called with.
_ARGUMENTS: Final = f"{__name__}.arguments"
#: Seconds that the process which works has to remove its files: less than an interrupted command has in all.
_PATIENCE: Final = 0.4
#: The process that works. It is given the command line, which is above the commands.
_WORKS: Final = (
    "import sys; from bridge.cli import main; from bridge.commands.watch import serve; serve(main, sys.argv[1])"
)


@dataclass(frozen=True, slots=True)
class Watched:
    """What a comparison is told that runs under ``--watch``: the assembly that was built for it, and None for one given by itself."""

    assembly: Path | None


class Watchable(click.Command):
    """A command that keeps what it was called with, so that it can be called again."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)


def watch(target: Path, runtime: str, files: Sequence[Path]) -> int:
    """Runs the current command again after each save, without ``--watch``, until Ctrl-C. ``target`` is the C# model's file."""
    if sys.platform != "linux":
        raise click.UsageError("--watch needs Linux.")
    arguments = [one for one in click.get_current_context().meta[_ARGUMENTS] if one != "--watch"]
    request = {
        "arguments": arguments,
        "target": str(target),
        "dotnet": runtime == "dotnet",
        "files": [str(file) for file in files],
        "parent": os.getpid(),
    }
    stdio.flush()
    process = subprocess.Popen([sys.executable, "-c", _WORKS, json.dumps(request)])
    try:
        return process.wait()
    finally:
        # It removes its files; whether it does or not, it ends, and all that it has started with it.
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        process.kill()
        process.wait()


def serve(main: click.Command, text: str) -> None:
    """What the process does that works: ``main`` is the command line."""
    request: dict[str, Any] = json.loads(text)
    # Ctrl-C reaches it too; the one that the user started ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from bridge.clr.build.orphans import exit_with_parent

    exit_with_parent(request["parent"])
    signal.signal(signal.SIGTERM, _end)
    stdio.prepare()
    target = Path(request["target"])
    with ExitStack() as stack:
        project = None
        if target.suffix != ".dll":
            from bridge.clr.build.recompiler import Project
            from bridge.clr.find import assemblies

            project = stack.enter_context(Project(target, assemblies.folder()[0]))
        files = [*map(Path, request["files"]), *([target] if project is None else [])]
        _import()
        from bridge.compare.watch.rounds import Rounds

        def run(assembly: Path | None) -> int:
            try:
                main(["compare", *request["arguments"]], prog_name="python -m bridge", obj=Watched(assembly))
            except SystemExit as end:
                return end.code if isinstance(end.code, int) else 1
            return 0

        Rounds(run, _say, project, files, dotnet=request["dotnet"]).forever()


def _end(*_: object) -> NoReturn:
    raise SystemExit(0)


def _say(words: str) -> None:
    stdio.say(words)
    stdio.flush()


def _import() -> None:
    """What every comparison imports, so that no process does it again. It must start no thread, since it is forked."""
    import torch  # noqa: F401  # its import takes longest

    import bridge.compare.comparison
    import bridge.compare.models.targets
    import bridge.compare.models.weights
    import bridge.compare.report.summary
    import bridge.compare.report.terminal
    import bridge.mirror.loading  # noqa: F401  # likewise
