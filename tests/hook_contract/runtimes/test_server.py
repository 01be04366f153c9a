"""hook_contract.runtimes.server: a Python object behind the lines of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hook_contract.conformance.runs import RAN, run_program
from hook_contract.program import corpus
from hook_contract.runtimes.loading import OWN, find_runtime

START = {"do": "start", "format": 1}
_PROGRAM = {"name": "a", "clauses": [], "about": "", "tree": {"kind": "leaf"}, "steps": [{"do": "call", "args": [3]}]}


def _serve(text: str, *requests: Any) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-m", "hook_contract", "serve", text],
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_one_answer_to_each_request() -> None:
    run = {"do": "run", "program": _PROGRAM, "device": "cpu"}
    started, *ran = _serve("broken:LACKING", START, run, run)
    assert started == {
        "format": 1,
        "name": "broken",
        "version": "Broken 1.0",
        "variants": [""],
        "lacks": {"node:leaf": "it has no leaves"},
        "devices": ["cpu"],
    }
    assert (
        ran == [{"traces": {"": [{"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}]}}] * 2
    )


def test_fields_that_are_not_known_are_ignored() -> None:
    run = {"do": "run", "program": {**_PROGRAM, "later": 1}, "device": "cpu", "later": 1}
    assert "traces" in _serve("broken:GOOD", {**START, "later": 1}, run)[1]


def test_an_error_does_not_end_it() -> None:
    broken = {"do": "run", "program": {**_PROGRAM, "about": "break"}, "device": "cpu"}
    _, error, ran = _serve("broken:RAISES", START, broken, {**broken, "program": _PROGRAM})
    assert error == {"error": "ValueError: odd,\nand more (broken.py:29)"}
    assert "traces" in ran


def test_it_ends_with_its_input() -> None:
    assert _serve("broken:GOOD") == []


def test_text_of_any_language(tmp_path: Path, monkeypatch: Any) -> None:
    """Whatever the encoding of the console."""
    (tmp_path / "texts.py").write_text(
        "from broken import Broken, good\nRUNTIME = Broken(good, lacks={'node:leaf': 'ingen löv 葉'})", "utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert find_runtime("texts:RUNTIME").lacks == {"node:leaf": "ingen löv 葉"}


def test_the_traces_are_those_without_a_process_between() -> None:
    model, served = find_runtime("model"), find_runtime(OWN["model"])
    programs = corpus()[::7]
    for program in programs:
        assert list(run_program(served, program)) == list(run_program(model, program)), program.name
    assert any(result.how == RAN for program in programs for result in run_program(model, program))


def test_torch_is_not_imported(tmp_path: Path, monkeypatch: Any) -> None:
    """Neither by the process of the object nor by the one that judges it."""
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")
    code = """
import sys
from hook_contract.cli import main
try:
    main(["run", "--runtime", "hook_contract.runtimes.model.programs:RUNTIME", "--filter", "O-*"])
finally:
    assert "torch" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Conforms: the model of the contract" in done.stdout
