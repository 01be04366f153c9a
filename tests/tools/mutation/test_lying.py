"""mutation.lying: the suite fails each of them, on the entire corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.registry import runtime
from hook_contract import contract
from hook_contract.conformance.judgement import Judgement, judge
from hook_contract.conformance.runs import run
from hook_contract.conformance.selection import select
from hook_contract.conformance.suite import torch_version
from hook_contract.program import Json, corpus, parse, words
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.interpreter import run as interpreted
from hook_contract.runtimes.world import ProgramRun
from mutation.lying import LIES, Lying, elsewhere, liars

_MODEL = runtime("model")
#: The programs that read a device, and those of them that tell no element of a tensor: on ``meta`` there are none.
READING = [program.name for program in corpus() if "read:device" in words(program)]
WITHOUT_ELEMENTS = ["C-6-each-phase-finds-the-device-of-the-run", "I-1-copies-are-on-the-device-of-the-run"]


def _judged(judged: Any, names: Sequence[str] = (), device: str = "cpu") -> Judgement:
    written = contract.load()
    selection = select(written, corpus(), names)
    runs = run([judged], selection.programs, [device])
    return judge(runs, written, (), selection, torch_version=torch_version())


def test_the_right_one_passes() -> None:
    assert _judged(_MODEL).passed


@pytest.mark.parametrize("liar", liars(_MODEL), ids=lambda liar: liar.about)
def test_the_suite_fails_a_runtime_that_lies(liar: Lying) -> None:
    judgement = _judged(liar)
    assert not judgement.passed
    if liar.about in LIES:
        states = [item.state for item in judgement.outcomes if item.ran.how != "lacks"]
        right = sum(state not in ("fail", "error") for state in states)
        assert right < 0.01 * len(states)  # a trace of one event has no other order


def test_a_variant_that_never_ran_is_named() -> None:
    (liar,) = (liar for liar in liars(_MODEL) if "unseen" in liar.variants)
    assert _judged(liar).problems == ("model ran no program in its variant 'unseen'",)


def test_what_is_lacking_without_a_reason_is_a_problem_of_each_program() -> None:
    (liar,) = (liar for liar in liars(_MODEL) if liar.lacks is not _MODEL.lacks)
    problems = _judged(liar).problems
    assert "no program was executed" in problems
    assert sum(problem.endswith("skipped without a reason") for problem in problems) == len(corpus())


def _parted(events: Iterable[Json]) -> tuple[list[Json], list[Json]]:
    """Split a trace into its devices and the rest."""
    devices: list[Json] = []
    rest: list[Json] = []
    for event in events:
        if "events" in event:
            inner, others = _parted(event["events"])
            devices += inner
            rest.append({**event, "events": others})
        else:
            (devices if event.get("what") == "device" else rest).append(event)
    return devices, rest


@pytest.mark.dotnet
@pytest.mark.parametrize("name", ["pytorch", "dotnet"])
def test_who_runs_elsewhere_than_asked_fails_by_the_device_alone(name: str) -> None:
    liar = elsewhere(runtime(name))
    honest = replace(liar, where=str)
    assert _judged(honest, WITHOUT_ELEMENTS, "meta").passed
    right, wrong = (_judged(judged, READING, "meta").outcomes for judged in (honest, liar))
    assert {item.ran.program.name for item in wrong} == set(READING)
    for outcome, other in zip(right, wrong, strict=True):
        (wanted, rest), (found, others) = _parted(outcome.ran.program.expect or ()), _parted(other.ran.events)
        assert other.state == "fail"
        assert others == rest
        assert wanted == _parted(outcome.ran.events)[0] == [event | {"value": {"text": "asked"}} for event in found]
        assert {event["value"]["text"] for event in found} == {"cpu, where meta was asked for"}


def test_the_entire_corpus_fails_it_in_each_program_that_reads_a_device() -> None:
    judgement = _judged(elsewhere(runtime("pytorch")), device="meta")
    assert {item.ran.program.name for item in judgement.outcomes if item.state == "fail"} == set(READING)
    assert len(READING) >= 4


@pytest.mark.cuda
@pytest.mark.dotnet
@pytest.mark.parametrize("name", ["pytorch", "dotnet"])
def test_on_a_gpu_the_right_one_passes_each_of_them_and_the_liar_none(name: str) -> None:
    assert _judged(runtime(name), READING, "cuda").passed
    assert {item.state for item in _judged(elsewhere(runtime(name)), READING, "cuda").outcomes} == {"fail"}


def test_a_trace_shows_a_tensor_that_is_elsewhere_than_on_the_device_of_the_run() -> None:
    program = next(item for item in corpus() if item.name == "O-1-registration-order")

    class ClaimsMeta(TorchWorld):
        """Makes everything on the CPU."""

        def build(self, run: ProgramRun, tree: Any) -> Any:
            self.torch_device = torch.device("cpu")
            return super().build(run, tree)

    trace = interpreted(program, ClaimsMeta("meta"))
    assert trace[-1] == {"event": "return", "value": {"value": program.expect[-1]["value"], "device": "cpu"}}  # type: ignore[index]


def test_a_read_tells_where_a_parameter_really_is() -> None:
    reading = {"do": "read", "what": "device", "name": "weight"}
    program = parse({"name": "p", "clauses": [], "about": "", "tree": {"kind": "leaf"}, "steps": [reading]})

    class ElsewhereWorld(TorchWorld):
        def build(self, run: ProgramRun, tree: Any) -> Any:
            return super().build(Session(program, TorchWorld()), tree)

    (read,) = interpreted(program, ElsewhereWorld("meta"))
    assert read["value"] == {"text": "cpu"}


@pytest.mark.dotnet
@pytest.mark.parametrize("identity", [False, True])
def test_c_sharps_part_of_a_trace_shows_such_a_tensor_too(identity: bool) -> None:
    """What modules and hooks of C# write themselves: ``enter``, ``pre``, ``forward``."""
    from bridge.runtimes.dotnet.programs import MirrorSession, MirrorWorld

    hooks = [{"do": "register", "hook": hook, "kind": kind} for hook, kind in (("p", "pre"), ("f", "forward"))]
    fields = {"name": "p", "clauses": [], "about": "", "identity": identity, "tree": {"kind": "identity"}}
    program = parse({**fields, "steps": [*hooks, {"do": "call", "args": [3]}]})

    class ClaimsMeta(MirrorWorld):
        """What Python makes is on the CPU, whereas C# uses meta."""

        def build(self, run: ProgramRun, tree: Any) -> Any:
            self.torch_device = torch.device("cpu")
            return super().build(run, tree)

    elsewhere = MirrorSession(program, ClaimsMeta("typed", "meta"), ("p", "f"), typed=True)
    try:
        trace = elsewhere.trace()
    finally:
        elsewhere.close()
    found = {"value": 3, "device": "cpu"}
    assert trace == [
        {"event": "pre", "hook": "p", "module": "", "args": [found]},
        {"event": "enter", "module": "", "args": [found]},
        {"event": "forward", "hook": "f", "module": "", "args": [found], "output": found},
        {"event": "return", "value": found},
    ]
