"""hook_contract.commands.run: runtimes in processes of their own, judged at the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hook_contract
from hook_contract.cli import main
from hook_contract.conformance.results.files import read
from tests.support.processes import is_running

Run = Callable[..., Result]
FIRST = "O-1-global-pre-before-own"
LEDGER = f"""
[[divergence]]
id = "W-1"
kind = "contract"
runtime = "wrong"
clauses = ["O-1"]
title = "It returns -1"
reason = "It is spoiled."
since = "1.0"
programs = ["{FIRST}"]
expected = [{{event = "return"}}]
got = [{{event = "return", value = -1}}]
"""


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes of runtimes import this package and the files in ``snippets``."""
    package = Path(hook_contract.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(Path(__file__).with_name("snippets")), str(package))))


@pytest.fixture
def run() -> Run:
    """Return a function that runs ``run`` on runtimes of spoiled.py, on the clauses O: ``run("WRONG", "--json", "-")``."""

    def command(name: str, *options: object) -> Result:
        arguments = ["run", "--runtime", f"spoiled:{name}", "--filter", "O-*", *map(str, options)]
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return command


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [
        ("RIGHT", 0, "Conforms: Right 1.2.3."),
        ("WRONG", 1, "Does not conform: Wrong 1.2.3."),
        ("FAULTY", 2, "Not judged, since an adapter failed: Faulty 1.2.3."),
        ("USELESS", 2, "Not judged, since an adapter failed: Useless 1.2.3."),
        ("BOTH", 1, "Does not conform: Both 1.2.3."),
    ],
)
def test_the_exit_code_and_the_verdict(run: Run, name: str, code: int, verdict: str) -> None:
    done = run(name)
    assert (done.exit_code, done.stderr) == (code, "")
    assert verdict in done.stdout


def test_a_fault_of_the_adapter_is_an_error_and_no_failure(run: Run, tmp_path: Path) -> None:
    done = run("FAULTY", "--json", "-", "--results", tmp_path)
    assert done.exit_code == 2
    states = json.loads(done.stdout)["programs"]
    assert states["error"] == 1
    assert states["pass"] > 20
    assert "fail" not in {state for state, count in states.items() if count}
    result = read(tmp_path / "faulty@1.2.3.json")
    reason = "the adapter failed: KeyError: 'no such module' (spoiled.py:23)"
    assert result.programs[FIRST] == ({"state": "error", "reason": reason},)
    assert {clause: cell["state"] for clause, cell in result.clauses.items() if cell["state"] != "pass"} == {
        "O-1": "error"
    }


def test_an_adapter_that_never_works_fails_in_no_clause(run: Run, tmp_path: Path) -> None:
    assert run("USELESS", "--results", tmp_path).exit_code == 2
    result = read(tmp_path / "useless@1.2.3.json")
    assert {cell["state"] for cell in result.clauses.values()} == {"error"}
    assert {item["state"] for items in result.programs.values() for item in items} == {"error"}


def test_what_is_shown_of_a_fault(run: Run) -> None:
    assert (
        f"  {FIRST} on faulty: the adapter failed: KeyError: 'no such module' (spoiled.py:23)\n" in run("FAULTY").stdout
    )


def test_a_ledger_explains_a_difference(run: Run, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.toml"
    ledger.write_text(LEDGER, encoding="utf-8")
    done = run("WRONG", "--ledger", ledger)
    assert done.exit_code == 0
    assert "1 ledger row: 1 pass." in done.stdout
    healed = run("RIGHT", "--ledger", ledger)
    assert healed.exit_code == 0  # a row of another runtime
    other = tmp_path / "other.toml"
    other.write_text(LEDGER.replace('"wrong"', '"right"'), encoding="utf-8")
    assert run("RIGHT", "--ledger", other).exit_code == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[divergence]]\nid = 'A'", "row A lacks kind, runtime, title, reason, since"),
        ("[[divergence", "the ledger is not valid TOML: "),
    ],
)
def test_a_ledger_that_is_not_valid(run: Run, tmp_path: Path, text: str, words: str) -> None:
    ledger = tmp_path / "ledger.toml"
    ledger.write_text(text, encoding="utf-8")
    done = run("RIGHT", "--ledger", ledger)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"cannot run: {ledger}: {words}" in done.stderr


def test_the_limit_of_a_program(run: Run) -> None:
    begun = time.monotonic()
    done = run("HANGING", "--limit", "1")
    assert time.monotonic() - begun < 30
    assert done.exit_code == 2
    assert f"{FIRST} on hanging: no answer within 1 s: the process was ended" in done.stdout
    assert "1 error" in done.stdout


def test_results_are_those_of_a_run_and_equal_in_another(run: Run, tmp_path: Path) -> None:
    texts = []
    for folder in ("a", "b"):
        done = run("WRONG", "--results", tmp_path / folder, "--json", tmp_path / "out.json")
        assert done.exit_code == 1
        assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["passed"] is False
        (file,) = (tmp_path / folder).iterdir()
        texts.append((file.name, file.read_text(encoding="utf-8")))
    assert texts[0] == texts[1]
    assert texts[0][0] == "wrong@1.2.3.json"
    (wrong,) = read(tmp_path / "a" / "wrong@1.2.3.json").programs[FIRST]
    assert wrong["state"] == "fail"
    assert wrong["trace"][-1] == {"event": "return", "value": -1}


def test_several_runtimes(run: Run) -> None:
    done = run("RIGHT", "--runtime", "spoiled:WRONG", "--runtime", "model")
    assert done.exit_code == 1
    assert "Does not conform: Right 1.2.3; Wrong 1.2.3; the model of the contract" in done.stdout


@pytest.mark.parametrize(
    ("runtime", "words"),
    [
        (
            "modle",
            "unknown runtime 'modle': write model, package.module:OBJECT, or a command such as 'node runtime.js'. Did you mean model?",
        ),
        (
            "spoiled:NOTHING",
            "spoiled:NOTHING: cannot be imported: AttributeError: module 'spoiled' has no attribute 'NOTHING'",
        ),
        ("nowhere/adapter --fast", "the command 'nowhere/adapter --fast' cannot be started: "),
    ],
)
def test_a_runtime_that_is_none(runtime: str, words: str) -> None:
    done = CliRunner().invoke(main, ["run", "--runtime", runtime])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"cannot run: {words}")


def test_without_a_runtime() -> None:
    done = CliRunner().invoke(main, ["run"])
    assert done.exit_code == 2
    assert "Missing option '--runtime'" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="SIGINT to another process is POSIX's")
@pytest.mark.parametrize("way", ["object", "command"])
def test_ctrl_c_leaves_no_process(way: str, tmp_path: Path) -> None:
    """Only the suite gets the signal here, and the runtime hangs, so that it would not notice the end of the suite."""
    pid = tmp_path / "pid"
    runtime = "spoiled:HANGING"
    if way == "command":
        runtime = f"{sys.executable} -m hook_contract serve {runtime}"
    with subprocess.Popen(
        [sys.executable, "-m", "hook_contract", "run", "--runtime", runtime, "--filter", FIRST],
        env={**os.environ, "PID": str(pid)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        until = time.monotonic() + 20
        while not (pid.exists() and pid.read_text(encoding="utf-8")):
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout, stderr) == (130, "", "interrupted\n")
    until = time.monotonic() + 5
    while is_running(int(pid.read_text(encoding="utf-8"))):
        assert time.monotonic() < until
        time.sleep(0.05)
