"""The process that judges mutants of one model, which a mutant may end: ``python -m diagnosis.worker SUBJECT ID …``.

It reports an empty row when it is ready, and a row for each mutant. For the id ``isolation`` it reports how many modules of the
unmutated port compare can judge in isolation.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any, Final

import torch

import bridge
import workers
from bridge.compare.comparison import compare
from bridge.compare.findings import Finding
from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.models.settings import settings
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from diagnosis import liveness
from diagnosis.causes import CauseCheck
from diagnosis.judging import FIRST, judge
from diagnosis.mutants import Mutant, mutants
from diagnosis.subjects import SUBJECTS, Subject

Run = tuple[int, bool, bool]
#: How a user compares, until something differs: the number of the input, train mode, backward pass.
RUNS: Final = (
    (0, False, False),
    (0, True, True),
    (1, False, False),
    (1, True, True),
    (2, False, True),
    (2, True, True),
)
RUNTIMES: Final = ("pytorch", "dotnet")


class Bench:
    """A PyTorch original with its weights, and what the unmutated port does."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.mutants = {mutant.id: mutant for mutant in mutants(subject)}
        self._library = next(iter(self.mutants.values())).library
        self._original = subject.original()
        self._state = {name: tensor.clone() for name, tensor in self._original.state_dict().items()}
        port = self._load("Models")
        self.classes = {path: type(module).__name__ for path, module in port.named_modules()}
        self._behaviour = {
            (number, train): liveness.run(port, self._state, subject.inputs(number), train=train)
            for number in liveness.INPUTS
            for train in liveness.MODES
        }
        for run in RUNS:
            compared = self._compare(self._load("Models"), run)
            if not compared.same:
                raise SystemExit(f"the unmutated {subject.name} differs: {compared.verdict}\n{compared.explain()}")

    def judge(self, mutant: Mutant) -> workers.Row:
        """Return whether a mutant lives, and what the first comparison that differs says of it."""
        lives = self._describe_change(mutant)
        if not lives:
            return {"id": mutant.id, "lives": lives}
        noticed, run, findings = self._find_difference(mutant)
        located, explained = judge(mutant, findings, self.classes)
        check = CauseCheck(
            mutant,
            self.classes,
            self._original,
            load=lambda **options: self._load_with_weights(mutant.id, **options),
            compare=lambda model: self._compare(model, run),
        )
        refuted = [(finding, check.refute(finding)) for finding in findings[:FIRST]]
        return {
            "id": mutant.id,
            "lives": lives,
            "noticed": noticed,
            "located": located,
            "explained": explained,
            "wrong": [f"{finding.kind} {finding.path}: {finding.message}: {why}" for finding, why in refuted if why],
            "said": [f"[{finding.kind}] {finding.path}: {finding}" for finding in findings[:5]],
        }

    def isolation(self) -> workers.Row:
        """Return the number of modules that the original calls, and the reasons for those that are not judged in each run."""
        model = self._load_with_weights("Models")
        refused: dict[str, str] = {}
        for (number, train), behaviour in self._behaviour.items():
            for each in (self._original, model):
                each.load_state_dict(self._state)
                each.train(train)
            result = judge_modules(
                self._original,
                model,
                Inputs(self.subject.inputs(number)).bind(self._original),
                {name: tensor.clone() for name, tensor in self._original.named_buffers()},
                settings=settings(self._original, model, RUNTIMES),
                names=RUNTIMES,
                tolerances=lambda _: (0.0, 0.0),
                backward=True,
                all_operators=True,
            )
            for path, _ in behaviour["calls"]:
                if path not in result.judged:
                    refused[path] = result.skipped.get(path, "it has no counterpart")
        called = {path for behaviour in self._behaviour.values() for path, _ in behaviour["calls"]}
        return {"id": "isolation", "subject": self.subject.name, "modules": len(called), "refused": refused}

    def _describe_change(self, mutant: Mutant) -> str:
        """Return how the mutant behaves differently from the port; empty if it does not."""
        try:
            model = self._load(mutant.id)
            model.load_state_dict(self._state)
        except Exception as error:  # a mutant may raise anything
            return f"raised: {type(error).__name__}"
        for (number, train), before in self._behaviour.items():
            after = liveness.run(model, self._state, self.subject.inputs(number), train=train)
            if different := liveness.difference(before, after):
                return f"{different}, {'train' if train else 'eval'} mode, input {number}"
        return ""

    def _find_difference(self, mutant: Mutant) -> tuple[bool, Run, tuple[Finding, ...]]:
        """Return whether a run differs, and the first such run with its findings."""
        for run in RUNS:
            try:
                compared = self._compare(self._load_with_weights(mutant.id), run)
            except Exception as error:  # a mutant may raise anything
                return True, run, _to_findings(error, self.classes, self._state)
            if not compared.same:
                return True, run, compared.findings
        return False, run, ()

    def _load_with_weights(self, space: str, **options: Any) -> torch.nn.Module:
        model = self._load(space, **options)
        self._original.load_state_dict(self._state)
        share("python", self._original, model)
        return model

    def _compare(self, model: torch.nn.Module, run: Run) -> Comparison:
        number, train, backward = run
        for each in (self._original, model):
            each.load_state_dict(self._state)
        self._original.zero_grad(set_to_none=True)
        return compare(self._original, model, Inputs(self.subject.inputs(number)), train=train, backward=backward)

    def _load(self, space: str, **options: Any) -> torch.nn.Module:
        return bridge.load(self._library, f"{space}.{self.subject.name}", *self.subject.arguments, **options)


def _to_findings(error: Exception, classes: Mapping[str, str], state: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return a finding for each line of an error, about the weight or module path at the beginning of the line."""
    findings = []
    for line in filter(None, map(str.strip, str(error).splitlines())):
        key = line.partition(":")[0].partition(" (")[0]
        path = key if key in classes else key.rpartition(".")[0]
        named = " " not in key and (key in state or path in classes)
        findings.append(Finding("names" if named else "raised", path if named else "", line))
    return tuple(findings) or (Finding("raised", "", type(error).__name__),)


def main(name: str, *ids: str) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    bench = Bench(SUBJECTS[name])
    workers.report({})
    for identity in ids:
        workers.report(bench.isolation() if identity == "isolation" else bench.judge(bench.mutants[identity]))


if __name__ == "__main__":
    main(*sys.argv[1:])
