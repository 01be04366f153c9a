"""diagnosis.mutants: what the C# program plants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from diagnosis.mutants import PROGRAM, mutants
from diagnosis.subjects import HELD_OUT_KINDS, HELD_OUT_MODELS, SUBJECTS, Subject

pytestmark = pytest.mark.sdk

RENAMED = """
using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

public sealed class Renamed : Module<Tensor, Tensor>
{
    [ComponentName(Name = "lm_head")]
    private readonly Linear output;

    public Renamed() : base(nameof(Renamed))
    {
        output = Linear(4, 3, hasBias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var h = functional.relu(x);
        return output.call(h);
    }
}
"""


def test_there_are_many_kinds_and_those_set_aside_are_of_them() -> None:
    sources = "".join(source.read_text(encoding="utf-8") for source in PROGRAM.glob("*.cs"))
    kinds = re.findall(r'^        (?:new|Setting|Kind\.\w+)\("([^"]+)"', sources, re.MULTILINE)
    assert len(kinds) == len({*kinds}) >= 30
    assert {*HELD_OUT_KINDS} < {*kinds}
    assert {*HELD_OUT_MODELS} < {*SUBJECTS}
    assert len(SUBJECTS) >= 8


def test_a_mutant_says_where_it_is_and_what_it_was() -> None:
    subject = SUBJECTS["Tagger"]
    lines = subject.port.read_text(encoding="utf-8").splitlines()
    found = mutants(subject)
    assert len({mutant.id for mutant in found}) == len(found) > 20
    for mutant in found:
        assert mutant.before != mutant.after, mutant
        assert mutant.first <= mutant.line <= mutant.last, mutant
        assert mutant.before in {line.strip() for line in lines}, mutant
        assert mutant.file == "Tagger.cs", mutant
        assert mutant.owner_class == "Tagger", mutant


def test_children_have_the_names_under_which_they_are_registered(tmp_path: Path) -> None:
    """``[ComponentName(Name = "lm_head")] … output``: in both models, and in what compare says, it is ``lm_head``."""
    (tmp_path / "Renamed.cs").write_text(RENAMED, encoding="utf-8")
    found = mutants(Subject("Renamed", "renamed", tmp_path, lambda number: ()))
    children = {child for mutant in found if mutant.owner_class == "Renamed" for child in mutant.children}
    assert "lm_head" in children
    assert "output" not in children


def test_what_was_made_is_kept() -> None:
    first, second = (mutants(SUBJECTS["Tagger"]) for _ in range(2))
    assert first == second
