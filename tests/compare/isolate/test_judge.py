"""Each module is judged by itself: an early fault hides no later one, and what is around a fault is not blamed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

import bridge
from bridge.compare import comparison
from bridge.compare.findings import Finding
from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison

pytestmark = pytest.mark.dotnet
Judge = Callable[..., Comparison]


def of(found: Comparison, *kinds: str) -> list[Finding]:
    return [one for one in found.findings if one.kind in kinds]


ALONE = ("between children", "alone", "operator", "setting", "raised", "in place")


def test_an_early_difference_hides_no_late_one(judge: Judge) -> None:
    found = of(judge("Late", (4, 4), "both"), "between children", "operator")
    assert [one.path for one in found] == ["", ""]
    assert "the input of b differs by up to" in found[0].message
    assert "equal up to the result of a" in found[0].message
    assert "the input of d differs by up to" in found[1].message
    assert "equal up to the result of c" in found[1].message


@pytest.mark.parametrize("name", ["Late", "Residual", "Recurrent", "Several"])
@pytest.mark.parametrize("train", [False, True])
def test_of_a_right_port_nothing_is_said(judge: Judge, name: str, train: bool) -> None:
    shapes = {"Late": (4, 4), "Residual": (2, 3, 5, 5), "Recurrent": (2, 3, 4), "Several": (2, 4)}
    found = judge(name, shapes[name], train=train, backward=True, lockstep=True)
    assert found.same
    assert found.found == ()


@pytest.mark.parametrize(
    ("how", "train", "path", "name"),
    [
        ("eps", False, "norm", "eps"),
        ("mode", False, "conv", "padding_mode"),
        ("p", True, "drop", "p"),
        ("momentum", True, "norm", "momentum"),
    ],
)
def test_a_setting_that_explains_a_leaf_is_named(judge: Judge, how: str, train: bool, path: str, name: str) -> None:
    found = judge("Residual", (2, 3, 5, 5), how, train=train)
    first = found.findings[0]
    assert (first.kind, first.path) == ("setting", path)
    assert f"{name} is" in first.message
    assert of(found, "between children", "alone", "raised") == []


@pytest.mark.parametrize(("how", "train"), [("eps", False), ("mode", False), ("p", True), ("momentum", True)])
def test_without_a_run_of_modules_alone_a_setting_is_proven_by_a_run_of_the_model(
    judge: Judge, how: str, train: bool
) -> None:
    """C#'s model runs with PyTorch's value of it."""
    found = judge("Residual", (2, 3, 5, 5), how, train=train, lockstep=False)
    assert found.found == ()
    assert found.findings[0].kind == "setting"
    assert found.findings[0].message.startswith("Set differently: ")


def test_a_module_that_raises_is_named_with_what_went_before(judge: Judge) -> None:
    found = of(judge("Residual", (2, 3, 5, 5), "throw"), "raised")
    assert "no good today" in found[0].message
    assert found[-1].message == (
        "the root (Residual): in isolation, with the inputs of pytorch, it raises too, equal up to the result of drop."
    )


def test_what_raises_behind_another_call_is_not_said_to_run_alone(judge: Judge) -> None:
    found = of(judge("Dropping", (2, 4), "throw"), "raised", "calls")
    assert "no good today" in found[0].message
    assert any("drop is not called in dotnet" in one.message for one in found)
    assert not any("does not raise in isolation" in one.message for one in found)


def test_what_gives_no_gradient_in_either_is_no_cause(judge: Judge) -> None:
    """PyTorch detaches what C# makes under no_grad; the mistake is behind it."""
    assert judge("Stopped", (3, 4), train=True, backward=True).same
    found = judge("Stopped", (3, 4), "detached", train=True, backward=True).found
    assert ["no_grad" in one.message for one in found] == [False]
    assert ": detach in dotnet, not in pytorch" in found[0].message


def test_a_setting_in_a_list_of_modules_is_the_only_thing_said(judge: Judge) -> None:
    found = judge("Several", (2, 4), "silu")
    assert [(one.kind, one.path) for one in found.found] == [("setting", "layers.1.act")]


@pytest.mark.parametrize(
    ("name", "shape", "how", "words"),
    [
        ("Residual", (2, 3, 5, 5), "missing", "the input of act differs"),
        ("Residual", (2, 3, 5, 5), "twice", "the input of act differs"),
        ("Recurrent", (2, 3, 4), "first", "the input of head differs"),
        ("Recurrent", (2, 3, 4), "cell", "the input of head differs"),
        ("Several", (2, 4), "third", "the input of again differs"),
        ("Several", (2, 4), "body", "the input of head differs"),
    ],
)
def test_code_between_children_is_named(judge: Judge, name: str, shape: tuple[int, ...], how: str, words: str) -> None:
    found = judge(name, shape, how)
    assert [one.path for one in found.found] == [""]
    assert words in found.found[0].message


