"""bridge/commands/compare.py: what a porter sees, and the exit codes."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result

Compare = Callable[..., Result]


def test_a_right_port_is_the_same_to_the_last_bit(compare: Compare) -> None:
    done = compare("Net", "Net", "--backward", "--train")
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "Same: 7 equal module calls on each side, identical order, gradients of 9 tensors, largest difference 0.\n"
    )


def test_another_momentum_is_reported_in_train_mode(compare: Compare) -> None:
    """Nothing but the running statistics differs, and only after the run."""
    done = compare("Net", "Net(0.2)", "--train")
    assert done.exit_code == 1
    assert "norm.running_mean differs by up to" in done.stdout
    assert "Set differently: norm (BatchNorm2d): momentum is 0.1 in pytorch and 0.2 in dotnet." in done.stdout
    assert "norm.running_var differs" in done.stdout
    assert compare("Net", "Net(0.2)").exit_code == 0


def test_a_momentum_of_0_is_0(compare: Compare) -> None:
    """Not a mode that is wrong."""
    done = compare("Net", "Net(0.0)", "--train")
    assert "momentum is 0.1 in pytorch and 0.0 in dotnet" in done.stdout
    assert "train mode" not in done.stdout


def test_a_differing_setting_is_reported_where_the_difference_begins(compare: Compare) -> None:
    """The first line after the verdict, before what differs."""
    done = compare("Settings", "Settings('eps')")
    assert done.exit_code == 1
    assert (
        done.stdout.splitlines()[1]
        == "Set differently: norm (BatchNorm2d): eps is 1e-05 in pytorch and 0.001 in dotnet."
    )
    assert "norm: result differs by up to" in done.stdout.splitlines()[2]


def test_a_differing_setting_without_effect_is_a_warning(compare: Compare) -> None:
    done = compare("Settings", "Settings('p')")
    assert done.exit_code == 0
    words = "dropout (Dropout): p is 0.5 in pytorch and 0.1 in dotnet."
    assert done.stdout.splitlines()[1:] == [f"Set differently, which this run does not show: {words}"]
    assert f"Set differently: {words}" in compare("Settings", "Settings('p')", "--train").stdout


def test_results_that_are_no_numbers_are_nothing_to_compare(compare: Compare) -> None:
    done = compare("Logarithms", "Settings('log')", "--json", "-", shape="1,3,4,4")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["verdict"] == "nothing to compare"
    assert "are NaN or infinite, first in the result of" in found["summary"]


def test_a_port_that_raises_is_compared_until_there(compare: Compare, tmp_path: Path) -> None:
    """The exception is one of the differences, with the C# line; the page is written."""
    page = tmp_path / "page.html"
    done = compare("Block", "Block('throw')", "--html", page, "--train", "--backward", shape="1,4,8,8")
    assert done.exit_code == 1
    verdict, raised, place, inputs, equal, alone, report = done.stdout.splitlines()
    assert verdict == "Different: 2 module calls in pytorch, 2 in dotnet; dotnet raised."
    assert raised == "dotnet: the root (Block) raised System.InvalidOperationException: no good today"
    assert "at Ports.Block.forward" in place
    assert inputs == "The inputs were x=float32[1, 4, 8, 8]."
    assert equal == "Before the exception, 3 events agreed, largest difference 0."
    assert alone == (
        "the root (Block): in isolation, with the inputs of pytorch, it raises too, equal up to the result of conv."
    )
    assert report == f"Report: {page}"
    assert "dotnet raised" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("python", "dotnet", "shape", "args", "code", "printed"),
    [
        pytest.param("Failing", "Settings('eps')", "1,3,4,4", (), 1, (
            "pytorch: the root (Failing) raised ValueError: no pool today (ports.py, line ",
            "Set differently: norm (BatchNorm2d): eps",
            "First difference of values (F-1): norm: result differs",
        ), id="a difference before an exception"),
        pytest.param("Net", "Bypassing", "2,3,8,8", (), 1, (
            "block was not called in dotnet, but its children were, as when its forward() is run directly",
            "Write block.call(x).",
        ), id="a user's module run by forward in C#"),
        pytest.param("Bypassing", "Net", "2,3,8,8", (), 1, (
            "block was not called in pytorch", "Write block(x).",
        ), id="a user's module run by forward in Python"),
        pytest.param("Bypassing", "Bypassing", "2,3,8,8", (), 0, (
            "block was never called in pytorch", "Write block.call(x).", "Write self.block(x).", "With --forward-fires",
        ), id="a module run by forward on both sides"),
        pytest.param("Block", 'Block("forward")', "2,4,8,8", (), 1, (
            "act was run by forward(), not call(), in dotnet: its hooks never fired. Write act.call(x).",
        ), id="a built-in run by forward"),
        pytest.param("Block", 'Block("skip")', "2,4,8,8", (), 1, (
            "act: called in pytorch; in dotnet it is registered but was never called.",
        ), id="a module that is never called on one side"),
        pytest.param("Block", 'Block("nan")', "2,4,8,8", ("--atol", 1e9), 1, (
            "NaN or infinite numbers in the traces: 0 in pytorch and 512 in dotnet.",
            "No tolerance would let the values pass.",
        ), id="NaN on one side"),
        pytest.param("Calling(2.0)", "Calling", "2,3", (), 1, (
            "Before that (P-1): scaled: arguments differ, value 1 2.0 against 1.0 (pytorch; dotnet).",
        ), id="another default in C#"),
    ],
)  # fmt: skip
def test_what_is_printed(
    compare: Compare,
    python: str,
    dotnet: str,
    shape: str,
    args: tuple[object, ...],
    code: int,
    printed: tuple[str, ...],
) -> None:
    done = compare(python, dotnet, *args, shape=shape)
    assert done.exit_code == code
    for words in printed:
        assert words in done.stdout


