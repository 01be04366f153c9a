"""Ports models that nobody wrote for us, and prints a table of how each went: random weights, small inputs.

python tools/zoo.py                   a model of each of torchvision's classification families
python tools/zoo.py builders          all of torchvision's classification models
python tools/zoo.py segmentation      its segmentation models
python tools/zoo.py transformers      eight small models of transformers
python tools/zoo.py architectures     a hundred and more architectures of transformers, in tiny configurations
python tools/zoo.py timm              25 architectures of timm, one of each family
python tools/zoo.py timm-smallest     the smallest architecture of each of timm's files
python tools/zoo.py samples           the project's own samples, and MTCNN's nets from their package
python tools/zoo.py vgg11 vit_b_16    these models
python tools/zoo.py --folder DIR      the models in files of others: KernelBench's, or ParityBench's generated ones

Each model is written as `python -m bridge port` writes it; all of them are built as one project, each in a namespace of its own, and
compared one after the other. Whether PyTorch runs a model, its C#, and the comparison are each found in a process of its own, with a
limit of time and of memory. With --results FILE what was found is kept: a model whose text is as it was then, and port as well, is not
run again, and one whose C# is as it was then, and the same as its original, is not built and compared again. Packages come from PyPI
into the folder that make pytorch-tools keeps.

KernelBench's inputs are made for large GPUs. Where PyTorch does not run a model within --eager seconds and --memory gigabytes, batches are
of 2; where that is not enough, other integers in the file's assignments and inputs are halved, too, until they are at most 1024, else 256,
64, 32, or 16: the first with which it runs, or the last with which it takes longer.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import Final

import click

import bridge
import signatures
from bridge.clr.compile.projects import build_project
from bridge.clr.errors import BuildError
from bridge.clr.find import assemblies
from bridge.port.project import project_file
from zoo_models import architectures, folders, huggingface, samples, timm, torchvision
from zoo_models.folders import kernelbench
from zoo_models.folders.kernelbench import KernelBench
from zoo_models.folders.paritybench import ParityBench
from zoo_work import results, stages
from zoo_work.limits import Limits, Stopped, preload
from zoo_work.results import Result, Root
from zoo_work.stages import Source

#: The packages that models come from; what is in no set is a model of the first.
PACKAGES: Final = (torchvision, huggingface, architectures, timm, samples)
#: How many models are built as one project.
_TOGETHER = 20
_PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="TorchSharp-cpu" Version="{version}" />
  </ItemGroup>
</Project>
"""


@dataclass(frozen=True)
class Settings:
    """How models are run: PyTorch's seconds of computing beyond which smaller inputs are tried, the limits of a stage, and ``backward``.

    ``check`` is the number of inputs that the tests' checker draws.
    """

    eager: float
    stage: Limits
    backward: bool = False
    check: int = 0


def _runnable(name: str, source: Source, settings: Settings) -> tuple[Source, Result | None]:
    """Return the source with inputs as large as PyTorch runs here, or why there are none."""
    first, slow = None, None
    sized = isinstance(source, KernelBench)
    for limit in (0, *kernelbench.LIMITS) if sized else (0,):
        tried = replace(source, limit=limit) if isinstance(source, KernelBench) else source
        seconds = settings.eager if sized else settings.stage.seconds
        try:
            state, why = replace(settings.stage, seconds=ceil(seconds) + 2).call(stages.eager, name, tried, seconds)
        except Stopped as stopped:
            state, why = "large", str(stopped)
        if state == "runs":
            return tried, None
        if state == "slow":
            slow = tried
        first = first or Result(name, "not eager", why=[("", why)])
        if state == "fails" and not limit:
            break
    return (slow, None) if slow is not None else (source, first)


