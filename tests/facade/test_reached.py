"""A model is refused only for what its construction and call reach; what else is missing is named when its method runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge

pytestmark = pytest.mark.dotnet


@pytest.fixture(scope="module")
def reached(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([Path(__file__).parent / "Reached.cs"], "Reached", against=[reference])


def test_a_static_factory_is_not_refused_for_its_neighbours(reached: Path) -> None:
    assert bridge.load(reached, "Reached.Factories.Plain", 5)(torch.ones(1, 4)).shape == (1, 5)
    with pytest.raises(bridge.DotNetError, match=r"needs .*\n  type Loader \(used by Reached\.Wrapped\)"):
        bridge.load(reached, "Reached.Factories.Scripted", "a.pt")


@pytest.mark.parametrize("name", ["Trained", "Outer", "FitScripted", "OnlyAsks"])
def test_a_class_is_not_refused_for_a_method_that_nothing_calls(reached: Path, name: str) -> None:
    """Nor for lambdas of such a method, which the compiler puts into one class with all others."""
    assert bridge.load(reached, f"Reached.{name}")(torch.ones(1, 4)).shape[0] == 1


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize(("rows", "name"), [(2, r"TorchSharp\.Data\.DataIterator"), (3, r"TorchSharp\.Data\.Loader")])
def test_such_a_method_throws_with_the_missing_name_when_it_runs(
    reached: Path, rows: int, name: str, hooked: bool
) -> None:
    """Also in a child's call that Python makes, because of a hook."""
    model = bridge.load(reached, "Reached.Outer")
    if hooked:
        model.get_submodule("inner").register_forward_hook(lambda *_: None)
    with pytest.raises(bridge.DotNetError, match=rf"Could not load type '{name}'.* Bridge\.Torch, which takes"):
        model(torch.ones(rows, 4))


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("Held", "type Loader (used by Reached.Held)"),
        ("HoldsRows", "type DataIterator (used by Reached.HoldsRows.Holder)"),
        ("StepScripted", "type Loader (used by Reached.StepScripted)"),
        ("ByInterface", "type Loader (used by Reached.Part)"),
        ("ByDelegate", "type Loader (used by Reached.ByDelegate)"),
        ("ByLambda", "type Loader (used by Reached.ByLambda)"),
        ("ByIterator", "type Loader (used by Reached.ByIterator)"),
        ("ByOverload", "type Loader (used by Reached.ByOverload)"),
        ("ByConstructor", "type Loader (used by Reached.ByConstructor)"),
        ("ByStaticField", "type Loader (used by Reached.ByStaticField)"),
        ("ByDispose", "type Loader (used by Reached.ByDispose)"),
        ("ByActivator", "type Loader (used by Reached.Made)"),
        ("ByTypeArgument", "type Loader (used by Reached.Part)"),
    ],
)
def test_what_construction_and_call_may_reach_is_refused(reached: Path, name: str, missing: str) -> None:
    with pytest.raises(bridge.DotNetError) as caught:
        bridge.load(reached, f"Reached.{name}")
    assert f"Reached.{name} needs members of TorchSharp that Bridge.Torch lacks" in str(caught.value)
    assert f"\n  {missing}\n" in str(caught.value)


def test_what_only_uncalled_methods_need_is_a_note(reached: Path) -> None:
    models = {model.name: model for model in bridge.list_models(reached)}
    assert models["Reached.FitScripted"].note == "Fit needs type Loader"
    assert str(models["Reached.FitScripted"]) == "Reached.FitScripted()\n  runs; Fit needs type Loader"
    assert models["Reached.Trained"].runs
    assert "Loaded needs type DataIterator, type Loader" in models["Reached.Trained"].note
    assert "Script needs type Loader" in models["Reached.Trained"].note
    assert models["Reached.Outer"].note == ""
    assert models["Reached.Held"].missing == ("type Loader",)
