"""``fuzz``: the comparison of runtimes on random hook programs."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common
from bridge.commands.terminal import stdio
from bridge.output.sentences import suggest
from bridge.runtimes.runtime import ORDINARY, RUNTIMES

#: The runtimes to compare with PyTorch. ``torchsharp`` is left out: its known differences are listed only for the corpus of programs.
_COMPARABLE = tuple(name for name in RUNTIMES if name not in ("pytorch", "torchsharp"))


@click.command(short_help="Compare runtimes on random hook programs.")
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    metavar="N",
    help="The number of programs.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Random seed; equal seeds draw equal programs.",
)
@click.option(
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="NAME",
    # \b keeps click from wrapping the names, which it would break at hyphens.
    help="A runtime to compare with PyTorch. Repeatable.  [default: dotnet, hooks and model]\n\n\b\n"
    + "\n".join(_COMPARABLE),
)
@common.device_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("random.json"),
    show_default=True,
    metavar="FILE",
    help="The file for a program on which runtimes differ.",
)
@common.handle_errors
def fuzz(count: int, seed: int, runtimes: tuple[str, ...], device: str, output: Path) -> int:
    """Run random hook programs on PyTorch and on other runtimes, and compare the traces.

    Differences in the ledger of known differences are ignored. The first program with any other difference is reduced
    to a small program that still shows one, and written to a file. Without --runtime and without .NET, only the runtime
    'model' is compared with PyTorch, and a line says that .NET is missing.

    Exit codes: 0: all runtimes agree. 1: they differ. 2: the command could not run.

    \b
    Example:
      python -m bridge fuzz --count 200 --seed 3 \\
        --runtime model
    """
    from bridge.runtimes.runtime import runtime

    _check_runtimes(runtimes)
    common.check_device(device)
    common.check_outputs(output)
    with common.progress() as step:
        step("starting")
        try:
            from bridge.conformance import fuzzer
        except ModuleNotFoundError as error:
            if error.name != "hypothesis":
                raise
            raise click.ClickException(
                "fuzz needs the package hypothesis. Install it with: python -m pip install hypothesis"
            ) from None
        from bridge import contract
        from bridge.clr.call.error_log import suppress_errors
        from bridge.conformance.runs import choose
        from bridge.conformance.suite import torch_version
        from bridge.contract.ledger import ledger
        from bridge.output.files import write_atomically
        from bridge.program import dumps

        chosen = choose(runtimes, [name for name in ORDINARY if name != "pytorch"])
        compared = [runtime(name) for name in chosen.names]
        lacking = [other.name for other in compared if device not in other.devices]
        if len(lacking) == len(compared):
            raise click.ClickException(f"{', '.join(lacking)} cannot run on {device} here.")
        with suppress_errors():
            score = fuzzer.fuzz(
                count, seed, compared, ledger(), lambda done: step(f"{done:,} of {count:,} programs"), device
            )
    if chosen.note:
        stdio.say(chosen.note)
    if lacking:
        stdio.say(f"Not compared, since they lack the device {device}: {', '.join(lacking)}.")
    if score.failure is None:
        for line in score.lines():
            stdio.say(line)
        return common.SAME
    write_atomically(output, dumps(score.failure))
    stdio.say(f"seed {seed}, program {score.programs:,}: {score.difference}\n")
    if newer := contract.load().untested(torch_version()):
        stdio.say(f"{newer}: the difference may be caused by that version.\n")
    stdio.write(f"{dumps(score.failure)}\n")
    stdio.say(
        f"The program was written to {output}. To add the program to the corpus, write its name and clauses into the file, run the "
        "command below, and move the file to its chapter's folder in bridge/contract/programs:"
    )
    stdio.say(f"  python -m bridge conformance --accept {output}")
    return common.DIFFERENT


def _check_runtimes(names: tuple[str, ...]) -> None:
    """Raise UsageError for a runtime that cannot be compared."""
    for name in names:
        if name == "torchsharp":
            raise click.UsageError(
                "'torchsharp' cannot be tested with random programs: its hooks run in another order (TS-3, TS-4, TS-6), and the ledger "
                "lists such differences only for the programs of the corpus. Use torchsharp+bridge, or run "
                "`conformance --runtime torchsharp`."
            )
        if name not in _COMPARABLE:
            raise click.UsageError(
                f"'{name}' cannot be compared with PyTorch: choose from {', '.join(_COMPARABLE)}.{suggest(name, _COMPARABLE)}"
            )
