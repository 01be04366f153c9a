"""The packages: Bridge.Hooks, Bridge.Torch, Bridge.TorchSharp and the .NET tool for NuGet, each with its symbols, and the wheels.

    python tools/pack.py [FOLDER]        writes them to FOLDER (default: dist)

The NuGet packages are built from nothing, apart from the checkout's own build: they have symbols, and the assemblies of
``bridge/_dotnet`` have none. Needs the SDK and, for the wheels, ``build`` (extra dev); nothing is asked of the net.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import sdk as dotnet

PACKAGES = ("Bridge.Hooks", "Bridge.Torch", "Bridge.TorchSharp", "Bridge.Trace.Tool")


def pack(sdk: dotnet.Sdk, folder: Path) -> int:
    """Write the NuGet packages to ``folder`` and return the exit code."""
    with tempfile.TemporaryDirectory(prefix="bridge-pack-") as made:
        apart = (f"-p:ArtifactsPath={made}/artifacts", f"-p:BridgeOutput={made}/bridge{os.sep}")
        for name in PACKAGES:
            project = dotnet.SOURCES / "src" / name / f"{name}.csproj"
            quiet = ("--nologo", "-v", "quiet", "-clp:NoSummary", "-p:UseSharedCompilation=false")
            symbols = ("-p:DebugType=portable", "-p:ContinuousIntegrationBuild=true")
            code = sdk.run(
                "pack", str(project), "-c", "Release", "-o", str(folder), *quiet, *symbols, *apart
            ).returncode
            if code != 0:
                return code
    return 0


def main() -> int:
    """Parse the folder, write the packages and list them."""
    parser = argparse.ArgumentParser(description="Write the NuGet packages and the wheels.")
    parser.add_argument("folder", nargs="?", type=Path, default=dotnet.ROOT / "dist", help="default: dist")
    parser.add_argument("--no-wheel", action="store_true", help="the NuGet packages alone")
    parsed = parser.parse_args()
    folder: Path = parsed.folder.resolve()
    try:
        code = pack(dotnet.Sdk(), folder)
    except dotnet.NoSdk as error:
        print(f"packages need the SDK: {error}")
        return 1
    if not parsed.no_wheel:
        for source in (dotnet.ROOT / "hook-contract", dotnet.ROOT):
            if code == 0:
                command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source)
                code = subprocess.run(command, check=False).returncode
    if code == 0:
        for file in sorted(folder.iterdir()):
            print(f"{file.name}: {file.stat().st_size:,} bytes")
    return code


if __name__ == "__main__":
    sys.exit(main())
