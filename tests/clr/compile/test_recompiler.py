"""bridge/clr/compile/recompiler.py: a project that is built again and again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.clr.compile import projects, recompiler
from bridge.clr.compile.children import Child
from bridge.clr.compile.recompiler import Project
from bridge.clr.errors import BuildError
from bridge.clr.find import assemblies

pytestmark = pytest.mark.sdk

SOURCE = 'public static class Answer { public static string Given() => "%s"; }\n'
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <DefineConstants>$(DefineConstants);ONE;TWO</DefineConstants>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
</Project>
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the name of each program that is started is added."""
    found = []

    class Noted(Child):
        def __init__(self, command: list[str], **options: Any) -> None:
            found.append(
                next(
                    Path(argument).name
                    for argument in command
                    if argument.endswith(".dll") or argument in ("build", "restore")
                )
            )
            super().__init__(command, **options)

    for module in (projects, recompiler):
        monkeypatch.setattr(module, "Child", Noted)
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "Some.csproj").write_text(PROJECT, encoding="utf-8")
    file = folder / "Answer.cs"
    file.write_text(SOURCE % "first", encoding="utf-8")
    return file


@pytest.fixture
def project(source: Path) -> Iterator[Project]:
    with Project(source.with_name("Some.csproj"), assemblies.folder()[0]) as project:
        yield project


def test_an_edit_goes_to_the_compiler_alone(project: Project, source: Path, started: list[str]) -> None:
    target = project.build()
    assert "first".encode("utf-16-le") in target.read_bytes()
    assert started[-2:] == ["VBCSCompiler.dll", "csc.dll"]  # ready before it is needed
    del started[:]
    for words in ("second", "third"):
        source.write_text(SOURCE % words, encoding="utf-8")
        assert project.build([source]) == target
        assert words.encode("utf-16-le") in target.read_bytes()
    assert started == ["csc.dll"] * 2
    assert list(target.parent.glob("tmp*")) == []


@pytest.mark.slow
def test_what_does_not_compile_is_said_with_its_line_and_the_next_edit_is_compiled(
    project: Project, source: Path
) -> None:
    target = project.build()
    before = target.read_bytes()
    source.write_text(SOURCE.replace("Given", "1") % "wrong", encoding="utf-8")
    with pytest.raises(BuildError, match=r"Answer\.cs\(1,\d+\): error CS\d+: "):
        project.build([source])
    assert target.read_bytes() == before
    source.write_text(SOURCE % "right", encoding="utf-8")
    project.build([source])
    assert "right".encode("utf-16-le") in target.read_bytes()


@pytest.mark.slow
def test_a_new_file_and_a_change_of_the_project_take_msbuild(
    project: Project, source: Path, started: list[str]
) -> None:
    project.build()
    more = source.with_name("More.cs")
    for file in (more, project.path):
        more.write_text("public class More { }", encoding="utf-8")
        del started[:]
        target = project.build([file])
        assert "build" in started
        assert b"More" in target.read_bytes()
    more.unlink()
    target = project.build([more])
    assert b"More" not in target.read_bytes()


def test_the_files_are_the_sources_and_the_project(project: Project, source: Path) -> None:
    """Not what a build leaves, which would be seen as an edit."""
    (source.parent / "obj").mkdir()
    (source.parent / "obj" / "Made.cs").touch()
    (source.parent / "read.me").touch()
    assert {file.name for file in project.files()} == {"Answer.cs", "Some.csproj"}


@pytest.mark.slow
def test_one_file_by_itself(source: Path, started: list[str]) -> None:
    with Project(source, assemblies.folder()[0]) as project:
        assert list(project.files()) == [source]
        target = project.build()
        source.write_text(SOURCE % "other", encoding="utf-8")
        del started[:]
        assert project.build([source]) == target
        assert started == ["csc.dll"]


@pytest.mark.slow
def test_without_its_server_the_compiler_is_started_alone(project: Project, source: Path) -> None:
    target = project.build()
    server = project._server._process
    assert server is not None
    server.kill()
    server.wait()
    source.write_text(SOURCE % "alone", encoding="utf-8")
    project.build([source])
    assert "alone".encode("utf-16-le") in target.read_bytes()


@pytest.mark.slow
def test_the_server_ends_with_the_project(source: Path) -> None:
    with Project(source, assemblies.folder()[0]) as project:
        project.build()
        server, name = project._server._process, project._server._name
        assert server is not None
        assert recompiler.has_pipe(name)
    assert server.returncode is not None
    assert not recompiler.has_pipe(name)


def test_an_argument_with_a_blank_is_one_argument() -> None:
    assert recompiler._quoted("/out:/a b/c.dll") == '/out:"/a b/c.dll"'
    assert recompiler._quoted("a b.cs") == '"a b.cs"'
    assert recompiler._quoted("/define:A;B") == "/define:A;B"
