"""How many wrong runtimes the corpus catches: hand-made ones, and mechanical mutants of the model and of the C# dispatcher.

    python tools/mutants.py model | csharp [--goal 0.95] [--jobs 2]

``model`` takes seconds. ``csharp`` needs the .NET SDK and some minutes: each mutant of dotnet/src/Bridge.Hooks is built and then judged by
the runtime ``hooks`` in a process of its own. Prints the scores, the survivors by line, and ends with 1 when a score is below its goal.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from bridge.conformance.wrong.handmade import wrong_models

from bridge.conformance.wrong.csharp import csharp_mutants
from bridge.conformance.wrong.explained import EXPLAINED
from bridge.conformance.wrong.mutants import Mutant, mutants
from bridge.conformance.wrong.scoring import Verdict, verdicts
from bridge.program import corpus

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "bridge" / "runtimes" / "model.py"
HOOKS = ROOT / "dotnet" / "src" / "Bridge.Hooks"
#: What decides which hooks run and in which order; the rest of Bridge.Hooks writes traces.
DISPATCHER = ("Dispatcher.cs", "Registry.cs", "Handle.cs", "Warnings.cs")
#: Seconds for one mutant's programs: a mutant that does not end is caught.
SECONDS = 60


def main() -> int:
    """Parses the command and runs it."""
    parser = argparse.ArgumentParser(description="How many wrong runtimes the corpus catches.")
    parser.add_argument("what", choices=("model", "csharp"))
    parser.add_argument("--goal", type=float, default=0.95)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    if options.what == "model":
        return max(handmade(options.jobs), model(options.goal, options.jobs))
    return csharp(options.goal, options.jobs)


def handmade(jobs: int) -> int:
    """The hand-made wrong runtimes: every one must be caught."""
    sources = [(wrong.name, wrong.source) for wrong in wrong_models(MODEL.read_text(encoding="utf-8"))]
    return _score("hand-made wrong runtimes", list(verdicts(sources, corpus(), jobs, _progress(len(sources)))), 1.0)


def model(goal: float, jobs: int) -> int:
    """The mechanical mutants of the model."""
    sources = [(f"model.py {mutant}", mutant.source) for mutant in mutants(MODEL.read_text(encoding="utf-8"))]
    return _score("mutants of model.py", list(verdicts(sources, corpus(), jobs, _progress(len(sources)))), goal)


def csharp(goal: float, jobs: int) -> int:
    """The mechanical mutants of the C# dispatcher."""
    found = [(name, mutant) for name in DISPATCHER for mutant in csharp_mutants((HOOKS / name).read_text("utf-8-sig"))]
    return _score("mutants of the C# dispatcher", list(_built_and_judged(found, jobs)), goal)


def _score(what: str, found: list[Verdict], goal: float) -> int:
    survivors = sorted(verdict.name for verdict in found if verdict.caught is None)
    share = 1 - len(survivors) / len(found) if found else 0.0
    print(f"{what}: {len(found) - len(survivors)} of {len(found)} caught ({share:.1%}; goal {goal:.0%})")
    unexplained = 0
    for name in survivors:
        reason = next((reason for part, reason in EXPLAINED.items() if part in name), None)
        unexplained += reason is None
        print(f"  survived: {name}\n            {reason or 'NOT EXPLAINED'}")
    return int(share < goal or unexplained > 0)


def _progress(total: int) -> Progress:
    return Progress(total)


class Progress:
    """A line that counts, where somebody looks at it."""

    def __init__(self, total: int) -> None:
        self.total = total

    def __call__(self, done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {self.total}", end="" if done < self.total else "\r", file=sys.stderr, flush=True)


def _built_and_judged(found: Iterable[tuple[str, Mutant]], jobs: int) -> Iterator[Verdict]:
    import sdk

    tool = sdk.Sdk()
    work: queue.SimpleQueue[tuple[str, Mutant]] = queue.SimpleQueue()
    items = list(found)
    for item in items:
        work.put(item)
    results: queue.SimpleQueue[Verdict | None] = queue.SimpleQueue()

    def worker() -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="bridge-mutants-") as folder:
                place = Place(Path(folder), tool)
                while not work.empty():
                    try:
                        name, mutant = work.get_nowait()
                    except queue.Empty:
                        break
                    results.put(place.judged(name, mutant))
        finally:
            results.put(None)

    threads = [threading.Thread(target=worker) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    running, done, told = len(threads), 0, _progress(len(items))
    while running:
        verdict = results.get()
        if verdict is None:
            running -= 1
            continue
        done += 1
        told(done)
        if verdict.how != "does not compile":
            yield verdict


class Place:
    """A copy of Bridge.Hooks to break, and a folder of assemblies to run it with."""

    def __init__(self, folder: Path, tool: object) -> None:
        self.tool = tool
        self.sources = folder / "dotnet"
        shutil.copytree(HOOKS, self.sources / "src" / "Bridge.Hooks", ignore=shutil.ignore_patterns("bin", "obj"))
        for name in ("Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props", "global.json"):
            shutil.copyfile(ROOT / "dotnet" / name, self.sources / name)
        self.assemblies = folder / "assemblies"
        built = ROOT / "dotnet" / "artifacts" / "bridge"
        shutil.copytree(built, self.assemblies)

    def judged(self, name: str, mutant: Mutant) -> Verdict:
        """Builds a mutant and has the corpus judge it; the source is put back."""
        title = f"{name} {mutant}"
        file = self.sources / "src" / "Bridge.Hooks" / name
        original = file.read_text("utf-8-sig")
        file.write_text(mutant.source, encoding="utf-8")
        try:
            if not self._build():
                return Verdict(title, "", "does not compile")
            return self._judge(title)
        finally:
            file.write_text(original, encoding="utf-8")

    def _build(self) -> bool:
        quiet = (
            "--nologo",
            "-v",
            "quiet",
            "-clp:NoSummary",
            "-p:UseSharedCompilation=false",
            "-p:TreatWarningsAsErrors=false",
        )
        project = self.sources / "src" / "Bridge.Hooks"
        done = subprocess.run(
            [
                self.tool.command,
                "build",
                str(project),
                "-c",
                "Release",
                *quiet,
                f"-p:BridgeOutput={self.assemblies}{os.sep}",
            ],  # type: ignore[attr-defined]
            cwd=self.sources,
            env=self.tool.environ,  # type: ignore[attr-defined]
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.returncode == 0

    def _judge(self, title: str) -> Verdict:
        command = [sys.executable, "-m", "bridge.conformance.wrong.judging"]
        environ = {**os.environ, "BRIDGE_ASSEMBLIES": str(self.assemblies)}
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environ,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return Verdict(title, "", "no end")
        if done.returncode != 0:
            return Verdict(title, "", "the process died")
        caught, how = json.loads(done.stdout.splitlines()[-1])
        return Verdict(title, caught, how)


if __name__ == "__main__":
    sys.exit(main())
