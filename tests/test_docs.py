"""The pages of docs/: their files are written, their commands run in order, and the output is what they show.

In a page's output ``…`` matches anything: within a line, and as a line of its own for any number of lines.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hook_contract
from bridge.cli import main
from bridge.port.project import project_file

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_FILE = re.compile(r"^`([\w.]+)`\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = "-- end of a command --"
#: The pages with commands. Those of the second line build C# projects, those of the third several, which takes long.
_PLAIN = ("trace", "diff", "conformance", "fuzz", "demo", "torchsharp-process")
_LONG = ("doctor", "export", "torchsharp-models")
_BUILT = ("hooks",)
_BUILT_LONG = ("compare", "port", "testing", "weights", "schema", "torchsharp-programs", "dotnet-tool", "first-hour")
#: Behind a project of a page: in the place of our projects are the assemblies that were built.
_TARGETS = """<Project>
  <PropertyGroup>
    <NuGetAudit>false</NuGetAudit>
    <UseAppHost>false</UseAppHost>
    <UseSharedCompilation>false</UseSharedCompilation>
    <CreateHardLinksForCopyLocalIfPossible>true</CreateHardLinksForCopyLocalIfPossible>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Remove="@(ProjectReference)" />
    <PackageReference Remove="Bridge.TorchSharp" />
{references}
  </ItemGroup>
</Project>
"""


@dataclass(frozen=True)
class Step:
    """A command of a page, and what it shows."""

    command: str
    shown: str


def steps(page: str) -> list[Step]:
    """Return all commands of a page, in order."""
    found = []
    for block in _CONSOLE.findall(page):
        head, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
        assert head == "", f"a console block begins with a command, not with {head!r}"
        for part in parts:
            command, _, shown = part.partition("\n")
            found.append(Step(command, shown))
    return found


def pattern(shown: str) -> str:
    """Return a page's output as a regular expression, in which spaces match one or more spaces."""
    lines = ["(?:.*\n)*?" if line == "…" else _line(line) + r" *\n" for line in shown.splitlines()]
    return "".join(lines)


def _line(text: str) -> str:
    words = [" +".join(map(re.escape, part.split(" "))) for part in text.split("…")]
    return " *" + "(?:.|\n(?!-- end))*?".join(words)


def activated() -> str:
    """Return the README's command that activates the environment, or its equivalent."""
    script = Path(sys.prefix) / "bin" / "activate"
    return f". '{script}'" if script.is_file() else f"PATH='{Path(sys.executable).parent}':$PATH"


@pytest.fixture
def page(name: str, tmp_path: Path, build_csharp: Callable[..., Path], reference: Path) -> str:
    """Return a page's text; write the files that it shows to ``tmp_path``, and the assembly for compiled models."""
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    files = dict(_FILE.findall(text))
    for file, content in files.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    if name == "torchsharp-models":
        shutil.copy(build_csharp({"Models.cs": files["Models.cs"]}, "Models", against=[reference]), tmp_path)
    return text


