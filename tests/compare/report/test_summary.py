"""bridge/compare/report/summary.py and bridge/contract/comparison.schema.json: what the commands write as JSON is what the schema says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch
from torch import nn

import bridge
from bridge.compare.errors import InputsError
from bridge.compare.findings import KINDS
from bridge.compare.report import summary
from bridge.compare.run import ModelRaisedError, run
from bridge.compare.run_comparison import compare_runs
from bridge.trace import Trace
from bridge.trace.diff import KINDS as DIFFERENCES

SCHEMA = json.loads((Path(bridge.__file__).parent / "contract" / "comparison.schema.json").read_text(encoding="utf-8"))


class Net(nn.Module):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 1)
        self.norm = nn.BatchNorm2d(1, momentum=0.2 if how == "momentum" else 0.1)
        self.how = how

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.conv(x))
        if self.how == "raise":
            raise ValueError("no")
        return x / 0 if self.how == "infinite" else x + 1 if self.how == "plus" else x


def written(how: str) -> dict[str, Any]:
    models, runs = [], []
    for behavior in ("", how):
        torch.manual_seed(0)
        models.append(Net(behavior))
        try:
            runs.append(run(models[-1], {"x": torch.randn(2, 1, 2, 2)}, train=True, backward=True))
        except ModelRaisedError as error:
            runs.append(error.run)
    right = replace(runs[1], runtime="dotnet", trace=Trace("dotnet", runs[1].trace.events))
    found = compare_runs(*models, runs[0], right, backward=True)
    return json.loads(summary.format_json(summary.comparison_to_json(found)))


@pytest.fixture(scope="module")
def checker() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("how", ["", "momentum", "raise", "infinite", "plus"])
def test_what_is_written_satisfies_the_schema_and_without_a_field_it_does_not(how: str, checker: Any) -> None:
    data = written(how)
    checker.validate(data)
    assert data["format"] == summary.FORMAT == 1
    for name in data:
        assert not checker.is_valid({key: value for key, value in data.items() if key != name}), name


def test_an_error_satisfies_the_schema(checker: Any) -> None:
    data = summary.error_to_json(InputsError("no inputs"))
    checker.validate(data)
    assert not checker.is_valid({"format": 1, "verdict": "could not run"})
    assert not checker.is_valid({**data, "format": 2})


def test_the_schema_knows_every_kind() -> None:
    kinds = SCHEMA["$defs"]["finding"]["properties"]["kind"]["enum"]
    assert kinds == sorted(KINDS)
    assert SCHEMA["$defs"]["difference"]["properties"]["kind"]["enum"] == list(DIFFERENCES)


def test_a_finding_about_a_module_has_its_row() -> None:
    found = written("plus")["findings"]
    assert "values" in {one["kind"] for one in found}
    assert all(one["row"] >= 0 for one in found if one["kind"] in ("values", "buffer", "setting"))
