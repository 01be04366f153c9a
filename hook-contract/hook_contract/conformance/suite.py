"""The conformance suite, which runs the contract's programs on runtimes and judges the runs.

The runs are judged by the contract and by ledgers, the lists of known divergences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

from hook_contract import contract
from hook_contract.conformance.judgement import Judgement, Outcome, judge, judge_run
from hook_contract.conformance.runs import run, run_program
from hook_contract.conformance.selection import Selection, select
from hook_contract.contract import Contract
from hook_contract.contract.ledger import Divergence
from hook_contract.program import Program, corpus
from hook_contract.runtimes.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Suite:
    """A prepared run: the contract, the rows of the ledgers, the selected programs, the runtimes, and a note on runtimes left out."""

    contract: Contract
    rows: tuple[Divergence, ...]
    selection: Selection
    runtimes: tuple[Runtime, ...]
    left_out: str = ""

    def outcomes(self, runtime: Runtime, program: Program, device: str) -> Iterator[Outcome]:
        for ran in run_program(runtime, program, device):
            yield judge_run(ran, self.contract, self.rows, runtime.version(), torch_version() or self.contract.tested)

    def describe(self, found: Outcome) -> str:
        """Describe an outcome, with the texts of the clauses that its program tests."""
        from hook_contract.conformance.terminal import describe_outcome

        named = [clause for clause in found.ran.program.clauses if clause in self.contract]
        cited = [f"{clause}: {self.contract[clause].text}" for clause in named]
        return "\n".join((*describe_outcome(found), *cited))


def prepare(
    runtimes: Sequence[Runtime], rows: Sequence[Divergence] = (), filters: Sequence[str] = (), left_out: str = ""
) -> Suite:
    """Prepare a run of the programs that ``filters`` select. Raises SelectionError for a filter that matches nothing."""
    loaded = contract.load()
    return Suite(loaded, tuple(rows), select(loaded, corpus(), filters), tuple(runtimes), left_out)


def run_suite(
    suite: Suite, devices: Sequence[str] = ("cpu",), step: Callable[[str], None] = lambda _: None
) -> Judgement:
    """Run the selected programs and judge the runs.

    ``step`` is called with a description of the progress. Raises the exceptions of starting a runtime.
    """
    total = max(1, len(suite.runtimes) * len(devices) * len(suite.selection.programs))
    runs = run(
        suite.runtimes,
        suite.selection.programs,
        devices,
        lambda words, done: step(f"{done * 100 // total} % · {words}"),
    )
    found = judge(
        runs, suite.contract, suite.rows, suite.selection, torch_version=torch_version() or suite.contract.tested
    )
    return replace(found, left_out=suite.left_out)


def torch_version() -> str:
    """Return the version of the installed PyTorch without importing PyTorch, or "" if it is not installed."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""
