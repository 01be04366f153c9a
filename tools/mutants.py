"""Count the wrong runtimes that the corpus catches: hand-made ones, and mechanical mutants of the model and of the C# dispatcher.

    python tools/mutants.py handmade | model | csharp | ways [--goal 0.95] [--jobs 2]

``handmade`` takes seconds; ``model``, which includes ``handmade``, takes less than a minute. ``csharp`` needs the .NET SDK and some
minutes: it compiles each mutant of dotnet/src/Bridge.Hooks and runs the corpus on it in a process of its own. ``ways`` takes some minutes:
it judges the hand-made ones and the runtimes that lie as ``python -m hook_contract run`` does, as objects and as commands. Prints the
scores and the survivors. The exit code is 1 if a score is below its goal, a survivor has no explanation, or an explained mutant was caught.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import sdk
from hook_contract.program import corpus
from mutation.csharp import csharp_mutants
from mutation.explained import needless, reason
from mutation.handmade import wrong_models
from mutation.python import Mutant, mutants
from mutation.scoring import MODEL, SOURCES, Verdict, source_of, verdicts
from mutation.served import makers
from mutation.ways import WAYS, judge, verdicts_by

ROOT = Path(__file__).resolve().parents[1]
HOOKS = Path("dotnet", "src", "Bridge.Hooks")
#: The source generator that writes the record layouts of Bridge.Hooks, and its input.
GENERATOR, BOUNDARY = Path("dotnet", "src", "Bridge.Generator"), Path("bridge", "clr", "call", "boundary.json")
#: The files that decide which hooks run and in which order; the others of Bridge.Hooks write traces.
DISPATCHER = ("Dispatcher.cs", "Globals.cs", "Handle.cs", "Registry.cs", "Site.cs", "Warnings.cs")
#: Code whose effect no program can show and xunit proves, so it is not mutated here: observers (ObserverTests), the count of listeners, by
#: which Bridge.Torch chooses its fast path (ListenerCountTests), the stack check (ThreadStackTests), members that only C# callers use
#: (RegistryTests, HandleTests), and standard error (WarningsTests).
TESTED_BY_XUNIT = re.compile(
    r"observer(?:[.!?]| is)|state\.Observed|ListenerCount|IsGlobal|ThreadStack\.Check"
    r"|NoteFailure\(|ThrowIfNull|IndexOf\(.*\) >= 0|Console\.Error"
)
#: Seconds and bytes of managed memory for one mutant's programs: a mutant that takes more is caught.
SECONDS, BYTES = 120, 1 << 29


def main() -> int:
    """Parse the command and run it."""
    parser = argparse.ArgumentParser(description="Count the wrong runtimes that the corpus catches.")
    parser.add_argument("runtimes", choices=("handmade", "model", "csharp", "ways"))
    parser.add_argument("--goal", type=float, default=0.95)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    if options.runtimes == "handmade":
        return handmade(options.jobs)
    if options.runtimes == "model":
        return max(handmade(options.jobs), model(options.goal, options.jobs))
    return ways(options.jobs) if options.runtimes == "ways" else csharp(options.goal, options.jobs)


def handmade(jobs: int) -> int:
    """Judge the handwritten wrong runtimes: all must be caught."""
    made = wrong_models({name: source_of(name) for name in SOURCES})
    found = [(f"{wrong.name}: {wrong.about}", sources) for wrong, sources in made]
    return _score("hand-made wrong runtimes", list(verdicts(found, corpus(), jobs, _progress(len(found)))), 1.0)


def ways(jobs: int) -> int:
    """Judge the handwritten wrong runtimes and those that lie through both ways in: all must be caught, and the right one must not."""
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT / "tools", ROOT / "hook-contract")))
    status, names = 0, [name for name in makers() if name != "right"]
    for way in WAYS:
        right = judge("right", way)
        if right.caught is not None:
            print(f"the right runtime as {way}: {right.how}")
            status = 1
        found = list(verdicts_by(way, names, jobs, _progress(len(names))))
        status = max(status, _score(f"wrong runtimes as {way}", found, 1.0))
    return status


def model(goal: float, jobs: int) -> int:
    """Judge the generated mutants of the model."""
    found = [
        (f"{name.rpartition('.')[2]}.py {mutant}", {name: mutant.source})
        for name in MODEL
        for mutant in mutants(source_of(name))
    ]
    return _score("mutants of the model", list(verdicts(found, corpus(), jobs, _progress(len(found)))), goal)


def csharp(goal: float, jobs: int) -> int:
    """Judge the generated mutants of the C# dispatcher."""
    found = [
        (name, mutant)
        for name in DISPATCHER
        for mutant in csharp_mutants((ROOT / HOOKS / name).read_text(encoding="utf-8-sig"))
        if not TESTED_BY_XUNIT.search(mutant.text)
    ]
    return _score("mutants of the C# dispatcher", list(_judge(found, jobs)), goal)


def _score(title: str, found: Sequence[Verdict], goal: float) -> int:
    survivors = sorted(verdict.name for verdict in found if verdict.caught is None)
    share = 1 - len(survivors) / len(found) if found else 0.0
    print(f"{title}: {len(found) - len(survivors)} of {len(found)} caught ({share:.1%}; goal {goal:.0%})")
    for verdict in found:
        if verdict.caught == "":
            print(f"  without a trace: {verdict.name}\n                   {verdict.how}")
    for name in survivors:
        print(f"  survived: {name}\n            {reason(name) or 'NOT EXPLAINED'}")
    caught = needless((verdict.name for verdict in found), survivors)
    for key in caught:
        print(f"  explained, but caught: {key}")
    return int(share < goal or bool(caught) or not all(map(reason, survivors)))


