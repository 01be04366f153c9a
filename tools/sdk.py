"""The .NET half of the set-up, the tests and the generated assemblies: one place that finds the SDK and calls it.

    python tools/sdk.py build | test [PROJECT] [--culture NAME] | format | check-format | refresh | check-refresh

``build`` compiles dotnet/ into dotnet/artifacts/bridge, only when a source changed. ``test`` builds and runs xunit, of one project below
dotnet/ if it is named; with ``--culture sv-SE`` under that culture, which needs ICU.
``refresh`` builds from nothing in a temporary folder, with exactly the SDK of dotnet/global.json, and writes bridge/_dotnet, and
tests/_dotnet with the C# of the tests; ``check-refresh`` builds likewise and compares byte for byte. ``format`` and ``check-format`` run
``dotnet format``, after a build. Without an SDK, ``build`` and ``test`` say so and succeed (the package then runs on
bridge/_dotnet); the others fail.
"""

from __future__ import annotations

import argparse
import ctypes.util
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "dotnet"
ARTIFACTS = SOURCES / "artifacts"
GENERATED = ROOT / "bridge" / "_dotnet"
#: The C# of pytest's tests, compiled for machines without an SDK (csharp_compiler.py).
GENERATED_TESTS = ROOT / "tests" / "_dotnet"
#: What the C# sources are generated from besides dotnet/ itself.
BOUNDARY = ROOT / "bridge" / "clr" / "call" / "boundary.json"
#: A test that takes so long hangs: it is named, and ends the run.
_HANG = ("--blame-hang-timeout", "10m", "--blame-hang-dump-type", "none")
#: The generated assemblies that Python's own process loads, and the others; they are tracked in git, so they stay small.
SIZE_LIMIT, APART_LIMIT, TESTS_LIMIT = 1920 * 1024, 432 * 1024, 3000 * 1024
#: Those compiled ahead of time (dotnet/ahead), in subfolders: 2.5 times the size of the assemblies, for half of the time of a start.
AHEAD_LIMIT = 4608 * 1024
#: Those that run with TorchSharp itself, in its own process or in Python's.
APART = frozenset(
    {"Bridge.Conformance.TorchSharp.dll", "Bridge.Host.dll", "Bridge.InProcess.dll", "Bridge.TorchSharp.dll"}
)


class NoSdk(RuntimeError):
    """No SDK that dotnet/global.json accepts; the message says why."""


def load(name: str) -> ModuleType:
    """Load a module of bridge/clr/find from its file: without importing the package, which wants torch and pythonnet."""
    spec = importlib.util.spec_from_file_location(f"_bridge_{name}", ROOT / "bridge" / "clr" / "find" / f"{name}.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"bridge/clr/find/{name}.py cannot be loaded")
    # For bridge.errors and hook_contract.errors, which import nothing else.
    sys.path += [path for path in (str(ROOT), str(ROOT / "hook-contract")) if path not in sys.path]
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


class Sdk:
    """The SDK that day-to-day work uses: where it is, its version, and how to run it."""

    def __init__(self) -> None:
        installation: Any = load("installation")
        try:
            found = installation.find_dotnet(sdk=True)
        except installation.DotNetNotFound as error:
            raise NoSdk(str(error).partition(". Searched")[0]) from None
        self.command = str(found.command)
        self.environ = {
            **os.environ,
            "DOTNET_ROOT": str(found.root),
            "PATH": f"{found.root}{os.pathsep}{os.environ.get('PATH', '')}",
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
            "DOTNET_NOLOGO": "1",
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",  # no ICU library is needed
            "Configuration": "Release",  # for dotnet format, which takes no such option and needs what build made
            "MSBUILDDISABLENODEREUSE": "1",  # a build leaves no process behind that holds our pipes
        }
        answer = self.run("--version", capture=True)
        if answer.returncode != 0:
            wanted = json.loads((SOURCES / "global.json").read_text(encoding="utf-8"))["sdk"]["version"]
            raise NoSdk(f"the SDK in {found.root} ({', '.join(found.sdks)}) is not the one of global.json ({wanted})")
        self.version = answer.stdout.strip()

    def run(self, *arguments: str, capture: bool = False) -> subprocess.CompletedProcess[str]:
        """Run dotnet in dotnet/, where global.json applies; print its output unless captured."""
        return subprocess.run(
            [self.command, *arguments],
            cwd=SOURCES,
            env=self.environ,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else None,
        )

    def build(self, *properties: str) -> int:
        """Build the solution in Release."""
        quiet = ("--nologo", "-v", "quiet", "-clp:NoSummary", "-p:UseSharedCompilation=false")
        cultures = "-warnAsMessage:NETSDK1187,NETSDK1188"  # names of cultures in packages, odd to a .NET without ICU
        return self.run("build", solution(), "-c", "Release", *quiet, cultures, *properties).returncode


def solution() -> str:
    """Return the file name of the solution."""
    for name in ("Bridge.sln", "Bridge.slnx"):
        if (SOURCES / name).is_file():
            return name
    raise SystemExit("dotnet/Bridge.sln is missing: the checkout is incomplete")


def digest_of_sources(version: str) -> str:
    """Return a digest of dotnet/'s sources, the files shared with Python, and the SDK's version."""
    total = hashlib.sha256(version.encode() + BOUNDARY.read_bytes())
    for folder, folders, names in os.walk(SOURCES):
        folders[:] = sorted(name for name in folders if name not in {"artifacts", "bin", "obj", "TestResults"})
        for name in sorted(names):
            path = Path(folder) / name
            total.update(f"\0{path.relative_to(SOURCES).as_posix()}\0".encode() + path.read_bytes())
    return total.hexdigest()


def build(sdk: Sdk) -> int:
    """Build dotnet/ unless nothing changed since the last build."""
    stamp, digest = ARTIFACTS / "built.stamp", digest_of_sources(sdk.version)
    complete = not load("assemblies").missing(ARTIFACTS / "bridge")
    if complete and stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return 0
    print(f"building dotnet/ with SDK {sdk.version} …", flush=True)
    code = sdk.build()
    if code == 0:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest, encoding="utf-8")
    return code


