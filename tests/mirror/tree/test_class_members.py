"""What a C# class declares, as Python sees it: its fields and properties, its documentation, the signature of ``forward``."""

from __future__ import annotations

import copy
import inspect
import pydoc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.clr.compile.projects import build_project
from bridge.clr.find import assemblies

Load = Callable[..., bridge.Mirror]
X = torch.ones(2)


def test_fields_and_properties_are_read(load: Load) -> None:
    model: Any = load("Declared")
    assert (model.hidden, model.rate, model.day, model.pair, model.sizes) == (8, 0.5, "Monday", (1, 2.0), (1, 2))
    assert (model.maybe, model.Label, model.Twice, model.Once) == (None, "label", 16, True)
    assert {"hidden", "Label", "Twice"} <= set(dir(model))
    for name in ("Constant", "Static", "anything", "secret"):
        assert not hasattr(model, name)
    with pytest.raises(KeyError, match="no"):
        _ = model.Throws
    # PyTorch's own attributes keep their meaning.
    assert callable(model.type)


def test_what_is_written_is_csharps(load: Load) -> None:
    model: Any = load("Declared")
    model.rate = 2
    model.day = "Friday"
    model.sizes = [3]
    model.pair = (5, 0.25)
    model.maybe = 7
    model.Label = "other"
    model.Positive = 3
    y, sizes = model(X)
    assert torch.equal(y, X * 2 + 2 + 5)
    assert sizes == [8, 3]
    assert (model.day, model.pair, model.maybe, model.Label, model.Positive) == ("Friday", (5, 0.25), 7, "other", 3)
    assert "rate" not in vars(model)
    copied: Any = copy.deepcopy(model)
    model.rate = 9
    assert copied.rate == 2


def test_what_cannot_be_written_is_refused(load: Load) -> None:
    model: Any = load("Declared")
    for name in ("hidden", "Twice", "Once"):
        with pytest.raises(AttributeError, match=f"C# declares '{name}' of Declared as read-only"):
            setattr(model, name, 3)
    with pytest.raises(TypeError, match="'rate' of Declared: string was given where C# declares double"):
        model.rate = "fast"
    with pytest.raises(ValueError, match="'day' of Declared: .*Sunday, Monday"):
        model.day = "Someday"
    with pytest.raises(TypeError, match="'rate' of Declared: cannot pass a set to .NET"):
        model.rate = {1}
    with pytest.raises(ValueError, match="must be positive"):
        model.Positive = -1
    with pytest.raises(TypeError, match="does not support item assignment"):
        model.sizes[0] = 3
    with pytest.raises(AttributeError, match="C# declares 'rate' of Declared"):
        del model.rate
    assert model.rate == 0.5


def test_what_is_inherited(load: Load) -> None:
    model: Any = load("DeclaredBelow")
    model.more = False
    model.rate = 3
    assert (model.hidden, model.rate, model.more) == (8, 3, False)


def test_the_signature(load: Load) -> None:
    model = load("Declared")
    signature = inspect.signature(model.forward)
    assert [
        (parameter.name, parameter.annotation, parameter.default) for parameter in signature.parameters.values()
    ] == [
        ("input", torch.Tensor, inspect.Parameter.empty),
        ("times", int, 2),
        ("plus", float, 0.5),
        ("text", str | None, None),
    ]
    assert signature.return_annotation == tuple[torch.Tensor, list[int]]
    assert "self" in inspect.signature(type(model).forward).parameters
    assert torch.equal(model.forward(X, plus=1, times=3)[0], X * 3 + 0.5 + 1)
    other = inspect.signature(load("Six").forward)
    assert list(other.parameters) == ["x", "integer", "real", "truth", "text", "extra"]
    assert other.parameters["extra"].annotation == torch.Tensor | None
    # A name that Python reserves leaves Python's own signature.
    assert list(inspect.signature(load("Undocumented").forward).parameters) == ["args", "kwargs"]


def test_the_signature_names_classes_of_csharp(load: Load) -> None:
    signature = inspect.signature(load("TakesOwn").forward)
    assert str(signature) == (
        "(x: torch.Tensor, options: Models.DescribedInHelp.Options | None = None, day: str = Ellipsis, "
        "map: dict[str, torch.Tensor] | None = None) -> Models.DescribedInHelp.Options"
    )


def test_help_lists_constructors_and_overloads(load: Load) -> None:
    """As C# writes them; a private constructor is none that Python can call."""
    model = load("DescribedInHelp", 4)
    text = pydoc.render_doc(model, renderer=pydoc.plaintext)
    assert (
        'bridge.load("Models.dll", "Models.DescribedInHelp", …) calls a C# constructor:\n'
        " |      DescribedInHelp(int width, double rate = 0.1, Tensor? start = null)\n"
        " |      DescribedInHelp()\n"
    ) in text
    assert "forward(self, x: torch.Tensor) -> torch.Tensor" in text
    assert (
        "Overloads in C#:\n"
        " |          Tensor forward(Tensor x)\n"
        " |          Tensor forward(Tensor x, DescribedInHelp.Options options, List<(int, string)>? pairs = null)\n"
    ) in text
    assert "Overloads" not in (inspect.getdoc(load("Declared").forward) or "")


def test_the_text_of_a_module(load: Load) -> None:
    """It shows what only a constructor sets, like PyTorch's layers; no code of the class runs."""
    assert repr(load("DescribedInHelp", 4, 0.5)) == "DescribedInHelp(width=4, Rate=0.5, Sizes=(1, 2))"
    assert repr(load("TwoInTwoOut")).startswith("TwoInTwoOut(\n  (left): Linear(")


_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
</Project>
"""


@pytest.mark.sdk
@pytest.mark.parametrize("single", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_documentation(sdk: object, tmp_path: Path, single: bool) -> None:
    """A project and a file are built with theirs, which makes no warning an error."""
    source = (
        (Path(__file__).parents[1] / "Declared.cs").read_text(encoding="utf-8").replace('; see <see cref="Pair"/>', "")
    )
    (tmp_path / "Net.cs").write_text(source, encoding="utf-8")
    (tmp_path / "Net.csproj").write_text(_PROJECT, encoding="utf-8")
    file = tmp_path / ("Net.cs" if single else "Net.csproj")
    library = build_project(file, assemblies.folder()[0])
    model: Any = bridge.load(library, "Models.Declared")
    assert inspect.getdoc(type(model)) == (
        "A net with hidden units.\n\nIt adds a number.\n\n"
        f'bridge.load("{library.name}", "Models.Declared", …) calls a C# constructor:\n    Declared()'
    )
    assert inspect.getdoc(model.forward) == (
        "Multiplies and adds.\n\n"
        "Args:\n    input: Of any shape.\n    times: How often, at most plus times.\n    plus: What is added.\n    text: Nothing.\n\n"
        "Returns:\n    The result, and sizes."
    )
    assert inspect.getdoc(type(model).Label) == "The name."
    below = bridge.load(library, "Models.DeclaredBelow")
    assert (inspect.getdoc(type(below)) or "").startswith("Derives.\n\nbridge.load(")
    assert inspect.getdoc(below.forward) == inspect.getdoc(model.forward)
    assert "Undocumented" in (inspect.getdoc(type(bridge.load(library, "Models.Undocumented"))) or "")