def _progress(total: int) -> Callable[[int], None]:
    """Return a function that shows how many are done, on a terminal only."""

    def show(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {total}", end="" if done < total else "\r", file=sys.stderr, flush=True)

    return show


def _judge(found: Sequence[tuple[str, Mutant]], jobs: int) -> Iterator[Verdict]:
    """Yield the verdicts on the mutants that compile."""
    work: queue.SimpleQueue[tuple[str, Mutant]] = queue.SimpleQueue()
    for item in found:
        work.put(item)
    results: queue.SimpleQueue[Verdict | BaseException | None] = queue.SimpleQueue()
    tool = sdk.Sdk()
    if sdk.build(tool) != 0:
        raise SystemExit("dotnet/ does not build")

    def worker() -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="bridge-mutants-") as folder:
                workspace = Workspace(Path(folder), tool)
                while True:
                    results.put(workspace.judge(*work.get_nowait()))
        except queue.Empty:
            results.put(None)
        except BaseException as error:
            results.put(error)

    for _ in range(jobs):
        threading.Thread(target=worker, daemon=True).start()
    running, done, report = jobs, 0, _progress(len(found))
    while running:
        match results.get():
            case None:
                running -= 1
            case BaseException() as error:
                raise error
            case Verdict() as verdict:
                done += 1
                report(done)
                if verdict.how != UNBUILT:
                    yield verdict


UNBUILT = "does not compile"


class Workspace:
    """A copy of Bridge.Hooks to change, and a folder of assemblies to run it with.

    MSBuild runs once, for the arguments of the compiler. The compiler alone then takes a second for a mutant, without analyzers.
    """

    def __init__(self, folder: Path, tool: sdk.Sdk) -> None:
        self.tool, self.project = tool, folder / HOOKS
        for part in (HOOKS, GENERATOR):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("bin", "obj"))
        (folder / BOUNDARY).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / BOUNDARY, folder / BOUNDARY)
        for file in (ROOT / "dotnet").glob("Directory.*"):
            shutil.copyfile(file, folder / "dotnet" / file.name)
        shutil.copyfile(ROOT / "dotnet" / "global.json", folder / "dotnet" / "global.json")
        self.assemblies = folder / "assemblies"
        shutil.copytree(ROOT / "dotnet" / "artifacts" / "bridge", self.assemblies)
        self.response_file = folder / "csc.rsp"
        self.response_file.write_text("\n".join(f'"{line}"' for line in self._arguments()), encoding="utf-8")
        self.compiler = Path(tool.environ["DOTNET_ROOT"], "sdk", tool.version, "Roslyn", "bincore", "csc.dll")
        if not self._compile():
            raise RuntimeError("The unchanged Bridge.Hooks does not compile.")
        #: The programs that fail on the unchanged Bridge.Hooks, and so prove nothing about a mutant.
        self.failing: list[str] = json.loads(self._run("--all").stdout)

    def judge(self, name: str, mutant: Mutant) -> Verdict:
        """Build a mutant, judge it by the corpus, and restore the source."""
        title = f"{name} {mutant}"
        file = self.project / name
        original = file.read_bytes()
        file.write_text(mutant.source, encoding="utf-8")
        try:
            if not self._compile():
                return Verdict(title, "", UNBUILT)
        finally:
            file.write_bytes(original)
        try:
            done = self._run("--but", *self.failing)
        except subprocess.TimeoutExpired:
            return Verdict(title, "", "no end")
        if done.returncode != 0:
            return Verdict(title, "", f"the process died: {(done.stderr.splitlines() or [''])[-1]}")
        return Verdict(title, *json.loads(done.stdout.splitlines()[-1]))

    def _arguments(self) -> list[str]:
        options = (
            "-t:Rebuild",
            "-getItem:CscCommandLineArgs",
            "-p:ProvideCommandLineArgs=true",
            "-p:UseSharedCompilation=false",
        )
        done = self._dotnet("build", str(self.project), "-c", "Release", "-v", "quiet", *options)
        lines = [item["Identity"] for item in json.loads(done.stdout)["Items"]["CscCommandLineArgs"]]
        kept = [
            line
            for line in lines
            if not line.startswith(("/analyzer", "/warnaserror", "/out:", "/refout:", "/noconfig"))
            or (line.startswith("/analyzer:") and "Bridge.Generator" in line)
        ]
        return [f"/out:{self.assemblies / 'Bridge.Hooks.dll'}", *kept]

    def _compile(self) -> bool:
        return self._dotnet("exec", str(self.compiler), "/noconfig", f"@{self.response_file}").returncode == 0

    def _dotnet(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.tool.command, *arguments],
            cwd=self.project,
            env=self.tool.environ,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mutation.failing", *arguments],
            cwd=ROOT / "tools",
            env={**os.environ, "BRIDGE_ASSEMBLIES": str(self.assemblies), "DOTNET_GCHeapHardLimit": f"{BYTES:x}"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )


if __name__ == "__main__":
    sys.exit(main())
