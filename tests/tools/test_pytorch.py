"""docs/pytorch.md: its rows, and the checks behind them, each run with the tool from PyPI."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from packaging.version import Version

from pytorch_tools import environment, page, running
from pytorch_tools.cases import CASES
from pytorch_tools.checks import CHECKS
from pytorch_tools.comparing import differences

ROOT = Path(__file__).resolve().parents[2]
#: Tools that the page must cover, by the names of its checks.
WANTED = [
    "captum_deep_lift",
    "captum_guided_backprop",
    "captum_lrp",
    "grad_cam",
    "torchinfo_summary",
    "torchview_graph",
    "ptflops_complexity",
    "thop_profile",
    "fvcore_counts",
    "peft_lora",
    "torchao_quantize",
    "quantize_dynamic",
    "opacus_training",
    "sync_batch_norm",
    "update_bn",
    "fuse_conv_bn",
    "tensor_parallel",
    "lightning",
    "accelerate_training",
    "transformers_trainer",
    "skorch_net",
    "nnsight_trace",
    "torchlens_trace",
    "compile_inductor",
    "export_program",
    "onnx_dynamo",
    "onnx_older",
    "ddp",
    "fsdp2",
    "fx_symbolic_trace",
    "jit_script",
    "compile_fullgraph",
    "feature_extractor",
    "saved_whole",
]
#: Where a refusal needs no reason of its own.
REFUSING = {"fx_symbolic_trace", "jit_script", "compile_fullgraph", "feature_extractor"}


def test_every_tool_has_a_check_and_only_some_may_refuse() -> None:
    assert set(WANTED) <= set(CHECKS)
    assert {check.name for check in CHECKS.values() if check.refusal} == REFUSING
    assert {model for check in CHECKS.values() for model in check.cases} == set(CASES)


def test_the_page_has_every_check_of_every_model() -> None:
    rows = {(row["check"], row["model"]): row for row in page.read()}
    assert set(rows) == {(check.name, model) for check in CHECKS.values() for model in check.cases}
    text = page.PAGE.read_text(encoding="utf-8")
    pinned = environment.requirements()
    for (name, _), row in rows.items():
        check = CHECKS[name]
        assert f"| {page.described(check)} |" in text
        allowed = {"same", "both refuse"} | ({"refused"} if check.refusal else set())
        assert row["outcome"] in allowed or check.reason
        assert row["outcome"] == "same" or row["text"], f"{row} has no reason"
        if check.distribution != "torch":
            assert Version(row["version"]) == Version(pinned[check.distribution])


@pytest.mark.parametrize(
    ("left", "right", "where"),
    [
        (torch.ones(2), torch.tensor([1.0, 1.5]), "the result: 0.5 apart"),
        ({"a": [1, 2.0]}, {"a": [1, 2.5]}, "['a'][1]: 2.5 instead of 2.0"),
        ({"a": 1}, {"b": 1}, "the result: keys ['b'] instead of ['a']"),
        ((1, 2), (1,), "the result: 1 instead of 2 entries"),
        ("a\nb", "a\nc", "[1]: 'c' instead of 'b'"),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), "the result: float64 [2] instead of float32 [2]"),
        (torch.ones(2), None, "the result: None instead of tensor([1., 1.])"),
    ],
)
def test_differences_are_found(left: Any, right: Any, where: str) -> None:
    assert next(differences(left, right, 0.0)) == where
    assert list(differences(left, left, 0.0)) == []


def test_a_tolerance_and_nan() -> None:
    assert list(differences(torch.ones(2), torch.ones(2) + 1e-6, 1e-5)) == []
    assert list(differences(math.nan, math.nan, 0.0)) == []


@pytest.mark.slow  # installs what it runs, and compiles models
@pytest.mark.dotnet
@pytest.mark.timeout((len(CASES) + 1) * running.DEADLINE)
@pytest.mark.parametrize("name", sorted(CHECKS))
def test_the_tool_says_what_the_page_has(name: str) -> None:
    on_page = {row["model"]: row["outcome"] for row in page.read() if row["check"] == name}
    found = running.rows(CHECKS[name])
    assert {row["model"]: row["outcome"] for row in found} == on_page, found