def test_values_beside_a_module_run_by_forward_are_compared(compare: Compare) -> None:
    """C-3: the module's children and neighbours were called, and have the same values."""
    shown = compare("Net", "Bypassing").stdout
    assert "of arguments or values" not in shown
    assert "never called" not in shown


@pytest.mark.parametrize("option", ["atol", "rtol"])
def test_the_suggested_tolerance_passes_and_a_smaller_one_does_not(compare: Compare, option: str) -> None:
    """Beside the operator that is one too many it is not suggested, so that is not looked for."""
    first = compare("Block", 'Block("scaled")', "--backward", "--no-lockstep", shape="2,4,8,8")
    assert first.exit_code == 1
    assert "the root: result differs by up to" in first.stdout
    reported = re.search(rf"--{option} ([0-9.e-]+)", first.stdout)
    assert reported is not None
    enough = compare("Block", 'Block("scaled")', "--backward", f"--{option}", reported[1], shape="2,4,8,8")
    assert enough.exit_code == 0, enough.stdout
    less = compare("Block", 'Block("scaled")', "--backward", f"--{option}", float(reported[1]) * 0.98, shape="2,4,8,8")
    assert less.exit_code == 1


def test_a_gradient_that_is_cut_in_one_language(compare: Compare) -> None:
    assert compare("Block", 'Block("cut")', shape="2,4,8,8").exit_code == 0
    done = compare("Block", 'Block("cut")', "--backward", shape="2,4,8,8")
    assert done.exit_code == 1
    assert "no result of dotnet requires a gradient: look for no_grad or detach" in done.stdout


def test_not_a_number_on_both_sides_is_equal(compare: Compare, tmp_path: Path) -> None:
    x = np.ones((1, 4, 2, 2), np.float32)
    x[0, 0, 0, 0], x[0, 1, 0, 1] = np.nan, np.inf
    np.save(tmp_path / "x.npy", x)
    done = compare("Block", 'Block("call")', "--input", tmp_path / "x.npy")
    assert done.exit_code == 0, done.stdout
    counts = re.search(r"NaN or infinite numbers in the traces: (\d+) in pytorch and (\d+) in dotnet", done.stdout)
    assert counts is not None
    assert counts[1] == counts[2] != "0"


def test_arguments_by_name_and_a_default_are_one_event(compare: Compare, tmp_path: Path) -> None:
    """m(x) in PyTorch, m(x, null) in C#: P-1."""
    np.savez(tmp_path / "both.npz", mask=np.ones((2, 3), np.float32), x=np.ones((2, 3), np.float32))
    assert compare("Masked", "Masked", "--input", tmp_path / "both.npz").exit_code == 0
    done = compare("Masked", "Masked", shape="2,3")
    assert done.exit_code == 0, done.output
    assert compare("Calling(2.0)", "Calling(2.0)", shape="2,3").exit_code == 0


@pytest.mark.parametrize(("weights", "code"), [("python", 0), ("dotnet", 0), ("none", 0)])
def test_whose_weights(compare: Compare, weights: str, code: int) -> None:
    """Also 'none': both sides begin at one seed and draw the same initial weights."""
    assert compare("Net", "Net", "--weights", weights).exit_code == code


def test_weights_of_a_file(compare: Compare, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    torch.manual_seed(5)
    save_file(importlib.import_module("ports").Net().state_dict(), tmp_path / "net.safetensors")
    assert compare("Net", "Net", "--weights", tmp_path / "net.safetensors").exit_code == 0


def test_json_and_page(compare: Compare, tmp_path: Path) -> None:
    done = compare("Net", "Bypassing", "--json", tmp_path / "a.json", "--html", tmp_path / "a.html")
    assert done.exit_code == 1
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert found["verdict"] == "different"
    assert found["first_structural"]["path"] == "block"
    assert found["first_structural"]["clause"] == "C-3"
    assert found["explanation"] in done.stdout
    assert "block" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert done.stdout.endswith(f"Report: {tmp_path / 'a.html'}\n")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.html", "a.json"]


def test_json_on_the_screen_is_nothing_but_json(compare: Compare) -> None:
    done = compare("Net", "Net", "--json", "-")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["verdict"] == "same"


def test_piped_output_is_plain_and_quiet(process: Callable[..., object], ports: Path) -> None:
    """No colours, no progress, no table of the traces."""
    done = process("compare", "--python", "ports:Net", "--dotnet", f"{ports}:Ports.Net", "--shape", "1,3,8,8")
    assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
    assert done.stderr == ""  # type: ignore[attr-defined]
    assert done.stdout.startswith("Same: 7 equal module calls")  # type: ignore[attr-defined]
    assert done.stdout.count("\n") == 1  # type: ignore[attr-defined]


@pytest.mark.cuda
@pytest.mark.filterwarnings("ignore:Attempting to run cuBLAS, but there was no current CUDA context:UserWarning")
def test_on_a_device(compare: Compare) -> None:
    done = compare("Net", "Net", "--device", "cuda", "--backward")
    assert done.exit_code == 0, done.output
