"""What ends the process is said once, where a model is loaded whose assembly reaches it (issue 40, section 1)."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.torchsharp.in_process.uncaught import warn_uncaught
from tests.support.child import reached
from tests.support.fork_server import Run


@pytest.fixture(scope="session")
def compile_against(torchsharp: Path, build_csharp: Callable[..., Path]) -> Callable[[str], Path]:
    """Return ``compile_against("Uncaught")``, which compiles the file of that name against TorchSharp."""
    return lambda name: build_csharp([Path(__file__).with_name(f"{name}.cs")], f"InProcess{name}", against=[torchsharp])


@pytest.fixture
def uncaught(compile_against: Callable[[str], Path]) -> Path:
    return compile_against("Uncaught")


@pytest.fixture
def caught(compile_against: Callable[[str], Path]) -> Path:
    return compile_against("Caught")


def load(assembly: Path, name: str, torchsharp: Path) -> Any:
    return bridge.load(assembly, name, runtime=f"torchsharp-in-process:{torchsharp.parent}")


def said(assembly: Path, *references: str) -> list[str]:
    """Return the warnings about an assembly with these references."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_uncaught(assembly, references)
    return [str(warning.message) for warning in caught]


def test_the_warning_names_the_members_and_says_what_to_do(tmp_path: Path) -> None:
    (text,) = said(tmp_path / "Nets.dll", "torch.Tensor.add", "TensorExtensionMethods.ToSingle", "torch.Tensor.var")
    assert text.startswith("Nets.dll uses torch.Tensor.var, TensorExtensionMethods.ToSingle: ")
    assert 'runtime="torchsharp"' in text


def test_an_assembly_is_warned_about_once(tmp_path: Path) -> None:
    assert len(said(tmp_path / "Nets.dll", "torch.var")) == 1
    assert said(tmp_path / "Nets.dll", "torch.var") == []
    assert len(said(tmp_path / "Others.dll", "torch.var")) == 1


def test_an_accessor_is_its_property_and_a_method_that_is_named_like_one_is_not(tmp_path: Path) -> None:
    assert "torch.Storage.Item:" in said(tmp_path / "Nets.dll", "torch.Storage.get_Item")[0]
    assert "torch.Generator.set_state:" in said(tmp_path / "Others.dll", "torch.Generator.set_state")[0]


def test_only_some_of_many_are_named(tmp_path: Path) -> None:
    (text,) = said(
        tmp_path / "Nets.dll",
        "torch.var",
        "torch.meshgrid",
        "torch.set_rng_state",
        "torch.nn.LPPool2d",
        "torch.Tensor.var",
    )
    assert "uses torch.Tensor.var, torch.meshgrid, torch.nn.LPPool2d and 2 more:" in text


@pytest.mark.dotnet
@pytest.mark.inprocess
@pytest.mark.subprocess
def test_a_model_is_loaded_with_the_warning_at_its_load(uncaught: Path, torchsharp: Path) -> None:
    with pytest.warns(UserWarning, match=r"^InProcessUncaught\.dll uses torch\.Tensor\.var: ") as caught:
        model = load(uncaught, "Uncaught.Spread", torchsharp)
    assert caught[0].filename == __file__
    assert torch.equal(model(torch.eye(2)), torch.eye(2).var(0))
    load(uncaught, "Uncaught.Spread", torchsharp)  # once


@pytest.mark.dotnet
@pytest.mark.inprocess
@pytest.mark.subprocess
def test_nothing_is_said_about_members_that_raise_in_csharp(caught: Path, torchsharp: Path) -> None:
    model = load(caught, "Caught.Added", torchsharp)
    with pytest.raises(bridge.DotNetError, match="must match the size"):
        model(torch.rand(2, 3))


def ended(done: Run, **_: Any) -> None:
    assert done.returncode == -signal.SIGABRT
    assert "std and var only support floating point" in done.stderr


@pytest.mark.dotnet
@pytest.mark.inprocess
@pytest.mark.subprocess(check=ended)
def test_a_listed_member_does_end_the_process(uncaught: Path, torchsharp: Path) -> None:
    with pytest.warns(UserWarning, match="var"):
        model = load(uncaught, "Uncaught.Spread", torchsharp)
    reached()
    model(torch.ones(2, 2, dtype=torch.int64))
