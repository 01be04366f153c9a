"""hook_contract.runtimes.command: what a runtime does wrong in its process is an error with a reason, and never its difference."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_contract.conformance.runs import BROKE, RAN, RunResult, run_program
from hook_contract.program import Program
from hook_contract.runtimes import command
from hook_contract.runtimes.command import CommandRuntime
from hook_contract.runtimes.errors import AdapterError
from hook_contract.runtimes.loading import find_runtime
from tests.support.processes import is_running

Find = Callable[..., CommandRuntime]
Make = Callable[[str], Program]
WAYS = pytest.mark.parametrize("way", ["object", "command"])
POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")

_ENDED = "the process ended with {} instead of an answer"
_INVALID = "the answer '{}' is not valid: at {}"
#: By runtime: the message for the object, and that for the command, "" if it is the same.
MESSAGES = {
    "RAISES": (
        "the adapter failed: ValueError: odd, and more (broken.py:29)",
        "the adapter failed: ValueError: odd, and more",
    ),
    "HANGS": ("no answer within 1 s: the process was ended", ""),
    "EXITS": (_ENDED.format("exit code 7"), ""),
    "LEAVES": (f"{_ENDED.format('exit code 3')}. Its last 2 lines of standard error: no license | bye", ""),
    "NONE": (
        "the adapter failed: run returned NoneType, not a dict with a trace for each variant",
        _INVALID.format('{"traces": null}', "traces: None is not an object."),
    ),
    "A_LIST": (
        "the adapter failed: run returned list, not a dict with a trace for each variant",
        _INVALID.format('{"traces": [{"event": "return"}]}', "traces: [{'event': 'return'}] is not an object."),
    ),
    "NOTHING": (_INVALID.format('{"traces": {}}', "traces: {} should be non-empty"), ""),
    "NO_TRACE": (
        "the adapter failed: the variant '' has NoneType, not a list of events",
        _INVALID.format('{"traces": {"": null}}', "traces['']: None is not a list."),
    ),
    "A_TEXT": (
        "the adapter failed: the variant '' has str, not a list of events",
        _INVALID.format('{"traces": {"": "enter"}}', "traces['']: 'enter' is not a list."),
    ),
    "NO_EVENTS": (_INVALID.format('{"traces": {"": [3]}}', "traces[''][0]: 3 is not an object."), ""),
    "NAMELESS": (
        _INVALID.format('{"traces": {"": [{"hook": "a"}]}}', "traces[''][0]: the key 'event' is missing."),
        "",
    ),
    "UNKNOWN_VARIANT": ("a trace of the variant 'fast', which is not one of ''", ""),
}


def _run(runtime: CommandRuntime, program: Program) -> RunResult:
    (result,) = run_program(runtime, program)
    return result


@WAYS
@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_wrong_is_said_and_the_next_program_runs(find: Find, program: Make, name: str, way: str) -> None:
    runtime = find(name, way, limit=1 if name == "HANGS" else 20)
    result = _run(runtime, program("break"))
    assert (result.how, result.reason) == (BROKE, MESSAGES[name][way == "command"] or MESSAGES[name][0])
    after = _run(runtime, program("good"))
    assert (after.how, after.reason) == (RAN, "")
    assert after.events == program("good").expect


@POSIX
@WAYS
def test_a_signal_is_named(find: Find, program: Make, way: str) -> None:
    assert _run(find("KILLED", way), program("break")).reason == _ENDED.format("signal 9 (SIGKILL)")


def test_a_trace_that_is_not_json(find: Find, program: Make) -> None:
    reason = "the adapter failed: the answer is not JSON: Object of type set is not JSON serializable"
    assert _run(find("NO_JSON", "object"), program("break")).reason == reason


@WAYS
def test_an_event_that_no_trace_has_is_a_difference(find: Find, program: Make, way: str) -> None:
    result = _run(find("UNKNOWN_EVENT", way), program("break"))
    assert (result.how, result.events) == (RAN, ({"event": "begin"},))


def test_what_an_object_prints_does_no_harm(find: Find, program: Make) -> None:
    for name in ("PRINTS", "PRINTS_JSON", "READS"):
        result = _run(find(name, "object"), program("break"))
        assert (result.how, result.reason) == (RAN, ""), name


def test_what_a_command_prints_is_an_answer(find: Find, program: Make) -> None:
    assert _run(find("PRINTS", "command"), program("break")).reason == "the answer 'garbage' is not a line of JSON"


def test_a_line_that_answers_no_request(find: Find, program: Make) -> None:
    """Else it would be taken for the next program's trace."""
    runtime = find("PRINTS_JSON", "command")
    assert _run(runtime, program("break")).how == RAN
    while runtime._process._answers.empty():
        time.sleep(0.01)
    result = _run(runtime, program("good"))
    assert (result.how, result.reason) == (BROKE, """the line '{"traces": {"": []}}' answers no request""")
    assert _run(runtime, program("good")).how == RAN


