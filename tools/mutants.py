"""How many wrong runtimes the corpus catches: hand-made ones, and mechanical mutants of the model and of the C# dispatcher.

    python tools/mutants.py handmade | model | csharp [--goal 0.95] [--jobs 2]

``handmade`` takes seconds, ``model``, which has them too, less than a minute. ``csharp`` needs the .NET SDK and some minutes: each mutant
of dotnet/src/Bridge.Hooks is compiled and then judged by the runtime ``hooks`` in a process of its own. Prints the scores and the
survivors, and ends with 1 when a score is below its goal, a survivor is not explained or what is explained does not survive.
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
from collections.abc import Iterator, Sequence
from pathlib import Path

import sdk
from mutation.csharp import csharp_mutants
from mutation.explained import needless, reason
from mutation.handmade import wrong_models
from mutation.python import Mutant, mutants
from mutation.scoring import MODEL, SOURCES, Verdict, verdicts

from bridge.program import corpus

ROOT = Path(__file__).resolve().parents[1]
HOOKS = Path("dotnet", "src", "Bridge.Hooks")
#: What gives it its record layouts.
GENERATOR, BOUNDARY = Path("dotnet", "src", "Bridge.Generator"), Path("bridge", "clr", "call", "boundary.json")
#: What decides which hooks run and in which order; the rest of Bridge.Hooks writes traces.
DISPATCHER = ("Dispatcher.cs", "Globals.cs", "Handle.cs", "Registry.cs", "Site.cs", "Warnings.cs")
#: What no program can see and xunit proves, so that it is not mutated here: who only looks on (ObserverTests), that ten thousand calls deep
#: the stack holds (DispatcherTests), what only C#'s own callers pass or ask (RegistryTests, HandleTests), standard error (WarningsTests).
ELSEWHERE = re.compile(
    r"observer(?:[.!?]| is)|state\.Observed|Stack\(|StackExhausted|CheckDeeper"
    r"|Passes\(|ThrowIfNull|IndexOf\(.*\) >= 0|Console\.Error"
)
#: Seconds and bytes of managed memory for one mutant's programs: a mutant that takes more is caught.
SECONDS, BYTES = 120, 1 << 29


def main() -> int:
    """Parse the command and run it."""
    parser = argparse.ArgumentParser(description="How many wrong runtimes the corpus catches.")
    parser.add_argument("what", choices=("handmade", "model", "csharp"))
    parser.add_argument("--goal", type=float, default=0.95)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    if options.what == "handmade":
        return handmade(options.jobs)
    if options.what == "model":
        return max(handmade(options.jobs), model(options.goal, options.jobs))
    return csharp(options.goal, options.jobs)


def handmade(jobs: int) -> int:
    """Judge the handwritten wrong runtimes: all must be caught."""
    made = wrong_models({name: _source(name) for name in SOURCES})
    found = [(f"{wrong.name}: {wrong.about}", sources) for wrong, sources in made]
    return _score("hand-made wrong runtimes", list(verdicts(found, corpus(), jobs, _progress(len(found)))), 1.0)


def model(goal: float, jobs: int) -> int:
    """Judge the generated mutants of the model."""
    found = [
        (f"{name.rpartition('.')[2]}.py {mutant}", {name: mutant.source})
        for name in MODEL
        for mutant in mutants(_source(name))
    ]
    return _score("mutants of the model", list(verdicts(found, corpus(), jobs, _progress(len(found)))), goal)


def csharp(goal: float, jobs: int) -> int:
    """Judge the generated mutants of the C# dispatcher."""
    found = [
        (name, mutant)
        for name in DISPATCHER
        for mutant in csharp_mutants((ROOT / HOOKS / name).read_text(encoding="utf-8-sig"))
        if not ELSEWHERE.search(mutant.text)
    ]
    return _score("mutants of the C# dispatcher", list(_judged(found, jobs)), goal)


def _source(module: str) -> str:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")


def _score(what: str, found: Sequence[Verdict], goal: float) -> int:
    survivors = sorted(verdict.name for verdict in found if verdict.caught is None)
    share = 1 - len(survivors) / len(found) if found else 0.0
    print(f"{what}: {len(found) - len(survivors)} of {len(found)} caught ({share:.1%}; goal {goal:.0%})")
    for verdict in found:
        if verdict.caught == "":
            print(f"  without a trace: {verdict.name}\n                   {verdict.how}")
    for name in survivors:
        print(f"  survived: {name}\n            {reason(name) or 'NOT EXPLAINED'}")
    idle = needless((verdict.name for verdict in found), survivors)
    for key in idle:
        print(f"  explained, but no survivor: {key}")
    return int(share < goal or bool(idle) or not all(map(reason, survivors)))


def _progress(total: int) -> Progress:
    return Progress(total)


class Progress:
    """A progress line, on a terminal only."""

    def __init__(self, total: int) -> None:
        self.total = total

    def __call__(self, done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {self.total}", end="" if done < self.total else "\r", file=sys.stderr, flush=True)


def _judged(found: Sequence[tuple[str, Mutant]], jobs: int) -> Iterator[Verdict]:
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
                place = Place(Path(folder), tool)
                while True:
                    results.put(place.judged(*work.get_nowait()))
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


class Place:
    """A copy of Bridge.Hooks to break, and a folder of assemblies to run it with.

    The first build says how the compiler is called; after that it is called by itself, which takes a second and no analyzers.
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
        self.answers = folder / "csc.rsp"
        self.answers.write_text("\n".join(f'"{line}"' for line in self._arguments()), encoding="utf-8")
        self.compiler = Path(tool.environ["DOTNET_ROOT"], "sdk", tool.version, "Roslyn", "bincore", "csc.dll")
        if not self._compiled():
            raise RuntimeError("Bridge.Hooks does not compile as it is.")
        #: What fails on Bridge.Hooks as it is proves nothing about a mutant.
        self.failing: list[str] = json.loads(self._run("--all").stdout)

    def judged(self, name: str, mutant: Mutant) -> Verdict:
        """Build a mutant, judge it by the corpus, and restore the source."""
        title = f"{name} {mutant}"
        file = self.project / name
        original = file.read_bytes()
        file.write_text(mutant.source, encoding="utf-8")
        try:
            if not self._compiled():
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
        asked = (
            "-t:Rebuild",
            "-getItem:CscCommandLineArgs",
            "-p:ProvideCommandLineArgs=true",
            "-p:UseSharedCompilation=false",
        )
        done = self._ask("build", str(self.project), "-c", "Release", "-v", "quiet", *asked)
        lines = [item["Identity"] for item in json.loads(done.stdout)["Items"]["CscCommandLineArgs"]]
        kept = [
            line
            for line in lines
            if not line.startswith(("/analyzer", "/warnaserror", "/out:", "/refout:", "/noconfig"))
            or (line.startswith("/analyzer:") and "Bridge.Generator" in line)
        ]
        return [f"/out:{self.assemblies / 'Bridge.Hooks.dll'}", *kept]

    def _compiled(self) -> bool:
        return self._ask("exec", str(self.compiler), "/noconfig", f"@{self.answers}").returncode == 0

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[str]:
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
