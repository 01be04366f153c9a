"""Judges mutants of one model in a process of its own, which a mutant may end: a line of JSON on standard output for each."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping
from typing import Any, Final

import torch

import bridge
from bridge.compare.comparison import compare
from bridge.compare.findings import Finding
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from diagnosis import living
from diagnosis.judging import LINES, judged
from diagnosis.planted import Mutant, mutants
from diagnosis.subjects import Subject, named
from diagnosis.undoing import wrong

#: How a porter compares, one after the other until something differs: input, train mode, backward pass.
LOOKS: Final = (
    (0, False, False),
    (0, True, True),
    (1, False, False),
    (1, True, True),
    (2, False, True),
    (2, True, True),
)


def main(arguments: list[str]) -> None:
    """Run ``worker SUBJECT ID …``."""
    name, *chosen = arguments
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    bench = Bench(named(name))
    wanted = {one.id: one for one in mutants([bench.subject]) if one.id in set(chosen)}
    for number in chosen:
        print(json.dumps({"begun": number}), flush=True)
        print(json.dumps(bench.result(wanted[number])), flush=True)


class Bench:
    """A model's original, what the unmutated port does, and the judgement of mutants."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.library = mutants([subject])[0].library
        self.original = subject.make()
        self.state = {name: tensor.clone() for name, tensor in self.original.state_dict().items()}
        port = self._made("Models")
        self.tree = {path: type(module).__name__ for path, module in port.named_modules()}
        self.port = {
            (number, train): living.lived(port, self.state, subject.inputs(number), train=train)
            for number in living.INPUTS
            for train in living.MODES
        }
        for look in LOOKS:
            found = self._compared(self._fresh(), self._made("Models"), look)
            if not found.same:
                raise SystemExit(f"the unmutated {subject.name} differs: {found.verdict}\n{found.explain()}")

    def result(self, mutant: Mutant) -> dict[str, Any]:
        """Return a mutant's result: whether it lives, the findings of the first run that differs, and the verdict on them."""
        found: dict[str, Any] = {"id": mutant.id, "lives": self._lives(mutant)}
        if not found["lives"]:
            return found
        noticed, findings = self._looked(mutant)
        word = judged(mutant, findings, self.tree)
        causes = [
            wrong(mutant, one, self.tree, self.original, self._loader(mutant), self._again) for one in findings[:LINES]
        ]
        return {
            **found,
            "noticed": noticed,
            "located": noticed and word.located,
            "explained": noticed and word.explained,
            "wrong": [
                f"{one.kind} {one.path}: {one.message}: {why}"
                for one, why in zip(findings, causes, strict=False)
                if why
            ],
            "said": [f"[{one.kind}] {one.path}: {one}" for one in findings[:5]],
        }

    def _lives(self, mutant: Mutant) -> str:
        try:
            model = self._made(mutant.id)
            model.load_state_dict(self.state)
        except Exception as error:
            return f"raised: {type(error).__name__}"
        for (number, train), before in self.port.items():
            after = living.lived(model, self.state, self.subject.inputs(number), train=train)
            if what := living.other(before, after):
                return f"{what}, {'train' if train else 'eval'} mode, input {number}"
        return ""

    def _looked(self, mutant: Mutant) -> tuple[bool, tuple[Finding, ...]]:
        """Return the findings of the first run that differs."""
        for look in LOOKS:
            self._look = look
            try:
                model = self._made(mutant.id)
                original = self._fresh()
                share("python", original, model)
                found = self._compared(original, model, look)
            except Exception as error:
                return True, tuple(_lines(error, self.state, self.tree))
            if not found.same:
                return True, found.findings
        return False, ()

    def _loader(self, mutant: Mutant) -> Any:
        def load(*, forward_fires: bool = False) -> torch.nn.Module:
            model = self._made(mutant.id, forward_fires=forward_fires)
            share("python", self._fresh(), model)
            return model

        return load

    def _again(self, model: torch.nn.Module) -> Comparison:
        """Repeat the run that differed."""
        return self._compared(self._fresh(), model, self._look)

    def _compared(self, original: torch.nn.Module, model: torch.nn.Module, look: tuple[int, bool, bool]) -> Comparison:
        number, train, backward = look
        model.load_state_dict(self.state)
        return compare(original, model, Inputs(self.subject.inputs(number)), train=train, backward=backward)

    def _fresh(self) -> torch.nn.Module:
        self.original.load_state_dict(self.state)
        self.original.zero_grad(set_to_none=True)
        return self.original

    def _made(self, space: str, *, forward_fires: bool = False) -> torch.nn.Module:
        return bridge.load(
            self.library, f"{space}.{self.subject.name}", *self.subject.arguments, forward_fires=forward_fires
        )


def _lines(error: Exception, state: Mapping[str, torch.Tensor], tree: Mapping[str, str]) -> list[Finding]:
    """Turn an error's lines into findings, each about the weight or module path at the beginning of the line."""
    found = []
    for line in filter(None, map(str.strip, str(error).splitlines())):
        key = line.partition(":")[0].partition(" (")[0]
        path = key if key in tree else key.rpartition(".")[0]
        weight = " " not in key and (key in state or path in tree)
        found.append(Finding("names" if weight else "raised", path if weight else "", line))
    return found or [Finding("raised", "", type(error).__name__)]


if __name__ == "__main__":
    main(sys.argv[1:])
