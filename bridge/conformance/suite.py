"""The conformance suite, which runs the contract's programs on runtimes and judges the runs.

The runs are judged by the contract and by the ledger, the list of known divergences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

from bridge import contract
from bridge.conformance.judgement import Judgement, Outcome, judge, judge_run
from bridge.conformance.runs import RuntimeChoice, choose, load_runtimes, run, run_program
from bridge.conformance.selection import Selection, select
from bridge.contract import Contract
from bridge.contract.ledger import Divergence, ledger
from bridge.program import Program, corpus
from bridge.runtimes.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Suite:
    """A prepared run: the contract, the ledger's rows, the selected programs, the runtimes, and a note on runtimes left out."""

    contract: Contract
    rows: tuple[Divergence, ...]
    selection: Selection
    runtimes: tuple[Runtime, ...]
    chosen: RuntimeChoice

    def outcomes(self, runtime: Runtime, program: Program, device: str) -> Iterator[Outcome]:
        for ran in run_program(runtime, program, device):
            yield judge_run(ran, self.contract, self.rows, runtime.version(), torch_version())

    def describe(self, found: Outcome) -> str:
        """Describe an outcome, with the texts of the clauses that its program tests."""
        from bridge.conformance.terminal import describe_outcome

        named = [clause for clause in found.ran.program.clauses if clause in self.contract]
        cited = [f"{clause}: {self.contract[clause].text}" for clause in named]
        return "\n".join((*describe_outcome(found), *cited))


def prepare_suite(names: Sequence[str] = (), filters: Sequence[str] = ()) -> Suite:
    """Select programs by ``filters``, and runtimes by ``names``. If ``names`` is empty, take all runtimes that can run here.

    Raises KeyError for an unknown runtime, SelectionError for a filter that matches nothing, and the errors of importing a runtime.
    """
    loaded, chosen = contract.load(), choose(names)
    return Suite(loaded, ledger(), select(loaded, corpus(), filters), tuple(load_runtimes(chosen.names)), chosen)


def run_suite(
    names: Sequence[str] = (),
    devices: Sequence[str] = ("cpu",),
    filters: Sequence[str] = (),
    step: Callable[[str], None] = lambda _: None,
) -> tuple[Judgement, Contract]:
    """Run the selected programs and judge the runs.

    ``step`` is called with a description of the progress. Raises the exceptions of :func:`prepare_suite` and of starting a runtime.
    """
    step("starting the runtimes")
    suite = prepare_suite(names, filters)
    total = max(1, len(suite.runtimes) * len(devices) * len(suite.selection.programs))
    runs = run(
        suite.runtimes,
        suite.selection.programs,
        devices,
        lambda words, done: step(f"{done * 100 // total} % · {words}"),
    )
    found = judge(runs, suite.contract, suite.rows, suite.selection, torch_version=torch_version())
    return replace(found, left_out=suite.chosen.note), suite.contract


def torch_version() -> str:
    """Return the version of the installed PyTorch without importing PyTorch, or "" if it is not installed."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""
