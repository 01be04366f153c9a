"""bridge.compare.isolate.judge: each module is judged by its own code, so that an early fault hides no later one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from bridge.compare import comparison
from bridge.compare.findings import Finding
from bridge.compare.io.inputs import Inputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.isolate.module_finding import IsolationResult
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison

pytestmark = pytest.mark.dotnet
Judge = Callable[..., Comparison]


def of_kind(found: Comparison, *kinds: str) -> list[Finding]:
    return [finding for finding in found.findings if finding.kind in kinds]


@pytest.mark.parametrize("name", ["Late", "Residual", "Recurrent", "Several"])
@pytest.mark.parametrize("train", [False, True])
def test_correct_ports_have_no_findings(judge: Judge, name: str, train: bool) -> None:
    found = judge(name, train=train, backward=True, lockstep=True)
    assert found.same
    assert found.found == ()


def test_an_early_fault_hides_no_late_one(judge: Judge) -> None:
    found = of_kind(judge("Late", "both"), "between children", "operator")
    assert [finding.path for finding in found] == ["", ""]
    for finding, child, before in zip(found, "bd", "ac", strict=True):
        assert "transpose of pytorch" in finding.message
        assert f"the input of {child} differs by up to" in finding.message
        assert f"equal up to the result of {before}" in finding.message


@pytest.mark.parametrize("lockstep", [None, False])
@pytest.mark.parametrize(
    ("how", "train", "path", "name"),
    [
        ("eps", False, "norm", "eps"),
        ("mode", False, "conv", "padding_mode"),
        ("p", True, "drop", "p"),
        ("momentum", True, "norm", "momentum"),
    ],
)
def test_a_proven_setting_comes_first(
    judge: Judge, how: str, train: bool, path: str, name: str, lockstep: bool | None
) -> None:
    """Without isolation, a run of the whole model with PyTorch's value proves it."""
    found = judge("Residual", how, train=train, lockstep=lockstep)
    first = found.findings[0]
    assert (first.kind, first.path) == ("setting", path)
    assert first.message.startswith("Set differently: ")
    assert f"{name} is" in first.message
    assert of_kind(found, "between children", "alone", "raised") == []
    assert lockstep is None or found.found == ()


def test_a_setting_in_a_list_of_modules_is_the_only_finding(judge: Judge) -> None:
    assert [(finding.kind, finding.path) for finding in judge("Several", "silu").found] == [("setting", "layers.1.act")]


@pytest.mark.parametrize(
    ("name", "how", "text"),
    [
        ("Residual", "missing", "the input of act differs"),
        ("Residual", "twice", "the input of act differs"),
        ("Recurrent", "first", "the input of head differs"),
        ("Recurrent", "cell", "the input of head differs"),
        ("Several", "third", "the input of again differs"),
        ("Several", "body", "the input of head differs"),
    ],
)
def test_code_between_children_is_found(judge: Judge, name: str, how: str, text: str) -> None:
    found = judge(name, how)
    assert [finding.path for finding in found.found] == [""]
    assert text in found.found[0].message


def test_a_module_that_raises_is_reported_with_the_last_equal_child(judge: Judge) -> None:
    found = of_kind(judge("Residual", "throw"), "raised")
    assert "no good today" in found[0].message
    assert found[-1].message == (
        "the root (Residual): in isolation, with the inputs of pytorch, it raises too, equal up to the result of drop."
    )


def test_an_exception_after_a_wrong_call_is_not_reported_in_isolation(judge: Judge) -> None:
    found = of_kind(judge("Dropping", "throw"), "raised", "calls")
    assert "no good today" in found[0].message
    assert any("drop is not called in dotnet" in finding.message for finding in found)
    assert not any("does not raise in isolation" in finding.message for finding in found)


@pytest.mark.parametrize(("name", "how"), [("Several", "bypassed"), ("Residual", "bypass")])
def test_a_bypass_is_no_difference_of_values(judge: Judge, name: str, how: str) -> None:
    found = judge(name, how)
    assert found.found == ()
    assert of_kind(found, "bypass")


def test_a_missing_call_is_found(judge: Judge) -> None:
    assert of_kind(judge("Several", "once"), "between children", "alone", "operator", "calls")