def torch_for_tests() -> dict[str, str]:
    """Return variables for Bridge.Torch.Tests, which runs without Python: torch's libtorch and a file of its schemas."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return {}  # the tests that need it fail and say so
    folder = Path(spec.submodule_search_locations[0]) / "lib"
    names = ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll")
    library = next((folder / name for name in names if (folder / name).is_file()), folder)
    schemas = ARTIFACTS / "schemas.txt"
    schemas.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "bridge", "schema", "-o", str(schemas)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return {"BRIDGE_LIBTORCH": str(library), "BRIDGE_SCHEMAS": str(schemas)}


def culture_for_tests(name: str) -> dict[str, str]:
    """Return variables for tests that run under the culture ``name``, which dotnet/tests/Culture.cs sets; none for ''."""
    if not name:
        return {}
    if sys.platform == "linux" and ctypes.util.find_library("icuuc") is None:
        raise SystemExit(f"--culture {name} needs ICU, and there is no libicuuc here: apt-get install libicu-dev")
    return {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "0", "BRIDGE_TEST_CULTURE": name}


def test(sdk: Sdk, project: str, culture: str) -> int:
    """Build, run xunit, of one ``project`` or of all, under a ``culture``, and end with one line that sums it up."""
    variables = culture_for_tests(culture)
    if (code := build(sdk)) != 0:
        return code
    arguments = (sdk.command, "test", project or solution(), "-c", "Release", "--no-build", "--nologo", *_HANG)
    counts = dict.fromkeys(("Passed", "Failed", "Skipped"), 0)
    # Seconds that a test host may take to start: five start at once, and a busy machine needs more than the usual 90.
    environ = {**sdk.environ, **torch_for_tests(), "VSTEST_CONNECTION_TIMEOUT": "400", **variables}
    with subprocess.Popen(
        arguments, cwd=SOURCES, env=environ, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if re.match(r"\s*(Passed|Failed|Skipped)!\s+-", line):
                for word in counts:
                    found = re.search(rf"{word}:\s*(\d+)", line)
                    counts[word] += int(found[1]) if found else 0
    under = f" ({culture})" if culture else ""
    print(
        f"xunit: {counts['Passed']} passed, {counts['Failed']} failed, {counts['Skipped']} skipped{under}", flush=True
    )
    if process.returncode == 0 and counts["Passed"] == 0:
        print("xunit ran no test at all: that counts as a failure", flush=True)
        return 1
    return process.returncode


def generate(sdk: Sdk, folder: Path) -> Path:
    """Build from nothing into ``folder``; return the folder that holds the assemblies."""
    wanted = json.loads((SOURCES / "global.json").read_text(encoding="utf-8"))["sdk"]["version"]
    if sdk.version != wanted:
        raise NoSdk(f"the generated assemblies need exactly {wanted} (dotnet/global.json), and this is {sdk.version}")
    out = folder / "bridge"
    code = sdk.build(f"-p:BridgeOutput={out}{os.sep}", f"-p:ArtifactsPath={folder / 'artifacts'}")
    if code != 0:
        raise SystemExit(code)
    lacking = load("assemblies").missing(out)
    if lacking:
        raise SystemExit(f"the build did not give {', '.join(lacking)}")
    ahead = ("ahead/Ahead.csproj", "-restore", "-t:CompileAhead", f"-p:FOLDER={out}")
    code = sdk.run("build", *ahead, "--nologo", "-v", "quiet", f"-p:ArtifactsPath={folder / 'artifacts'}").returncode
    if code != 0:
        raise SystemExit(code)
    return out


def generate_tests(sdk: Sdk, libraries: Path, folder: Path) -> Path:
    """Compile the C# of the tests against ``libraries``; return the folder that holds the assemblies, a folder each."""
    import csharp_compiler  # needs filelock, which the set-up installs

    out = folder / "tests"
    csharp_compiler.store_signatures(sdk, out)
    command = [sys.executable, "-m", "pytest", "-p", "compile_only", "-q", "--no-header", "-r", "fE"]
    environ = {
        "BRIDGE_ASSEMBLIES": str(libraries),
        csharp_compiler.INTO: str(out),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    if subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, check=False).returncode != 0:
        raise SystemExit("the C# of the tests was not compiled: see above")
    return out


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files in ``folder`` and below, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def sizes_of(assemblies: Mapping[str, bytes]) -> dict[str, tuple[int, int]]:
    """Return the bytes of our assemblies and their limit, by what they are for."""

    def size(wanted: Callable[[str], bool]) -> int:
        return sum(len(data) for name, data in assemblies.items() if wanted(name))

    return {
        "Python's process": (size(lambda name: name not in APART and "/" not in name), SIZE_LIMIT),
        "Python's process, compiled ahead": (size(lambda name: "/" in name), AHEAD_LIMIT),
        "TorchSharp itself": (size(lambda name: name in APART), APART_LIMIT),
    }


