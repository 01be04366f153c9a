"""tools/sdk.py: what a checkout needs that was never built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_it_runs_before_anything_is_installed() -> None:
    """As .ci/run and the set-up run it: by a Python without any package, which ``-I -S`` gives."""
    code = (
        "import sys; sys.path.insert(0, 'tools'); import sdk; print(sdk.load('installation').DotNetNotFound.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("DotNetNotFound\n", "")


@pytest.mark.slow
@pytest.mark.dotnet
def test_the_format_is_checked_in_a_clean_checkout(tmp_path: Path) -> None:
    """dotnet format needs our source generator, which only a build gives."""
    command = ["git", "ls-files", "-z", "dotnet", "tools", "bridge/clr"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("needs a git checkout, to tell what belongs to it")
    for name in filter(None, listed.stdout.decode().split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    done = subprocess.run(
        [sys.executable, "tools/sdk.py", "check-format"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