@pytest.mark.parametrize(
    ("name", "how", "text", "at"),
    [
        ("Residual", "detached", "detach in dotnet, not in pytorch", "x.detach()"),
        ("Residual", "no_grad", "no_grad in dotnet, not in pytorch", "sum = y + x"),
        # Both sides cut the gradient of the first child, PyTorch by detach and C# by no_grad.
        ("Stopped", "detached", ": detach in dotnet, not in pytorch", "b.call(kept) + x.detach()"),
    ],
)
def test_the_operator_that_cuts_a_gradient_is_found(
    judge: Judge, line: Callable[[str], str], name: str, how: str, text: str, at: str
) -> None:
    found = of_kind(judge(name, how, train=True, backward=True), "operator")
    assert [(finding.path, finding.source) for finding in found] == [("", line(at))]
    assert text in found[0].message


def test_a_backward_pass_that_only_csharp_cannot_run_is_found(judge: Judge) -> None:
    found = judge("Length", "overwrites", backward=True)
    (finding,) = of_kind(found, "alone")
    assert finding.message.startswith(
        "the root (Length): with equal inputs and results, its backward pass raises in dotnet: RuntimeError: one of the variables"
    )
    assert found.raised.startswith("dotnet: backward raised RuntimeError")


def test_a_cut_on_both_sides_is_no_difference(judge: Judge) -> None:
    assert judge("Stopped", train=True, backward=True).same


def test_every_call_of_a_module_is_judged(judge: Judge) -> None:
    """The first of the twelve calls with a difference is the tenth."""
    inputs = Inputs((torch.ones(4),))
    assert judge("Growing", inputs=inputs, lockstep=True).found == ()
    first = judge("Growing", 1000.0, inputs=inputs).findings[0]
    assert (first.kind, first.path) == ("operator", "step")
    assert "clamp_max: max 100000 in pytorch, 1000 in dotnet" in first.message


def test_both_models_are_left_unchanged(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers, gradients, modes and the random state are those after a comparison without isolation."""
    states = []
    for lockstep in (False, True):
        models: list[torch.nn.Module] = []
        real = comparison.compare_runs

        def observed(*args: Any, models: list[torch.nn.Module] = models, **options: Any) -> Comparison:
            models[:] = args[:2]
            return real(*args, **options)

        monkeypatch.setattr(comparison, "compare_runs", observed)
        judge("Residual", "eps", train=True, backward=True, lockstep=lockstep)
        monkeypatch.undo()
        assert not any("forward" in vars(module) for model in models for module in model.modules())
        buffers = [buffer.clone() for model in models for buffer in model.buffers()]
        gradients = [parameter.grad.clone() for model in models for parameter in model.parameters()]
        states.append([torch.get_rng_state(), *buffers, *gradients])
    assert all(torch.equal(without, within) for without, within in zip(*states, strict=True))


def isolated(python: nn.Module, dotnet: nn.Module, x: torch.Tensor, **options: Any) -> IsolationResult:
    share("python", python, dotnet)
    options |= {"settings": (), "names": ("pytorch", "dotnet"), "tolerances": lambda _: (0.0, 0.0)}
    return judge_modules(python, dotnet, {"x": x}, {}, **options)


def test_copies_beyond_the_budget_take_several_rounds(faults: Path, originals: ModuleType) -> None:
    """A module whose own tensors exceed the budget is skipped, with the reason."""
    python, dotnet = originals.Several(), bridge.load(faults, "Faults.Several", "silu")
    found = [isolated(python, dotnet, torch.randn(2, 4), budget=budget) for budget in (1 << 20, 400, 150)]
    assert found[0].rounds == 1 < found[1].rounds < found[2].rounds
    assert [[finding.path for finding in result.findings] for result in found] == [["layers.1.act"]] * 3
    assert [list(result.skipped) for result in found] == [[], [""], ["again", "layers.0", "layers.1", "body", ""]]
    assert "more than the limit" in found[2].skipped[""]


def test_a_module_without_a_counterpart_is_skipped_with_the_reason(faults: Path, originals: ModuleType) -> None:
    python = originals.Late()
    python.extra = nn.Identity()
    python.forward = lambda x: originals.Late.forward(python, python.extra(x))
    found = isolated(python, bridge.load(faults, "Faults.Late"), torch.randn(4, 4))
    assert found.skipped == {"extra": "dotnet has no such module, or cannot call it"}