@pytest.mark.dotnet
@pytest.mark.skipif(os.name != "posix", reason="the pages show a POSIX shell")
@pytest.mark.parametrize(
    "name",
    [
        *_PLAIN,
        *(pytest.param(name, marks=pytest.mark.slow) for name in _LONG),
        *(pytest.param(name, marks=pytest.mark.sdk) for name in _BUILT),
        *(pytest.param(name, marks=[pytest.mark.sdk, pytest.mark.slow]) for name in _BUILT_LONG),
    ],
)
def test_what_a_page_shows_is_what_happens(
    name: str,
    page: str,
    tmp_path: Path,
    installed: str,
    python: Path,
    bridge_torch: tuple[Path, ...],
    request: pytest.FixtureRequest,
) -> None:
    if name in ("demo", "doctor"):
        _needs_the_demos_parts()
    environ = dict(os.environ)
    if name in ("torchsharp-programs", "schema", "dotnet-tool", "first-hour"):
        environ |= request.getfixturevalue("sdk").environ
        paths = bridge_torch if name == "schema" else request.getfixturevalue("recorder")[1:]
        references = "\n".join(f'    <Reference Include="{path}" />' for path in paths)
        if name == "first-hour":
            analyzers = _build_analyzers(request.getfixturevalue("sdk"), tmp_path)
            references += "".join(f'\n    <Analyzer Include="{path}" />' for path in analyzers)
        (tmp_path / "Directory.Build.targets").write_text(_TARGETS.format(references=references), encoding="utf-8")
    if name in ("dotnet-tool", "first-hour"):
        _pack_tool(request.getfixturevalue("sdk"), tmp_path)
    todo = steps(page)
    assert todo
    script = "".join(f"{step.command}\nstatus=$?; echo '{_MARK}'; (exit $status)\n" for step in todo)
    done = subprocess.run(
        ["bash", "-c", f"{activated()}\nPATH='{python.parent}':$PATH\n{script}"],
        cwd=tmp_path,
        # Of pytest's plugins that of Hypothesis imports all of Hypothesis, and no page is about it.
        env={**environ, "PYTHONPATH": installed, "COLUMNS": "200", "PYTEST_ADDOPTS": "-p no:hypothesispytest"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    outputs = done.stdout.split(f"{_MARK}\n")
    assert len(outputs) == len(todo) + 1
    for step, output in zip(todo, outputs, strict=False):
        assert re.fullmatch(pattern(step.shown), output), f"$ {step.command}\n{output}\n-- is not --\n{step.shown}"


def _pack_tool(sdk: Any, folder: Path) -> None:
    """Write the package of torchsharp-trace to ``dist``, as tools/pack.py does for all packages, and make that a package source."""
    _run(sdk, folder, "pack", "Bridge.Trace.Tool", "-p:IncludeSymbols=false", "-o", str(folder / "dist"))
    (folder / "nuget.config").write_text(
        '<configuration><packageSources><add key="torchsharp-bridge" value="dist" /></packageSources></configuration>',
        encoding="utf-8",
    )


def _build_analyzers(sdk: Any, folder: Path) -> list[Path]:
    """Build the analyzers and their fixes, which the package of Bridge.TorchSharp contains."""
    output = folder.with_name(f"{folder.name}-analyzers")
    _run(sdk, folder, "build", "Bridge.TorchSharp.CodeFixes", "-o", str(output))
    return [output / f"Bridge.TorchSharp.{name}.dll" for name in ("Analyzers", "CodeFixes")]


def _run(sdk: Any, folder: Path, verb: str, name: str, *options: str) -> None:
    """Run a command of the SDK on a project in ``src``."""
    project = ROOT / "dotnet" / "src" / name / f"{name}.csproj"
    # Not in the folder itself, where the page's project would compile what is generated there.
    apart = f"-p:ArtifactsPath={folder.with_name(f'{folder.name}-artifacts')}"
    command = [sdk.command, verb, project, "-c", "Release", "--nologo", "-v", "quiet", apart, *options]
    done = subprocess.run(command, cwd=ROOT / "dotnet", env=sdk.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_that_is_shown_or_written_starts_on_a_newer_runtime() -> None:
    """A program for net8.0 does not start where .NET 10 alone is, which the README recommends, unless its project says RollForward."""
    shown = [
        (page.name, project)
        for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
        for project in re.findall(r"<Project .*?</Project>", page.read_text(encoding="utf-8"), re.DOTALL)
    ]
    assert len(shown) > 3
    programs = [
        *shown,
        *((f"port --runtime {name}", project_file.render_project(name, "Net")) for name in ("torchsharp", "bridge")),
    ]
    programs = [(place, project) for place, project in programs if "<OutputType>Exe</OutputType>" in project]
    assert len(programs) > 3
    assert [place for place, project in programs if "<RollForward>Major</RollForward>" not in project] == []


def test_the_tutorial_of_a_runtime_leads_to_200_passing_programs(tmp_path: Path) -> None:
    """In an empty folder, from the page alone, and without torch and .NET."""
    text = (DOCS / "own-runtime.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    for file, content in _FILE.findall(text):
        (tmp_path / file).write_text(content, encoding="utf-8")
    (tmp_path / "torch.py").write_text("raise ImportError('the tutorial needs no torch')", encoding="utf-8")
    shutil.copy(tmp_path / "torch.py", tmp_path / "clr_loader.py")
    codes, todo = [], steps(text)
    for step in todo:
        program, *arguments = shlex.split(step.command)
        assert program == "python"
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(hook_contract.__file__).parents[1]), "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert re.fullmatch(pattern(step.shown), done.stdout), done.stdout + done.stderr
        passed = re.search(r" runs: (\d+) pass", done.stdout)
        assert passed is not None
        assert int(passed[1]) >= 200
        codes.append(done.returncode)
    assert codes == [1, 0]


def test_every_command_has_its_page() -> None:
    assert {path.stem for path in DOCS.glob("*.md")} >= set(main.commands)


@pytest.mark.parametrize(
    "name", ["compare", "port", "export", "trace", "diff", "conformance", "fuzz", "demo", "doctor"]
)
def test_a_page_names_every_option(name: str) -> None:
    """Or, where it says so, those that are as in compare."""
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for parameter in main.commands[name].params:
        option = next((word for word in parameter.opts if word.startswith("-")), None)
        assert option is None or option in page or f"-{option.lstrip('-')[0]} " in page, option


def test_the_pattern_is_strict() -> None:
    """The page's lines must be there, complete and in order; only … matches anything else."""
    assert re.fullmatch(pattern("a … b\n…\nc\n"), "a x y b\n1\n2\nc\n")
    assert re.fullmatch(pattern("a b\n"), "a    b\n")
    for output in ("a b\n", "a b\nc\nd\n", "a b\n\nd c\n", "ab\nc\n"):
        assert not re.fullmatch(pattern("a b\nc\n"), output)


def _needs_the_demos_parts() -> None:
    for package in ("skimage", "PIL"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs the demo's extra: {package} is not installed")
    try:
        importlib.metadata.distribution("facenet-pytorch")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("needs the weights of facenet-pytorch")
