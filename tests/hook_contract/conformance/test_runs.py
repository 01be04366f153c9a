"""hook_contract.conformance.runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.runtimes.registry import runtime
from hook_contract.conformance.runs import ABSENT, BROKE, LACKS, RAN, name_device, run, run_program
from hook_contract.program import Program

Make = Callable[..., Program]


def test_pytorch_leaves_what_the_program_expects(program: Make) -> None:
    (ran,) = run_program(runtime("pytorch"), program("a"))
    assert (ran.how, ran.variant, ran.device) == (RAN, "", "cpu")
    assert ran.events == program("a").expect


def test_every_variant_is_a_run_of_its_own(program: Make, wrong: Any) -> None:
    found = list(run_program(wrong({"a": {"typed": [], "object": [{"event": "return", "value": 1}]}}), program("a")))
    assert [(ran.variant, len(ran.events)) for ran in found] == [("typed", 0), ("object", 1)]


def test_a_runtime_is_not_asked_for_what_it_lacks(program: Make, wrong: Any) -> None:
    tested = wrong(lacks={"hook:pre": "it has no pre hooks"})
    (ran,) = run_program(tested, program("a"))
    assert (ran.how, ran.reason) == (LACKS, "hook:pre: it has no pre hooks")
    assert not tested.asked


def test_a_runtime_is_not_asked_on_a_device_that_is_not_there(program: Make, wrong: Any) -> None:
    tested = wrong()
    (ran,) = run_program(tested, program("a"), "cuda")
    assert (ran.how, ran.reason) == (ABSENT, "wrong has no device cuda here")
    assert not tested.asked


def test_a_broken_runtime_is_reported_and_the_next_program_runs(program: Make, wrong: Any) -> None:
    tested = wrong(breaks=True)
    runs = run([tested], [program("a"), program("b")])
    assert [(ran.how, ran.reason) for ran in runs.ran] == [(BROKE, "RuntimeError: out of order")] * 2
    assert tested.asked == ["a", "b"]


def test_a_runtime_that_gives_nothing_is_broken(program: Make, wrong: Any) -> None:
    (ran,) = run_program(wrong({"a": {}}), program("a"))
    assert ran.how == BROKE
    assert ran.reason


def test_a_run_tells_what_it_does(program: Make, wrong: Any) -> None:
    reported: list[tuple[str, int]] = []
    runs = run(
        [wrong()], [program("a"), program("b")], ["cpu", "cuda"], lambda words, done: reported.append((words, done))
    )
    assert reported == [("wrong cpu a", 0), ("wrong cpu b", 1), ("wrong cuda a", 2), ("wrong cuda b", 3)]
    assert runs.versions == {"wrong": "Wrong 2.0"}


def _read(value: Any, what: str = "device") -> dict[str, Any]:
    return {"event": "read", "name": "x", "what": what, "value": value}


def test_the_requested_device_is_known_in_threads_too(program: Make, wrong: Any) -> None:
    read = _read({"text": "moon"})
    thread = {"event": "thread", "number": 0, "events": [read]}
    (ran,) = run_program(wrong({"a": {"": [read, thread]}}, devices=("moon",)), program("a"), "moon")
    assert ran.events == (_read({"text": "asked"}), {**thread, "events": [_read({"text": "asked"})]})


def test_another_device_and_one_that_a_runtime_calls_asked_are_not() -> None:
    (other,) = name_device([_read({"text": "cpu"})], "moon")
    (claimed,) = name_device([_read({"text": "asked"})], "moon")
    assert (other["value"], claimed["value"]) == (
        {"text": "cpu, where moon was asked for"},
        {"text": "asked, where moon was asked for"},
    )


def test_what_is_not_a_device_stays_as_it_is() -> None:
    events = (_read({"text": "cpu"}, "value"), _read(3), {"event": "return", "value": {"text": "cpu"}})
    assert name_device(events, "cpu") == events
