"""The public names."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bridge

ROOT = Path(__file__).resolve().parents[1]
_USER = """import bridge

model = bridge.load("Models.dll", "Mine.Net", 3, inputs=8)
reveal_type(model)
reveal_type(bridge.diff)
try:
    model(1)
except bridge.DotNetError as error:
    reveal_type(error.module_path)
bridge.lod("Models.dll", "Mine.Net")
"""


def test_every_public_name_is_there_whatever_was_imported_before() -> None:
    """A name that is also a submodule's would be the one or the other, by the order of imports."""
    import importlib
    import pkgutil

    submodules = {module.name for module in pkgutil.iter_modules(bridge.__path__)}
    for name in bridge.__all__:
        assert getattr(bridge, name) is not None
        assert name not in submodules
    trace = importlib.import_module("bridge.trace")
    assert getattr(bridge, "trace", trace) is trace


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'bridge' has no attribute 'nothing'"):
        bridge.nothing  # noqa: B018  # looking it up is the test


def test_dir_lists_what_there_is(in_process: Callable[..., Any]) -> None:
    """Before anything was used, too, and without importing it."""
    done = in_process("import bridge, sys; print(*dir(bridge)); assert 'torch' not in sys.modules")
    assert set(bridge.__all__) <= set(done.stdout.split())
    assert set(bridge.__all__) <= set(dir(bridge))
    assert "__file__" in dir(bridge)


@pytest.fixture
def editable(tmp_path: Path) -> Path:
    """Return the interpreter of an environment in which the checkout is installed as by ``pip install -e``."""
    pytest.importorskip("setuptools", reason="needs setuptools, the build backend (extra dev)")
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    # A copy: the build writes into the folder that it is run in.
    source = tmp_path / "source"
    source.mkdir()
    for name in ("bridge", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name, target_is_directory=(ROOT / name).is_dir())
    code = f"import setuptools.build_meta as backend; backend.build_editable({str(tmp_path)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (packages,) = environment.glob("**/site-packages")
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return environment / "bin" / "python"


@pytest.mark.slow
def test_a_type_checker_sees_the_types_in_an_editable_install(editable: Path, tmp_path: Path) -> None:
    """It follows paths, and no import hooks; a name that is not there is an error."""
    pytest.importorskip("mypy", reason="needs mypy (extra dev)")
    (tmp_path / "user.py").write_text(_USER, encoding="utf-8")
    options = ["--strict", "--no-incremental", "--follow-imports=silent", "--python-executable", str(editable)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "user.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("user.py")]
    assert [line.partition(" ")[2] for line in lines] == [
        'note: Revealed type is "torch.nn.modules.module.Module"',
        lines[1].partition(" ")[2],
        'note: Revealed type is "str | None"',
        'error: Module has no attribute "lod"; maybe "load"?  [attr-defined]',
    ], done.stdout + done.stderr
    assert "def (" in lines[1]
    assert "bridge.trace.diff" in lines[1]


@pytest.mark.slow
def test_pyright_sees_the_types_in_an_editable_install(editable: Path, tmp_path: Path) -> None:
    """The same as mypy; it is no part of the extra dev, since it needs Node.js."""
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("needs pyright in the path (pip install pyright)")
    (tmp_path / "user.py").write_text(_USER, encoding="utf-8")
    done = subprocess.run(
        [pyright, "--pythonpath", str(editable), "user.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    lines = [line.partition(" - ")[2] for line in done.stdout.splitlines() if "user.py:" in line]
    assert lines == [
        'information: Type of "model" is "Module"',
        'information: Type of "bridge.diff" is "(a: Trace, b: Trace, *, rtol: float = 0, atol: float = 0) -> Diff"',
        'information: Type of "error.module_path" is "str | None"',
        'error: "lod" is not a known attribute of module "bridge" (reportAttributeAccessIssue)',
    ], done.stdout + done.stderr
