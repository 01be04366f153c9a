"""Parses the command and runs it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from attack import report
from attack.kind import chosen, kind_of
from attack.running import ROOT, Attack, Outcome

#: The C# models.
PROJECT = Path(__file__).with_name("models") / "Attack.csproj"
#: The kinds that do not apply to TorchSharp in Python's process.
NOT_ON_TORCHSHARP = {
    "C# hooks": "TorchSharp has few of these hooks",
    "loaded hooks": "the hooks are in a file that needs Bridge.Torch",
    "registrations": "TorchSharp's constructors do not run PyTorch's hooks of registrations",
    "fake and meta": "tensors without data are refused",
    "stray threads": "C# threads must not use tensors of a call that has ended",
}
#: The models that use hooks that TorchSharp does not have.
BEYOND_TORCHSHARP = ("Hooks.cs",)


def main(arguments: list[str] | None = None) -> int:
    """Run the attack and return the exit code: 1 if any case failed."""
    parser = argparse.ArgumentParser(prog="attack", description="Attacks .NET models in Python's process.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--case", metavar="SEED:INDEX", help="run one case again, in this process")
    parser.add_argument("--kind", action="append", default=[], choices=[kind.name for kind in chosen()])
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 2, 4))
    parser.add_argument("--json", type=Path, default=ROOT / "attack.json", help="where the report goes")
    parser.add_argument("--assembly", type=Path, help="the compiled models (default: built from tools/attack/models)")
    parser.add_argument(
        "--torchsharp", type=Path, metavar="FOLDER", help="run on the TorchSharp in this folder, in Python's process"
    )
    options = parser.parse_args(arguments)
    if options.torchsharp is not None:
        os.environ["ATTACK_RUNTIME"] = f"torchsharp-in-process:{options.torchsharp}"
        options.kind = options.kind or [kind.name for kind in chosen() if kind.name not in NOT_ON_TORCHSHARP]
    assembly = options.assembly or (build_models() if options.torchsharp is None else compile_for_torchsharp())
    if options.case:
        seed, index = map(int, options.case.split(":"))
        return run_again(seed, index, assembly, options.kind)
    console = Console()
    with Progress(console=console) as progress:
        task = progress.add_task("attack", total=options.cases)

        def tell(outcome: Outcome) -> None:
            progress.advance(task)
            if outcome.problem is not None:
                command = report.replay(options.seed, outcome)
                console.print(f"{outcome.problem}: {outcome.kind}: {command}", markup=False, highlight=False)

        outcomes = Attack(options.seed, assembly, options.kind, options.jobs, report=tell).run(range(options.cases))
    report.write(options.json, options.seed, outcomes)
    report.show(console, options.seed, outcomes)
    return int(bool(report.failed(outcomes)))


def build_models() -> Path:
    """Return the assembly of the models, built if they have changed."""
    os.environ.setdefault("BRIDGE_CACHE", str(ROOT / "dotnet" / "artifacts" / "tests" / "projects"))
    from bridge.clr.compile.projects import build_project
    from bridge.clr.find.assemblies import folder

    return build_project(PROJECT, folder()[0])


def compile_for_torchsharp() -> Path:
    """Return the assembly of the models that use TorchSharp's API alone."""
    import csharp_compiler
    import sdk

    found = sdk.Sdk()
    sources = {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(PROJECT.parent.glob("*.cs"))
        if file.name not in BEYOND_TORCHSHARP
    }
    wanted = csharp_compiler.Compilation("Attack", sources, [csharp_compiler.torchsharp_signatures(found)])
    return csharp_compiler.compile_sources(found, wanted)


def run_again(seed: int, index: int, assembly: Path, names: list[str]) -> int:
    """Run one case in this process, or in a fork if it may end its process."""
    from attack import worker

    kind = kind_of(seed, index, chosen(names))
    worker.prepare()
    problem, text = worker.run(seed, index, kind, str(assembly))
    print(f"{kind.name}: {f'{problem}: {text}' if problem else 'as it should be'}")
    return int(problem is not None)


if __name__ == "__main__":
    sys.exit(main())
