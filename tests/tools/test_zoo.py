"""tools/zoo.py: a table of ported models, here small ones in files, made by the whole command's parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory and time are set by the module resource, POSIX's")

import zoo
from zoo_models import samples, timm, torchvision
from zoo_models.folders.kernelbench import KernelBench
from zoo_work.limits import Limits
from zoo_work.results import Result

MODELS = {
    "Same": "self.linear(x) * 2",
    "Left": "torch.from_numpy(self.linear(x).numpy())",
    "Fails": "self.linear(x).no_method()",
    "Large": "torch.from_numpy(torch.ones(1 << len(x), dtype=torch.uint8)[:8].numpy())",
}
SETTINGS = zoo.Settings(30.0, Limits(60, 8 << 30))
FILE = """\
from functools import partial
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(4, size)

    def forward(self, x):
        return {forward}

batch_size = {batch}

def get_inputs():
    return [torch.rand(batch_size, 4)]

def get_init_inputs():
    return [3]
"""


@pytest.fixture
def source(tmp_path: Path) -> KernelBench:
    for name, forward in MODELS.items():
        text = FILE.format(forward=forward, batch=35 if name == "Large" else 2)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "Refused.py").write_text(
        FILE.format(forward="x", batch=2) + "Model = partial(nn.Linear, 4)\n", encoding="utf-8"
    )
    return KernelBench(tmp_path)


def _ported(source: KernelBench, kept: Mapping[str, Result], *names: str) -> list[Result]:
    found = list(source.files())
    asked = [next(model for model in found if model.endswith(f"_{name}")) for name in names]
    return list(zoo.ported(asked, source, kept, SETTINGS, None))


@pytest.mark.slow
def test_what_is_left_or_refused_or_does_not_run_is_said_without_building_anything(source: KernelBench) -> None:
    left, refused, fails = _ported(source, {}, "Left", "Refused", "Fails")
    assert (left.verdict, refused.verdict, fails.verdict) == ("left", "refused", "not eager")
    assert "numpy" in left.said
    assert "no_method" in fails.said


@pytest.mark.slow
def test_inputs_are_made_smaller_where_memory_does_not_do(source: KernelBench) -> None:
    (large,) = _ported(source, {}, "Large")
    assert (large.verdict, large.sizes) == ("left", 1 << 30)


@pytest.mark.slow
def test_a_model_whose_text_and_whose_port_are_known_is_not_run_again(source: KernelBench) -> None:
    (left,) = _ported(source, {}, "Left")
    marked = replace(left, seconds=-1.0)
    assert _ported(source, {left.model: marked}, "Left") == [marked]
    assert _ported(source, {left.model: replace(marked, asked="other text")}, "Left")[0].seconds > 0


def test_the_models_of_torchvision_are_as_many_as_the_issue_counts() -> None:
    assert len(torchvision.FAMILIES) >= 20
    assert {name.split("_")[0] for name in torchvision.SEGMENTATION} == {"deeplabv3", "fcn", "lraspp"}
    assert len(timm.SETS["timm"]()) == 25
    assert {name.partition("_")[0] for name in samples.SETS["samples"]()} == {"samples", "facenet"}
    assert not set(timm.SETS["timm"]()) & {*torchvision.FAMILIES, *torchvision.SEGMENTATION}


@pytest.mark.dotnet
@pytest.mark.slow
def test_a_model_is_written_built_and_compared_once(source: KernelBench) -> None:
    (same,) = _ported(source, {}, "Same")
    assert (same.verdict, same.difference, same.left, same.source) == ("Same", 0.0, 0, 1), same.why
    assert same.shapes >= 2
    unchanged = replace(same, asked="other text", seconds=-1.0)
    assert _ported(source, {same.model: unchanged}, "Same") == [replace(unchanged, asked=same.asked)]
    changed = replace(unchanged, digest="of other C#")
    assert _ported(source, {same.model: changed}, "Same")[0].seconds > 0
