"""A port's folder: built against either package, formatted, run, and tested by pytest."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from bridge.clr.find import assemblies
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import PythonTarget
from bridge.port.observe.arguments import drop_defaults
from bridge.port.observe.models.construction import construct
from bridge.port.porting import Port, write
from bridge.port.project.commands import list_commands
from bridge.port.project.folder import write_project

pytestmark = [pytest.mark.sdk, pytest.mark.slow]
ROOT = Path(__file__).parents[3]
NETS = '''
import torch
from torch import nn

class Net(nn.Module):
    """A net."""
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.linear = nn.Linear(width, 2)
    def forward(self, x, ids):
        y = torch.relu(self.linear(x)) + ids.sum()  # [n, 2]
        return {"scores": y, "largest": y.max()}

class Parts(Net):
    """A net with a nested result."""
    def forward(self, x):
        y = self.linear(x)
        return y, [y, y], (y.max(), y.shape[0])

class Masked(Net):
    """A net with optional parameters."""
    def forward(self, x, mask=None, scale: float = 2.0):
        y = self.linear(x) * scale
        return y if mask is None else y.masked_fill(mask, 0.0)
'''
#: In the place of the package, which is not fetched: these assemblies.
_TARGETS = """<Project>
  <PropertyGroup>
    <NuGetAudit>false</NuGetAudit>
    <UseAppHost>false</UseAppHost>
    <UseSharedCompilation>false</UseSharedCompilation>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Remove="@(PackageReference)" />
{references}
  </ItemGroup>
</Project>
"""


@pytest.fixture
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a module of the user importable."""
    (tmp_path / "nets_of_a_folder.py").write_text(NETS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import nets_of_a_folder  # type: ignore[import-not-found]  # it was written just now

    yield nets_of_a_folder
    sys.modules.pop("nets_of_a_folder")


def written(nets: Any, folder: Path, runtime: str) -> tuple[nn.Module, Port, dict[str, Any]]:
    torch.manual_seed(0)
    model, given = construct(nets.Net)
    arguments = Inputs((torch.rand(1, 4), torch.tensor([[3]]))).bind(model.eval())
    port = write(model, given, arguments, folder.name)
    write_project(folder, port, model, arguments, PythonTarget("nets_of_a_folder", "Net"), runtime)
    return model, port, arguments


def dotnet(sdk: Any, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run dotnet in ``folder``, and fail the test with its output."""
    done = subprocess.run(
        [sdk.command, *arguments], cwd=folder, env=sdk.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def referring(folder: Path, libraries: Sequence[Path]) -> None:
    references = "\n".join(f'    <Reference Include="{path}" />' for path in libraries)
    (folder / "Directory.Build.targets").write_text(_TARGETS.format(references=references), encoding="utf-8")


def test_the_project_builds_against_torchsharp_without_a_warning_and_is_formatted(
    nets: Any, tmp_path: Path, sdk: Any, tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Acceptance 5: the files are as they were written; in the package's place is the assembly of its signatures."""
    folder = tmp_path / "Net"
    written(nets, folder, "torchsharp")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    problems = tools("signatures").problems
    assert problems(folder / "Net.csproj", sdk) == []
    source = folder / "Net.cs"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("        return", "       return"), encoding="utf-8")
    assert "WHITESPACE" in "".join(problems(folder / "Net.csproj", sdk))
    source.write_text(text.replace("        return", "        string? none = null;\n        return"), encoding="utf-8")
    assert "CS0219" in "".join(problems(folder / "Net.csproj", sdk)), "a warning"


def test_the_program_runs_on_our_package(nets: Any, tmp_path: Path, sdk: Any) -> None:
    folder = tmp_path / "Net"
    written(nets, folder, "bridge")
    ours, _ = assemblies.folder()
    referring(tmp_path, [ours / "Bridge.Torch.dll", ours / "Bridge.Hooks.dll"])
    dotnet(sdk, folder, "build", "Net.csproj", "-c", "Release", "-o", "made", "-warnaserror", "--nologo", "-v", "quiet")
    shutil.rmtree(folder / "made")  # else its files would be those of another project of the folder
    run, _ = list_commands(Path("Net"), "bridge")
    command = shlex.split(run.removeprefix("Run it:"))
    assert command[:3] == ["dotnet", "run", "--project"]
    printed = dotnet(sdk, tmp_path, *command[1:]).stdout.splitlines()
    assert [line.partition(":")[0] for line in printed] == ["scores", "largest"], (
        "the entries, not the dictionary's type"
    )
    assert "1x2" in printed[0]
    done = subprocess.run(
        [sdk.command, *command[1:4]], cwd=tmp_path, env=sdk.environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "Give the full path of libtorch_cpu.\n")


def test_the_program_prints_a_nested_result_part_by_part(nets: Any, tmp_path: Path, sdk: Any) -> None:
    """Issue 43, section 3: whatever its type."""
    model, given = construct(nets.Parts)
    arguments = Inputs((torch.rand(1, 4),)).bind(model.eval())
    port = write(model, given, arguments, "Parts")
    assert port.left == ()
    write_project(tmp_path / "Parts", port, model, arguments, PythonTarget("nets_of_a_folder", "Parts"), "bridge")
    ours, _ = assemblies.folder()
    referring(tmp_path, [ours / "Bridge.Torch.dll", ours / "Bridge.Hooks.dll"])
    run, _ = list_commands(Path("Parts"), "bridge")
    printed = dotnet(sdk, tmp_path, *shlex.split(run.removeprefix("Run it:"))[1:]).stdout.splitlines()
    assert [line.partition(":")[0] for line in printed] == ["[0]", "[1][0]", "[1][1]", "[2][0]", "[2][1]"]
    assert printed[-1] == "[2][1]: 1"


def test_the_program_and_the_test_run_without_optional_arguments(
    nets: Any, tmp_path: Path, sdk: Any, installed: str
) -> None:
    model, given = construct(nets.Masked)
    arguments = drop_defaults(model, Inputs((torch.rand(3, 4),)).bind(model.eval()))
    port = write(model, given, arguments, "Net")
    assert port.left == ()
    assert port.inputs == ("x", "mask", "scale")
    write_project(tmp_path / "Net", port, model, arguments, PythonTarget("nets_of_a_folder", "Masked"), "bridge")
    ours, _ = assemblies.folder()
    referring(tmp_path, [ours / "Bridge.Torch.dll", ours / "Bridge.Hooks.dll"])
    run, _ = list_commands(Path("Net"), "bridge")
    assert "3x2" in dotnet(sdk, tmp_path, *shlex.split(run.removeprefix("Run it:"))[1:]).stdout
    assert pytested(tmp_path / "Net", {**os.environ, "PYTHONPATH": installed}) == "1 passed"


def test_pytest_compares_the_port_with_its_original(nets: Any, tmp_path: Path, installed: str) -> None:
    folder = tmp_path / "Net"
    written(nets, folder, "torchsharp")
    environ = {**os.environ, "PYTHONPATH": installed}  # without the folder of the original, which the test names
    assert pytested(folder, environ) == "1 passed"
    source = folder / "Net.cs"
    assert ".relu(" in source.read_text(encoding="utf-8")
    source.write_text(source.read_text(encoding="utf-8").replace(".relu(", ".gelu("), encoding="utf-8")
    assert pytested(folder, environ) == "1 failed", "the C# is another now"


def pytested(folder: Path, environ: Mapping[str, str]) -> str:
    """Return the counts that pytest prints for the folder."""
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "--rootdir", str(folder), "test_net.py"],
        cwd=folder, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip().splitlines()[-1].partition(" in ")[0]