def _written(name: str, source: Source, folder: Path, settings: Settings) -> tuple[Result, Root]:
    """Write the C# of a model, and return its class."""
    try:
        result, files, root = settings.stage.call(stages.written, name, source)
    except Stopped as stopped:
        return _stopped(Result(name, ""), stopped), Root()
    if not result.verdict:
        (folder / name).mkdir()
        for file, text in files.items():
            (folder / name / file).write_text(text, encoding="utf-8")
    return result, root


def _stopped(result: Result, stopped: Stopped) -> Result:
    """Return the result of a model whose process ended early."""
    return replace(result, verdict="timeout" if str(stopped) == "timeout" else "raised", why=[("", str(stopped))])


def built(those: Sequence[Result], folder: Path) -> Path | None:
    """Build one assembly of all models that compile; the others' results have the reason."""
    file = folder / "Zoo.csproj"
    file.write_text(_PROJECT.format(version=project_file.TORCHSHARP), encoding="utf-8")
    while some := [result for result in those if not result.verdict]:
        try:
            return build_project(file, assemblies.folder()[0])
        except BuildError as error:
            lines = [line for line in str(error).splitlines() if ": error " in line]
            wrong = [result for result in some if any(f"{result.model}/" in line for line in lines)]
            if not wrong:
                raise
            for result in wrong:
                result.verdict = "no build"
                result.why = list({("", line.strip()): None for line in lines if f"{result.model}/" in line})
                shutil.rmtree(folder / result.model)
    return None


def ported(
    names: Sequence[str], source: Source, kept: Mapping[str, Result], settings: Settings, found: list[str] | None
) -> Iterator[Result]:
    """Write the models, build them as one project and compare each; unchanged models in ``kept`` are not built again.

    ``found`` receives the problems of their C# with TorchSharp's own signatures; None skips these.
    """
    with tempfile.TemporaryDirectory(prefix="bridge-zoo-") as place:
        folder, new = Path(place), list[tuple[Result, Source, Root]]()
        for number, name in enumerate(names):
            known, asked = kept.get(name), _asked(name, source)
            enough = known is not None and known.backward >= settings.backward and known.inputs >= settings.check
            if known is not None and known.asked == asked and (enough or known.verdict != "Same"):
                yield known
                continue
            _say(f"writing {name} ({number + 1} of {len(names)})")
            began = time.monotonic()
            sized, wrong = _runnable(name, source, settings)
            result, root = (wrong, Root()) if wrong else _written(name, sized, folder, settings)
            result.asked, result.sizes = asked, getattr(sized, "limit", 0)
            result.seconds = time.monotonic() - began
            if known is not None and enough and known.verdict == "Same" and known.digest == result.digest:
                shutil.rmtree(folder / name)
                yield replace(known, asked=asked)
            else:
                new.append((result, sized, root))
        those = [result for result, _, _ in new]
        _say(f"building {sum(not result.verdict for result in those)} models")
        assembly = built(those, folder)
        if assembly is not None and found is not None:
            _say("building against TorchSharp's signatures")
            found += signatures.problems(folder / "Zoo.csproj")
        for result, sized, root in new:
            yield result if result.verdict else _judged(result, sized, assembly, root, settings)


def _judged(result: Result, source: Source, assembly: Path | None, root: Root, settings: Settings) -> Result:
    """Return the result with the verdict of the comparison."""
    _say(f"comparing {result.model}")
    began = time.monotonic()
    try:
        judged: Result = settings.stage.call(
            stages.judged, result, source, assembly, root, settings.backward, settings.check
        )
    except Stopped as stopped:
        judged = _stopped(result, stopped)
    judged.seconds += time.monotonic() - began
    return judged


@cache
def _port() -> bytes:
    """Return the digest of port's sources."""
    folder = Path(bridge.__file__).parent / "port"
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.rglob("*.py")))).digest()