def refresh(sdk: Sdk) -> int:
    """Write bridge/_dotnet and tests/_dotnet from the sources."""
    with tempfile.TemporaryDirectory(prefix="bridge-refresh-") as made:
        libraries = generate(sdk, Path(made))
        tests = files_of(generate_tests(sdk, libraries, Path(made)))
        ours = files_of(libraries)
    sizes = {**sizes_of(ours), "the tests": (sum(map(len, tests.values())), TESTS_LIMIT)}
    for place, (size, limit) in sizes.items():
        print(f"assemblies for {place}: {size} bytes, limit {limit}")
    if any(size > limit for size, limit in sizes.values()):
        print("Nothing was written.")
        return 1
    for target, files in ((GENERATED, ours), (GENERATED_TESTS, tests)):
        shutil.rmtree(target, ignore_errors=True)
        for name, data in files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(data)
        print(f"{target.relative_to(ROOT)}: {len(files)} files, SDK {sdk.version}")
    return 0


def check_refresh(sdk: Sdk) -> int:
    """Compare bridge/_dotnet and tests/_dotnet with what the sources give, and name each file that differs."""
    with tempfile.TemporaryDirectory(prefix="bridge-refresh-") as made:
        libraries = generate(sdk, Path(made))
        tests = files_of(generate_tests(sdk, libraries, Path(made)))
        ours = files_of(libraries)
    same = True
    for target, files in ((GENERATED, ours), (GENERATED_TESTS, tests)):
        kept = files_of(target)
        shown = target.relative_to(ROOT)
        faults = [f"{name}: the sources give it, {shown} lacks it" for name in sorted(files.keys() - kept.keys())]
        faults += [f"{name}: in {shown}, but no source gives it" for name in sorted(kept.keys() - files.keys())]
        faults += [f"{name}: other bytes" for name in sorted(files.keys() & kept.keys()) if files[name] != kept[name]]
        for fault in faults:
            print(f"{shown}/{fault}")
        if faults:
            print(f"{shown} is not what the sources give. Run: make refresh (python tools/sdk.py refresh)")
            same = False
        else:
            print(f"{shown}: {len(files)} files, byte for byte what the sources give with SDK {sdk.version}")
    return 0 if same else 1


def format_sources(sdk: Sdk, *options: str) -> int:
    """Run dotnet format over the solution, built first, since format loads our source generator from the build."""
    return build(sdk) or sdk.run("format", solution(), *options).returncode


def main() -> int:
    """Parse the command, find the SDK and run."""
    parser = argparse.ArgumentParser(description="Build, test and refresh the .NET half.")
    parser.add_argument("command", choices=("build", "test", "format", "check-format", "refresh", "check-refresh"))
    parser.add_argument("project", nargs="?", default="", help="with test: a project below dotnet/")
    parser.add_argument("--culture", default="", help="with test: the culture to run under, such as sv-SE")
    parsed = parser.parse_args()
    command: str = parsed.command
    try:
        sdk = Sdk()
        if command == "format":
            return format_sources(sdk)
        if command == "check-format":
            return format_sources(sdk, "--verify-no-changes")
        if command == "test":
            return test(sdk, parsed.project, parsed.culture)
        return {"build": build, "refresh": refresh, "check-refresh": check_refresh}[command](sdk)
    except NoSdk as error:
        if command == "test":
            print(f"xunit: skipped: {error}")
        elif command == "build":
            print(f"dotnet/ is not built: {error}. The compiled assemblies in bridge/_dotnet are used.")
        else:
            print(f"{command} needs the SDK: {error}")
            return 1
        return 0


if __name__ == "__main__":
    sys.exit(main())
