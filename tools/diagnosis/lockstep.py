"""How many modules of the unmutated ports ``compare`` judges alone: for one model in a process of its own, which prints that as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Final

import torch

import bridge
from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.models.settings import settings
from bridge.compare.models.weights import share
from diagnosis import living
from diagnosis.planted import mutants
from diagnosis.running import environment
from diagnosis.subjects import ROOT, Subject, named

#: The share of modules that may not be judged alone.
MOST: Final = 0.05


@dataclass(frozen=True)
class Lockstep:
    """Of one model: how many modules PyTorch calls, and which of them C#'s counterpart was not judged of, with the reason."""

    subject: str
    modules: int
    refused: dict[str, str]

    @property
    def cells(self) -> tuple[str, str, str]:
        """Return the model, the number of modules judged in isolation, and the reasons for the others."""
        reasons = "; ".join(f"`{path or 'the root'}`: {why}" for path, why in self.refused.items())
        return self.subject, f"{self.modules - len(self.refused)} of {self.modules}", reasons


def measured(subject: Subject) -> Lockstep:
    """Run each input in eval and train mode, with backward; a module not judged in one run counts as not judged."""
    original = subject.make()
    port = bridge.load(mutants([subject])[0].library, f"Models.{subject.name}", *subject.arguments)
    share("python", original, port)
    state = {name: tensor.clone() for name, tensor in original.state_dict().items()}
    called: dict[str, str] = {}
    for number in living.INPUTS:
        for train in living.MODES:
            for model in (original, port):
                model.load_state_dict(state)
                model.train(train)
            buffers = {name: tensor.clone() for name, tensor in original.named_buffers()}
            given = Inputs(subject.inputs(number)).bind(original)
            paths = _called(original, given)
            found = judge_modules(
                original,
                port,
                given,
                buffers,
                settings=settings(original, port, ("pytorch", "dotnet")),
                names=("pytorch", "dotnet"),
                tolerances=lambda _: (0.0, 0.0),
                backward=True,
                all_operators=True,
            )
            for path in paths:
                called.setdefault(path, "")
                if path not in found.judged:
                    called[path] = found.skipped.get(path, "it has no counterpart")
    return Lockstep(subject.name, len(called), {path: why for path, why in called.items() if why})


def _called(model: torch.nn.Module, given: dict[str, Any]) -> list[str]:
    """Return the paths of the modules that a run calls."""
    found: list[str] = []
    handles = [
        module.register_forward_pre_hook(lambda *_, path=path: found.append(path))
        for path, module in model.named_modules()
    ]
    before = {name: tensor.clone() for name, tensor in model.named_buffers()}
    try:
        with torch.no_grad():
            model(**given)
    finally:
        for handle in handles:
            handle.remove()
    for name, tensor in model.named_buffers():
        tensor.copy_(before[name])
    return list(dict.fromkeys(found))


def of(subjects: Sequence[Subject], jobs: int) -> list[Lockstep]:
    """Run each model in its own process, several at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(_by_itself, subjects))


def _by_itself(subject: Subject) -> Lockstep:
    command = [sys.executable, "-m", "diagnosis.lockstep", subject.name]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{subject.name} was not judged module by module:\n{done.stderr[-2000:]}")
    return Lockstep(**json.loads(done.stdout.splitlines()[-1]))


def words(found: Sequence[Lockstep]) -> str:
    """Return the total share as a line."""
    modules, refused = sum(one.modules for one in found), sum(len(one.refused) for one in found)
    return f"Judged alone: {modules - refused} of {modules} modules ({1 - refused / modules:.0%})."


def too_few(found: Sequence[Lockstep]) -> bool:
    """Return whether more modules than allowed are not judged in isolation."""
    return sum(len(one.refused) for one in found) > MOST * sum(one.modules for one in found)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    print(json.dumps(asdict(measured(named(sys.argv[1])))))
