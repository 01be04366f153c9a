"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
