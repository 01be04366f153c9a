"""diagnosis.planted: what the C# program plants."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnosis.planted import kinds, mutants
from diagnosis.subjects import ASIDE_KINDS, ASIDE_MODELS, SUBJECTS, Subject, named

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
    names = kinds()
    assert len(names) == len({*names}) >= 30
    assert {*ASIDE_KINDS} < {*names}
    assert {*ASIDE_MODELS} < {one.name for one in SUBJECTS}
    assert len(SUBJECTS) >= 8


def test_a_mutant_says_where_it_is_and_what_it_was() -> None:
    subject = named("Tagger")
    lines = subject.source.read_text(encoding="utf-8").splitlines()
    found = mutants([subject])
    assert len({one.id for one in found}) == len(found) > 20
    for one in found:
        assert one.before != one.after, one
        assert one.first <= one.line <= one.last, one
        assert one.before in {line.strip() for line in lines}, one
        assert one.file == "Tagger.cs", one
        assert one.owner_class == "Tagger", one


def test_children_have_the_names_under_which_they_are_registered(tmp_path: Path) -> None:
    """``[ComponentName(Name = "lm_head")] … output``: in both models, and in what compare says, it is ``lm_head``."""
    (tmp_path / "Renamed.cs").write_text(RENAMED, encoding="utf-8")
    found = mutants([Subject("Renamed", "renamed", tmp_path, "", (), lambda number: ())])
    children = {child for one in found if one.owner_class == "Renamed" for child in one.children}
    assert "lm_head" in children
    assert "output" not in children


def test_what_was_made_is_kept() -> None:
    first, second = (mutants([named("Tagger")]) for _ in range(2))
    assert first == second