@WAYS
def test_an_answer_that_the_process_did_not_finish(find: Find, program: Make, way: str) -> None:
    if way == "command":  # an object's own output is apart from its answers
        assert _run(find("HALF", way), program("break")).reason == _ENDED.format("exit code 1")
    else:
        reason = f"""{_ENDED.format("exit code 1")}. Its last 1 line of standard error: {{"traces":"""
        assert _run(find("HALF", way), program("break")).reason == reason


def test_an_answer_without_end(program: Make, script: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_LONGEST", 60)
    runtime = find_runtime(script(f"{_STARTED}\nwhile True: print('x', end='')"))
    assert isinstance(runtime, CommandRuntime)
    assert _run(runtime, program("good")).reason == f"the answer '{'x' * 60}' is longer than 60 characters"


#: Answers the first request, and reads the second.
_STARTED = """
import json
input()
print(json.dumps(dict(format=1, name='a', version='A 1')), flush=True)
asked = json.loads(input())"""


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes Python code to a file and returns the command that runs it."""

    def write(code: str) -> str:
        path = tmp_path / "adapter.py"
        path.write_text(code, encoding="utf-8")
        return f'"{sys.executable}" "{path}"'

    return write


@WAYS
def test_after_three_failures_the_process_is_not_started_again(
    find: Find, program: Make, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    runtime = find("EXITS", way)
    reasons = [_run(runtime, program("break")).reason for _ in range(5)]
    title = "broken:EXITS" if way == "object" else runtime._title
    assert reasons == [_ENDED.format("exit code 7")] * 3 + [f"not run: {title} failed 3 times in succession"] * 2
    assert _run(runtime, program("good")).how == BROKE


@WAYS
def test_three_failures_with_a_success_between(find: Find, program: Make, way: str) -> None:
    runtime = find("EXITS", way)
    for about in ("break", "break", "good", "break", "break", "good"):
        assert _run(runtime, program(about)).how == (BROKE if about == "break" else RAN)


@WAYS
def test_a_crash_ends_in_a_new_process(
    find: Find, program: Make, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    runtime = find("EXITS", way)
    for about in ("good", "good", "break", "good"):
        _run(runtime, program(about))
    first, second, third = _pids(tmp_path / "pids")
    assert first == second != third
    assert not is_running(first)
    runtime.close()
    assert not is_running(third)


@WAYS
@pytest.mark.parametrize("name", ["HANGS", "CLINGS"])
def test_a_process_that_hangs_is_ended(
    find: Find, program: Make, name: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    begun = time.monotonic()
    assert _run(find(name, way, limit=1), program("break")).reason == MESSAGES["HANGS"][0]
    assert time.monotonic() - begun < 10
    (pid,) = _pids(tmp_path / "pids")
    assert not is_running(pid)


@POSIX
def test_processes_that_a_command_starts_end_with_it(
    find: Find, program: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    runtime = find_runtime(f"sh -c '{sys.executable} {Path(__file__).parent}/snippets/broken.py HANGS; exit'", 1)
    assert isinstance(runtime, CommandRuntime)
    assert _run(runtime, program("break")).reason == MESSAGES["HANGS"][0]
    (pid,) = _pids(tmp_path / "pids")
    _wait_for(lambda: not is_running(pid))


def _pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@WAYS
@pytest.mark.parametrize("name", ["GOOD", "HANGS"])
def test_python_ends_with_its_runtimes(name: str, way: str, tmp_path: Path) -> None:
    """Without ``close``, and also while a program has run too long."""
    code = f"""
from hook_contract.program import parse
from hook_contract.runtimes.loading import find_runtime
from hook_contract.conformance.runs import run_program
runtimes = [find_runtime({_text(name, way)!r}, 1) for _ in range(2)]
program = parse({{"name": "a", "clauses": [], "about": "break", "tree": {{"kind": "leaf"}}, "steps": [{{"do": "call"}}]}})
print([result.how for runtime in runtimes for result in run_program(runtime, program)])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PIDS": str(tmp_path / "pids")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    how = "ran" if name == "GOOD" else "broke"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"['{how}', '{how}']\n", "")
    assert not any(map(is_running, _pids(tmp_path / "pids")))


def _text(name: str, way: str) -> str:
    return (
        f"broken:{name}"
        if way == "object"
        else f'"{sys.executable}" "{Path(__file__).parent}/snippets/broken.py" {name}'
    )


def test_a_runtime_that_is_dropped_ends_its_process(
    find: Find, program: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    runtime = find_runtime("broken:GOOD")
    _run(runtime, program("good"))
    del runtime
    assert not any(map(is_running, _pids(tmp_path / "pids")))


#: By the code of a command: what is wrong at its start.
STARTS = {
    "": "the process ended with exit code 0 instead of an answer",
    "raise SystemExit('no')": "the process ended with exit code 1 instead of an answer. Its last 1 line of standard error: no",
    "print('Welcome!')": "the answer 'Welcome!' is not a line of JSON",
    "print('[' * 100_000)": f"the answer '{'[' * 199}…' is not a line of JSON",
    "print('[1]')": "the answer '[1]' is not valid: at the top: [1] is not an object.",
    "print('{}')": "the answer '{}' is not valid: at the top: the key 'format' is missing.",
    'print(\'{"format": 2, "name": "a", "version": "1"}\')': "at format: 1 was expected",
    'print(\'{"error": "no\\\\n device"}\')': "no device",
    'print(\'{"error": ""}\')': "at error: '' should be non-empty",
}


@pytest.mark.parametrize("code", STARTS)
def test_what_is_wrong_at_the_start_is_raised(code: str, script: Callable[[str], str]) -> None:
    text = script(code)
    with pytest.raises(AdapterError) as caught:
        find_runtime(text)
    assert str(caught.value).startswith(f"{text}: ")
    assert str(caught.value).endswith(STARTS[code])


def test_a_command_that_hangs_at_the_start(script: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "START_LIMIT", 0.5)
    text = script("import time; time.sleep(60)")
    with pytest.raises(AdapterError, match="no answer within 0.5 s: the process was ended$"):
        find_runtime(text)


@pytest.mark.parametrize("text", ["nowhere/adapter", "command no-such-adapter", "no-such-adapter --fast"])
def test_a_command_that_does_not_exist(text: str) -> None:
    with pytest.raises(AdapterError) as caught:
        find_runtime(text)
    assert str(caught.value).startswith(f"the command '{text}' cannot be started: ")
    if os.name == "posix":
        assert str(caught.value).endswith("No such file or directory")


def test_an_expected_trace_is_not_sent(program: Make, script: Callable[[str], str]) -> None:
    echo = "print(json.dumps(dict(error=' '.join(sorted(asked['program'])))), flush=True)"
    runtime = find_runtime(script(f"{_STARTED}\n{echo}\ninput()"))
    assert isinstance(runtime, CommandRuntime)
    assert _run(runtime, program("good")).reason == "the adapter failed: about clauses name steps tree"
