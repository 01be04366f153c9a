"""``compare --memory``: the table, the module that keeps tensors, and what it does not work with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result

SCHEMA = Path(__file__).resolve().parents[2] / "bridge" / "compare" / "report" / "comparison.schema.json"


def test_the_module_is_named_after_the_verdict(compare: Callable[..., Result]) -> None:
    """The port is right: the exit code is 0."""
    done = compare("Net", "Net", "--memory")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Same: ")
    assert lines[1].split() == ["module", "live", "in", "C#", "kept", "in", "C#", "peak", "in", "C#"]
    assert lines[2].startswith("the root")
    # Without symbols: the method.
    assert any(line.startswith("Memory: block keeps 1 tensor (") for line in lines), done.stdout
    assert "Block.forward" in done.stdout


def test_it_is_in_the_json(compare: Callable[..., Result], tmp_path: Path) -> None:
    done = compare("Net", "Net", "--memory", "--json", str(tmp_path / "out.json"))
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert found["memory"]["first"] == "block"
    assert {module["path"] for module in found["memory"]["dotnet"]} >= {"", "block", "block.conv", "norm"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--dotnet-runtime", "torchsharp"), "--memory works with --python and --dotnet-runtime dotnet only"),
        (("--cases", "2"), "--memory measures one input"),
    ],
)
def test_what_it_does_not_work_with(compare: Callable[..., Result], options: tuple[str, ...], words: str) -> None:
    done = compare("Net", "Net", "--memory", *options)
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
