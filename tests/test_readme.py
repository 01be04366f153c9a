"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_ten_lines_print_what_the_readme_says(dotnet: object, in_process: Callable[..., Any]) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    shown = re.search(r"It prints\n\n```\n(.*?)```", README, re.DOTALL)
    assert code is not None
    assert shown is not None
    assert len([line for line in code[1].splitlines() if line]) == 10
    done = in_process(code[1])
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown[1]


def test_every_make_target_that_it_names_is_there() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"make (\w+)", README))
    assert {"demo", "test", "help"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_set_up_ends_with_the_activation_that_later_commands_rely_on() -> None:
    """Before it, commands in a checkout are make's or name the environment's Python; after it they say only `python`."""
    before, line, after = README.partition("\n```\n. .venv/bin/activate\n```\n")
    assert line
    assert "activate" not in after
    assert ".venv/bin/" not in after
    assert not re.search(r"^python ", before.partition("## Quick start")[2], re.MULTILINE)
    assert re.findall(r"^python -m bridge (\w+)", after, re.MULTILINE) == ["compare", "conformance"]


@pytest.mark.skipif(os.name != "posix", reason="the README shows a POSIX shell")
def test_its_commands_work_as_typed_in_a_checkout() -> None:
    """In a shell that knows of no environment, from the activation on."""
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        pytest.skip("needs the .venv that the set-up makes in the checkout")
    outside = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not folder.startswith(sys.prefix) and folder != str(Path(sys.executable).parent)
    ]
    env = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        ["bash", "-c", ". .venv/bin/activate\npython -m bridge --version && .venv/bin/python -m bridge demo --help"],
        cwd=ROOT,
        env={**env, "PATH": os.pathsep.join(outside)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("torchsharp-bridge")


@pytest.mark.slow
@pytest.mark.dotnet
@pytest.mark.skipif(sys.platform != "linux", reason="the README installs on Linux")
def test_installing_works_as_typed_in_an_empty_folder(tmp_path: Path) -> None:
    """The lines of the section one after another, beside a copy of the checkout; then its wheel, and the demo.

    One line may be another: where PyTorch's CPU index cannot be reached, torch comes from the default index, pinned as in constraints.txt.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("needs a git checkout, to tell what belongs to it")
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / "torchsharp-bridge" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / "torchsharp-bridge" / name)
    section = README.partition("## Install\n")[2].partition("\n## ")[0]
    lines = section.partition("```\n")[2].partition("```")[0].splitlines()
    at, torch = next((at, line) for at, line in enumerate(lines) if "--index-url" in line)
    if not _reached(torch.split()[-1]):
        pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        lines[at] = f"python -m pip install {next(pin for pin in pins if pin.startswith('torch=='))}"
    points = section.partition("- For the [demo]")[2].partition("\n\n")[0]
    demo, *_, wheel = points.split("\n- ")
    write, install = re.findall(r"`(python -m pip [^`]+)`", wheel)
    lines += [write, "cd dist", f"{install} --force-reinstall --no-deps", "cd .."]
    lines += re.findall(r"`(python -m [^`]+)`", demo)
    assert lines[-1] == "python -m bridge demo"
    (tmp_path / "empty").mkdir()
    env = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH", "PIP_TARGET")}
    path = [
        str(Path(sys.base_prefix) / "bin"),
        *(folder for folder in env["PATH"].split(os.pathsep) if not folder.startswith(sys.prefix)),
    ]
    done = subprocess.run(
        ["bash", "-ec", "\n".join(lines)],
        cwd=tmp_path / "empty",
        env={**env, "PATH": os.pathsep.join(path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "\nReady" in done.stdout, done.stdout
    assert "\nSame: 1 face" in done.stdout


def _reached(url: str) -> bool:
    try:
        urllib.request.urlopen(f"{url}/torch/", timeout=20).close()
    except OSError:
        return False
    return True


def test_each_way_to_a_dotnet_sdk_is_one_line() -> None:
    section = README.partition("| system | command |\n")[2].partition("\n\n")[0]
    for system, command in (
        ("Ubuntu", "apt-get"),
        ("Windows", "winget"),
        ("macOS", "brew"),
        ("any Linux", "dotnet-install.sh"),
    ):
        (row,) = [line for line in section.splitlines() if line.startswith(f"| {system}")]
        assert command in row
        assert "10" in row or system == "macOS"
