"""Runs the probes of Python's semantics (tests/port/semantics) and prints a table of how they went, by theme.

    python tools/port_probes.py [PROBE ...]

Each is written as C# by `port`, all of them are compiled as one assembly, and each runs beside Python's eager result in a process that
may hang or end. Below the table stand those that went other than known_faults.toml says, as lines of that file; the exit code is
nonzero if there are any. With names, only those run, and their verdicts are printed. Without an SDK the assembly of tests/_dotnet serves.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import csharp_compiler
import sdk

sys.path.insert(0, str(sdk.ROOT))

from bridge.clr import start
from bridge.clr.find import assemblies
from tests.port.semantics import judging, themes
from tests.port.semantics.judging import Ported, Verdict
from tests.port.semantics.probing import PROBES

#: How long a probe may run before it is said to hang, and how long a process may take to start.
_SECONDS: Final = 10.0
_START: Final = 120.0


def references() -> tuple[Path, ...]:
    """Return the assemblies that the tests compile against."""
    folder, _ = assemblies.folder()
    return folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll"


def compiled(ports: Mapping[str, Ported]) -> tuple[Path, dict[str, Verdict]]:
    """Return the assembly of all ports that compile, and the verdicts of the others."""
    found: dict[str, Verdict] = {}
    try:
        its_sdk = sdk.Sdk()
    except sdk.NoSdk:
        found = {name: fault for name, fault in judging.known_faults().items() if fault.kind == "does_not_build"}
        sources = judging.sources(ports, tuple(found))
        return csharp_compiler.stored(
            csharp_compiler.Compilation(judging.ASSEMBLY, sources, references(), checked=True)
        ), found
    while True:
        sources = judging.sources(ports, tuple(found))
        compilation = csharp_compiler.Compilation(judging.ASSEMBLY, sources, references(), checked=True)
        try:
            return csharp_compiler.compile_sources(its_sdk, compilation), found
        except csharp_compiler.CompileError as error:
            wrong = judging.not_compiling(str(error))
            if not wrong:
                raise
            found |= {name: Verdict("does_not_build", why) for name, why in wrong.items()}


def _work(names: Sequence[str], ports: Mapping[str, Ported], assembly: Path, pipe: Any) -> None:
    """Run probes in this process, and send the verdict of each; before them nothing, once .NET has started."""
    start()
    pipe.send(None)
    for name in names:
        pipe.send(judging.run(PROBES[name], ports[name], assembly))


def verdicts(names: Sequence[str], ports: Mapping[str, Ported], assembly: Path) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdict of each probe; one that hangs or ends its process costs a new process for the rest."""
    left, context = list(names), multiprocessing.get_context("spawn")
    while left:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(left, ports, assembly, theirs))
        process.start()
        theirs.close()
        assert ours.poll(_START), "a process did not start"
        ours.recv()
        verdict = Verdict("right")
        while left and verdict.kind not in judging.UNRUN:
            try:
                verdict = ours.recv() if ours.poll(_SECONDS) else Verdict("hangs", f"runs longer than {_SECONDS:.0f} s")
            except EOFError:
                verdict = Verdict("ends_the_process", "the process ended")
            yield left.pop(0), verdict
        process.kill()
        process.join()


def table(found: Mapping[str, Verdict]) -> str:
    """Return the counts of each theme, and of all."""
    rows = [f"{'theme':16} probes  right  refused  wrong"]
    names = [theme.__name__.rpartition(".")[2] for theme in themes.THEMES]
    for theme in (*names, "all"):
        kinds = Counter(verdict.kind for name, verdict in found.items() if theme in (PROBES[name].theme, "all"))
        right, refused, total = kinds["right"], kinds["refused"], kinds.total()
        rows.append(f"{theme:16} {total:6} {right:6} {refused:8} {total - right - refused:6}")
    return "\n".join(rows)


def main(chosen: Sequence[str]) -> int:
    """Run the probes and return the exit code: nonzero if one went other than expected."""
    ports = {name: judging.write_port(PROBES[name]) for name in chosen or PROBES}
    found = {name: port.verdict for name, port in ports.items() if port.verdict is not None}
    assembly, failed = compiled(ports)
    found |= failed
    found |= verdicts([name for name in ports if name not in found], ports, assembly)
    if chosen:
        for name in chosen:
            print("\n".join([*ports[name].files.values(), f"{name}: {found[name].kind}: {found[name].why}"]))
        return 0
    print(table(found))
    faults, other = judging.known_faults(), 0
    for name, verdict in found.items():
        expected = judging.expected(PROBES[name], faults)
        if not judging.agrees(verdict, expected):
            other += 1
            why = json.dumps(" ".join(verdict.why.split()), ensure_ascii=False)
            print(f"[{verdict.kind}] {name} = {why}")
    print(f"{other} of {len(found)} went other than known_faults.toml says")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
