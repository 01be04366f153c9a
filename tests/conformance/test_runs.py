"""bridge.conformance.runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.clr.find import installation
from bridge.clr.find.installation import find_dotnet
from bridge.conformance import runs
from bridge.conformance.runs import ABSENT, BROKE, LACKS, RAN, choose, name_device, run, run_program
from bridge.program import Program
from bridge.runtimes.runtime import NEED_DOTNET, RUNTIMES, runtime
from bridge.torchsharp.in_process.errors import InProcessError

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


def test_the_reason_does_not_list_the_searched_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runs, "start_dotnet", lambda: find_dotnet({}, folders=[tmp_path]))
    monkeypatch.setattr(installation, "DISTRIBUTION", "a-distribution-that-nobody-has")
    left_out = ", ".join(name for name in RUNTIMES if name in NEED_DOTNET)
    reason = "no .NET runtime 8.0 or later was found"
    assert choose().note == f"Left out: {left_out}, which need .NET: {reason}."


@pytest.mark.parametrize("words", ["cannot run in this process", "was not tested in one process with torch 2.13"])
def test_torchsharp_in_this_process_is_left_out_on_another_torch(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """It is absent by its name, and the others run."""

    class Refused:
        def version(self) -> str:
            raise InProcessError(f"TorchSharp 0.107.0 {words}. Use torch 2.10, or others")

    monkeypatch.setattr(runs, "start_dotnet", lambda: None)
    monkeypatch.setattr(runs.process, "title", lambda: "")
    monkeypatch.setattr(runs, "runtime", lambda name: Refused())
    chosen = choose()
    assert chosen.names == tuple(name for name in RUNTIMES if name != "torchsharp-in-process")
    assert chosen.note == f"Left out: torchsharp-in-process, which needs another torch: TorchSharp 0.107.0 {words}."
    assert choose(["torchsharp-in-process"]).names == ("torchsharp-in-process",)
