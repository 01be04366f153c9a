"""mutation.scoring: with the real model, in processes of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_SCRIPT = """
import json, sys
sys.path.insert(0, "tools")
from pathlib import Path
from mutation.scoring import DISPATCHER, verdicts
from bridge.program import corpus
old, new, programs = json.load(sys.stdin)
source = Path("bridge/runtimes/model/dispatcher.py").read_text(encoding="utf-8")
assert old in source
chosen = [item for item in corpus() if item.name.startswith(programs)]
(found,) = verdicts([("it", {DISPATCHER: source.replace(old, new)})], chosen)
print(json.dumps([found.name, found.caught, found.how]))
"""


def _verdict(old: str, new: str, programs: str = "O-1") -> list[str | None]:
    command = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=json.dumps([old, new, programs]),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[str | None] = json.loads(done.stdout)
    return found


def test_the_right_model_survives_the_whole_corpus() -> None:
    assert _verdict("", "", "") == ["it", None, ""]


@pytest.mark.parametrize(
    ("new", "how"),
    [
        ("self.owners = (module, EVERYWHERE)", "another trace"),
        ("raise SystemExit(3)", "left by SystemExit"),
        ("import os; os._exit(3)", "the process died"),
        ("module = [module] * (1 << 40)", "another trace"),  # the program raised MemoryError
    ],
)
def test_a_wrong_one_is_caught_whatever_it_does(new: str, how: str) -> None:
    name, caught, found = _verdict("self.owners = (EVERYWHERE, module)", new)
    assert (name, found) == ("it", how)
    assert caught is not None


def test_one_that_does_not_load_is_caught() -> None:
    assert _verdict("EVERYWHERE = Hooked()", "EVERYWHERE = 1 / 0") == [
        "it",
        "",
        "does not even load: ZeroDivisionError",
    ]
