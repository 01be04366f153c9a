"""Builds a user's C# project against Bridge.Torch."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import escape

from bridge.clr.locate import find_dotnet


class BuildError(RuntimeError):
    """A C# project does not compile; the message has the compiler's own lines."""


# A build server that keeps running would hold our pipe open forever; ICU is not needed.
_ENVIRONMENT = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
    "MSBUILDDISABLENODEREUSE": "1",
    "UseSharedCompilation": "false",
}
#: Replaces the project's TorchSharp with Bridge.Torch, which has the same names, so the sources stay unchanged.
_SWAP = """<Project>
  <ItemGroup>
    <PackageReference Remove="TorchSharp;TorchSharp-cpu;TorchSharp-cuda-linux;TorchSharp-cuda-windows" />
  </ItemGroup>
  <ItemGroup Condition="'@(ProjectReference->AnyHaveMetadataValue('Filename', 'Bridge.Torch'))' != 'true'
                        And '@(Reference->AnyHaveMetadataValue('Identity', 'Bridge.Torch'))' != 'true'">
    <Reference Include="Bridge.Torch" HintPath="{assemblies}/Bridge.Torch.dll" />
    <Reference Include="Bridge.Hooks" HintPath="{assemblies}/Bridge.Hooks.dll" />
  </ItemGroup>
  <Target Name="TellBridge" AfterTargets="Build">
    <WriteLinesToFile File="{reported}" Lines="$(TargetPath)" Overwrite="true" />
  </Target>
</Project>
"""


def build_project(project: Path, assemblies: Path) -> Path:
    """Builds ``project`` (Release) and gives the path of its assembly.

    A project that refers to TorchSharp is built against our assemblies in ``assemblies`` instead; one that refers to Bridge.Torch by itself
    is built as it is. Raises BuildError, and DotNetNotFound when there is no SDK.
    """
    dotnet = find_dotnet(sdk=True)
    with tempfile.TemporaryDirectory() as folder:
        swap = Path(folder) / "swap.targets"
        reported = Path(folder) / "path"
        swap.write_text(_SWAP.format(assemblies=escape(str(assemblies)), reported=escape(str(reported))))
        command = [
            str(dotnet.command),
            "build",
            str(project.resolve()),
            "-c",
            "Release",
            "--nologo",
            "-v",
            "quiet",
            "-clp:NoSummary",
        ]
        command.append(f"-p:CustomAfterMicrosoftCommonTargets={swap}")
        environment = {**os.environ, **_ENVIRONMENT, "DOTNET_ROOT": str(dotnet.root)}
        done = _run(command, environment)
        if done.returncode:
            lines = dict.fromkeys(line.strip() for line in (done.stdout + done.stderr).splitlines() if "error" in line)
            raise BuildError(f"{project.name} does not compile:\n" + "\n".join(lines or [done.stdout + done.stderr]))
        return Path(reported.read_text().strip())


def _run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the build in a process group of its own, so that Ctrl-C ends it with all that it has started."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate()
        except BaseException:
            if os.name == "posix":
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