def _asked(name: str, source: Source) -> str:
    """Return the digest of port and of the model's text."""
    text = source.files()[name].read_bytes() if isinstance(source, KernelBench | ParityBench) else name.encode()
    return hashlib.sha256(_port() + text).hexdigest()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _drawn(files: Mapping[str, Path], of: str, draw: int, seed: int) -> list[str]:
    """Return all models of a set or folder, or those that are drawn, which is printed."""
    if not draw:
        return list(files)
    print(f"{of}: {draw} of {len(set(files.values()))} files, drawn by seed {seed}", flush=True)
    return folders.draw(files, draw, seed)


def _wanted(names: Sequence[str], places: Sequence[Path], cases: int, draw: int, seed: int) -> dict[str, Source]:
    """Return the source of each model that is asked for."""
    wanted: dict[str, Source] = {}
    for name in names or (() if places else ("families",)):
        package = next((package for package in PACKAGES if name in package.SETS), PACKAGES[0])
        package.importable()
        models = package.SETS[name]() if name in package.SETS else (name,)
        wanted |= dict.fromkeys(_drawn({model: Path(model) for model in models}, name, draw, seed), package.model)
    for place in places:
        source = folders.layout(place.resolve())
        if isinstance(source, ParityBench):
            source = replace(source, cases=cases)
        wanted |= dict.fromkeys(_drawn(source.files(), str(place), draw, seed), source)
    return wanted


@click.command(help=__doc__)
@click.argument("names", nargs=-1, metavar="[SET | MODEL]...")
@click.option("--folder", "places", multiple=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--cases", default=1, help="How many of a ParityBench file's cases are run, from the first.")
@click.option("--draw", default=0, help="Run so many of a set's models, or of a folder's files, drawn by the seed.")
@click.option("--seed", default=43, help="What --draw draws by.")
@click.option("--seconds", default=120, help="The most seconds of computing that a stage of a model may take.")
@click.option("--eager", default=1.0, help="The most that PyTorch may take before smaller inputs are tried.")
@click.option("--memory", default=8.0, help="The most gigabytes that a process may take.")
@click.option(
    "--results",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file of what was found before; it is extended.",
)
@click.option("--no-signatures", is_flag=True, help="Do not build against TorchSharp's signatures.")
@click.option("--check", default=0, help="Compare ports that are the same with so many inputs of the tests' checker.")
@click.option("--backward", is_flag=True, help="Compare in train mode, too, with buffers, and gradients.")
def main(
    names: tuple[str, ...], places: tuple[Path, ...], cases: int, draw: int, seed: int,
    seconds: int, eager: float, memory: float, file: Path | None, no_signatures: bool, check: int, backward: bool,
) -> None:  # fmt: skip
    """Port the models and return the exit code: nonzero if one differs."""
    wanted = _wanted(names, places, cases, draw, seed)
    settings = Settings(eager, Limits(seconds, int(memory * 2**30)), backward, check)
    preload(list(dict.fromkeys(source.__module__ for source in wanted.values())))
    kept, began, wrong = results.kept(file), time.monotonic(), None if no_signatures else list[str]()
    found: list[Result] = []
    for source in dict.fromkeys(wanted.values()):
        those = [name for name, its_source in wanted.items() if its_source is source]
        groups = (those[start : start + _TOGETHER] for start in range(0, len(those), _TOGETHER))
        for result in (result for group in groups for result in ported(group, source, kept, settings, wrong)):
            found.append(result)
            _say(f"{result.row} {result.said[:300]}")
            if file is not None and kept.get(result.model) != result:
                results.keep(file, result)
    found.sort(key=lambda item: list(wanted).index(item.model))
    for line in results.report(found, cases > 1):
        print(line)
    print(f"{time.monotonic() - began:.0f} s.")
    if wrong is not None:
        print(f"Against TorchSharp's signatures: {len(wrong) or 'no'} problems of compiler and formatter.")
        print("\n".join(wrong[:20]))
    sys.exit(0 if all(result.verdict == "Same" and not result.difference for result in found) and not wrong else 1)


if __name__ == "__main__":
    main()
