"""bridge/trace/file/trace.schema.json: both writers satisfy it, and a removed field fails, whichever it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch

from bridge.clr.find.assemblies import sample
from bridge.trace import Trace
from bridge.trace.file import read, write
from bridge.trace.file.decoder import FIELDS, OPTIONAL
from bridge.trace.file.errors import TraceFileError

from .conftest import HEADER, every_event

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "bridge" / "trace" / "file" / "trace.schema.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="session")
def checker() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def _objects(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def _without_a_field(line: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the line without each of its fields, including those of its values."""
    for name in line:
        yield name, {key: value for key, value in line.items() if key != name}
    for index, value in enumerate(line.get("values", [])):
        for name in value if isinstance(value, dict) else ():
            values = list(line["values"])
            values[index] = {key: content for key, content in value.items() if key != name}
            yield f"values[{index}].{name}", {**line, "values": values}


def test_python_satisfies_the_schema_and_a_removed_field_fails(tmp_path: Path, checker: Any) -> None:
    write(tmp_path / "a.jsonl", Trace("t", every_event(full=True), header=HEADER))
    _satisfied(tmp_path / "a.jsonl", checker, seen=60)


def test_csharp_satisfies_the_schema_and_a_removed_field_fails(dotnet: object, tmp_path: Path, checker: Any) -> None:
    import bridge
    from bridge.runtimes.dotnet import record

    model = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet")
    with record(model, values="digest", file=tmp_path / "a.jsonl"):
        model(torch.ones(1, 3, 12, 12))
    _satisfied(tmp_path / "a.jsonl", checker, seen=300)


def _satisfied(file: Path, checker: Any, seen: int) -> None:
    lines = _objects(file)
    content = file.read_bytes()
    removed = 0
    for line in lines:
        checker.validate(line)
        for name, other in _without_a_field(line):
            assert not checker.is_valid(other), name
            removed += 1
    assert removed > seen
    assert read(file).header is not None
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "post"}, {"seq": -1}, {"seq": "0"}, {"call": -2}, {"hook": 2**31}, {"scope": ""}, {"path": 3}, {"type": None},
        {"values": [{"kind": "?"}]}, {"values": [{"kind": "int", "literal": "1"}]}, {"values": [{"kind": "none", "literal": 1}]},
        {"values": [{"kind": "tensor", "shape": [1.5], "dtype": "f", "device": "cpu", "digest": None, "data": None}]}, {"more": 1},
    ],
)  # fmt: skip
def test_the_schema_and_the_reader_refuse_the_same(tmp_path: Path, checker: Any, change: dict[str, Any]) -> None:
    write(tmp_path / "a.jsonl", Trace("t", every_event(), header=HEADER))
    lines = _objects(tmp_path / "a.jsonl")
    lines[2].update(change)
    assert not checker.is_valid(lines[2])
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8"
    )
    with pytest.raises(TraceFileError) as raised:
        read(tmp_path / "a.jsonl")
    assert raised.value.line == 3
    assert (raised.value.field or "").startswith(next(iter(change)))


def test_schema_and_reader_have_the_same_fields_in_the_same_order() -> None:
    for name in ("header", "event", "footer"):
        assert tuple(SCHEMA["$defs"][name]["properties"]) == FIELDS[name]
        required = tuple(field for field in FIELDS[name] if field not in OPTIONAL)
        assert tuple(SCHEMA["$defs"][name]["required"]) == required
    assert tuple(SCHEMA["$defs"]["value"]["oneOf"][0]["properties"]) == FIELDS["tensor"]
