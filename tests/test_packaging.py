"""What a wheel built from the checkout contains, and that the metadata say what we promise."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.clr import assemblies

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel, built from a copy so that no build folder is left in the checkout."""
    pytest.importorskip("setuptools", reason="needs setuptools, the build backend (extra dev)")
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "bridge", source / "bridge", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source / name)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(out), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("torchsharp_bridge-*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_package_its_types_and_templates(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    expected = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("**/*.py", "**/templates/*", "contract/**/*.json", "contract/**/*.toml", "py.typed")
        for path in (ROOT / "bridge").glob(pattern)
        if path.is_file()
    }
    assert "bridge/py.typed" in expected
    assert {
        "bridge/contract/trace.schema.json",
        "bridge/contract/contract.toml",
        "bridge/contract/clauses/c_entry.toml",
    } <= expected
    assert any("/templates/" in name for name in expected), "there are no templates in the checkout"
    assert expected <= names, sorted(expected - names)


def test_the_wheel_holds_our_compiled_assemblies(wheel: zipfile.ZipFile) -> None:
    lacking = assemblies.missing(ROOT / "bridge" / "_dotnet")
    assert not lacking, f"bridge/_dotnet lacks {', '.join(lacking)}: run make refresh with the .NET SDK"
    names = set(wheel.namelist())
    for path in (ROOT / "bridge" / "_dotnet").iterdir():
        assert f"bridge/_dotnet/{path.name}" in names
        assert wheel.read(f"bridge/_dotnet/{path.name}") == path.read_bytes()


def test_the_assemblies_stay_small() -> None:
    """They are tracked in git: 600 KB at most, all together."""
    assert sum(path.stat().st_size for path in (ROOT / "bridge" / "_dotnet").glob("*")) <= 600 * 1024


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bridge"}


def test_the_console_script_is_the_command_line(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "torchsharp-bridge = bridge.cli:main" in wheel.read(name).decode()


def test_torch_is_pinned_exactly_for_development_and_by_its_floor_for_users(project: dict[str, Any]) -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert "torch==2.13.0" in lines
    assert "torch>=2.10" in project["project"]["dependencies"]
    assert project["project"]["requires-python"] == ">=3.11,<3.15"


def test_the_version_is_that_of_the_package(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    lines = wheel.read(name).decode().splitlines()
    assert "Name: torchsharp-bridge" in lines
    assert f"Version: {bridge.__version__}" in lines


def test_every_constraint_is_exact() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) > 10
    assert all("==" in pin for pin in pins)


def test_every_dependency_states_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.partition("dependencies = [\n")[2].partition("]\n")[0]
    assert block.strip()
    for line in block.splitlines():
        assert "  # " in line, line
