"""``fuzz``: the comparison of runtimes on random hook programs."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common
from bridge.runtimes.registry import ORDINARY, RUNTIMES
from hook_contract.commands.fuzz import count_option, output_option, run_fuzzer, seed_option, show_score
from hook_contract.commands.terminal import stdio
from hook_contract.output.sentences import suggest

#: The runtimes to compare with PyTorch. ``torchsharp`` is left out: its known differences are listed only for the corpus of programs.
_COMPARABLE = tuple(name for name in RUNTIMES if name not in ("pytorch", "torchsharp"))


@click.command(short_help="Compare runtimes on random hook programs.")
@count_option
@seed_option
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
@output_option
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
    _check_runtimes(runtimes)
    common.check_device(device)
    common.check_outputs(output)
    with common.progress() as step:
        step("starting")
        from bridge.clr.call.error_log import suppress_errors
        from bridge.conformance.choice import choose
        from bridge.runtimes.ledger import ledger
        from bridge.runtimes.pytorch.world import TorchWorld
        from bridge.runtimes.registry import runtime
        from hook_contract import contract
        from hook_contract.conformance.suite import torch_version

        chosen = choose(runtimes, [name for name in ORDINARY if name != "pytorch"])
        compared = [runtime(name) for name in chosen.names]
        lacking = [other.name for other in compared if device not in other.devices]
        if len(lacking) == len(compared):
            raise click.ClickException(f"{', '.join(lacking)} cannot run on {device} here.")
        with suppress_errors():
            score = run_fuzzer(
                count, seed, runtime("pytorch"), compared, ledger(), lambda: TorchWorld(device), step, device
            )
    if chosen.note:
        stdio.say(chosen.note)
    if lacking:
        stdio.say(f"Not compared, since they lack the device {device}: {', '.join(lacking)}.")
    newer = contract.load().untested(torch_version())
    code = show_score(score, seed, output, f"{newer}: the difference may be caused by that version." if newer else "")
    if code != common.SAME:
        stdio.say(
            "To add the program to the corpus, write its name and clauses into the file, run the command below, and move the file to its "
            "chapter's folder in hook-contract/hook_contract/contract/programs:"
        )
        stdio.say(f"  python -m bridge conformance --accept {output}")
    return code


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
