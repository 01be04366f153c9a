"""hook_contract.conformance.results.files: files that are read as they were written, and that change only with the behavior."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import hook_contract.contract
from hook_contract.conformance.errors import ResultsError
from hook_contract.conformance.judgement import Judgement
from hook_contract.conformance.results.files import dumps, read, read_folder, results_of, write_results
from hook_contract.contract import Contract
from hook_contract.output.errors import OutputError

Judged = Callable[..., Judgement]
RAISED = {"event": "raise", "error": "TypeError", "key": "日本\u2028"}


@pytest.fixture
def mixed(judged: Judged, wrong: Any, row: Any) -> Judgement:
    """Return a judgement of a runtime in two variants, with a failing run and one that a ledger's row explains."""
    traces = {"O-1-b": {"a": [RAISED], "b": []}, "P-1-a": {"": [RAISED]}}
    return judged(wrong(traces), (row(programs=("O-1-b@a",), got=(RAISED,)),))


def write(folder: Path, judgement: Judgement, contract: Contract) -> Path:
    (path,) = write_results(folder, judgement, contract)
    return path


def test_a_result_is_read_as_it_was_written(mixed: Judgement, contract: Contract, tmp_path: Path) -> None:
    path = write(tmp_path, mixed, contract)
    assert path == tmp_path / "wrong@2.0.json"
    found = read(path)
    assert (found,) == results_of(mixed, contract)
    assert (found.runtime, found.version, found.short_version, found.device) == ("wrong", "Wrong 2.0", "2.0", "cpu")
    assert (found.contract, found.pytorch) == ("1.0", "2.13.0")


def test_a_run_has_its_variant_reason_row_and_trace_if_it_differs(mixed: Judgement, contract: Contract) -> None:
    (found,) = results_of(mixed, contract)
    assert found.programs["O-1-a"] == ({"state": "pass"},)
    assert found.programs["O-1-b"] == (
        {"state": "diverges as listed", "variant": "a", "reason": "It differs", "row": "BR-1", "trace": [RAISED]},
        {
            "state": "fail",
            "variant": "b",
            "reason": "differs from PyTorch",
            "trace": [],
        },
    )
    assert found.clauses["O-1"] == {"state": "fail", "passed": 1, "total": 3, "reason": "O-1-b"}


def test_what_a_runtime_lacks_has_a_reason_and_no_trace(judged: Judged, wrong: Any, contract: Contract) -> None:
    (found,) = results_of(judged(wrong(lacks={"hook:pre": "none here"})), contract)
    assert found.programs["O-1-a"] == ({"state": "not applicable", "reason": "hook:pre: none here"},)
    assert found.clauses["O-1"]["state"] == "not applicable"


def test_a_file_has_a_line_for_each_clause_and_program(mixed: Judgement, contract: Contract, tmp_path: Path) -> None:
    lines = write(tmp_path, mixed, contract).read_text(encoding="utf-8").splitlines()
    assert '    "O-1-a": "pass",' in lines
    assert [line.split('"')[1] for line in lines if line.startswith("    ")] == [
        "O-1", "O-2", "P-1", "P-2", "O-1-a", "O-1-b", "O-2-a", "P-1-a",
    ]  # fmt: skip


def test_a_file_depends_on_nothing_that_changes_from_run_to_run(
    mixed: Judgement, contract: Contract, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    first, second = write(tmp_path, mixed, contract), write(tmp_path / "other", mixed, contract)
    assert first.read_bytes() == second.read_bytes()
    assert set(json.loads(first.read_bytes())) == {
        "format", "runtime", "version", "device", "contract", "pytorch", "clauses", "programs",
    }  # fmt: skip


def test_files_fit_the_schema(mixed: Judgement, contract: Contract) -> None:
    schema = json.loads((Path(hook_contract.contract.__file__).parent / "result.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    for result in results_of(mixed, contract):
        jsonschema.validate(json.loads(dumps(result)), schema)
        jsonschema.validate(json.loads(dumps(replace(result, clauses={}, programs={}))), schema)


@pytest.mark.parametrize(
    ("name", "version", "file"),
    [
        ("node", "hooks.js 0.1 on Node 22", "node@0.1.json"),
        ("node", "no number", "node@no-number.json"),
        ("pytorch", "PyTorch 2.13.0+cpu", "pytorch@2.13.0.json"),
        ("torchsharp+bridge", "TorchSharp 0.105.0", "torchsharp+bridge@0.105.0.json"),
        ("../a:b c", "1/2", "..-a-b-c@1.json"),
    ],
)
def test_a_file_is_named_by_its_runtime_and_version(
    judged: Judged, wrong: Any, contract: Contract, tmp_path: Path, name: str, version: str, file: str
) -> None:
    path = write(tmp_path, judged(wrong(name=name, on=version)), contract)
    assert path == tmp_path / file
    assert (read(path).runtime, read(path).version) == (name, version)


def test_other_devices_have_files_of_their_own(judged: Judged, wrong: Any, contract: Contract, tmp_path: Path) -> None:
    paths = write_results(tmp_path, judged(wrong(devices=("cpu", "tpu")), devices=("cpu", "tpu")), contract)
    assert [path.name for path in paths] == ["wrong@2.0.json", "wrong@2.0-tpu.json"]
    assert [result.device for result in read_folder(tmp_path)] == ["cpu", "tpu"]


def test_a_folder_that_is_not_there_is_reported(mixed: Judgement, contract: Contract, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="wrong@2.0.json cannot be written"):
        write_results(tmp_path / "none", mixed, contract)


def test_a_folder_is_read_by_runtime_and_version(
    judged: Judged, wrong: Any, contract: Contract, tmp_path: Path
) -> None:
    versions = ["B 2.10", "B 2.9", "none", "A 2.9.1"]
    for name in ("two", "one"):
        for version in versions:
            write(tmp_path, judged(wrong(name=name, on=version)), contract)
    (tmp_path / "README.md").touch()
    found = [(result.runtime, result.version) for result in read_folder(tmp_path)]
    assert found == [(name, version) for name in ("one", "two") for version in ("none", "B 2.9", "A 2.9.1", "B 2.10")]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="has no results: write some with --results"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("version"), r"at \$: the key 'version' is missing"),
        (lambda data: data.update(format=2), r"at \$\.format: "),
        (lambda data: data.update(runtime=""), r"at \$\.runtime: "),
        (lambda data: data["clauses"]["O-1"].update(state="fine"), r"at \$\.clauses\['?O-1'?\]\.state: "),
        (lambda data: data["clauses"]["O-1"].update(passed=-1), r"O-1'?\]\.passed: "),
        (lambda data: data["programs"].update({"O-1-a": "fail"}), r"O-1-a"),
        (lambda data: data["programs"].update({"O-1-a": []}), r"O-1-a"),
        (lambda data: data["programs"].update({"O-1-a": [{"state": "fail", "trace": ["raise"]}]}), r"O-1-a"),
    ],
)
def test_a_file_that_is_no_result_is_refused(
    mixed: Judgement, contract: Contract, tmp_path: Path, change: Callable[[Any], Any], message: str
) -> None:
    path = write(tmp_path, mixed, contract)
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ResultsError, match=message) as caught:
        read_folder(tmp_path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000, b"[]"])
def test_a_file_that_is_not_json_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text)
    with pytest.raises(ResultsError, match=r"a\.json"):
        read(path)


def test_fields_of_a_later_version_are_ignored(mixed: Judgement, contract: Contract, tmp_path: Path) -> None:
    path = write(tmp_path, mixed, contract)
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "later": 1}), encoding="utf-8")
    assert (read(path),) == results_of(mixed, contract)
