"""``fuzz``: the comparison of runtimes on random hook programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hook_contract.commands import common, judging
from hook_contract.commands.terminal import stdio

if TYPE_CHECKING:
    from hook_contract.conformance.fuzzer import Score
    from hook_contract.contract.ledger import Divergence
    from hook_contract.runtimes.runtime import Runtime
    from hook_contract.runtimes.world import World

# fmt: off
count_option = click.option("--count", type=click.IntRange(min=1), default=2000, show_default=True, metavar="N",
                            help="The number of programs.")
seed_option = click.option("--seed", type=int, default=0, show_default=True, metavar="N",
                           help="Random seed; equal seeds draw equal programs.")
output_option = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=Path("random.json"),
                             show_default=True, metavar="FILE", help="The file for a program on which runtimes differ.")
# fmt: on


@click.command(short_help="Compare runtimes on random hook programs.")
@click.option("--runtime", "runtimes", multiple=True, required=True, metavar="OBJECT|COMMAND",
              help="A runtime: package.module:OBJECT, or a command such as 'node runtime.js'. Repeatable.")  # fmt: skip
@judging.ledger_option
@count_option
@seed_option
@judging.limit_option
@output_option
@common.handle_errors
def fuzz(
    runtimes: tuple[str, ...], ledgers: tuple[Path, ...], count: int, seed: int, limit: float, output: Path
) -> int:
    """Run random hook programs on runtimes, and compare their traces with those of the contract's model in pure Python.

    Differences in a ledger are ignored. The first program with any other difference is reduced to a small program that still shows one,
    and written to a file.

    Exit codes: 0: all runtimes agree. 1: they differ. 2: the command could not run.

    \b
    Example:
      python -m hook_contract fuzz --count 200 \\
        --runtime 'node runtime.js'
    """
    common.check_outputs(output)
    with common.progress() as step:
        step("starting")
        from hook_contract.runtimes.loading import OWN, find_runtime, load_object
        from hook_contract.runtimes.model.world import ModelWorld

        rows = judging.read_ledgers(ledgers)
        compared = [find_runtime(text, limit) for text in runtimes]
        score = run_fuzzer(count, seed, load_object(OWN["model"]), compared, rows, ModelWorld, step)
    return show_score(score, seed, output, "")


def run_fuzzer(
    count: int,
    seed: int,
    reference: Runtime,
    compared: Sequence[Runtime],
    rows: Sequence[Divergence],
    world: Callable[[], World],
    step: Callable[[str], None],
    device: str = "cpu",
) -> Score:
    """Call :func:`hook_contract.conformance.fuzzer.fuzz`. Raises ClickException if hypothesis is not installed."""
    try:
        from hook_contract.conformance import fuzzer
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise click.ClickException(
            "fuzz needs the package hypothesis. Install it with: python -m pip install hypothesis"
        ) from None
    return fuzzer.fuzz(
        count,
        seed,
        compared,
        rows,
        lambda done: step(f"{done:,} of {count:,} programs"),
        device,
        reference=reference,
        world=world,
    )


def show_score(score: Score, seed: int, output: Path, note: str) -> int:
    """Print the result, write a program on which the runtimes differ to ``output``, and return the exit code.

    ``note`` is printed below a difference, if it is not "".
    """
    from hook_contract.output.files import write_atomically
    from hook_contract.program import dumps

    if score.failure is None:
        for line in score.lines():
            stdio.say(line)
        return common.SAME
    write_atomically(output, dumps(score.failure))
    stdio.say(f"seed {seed}, program {score.programs:,}: {score.difference}\n")
    if note:
        stdio.say(f"{note}\n")
    stdio.write(f"{dumps(score.failure)}\n")
    stdio.say(f"The program was written to {output}.")
    return common.DIFFERENT
