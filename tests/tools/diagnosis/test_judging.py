"""diagnosis.judging: what counts as the place and as the cause of a planted mistake."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bridge.compare.findings import Finding
from diagnosis.judging import is_at_statement, is_explained, is_located, judge
from diagnosis.mutants import Mutant

TREE = {"": "Net", "block": "Block", "block.norm": "BatchNorm2d", "block.act": "ReLU", "head": "Linear"}
EPS = Mutant(
    id="M000",
    kind="eps",
    file="Net.cs",
    line=9,
    first=9,
    last=9,
    owner_class="Block",
    children=["norm"],
    owner=False,
    findings=["setting", "latent"],
    words=[["eps"]],
    before="BatchNorm2d(4)",
    after="BatchNorm2d(4, eps: 1)",
    subject="Net",
    library=Path("Net.dll"),
)
DIM = replace(
    EPS,
    line=21,
    first=20,
    last=22,
    children=[],
    owner=True,
    findings=["operator"],
    words=[["softmax", "_softmax"], ["dim"]],
)


def test_the_place_of_a_setting_is_the_child_that_has_it() -> None:
    assert is_located(EPS, Finding("setting", "block.norm", "norm: eps is 1 in pytorch and 2 in dotnet."), TREE)
    assert not is_located(EPS, Finding("values", "block", "block: result differs."), TREE)
    assert not is_located(EPS, Finding("values", "", "the root: result differs."), TREE)


def test_the_place_of_an_operator_is_the_module_whose_forward_it_is_in_or_its_line() -> None:
    assert is_located(DIM, Finding("operator", "block", "softmax: dim -1 in pytorch, 1 in dotnet."), TREE)
    assert is_located(
        DIM, Finding("operator", "", "softmax: dim -1 in pytorch, 1 in dotnet.", source="src/Net.cs:22"), TREE
    )
    assert is_located(DIM, Finding("between children", "block.act", "the input of block.act differs."), TREE)
    assert not is_located(DIM, Finding("values", "head", "head: result differs."), TREE)


def test_a_line_is_of_one_file() -> None:
    assert is_at_statement(DIM, "Net.cs:20")
    assert not is_at_statement(DIM, "Net.cs:23")
    assert not is_at_statement(DIM, "Other.cs:21")
    assert not is_at_statement(DIM, "Net.cs")


def test_a_cause_is_of_a_sort_that_can_state_it_and_has_a_word_of_each_row() -> None:
    said = "softmax: dim -1 in pytorch, 1 in dotnet."
    assert is_explained(DIM, Finding("operator", "block", said))
    assert not is_explained(DIM, Finding("values", "block", said))
    assert not is_explained(DIM, Finding("operator", "block", "softmax differs."))
    assert not is_explained(DIM, Finding("operator", "block", "log_softmax: dimension -1 in pytorch."))


def test_the_cause_has_to_be_said_in_the_first_lines_and_of_the_right_module() -> None:
    right = Finding("setting", "block.norm", "norm: eps is 1 in pytorch and 2 in dotnet.")
    other = Finding("setting", "head", "head: eps is 1 in pytorch and 2 in dotnet.")
    noise = Finding("values", "head", "head: result differs.")
    assert judge(EPS, [noise, noise, right], TREE) == (True, True)
    assert judge(EPS, [noise, noise, noise, right], TREE) == (False, False)
    assert judge(EPS, [other], TREE) == (False, False)
