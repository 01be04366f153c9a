"""bridge/compare/findings.py: the findings of a comparison, their order, and that all output consists of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.findings import KINDS, Finding, rank_findings, to_sentences
from bridge.compare.report import summary
from bridge.compare.result import Comparison
from hook_contract.output.json_text import format_json

Compared = Callable[..., Comparison]


class Net(nn.Module):
    def __init__(self, how: str = "") -> None:
        super().__init__()
        self.how = how
        self.conv = nn.Conv2d(2, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2, eps=1e-3 if how == "eps" else 1e-5, momentum=0.2 if how == "momentum" else 0.1)
        self.act = nn.Sequential(nn.ReLU())

    def forward(self, x: torch.Tensor) -> Any:
        x = self.norm(self.conv(x))
        if self.how == "raise":
            raise ValueError("no act today")
        x = self.act.forward(x) if self.how == "bypass" else x if self.how == "skip" else self.act(x)
        return x / 0 if self.how == "nan" else x


@pytest.fixture
def compared(compare_models: Compared) -> Compared:
    """Return a function that compares two nets."""

    def compare(how: str, other: str = "", **options: bool) -> Comparison:
        models = []
        for behavior in (other, how):
            torch.manual_seed(0)
            models.append(Net(behavior))
        return compare_models(*models, torch.randn(1, 2, 4, 4), **options)

    return compare


def kinds(found: Comparison) -> list[str]:
    return [finding.kind for finding in found.findings]


def test_equal_models_have_no_findings(compared: Compared) -> None:
    assert compared("").findings == ()


def test_a_setting_comes_before_the_values_that_it_changes(compared: Compared) -> None:
    found = compared("eps")
    assert kinds(found) == ["setting", "values"]
    setting, values = found.findings
    assert setting.path == values.path == "norm"
    assert found.diff.pairs[setting.row][0].path == "norm"
    assert setting.row == values.row


def test_a_setting_that_does_not_show_is_latent(compared: Compared) -> None:
    assert kinds(compared("momentum")) == ["latent"]
    assert kinds(compared("momentum", train=True))[:3] == ["setting", "buffer", "buffer"]


def test_a_bypass_has_the_line_to_write_and_its_row(compared: Compared) -> None:
    found = compared("bypass").findings[0]
    assert (found.kind, found.path) == ("bypass", "act")
    assert found.fix == "act.call(x)"
    assert str(found).endswith(" Write act.call(x).")
    assert found.row >= 0


def test_a_call_that_is_missing(compared: Compared) -> None:
    found = compared("skip")
    assert kinds(found)[0] == "calls"
    assert "missing" in kinds(found)
    assert {finding.path for finding in found.findings if finding.kind in ("calls", "missing")} == {"act", "act.0"}


def test_an_error_comes_first_with_the_innermost_module(compared: Compared) -> None:
    found = compared("raise").findings[0]
    assert (found.kind, found.path) == ("raised", "")
    assert "no act today" in found.message


def test_nothing_to_compare_is_a_finding_and_its_words_are_the_verdicts(compared: Compared) -> None:
    found = compared("nan", "nan")
    assert kinds(found)[0] == "nothing"
    assert found.findings[0].message[1:] in found.verdict
    assert found.findings[0].message not in found.explain()


def test_gradients_and_buffers_are_findings(compared: Compared) -> None:
    found = compared("eps", train=True, backward=True)
    assert kinds(found)[:2] == ["setting", "values"]
    assert "gradient" in kinds(found)
    assert "buffer" in kinds(compared("momentum", train=True))


@pytest.mark.parametrize("how", ["eps", "bypass", "skip", "raise", "momentum", "nan"])
def test_the_words_are_the_findings_and_json_has_them_all(compared: Compared, how: str) -> None:
    found = compared(how, train=True)
    assert found.explain().splitlines() == "\n".join(to_sentences(found.findings)).splitlines()
    data = json.loads(format_json(summary.comparison_to_json(found)))
    assert [(finding["kind"], finding["path"], finding["message"]) for finding in data["findings"]] == [
        (finding.kind, finding.path, finding.message) for finding in found.findings
    ]


def test_findings_are_ranked_by_kind() -> None:
    note, operator = Finding("note", "", "Also."), Finding("operator", "act", "another dim.", "dim: 1", "Net.cs:5")
    assert rank_findings([note, operator, note]) == (operator, note)
    assert str(operator) == "Net.cs:5: another dim. Write dim: 1."


def test_a_kind_is_one_of_the_list_and_is_spelled_out_ten_times() -> None:
    with pytest.raises(ValueError, match="'wrong' is not a kind of finding"):
        Finding("wrong", "", "")
    many = [Finding("gradient", "", f"{number}.") for number in range(12)]
    assert to_sentences(many)[9:] == ["9.", "… and 2 more (gradient)."]
    assert to_sentences(many, all_of_them=True)[9:] == ["9.", "10.", "11."]
    modules = [Finding("gradient", f"layers.{number}", f"layers.{number} differs.") for number in range(12)]
    assert to_sentences(modules)[0].endswith("layers.8 and 3 more.")
    assert to_sentences(modules, all_of_them=True)[0].endswith("layers.8, layers.9, layers.10, layers.11.")
    assert list(KINDS)[-1] == "note"


def test_repeated_findings_come_after_the_causes() -> None:
    crash, again = Finding("raised", "a", "dotnet: a raised."), Finding("raised", "a", "a raises alone too.")
    first, second = (
        Finding("operator", path, f"{path}: relu is missing.", source="Net.cs:7") for path in ("b.0", "b.1")
    )
    call, value = Finding("calls", "c", "c is called once more."), Finding("values", "", "the root differs.")
    found = rank_findings([crash, again, second, value, first, call])
    assert found == (crash, call, second, value, again, first), [str(finding) for finding in found]


def of_layers(count: int, kind: str, message: str, fix: str = "", source: str = "") -> list[Finding]:
    """Return a finding for each of ``count`` layers."""
    return [
        Finding(kind, f"layers.{place}", message.replace("#", f"{place}"), fix.replace("#", f"{place}"), source)
        for place in range(count)
    ]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            of_layers(3, "setting", "Set differently: layers.# (LayerNorm): eps is 1 and 2."),
            ["Set differently: layers.0 (LayerNorm): eps is 1 and 2. The same in layers.1, layers.2."],
        ),
        (
            of_layers(
                11, "operator", "layers.#: softmax: dim 0 and 1; differs by up to #.5 in # of 64 numbers.", "", "A.cs:1"
            ),
            [
                "A.cs:1: layers.0: softmax: dim 0 and 1; differs by up to 0.5 in 0 of 64 numbers. The same in layers.1, layers.2, "
                "layers.3, layers.4, layers.5, layers.6, layers.7, layers.8 and 2 more."
            ],
        ),
        (
            of_layers(2, "bypass", "layers.# was run by forward().", "layers[#].call(x)"),
            ["layers.0 was run by forward(). The same in layers.1. Write layers[0].call(x)."],
        ),
        (
            of_layers(2, "setting", "layers.# (LayerNorm): eps is # and 9."),
            ["layers.0 (LayerNorm): eps is 0 and 9.", "layers.1 (LayerNorm): eps is 1 and 9."],
        ),
        (
            of_layers(2, "alone", "layers.#: its result differs by up to # in 1 of 2 numbers."),
            [f"layers.{place}: its result differs by up to {place} in 1 of 2 numbers." for place in range(2)],
        ),
    ],
    ids=["setting", "operator", "bypass", "other values", "no cause"],
)
def test_the_same_mistake_in_many_layers_is_told_once(found: list[Finding], words: list[str]) -> None:
    assert to_sentences(found) == words


@pytest.mark.parametrize(("how", "told"), [("eps", False), ("nan", True)])
def test_a_tolerance_is_not_told_beside_what_is_proven(compared: Compared, how: str, told: bool) -> None:
    """It is a figure all the same."""
    found = compared(how)
    assert any("olerance" in finding.message for finding in found.findings) == told
    assert "Smallest tolerance that would pass" in found.figures()