@pytest.mark.parametrize(
    ("name", "shape", "how"), [("Several", (2, 4), "bypassed"), ("Residual", (2, 3, 5, 5), "bypass")]
)
def test_a_bypass_is_no_fault_of_values(judge: Judge, name: str, shape: tuple[int, ...], how: str) -> None:
    found = judge(name, shape, how)
    assert found.found == ()
    assert of(found, "bypass")


def test_a_call_too_few_is_found_where_it_lacks(judge: Judge) -> None:
    found = judge("Several", (2, 4), "once")
    assert of(found, *ALONE, "calls")


def test_an_argument_that_is_changed_in_place_is_noticed(judge: Judge) -> None:
    found = judge("Writing", (2, 4), True)
    first = found.findings[0]
    assert (first.kind, first.path) == ("in place", "inner")
    assert "changes its argument in place in dotnet, not in pytorch" in first.message


@pytest.mark.parametrize(
    ("how", "words", "text"),
    [
        ("detached", "detach in dotnet, not in pytorch", "x.detach()"),
        ("no_grad", "no_grad in dotnet, not in pytorch", "sum = y + x"),
    ],
)
def test_a_gradient_that_is_cut_is_named_with_its_place(judge: Judge, how: str, words: str, text: str) -> None:
    found = of(judge("Residual", (2, 3, 5, 5), how, train=True, backward=True), "operator")
    assert [one.path for one in found] == [""]
    assert words in found[0].message
    lines = (Path(__file__).parent / "Faults.cs").read_text(encoding="utf-8").splitlines()
    assert found[0].source == f"Faults.cs:{next(number for number, line in enumerate(lines, 1) if text in line)}"


def test_both_models_are_left_as_they_were(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers, gradients, modes and the random state, as a comparison without it leaves them."""
    states = []
    for lockstep in (False, True):
        kept = {}
        real = comparison.compare_runs

        def laid(python: torch.nn.Module, dotnet: torch.nn.Module, *rest: object, **options: object) -> object:
            kept["models"] = (python, dotnet)
            return real(python, dotnet, *rest, **options)  # type: ignore[arg-type]  # passed on

        monkeypatch.setattr(comparison, "compare_runs", laid)
        judge("Residual", (2, 3, 5, 5), "eps", train=True, backward=True, lockstep=lockstep)
        monkeypatch.undo()
        models = kept["models"]
        assert not any("forward" in vars(module) for model in models for module in model.modules())
        states.append(
            [
                torch.get_rng_state(),
                *(buffer.clone() for model in models for buffer in model.buffers()),
                *(one.grad.clone() for model in models for one in model.parameters()),
            ]
        )
    assert all(torch.equal(one, other) for one, other in zip(*states, strict=True))


def test_every_call_of_a_module_is_judged(judge: Judge) -> None:
    """It is called twelve times, and does something else from the tenth on."""
    inputs = Inputs((torch.ones(4),))
    assert judge("Growing", (4,), inputs=inputs, lockstep=True).found == ()
    first = judge("Growing", (4,), 1000.0, inputs=inputs).findings[0]
    assert (first.kind, first.path) == ("operator", "step")
    assert "clamp_max: max 100000 in pytorch, 1000 in dotnet" in first.message


def test_what_does_not_fit_is_judged_in_rounds(faults: Path, originals: ModuleType) -> None:
    """By as many runs of PyTorch as it takes; a module whose own values are too many is said to be left out."""
    python = originals.Several()
    dotnet = bridge.load(faults, "Faults.Several", "silu")
    share("python", python, dotnet)
    found = [
        judge_modules(
            python, dotnet, {"x": torch.randn(2, 4)}, {}, settings=(), names=("pytorch", "dotnet"),
            tolerances=lambda _: (0.0, 0.0), budget=budget,
        )
        for budget in (1 << 20, 400, 150)
    ]  # fmt: skip
    assert found[0].rounds == 1 < found[1].rounds < found[2].rounds
    assert [[fault.path for fault in one.findings] for one in found] == [["layers.1.act"]] * 3
    assert [list(one.skipped) for one in found] == [[], [""], ["again", "layers.0", "layers.1", "body", ""]]
    assert "more than the limit" in found[2].skipped[""]
