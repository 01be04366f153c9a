"""tools/csharp_compiler.py and tools/compile_only.py: the C# of tests, compiled once for machines without an SDK."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

import csharp_compiler
from csharp_compiler import Compilation, NotCompiled, stored

ROOT = Path(__file__).resolve().parents[2]
ONE = Compilation("One", {"a.cs": "class A;", "b.cs": "class B;"}, (Path("/here/Bridge.Torch.dll"),))


def test_an_assembly_has_the_same_folder_on_every_machine() -> None:
    assert dataclasses.replace(ONE, references=(Path("/there/Bridge.Torch.dll"),)).folder == ONE.folder
    assert dataclasses.replace(ONE, sources=dict(reversed(ONE.sources.items()))).folder == ONE.folder


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Two"},
        {"sources": {"a.cs": "class A;", "b.cs": "class C;"}},
        {"sources": {"a.cs": "class A;"}},
        {"references": (Path("/here/TorchSharp.dll"),)},
        {"symbols": True},
        {"strict": True},
        {"checked": True},
    ],
    ids=str,
)
def test_what_makes_another_assembly_makes_another_folder(change: dict[str, object]) -> None:
    assert dataclasses.replace(ONE, **change).folder != ONE.folder  # type: ignore[arg-type]


def test_an_assembly_of_other_sources_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csharp_compiler, "STORE", tmp_path)
    library = tmp_path / ONE.folder / "One.dll"
    library.parent.mkdir()
    library.touch()
    assert stored(ONE) == library
    with pytest.raises(NotCompiled, match=r"no One\.dll of these sources .*make refresh"):
        stored(dataclasses.replace(ONE, sources={"a.cs": "class Changed;"}))


def test_no_more_of_the_tests_runs_than_compiling_takes(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text("""
import pytest

@pytest.fixture(scope="module")
def build_csharp():
    return print

@pytest.fixture(params=["x", "y"])
def model(request, build_csharp):
    build_csharp("set up", request.param)

@pytest.fixture
def named(name, build_csharp):
    build_csharp("named", name)

@pytest.mark.parametrize("number", range(3))
def test_fixture(model, number):
    print("body of a fixture's user")

@pytest.mark.parametrize("name", ["p", "q"])
def test_name(named, name):
    print("body of a fixture's user")

@pytest.mark.parametrize("number", range(2))
def test_itself(build_csharp, number):
    build_csharp("itself", number)

def test_nothing():
    print("nothing")
""")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "compile_only", "-p", "no:cacheprovider", "-s", "-q", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    said = [line.lstrip(".") for line in done.stdout.splitlines()]
    assert [line for line in said if line.startswith(("set up", "named", "itself", "body", "nothing"))] == [
        "set up x", "set up y", "named p", "named q", "itself 0", "itself 1",
    ]  # fmt: skip
