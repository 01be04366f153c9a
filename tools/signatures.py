"""C# projects beside TorchSharp's own signatures: an assembly of that name, made from the list of its public surface, without code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import sdk as dotnet

_PROGRAM = dotnet.ARTIFACTS / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
LISTED = dotnet.SOURCES / "tests" / "TorchSharp.Reference" / "surface.jsonl"
#: In a project's packages' place: this assembly.
_TARGETS = """<Project>
  <PropertyGroup>
    <NuGetAudit>false</NuGetAudit>
    <UseAppHost>false</UseAppHost>
    <UseSharedCompilation>false</UseSharedCompilation>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Remove="@(PackageReference)" />
    <Reference Include="{library}" />
  </ItemGroup>
</Project>
"""


def problems(project: Path, sdk: dotnet.Sdk | None = None) -> list[str]:
    """Return the compiler's errors and warnings for a project built against TorchSharp's signatures, and ``dotnet format``'s.

    The sources are not changed; ``Directory.Build.targets``, ``bin`` and ``obj`` are written beside them. Raises sdk.NoSdk.
    """
    sdk = sdk or dotnet.Sdk()
    library = project.parent / "obj" / "TorchSharp.dll"
    library.parent.mkdir(exist_ok=True)
    made = _run(sdk, "exec", str(_PROGRAM), str(LISTED), str(library))
    if made.returncode:
        return [made.stdout.strip()]
    (project.parent / "Directory.Build.targets").write_text(_TARGETS.format(library=library), encoding="utf-8")
    quiet = ("-warnaserror", "--nologo", "-v", "quiet", "-clp:NoSummary")
    done = _run(sdk, "build", str(project), *quiet)
    found = [line.strip() for line in done.stdout.splitlines() if re.search(r"\b(error|warning)\b", line)]
    if done.returncode:
        return list(dict.fromkeys(found)) or [done.stdout.strip()]
    done = _run(sdk, "format", str(project), "--verify-no-changes", "--no-restore")
    return (
        [] if done.returncode == 0 else [line for line in done.stdout.splitlines() if line.strip()] or ["dotnet format"]
    )


def _run(sdk: dotnet.Sdk, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run dotnet, with errors in ``stdout`` too."""
    command = [sdk.command, *arguments]
    return subprocess.run(
        command, cwd=dotnet.SOURCES, env=sdk.environ, text=True, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
