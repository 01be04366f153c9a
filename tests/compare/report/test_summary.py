"""bridge/compare/report/summary.py and comparison.schema.json: what the commands write as JSON is what the schema says."""

from __future__ import annotations

import json
from collections.abc import Callable
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
from bridge.compare.result import Comparison
from bridge.trace.diff import KINDS as DIFFERENCES
from hook_contract.output.json_text import format_json

SCHEMA = json.loads(
    (Path(bridge.__file__).parent / "compare" / "report" / "comparison.schema.json").read_text(encoding="utf-8")
)

Written = Callable[[str], dict[str, Any]]


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


@pytest.fixture
def written(compare_models: Callable[..., Comparison]) -> Written:
    """Return a function that compares two nets and returns the JSON."""

    def write(how: str) -> dict[str, Any]:
        models = []
        for behavior in ("", how):
            torch.manual_seed(0)
            models.append(Net(behavior))
        found = compare_models(*models, torch.randn(2, 1, 2, 2), train=True, backward=True)
        data: dict[str, Any] = json.loads(format_json(summary.comparison_to_json(found)))
        return data

    return write


@pytest.fixture(scope="module")
def checker() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("how", ["", "momentum", "raise", "infinite", "plus"])
def test_the_json_satisfies_the_schema_and_needs_every_field(written: Written, how: str, checker: Any) -> None:
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


def test_a_finding_about_a_module_has_its_row(written: Written) -> None:
    found = written("plus")["findings"]
    assert "values" in {finding["kind"] for finding in found}
    assert all(finding["row"] >= 0 for finding in found if finding["kind"] in ("values", "buffer", "setting"))
