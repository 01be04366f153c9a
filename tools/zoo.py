"""Ports models that nobody wrote for us, and prints a table of how each went: random weights, small inputs.

python tools/zoo.py                   a model of each of torchvision's classification families
python tools/zoo.py builders          all of torchvision's classification models
python tools/zoo.py segmentation      its segmentation models
python tools/zoo.py transformers      eight small models of transformers
python tools/zoo.py timm              25 architectures of timm, one of each family
python tools/zoo.py samples           the project's own samples, and MTCNN's nets from their package
python tools/zoo.py vgg11 vit_b_16    these models

Each model is written as `python -m bridge port` writes it; all of them are built as one project, each in a namespace of its own, and
compared one after the other. With --results FILE what was found is kept, and a model whose C# is as it was then, and the same as its
original, is not built and compared again. The package comes from PyPI into the folder that make pytorch-tools keeps.
"""

from __future__ import annotations

import gc
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import click
import signatures
import torch
from zoo_models import huggingface, samples, timm, torchvision

from bridge.clr.compile.projects import build_project
from bridge.clr.errors import BuildError
from bridge.clr.find import assemblies
from bridge.compare.errors import CompareError
from bridge.compare.io.inputs import Inputs
from bridge.port import notes, porting, project_files
from bridge.port.making import Given, made
from bridge.port.verify import comparisons

#: The packages that models come from; what is in no set is a model of the first.
PACKAGES: Final = (torchvision, huggingface, timm, samples)
#: What makes a model, and its inputs, by the model's name.
Source = Callable[[str], tuple[Callable[[], torch.nn.Module], tuple[Any, ...]]]
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


@dataclass(slots=True)
class Result:
    """How one model went. ``verdict`` is ``Same``, ``differs``, ``left``, or what was raised; ``difference`` the largest at any shape."""

    model: str
    verdict: str
    shapes: int = 0
    difference: float | None = None
    left: int = 0
    methods: int = 0
    source: int = 0
    csharp: int = 0
    python: int = 0
    why: str = ""
    digest: str = ""
    backward: bool = False

    @property
    def row(self) -> str:
        """Return the model's line of the table."""
        difference = "" if self.difference is None else f"{self.difference:.3g}"
        source = f"{self.source} of {self.methods}" if self.methods else ""
        lines = f"{self.csharp / self.python:.2f}" if self.python else ""
        both = "yes" if self.backward and self.verdict == "Same" else ""
        return f"| {self.model} | {self.verdict} | {difference} | {both} | {self.shapes} | {self.left} | {source} | {lines} |"


HEAD = (
    "| model | verdict | difference | train mode and gradients | shapes | left to do | methods from source | lines of C# over Python |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def _made(name: str, source: Source) -> tuple[torch.nn.Module, Given, dict[str, Any]]:
    make, inputs = source(name)
    torch.manual_seed(0)
    model, given = made(make)
    return model, given, porting.given_alone(model, Inputs(inputs).bind(model.eval()))


def _written(name: str, source: Source, folder: Path) -> tuple[Result, str]:
    """Write the C# of a model, and return the full name of its class."""
    try:
        model, given, arguments = _made(name, source)
        port = porting.write(model, given, arguments, name)
    except CompareError as error:
        return Result(name, "refused", why=str(error)), ""
    (folder / name).mkdir()
    digest = hashlib.sha256()
    for file, text in sorted(port.files.items()):
        (folder / name / file).write_text(text, encoding="utf-8")
        digest.update(text.encode())
    result = Result(
        name,
        "left" if port.left else "",
        left=len(port.left),
        methods=port.methods,
        source=sum(method.how == "source" for method in port.wrote),
        csharp=sum(map(notes.lines_of_code, port.files.values())),
        python=notes.lines_of_python(port.originals),
        why="; ".join(f"{todo.place}: {todo.why}" for todo in port.left),
        digest=digest.hexdigest(),
    )
    return result, f"{port.namespace}.{port.root}"


def _built(results: Sequence[Result], folder: Path) -> Path | None:
    """Build one assembly of all models that compile; the others' results have the reason."""
    file = folder / "Zoo.csproj"
    file.write_text(_PROJECT.format(version=project_files.TORCHSHARP), encoding="utf-8")
    while some := [result for result in results if not result.verdict]:
        try:
            return build_project(file, assemblies.folder()[0])
        except BuildError as error:
            lines = [line for line in str(error).splitlines() if ": error " in line]
            wrong = [result for result in some if any(f"{result.model}/" in line for line in lines)]
            if not wrong:
                raise
            for result in wrong:
                result.verdict = "does not build"
                result.why = next(line for line in lines if f"{result.model}/" in line)
                shutil.rmtree(folder / result.model)
    return None


def _judged(result: Result, source: Source, assembly: Path, root: str, backward: bool) -> None:
    try:
        model, _, arguments = _made(result.model, source)
        found = comparisons.judge(
            model,
            assembly,
            root,
            arguments,
            seed=0,
            step=lambda _: None,
            modes=(False, True) if backward else (False,),
            backward=backward,
        )
    except CompareError as error:
        result.verdict, result.why = "raised", str(error).splitlines()[0]
        return
    wrong = [(shape, comparison) for shape, comparison in found if not comparison.same or comparison.largest]
    result.verdict, result.backward = "differs" if wrong else "Same", backward
    result.shapes, result.difference = len(found), max(comparison.largest for _, comparison in found)
    result.why = "; ".join(f"{shape}: {comparison.verdict}" for shape, comparison in wrong)


def ported(
    names: Sequence[str], source: Source, kept: Mapping[str, Result], backward: bool, found: list[str]
) -> Iterator[Result]:
    """Write the models, build them as one project and compare each; unchanged models in ``kept`` are not built again.

    ``found`` receives the problems of their C# with TorchSharp's own signatures.
    """
    with tempfile.TemporaryDirectory(prefix="bridge-zoo-") as place:
        folder, results, roots = Path(place), [], {}
        for number, name in enumerate(names):
            print(f"writing {name} ({number + 1} of {len(names)})", file=sys.stderr, flush=True)
            result, roots[name] = _written(name, source, folder)
            gc.collect()
            known = kept.get(name)
            same = known is not None and known.verdict == "Same" and known.digest == result.digest
            if known is not None and same and known.backward >= backward:
                yield known
                shutil.rmtree(folder / name)
                continue
            results.append(result)
            if result.verdict and (folder / name).exists():
                shutil.rmtree(folder / name)
        print(f"building {sum(not result.verdict for result in results)} models", file=sys.stderr, flush=True)
        assembly = _built(results, folder)
        if assembly is not None:
            print("building against TorchSharp's signatures", file=sys.stderr, flush=True)
            found += signatures.problems(folder / "Zoo.csproj")
        for result in results:
            if not result.verdict:
                assert assembly is not None
                print(f"comparing {result.model}", file=sys.stderr, flush=True)
                _judged(result, source, assembly, roots[result.model], backward)
                gc.collect()
            yield result


@click.command(help=__doc__)
@click.argument("names", nargs=-1, metavar="[SET | MODEL]...")
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file of what was found before; it is extended.",
)
@click.option("--backward", is_flag=True, help="Compare in train mode, too, with buffers, and gradients.")
def main(names: tuple[str, ...], results: Path | None, backward: bool) -> None:
    """Port the models and return the exit code: nonzero if one differs."""
    torch.set_num_threads(1)  # the pictures are small, and what spins beside other work slows all of it
    wanted: dict[str, Source] = {}
    for name in names or ("families",):
        package = next((package for package in PACKAGES if name in package.SETS), PACKAGES[0])
        package.importable()
        wanted |= dict.fromkeys(package.SETS[name]() if name in package.SETS else (name,), package.model)
    kept: dict[str, Result] = {}
    if results is not None and results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            known = Result(**json.loads(line))
            kept[known.model] = known
    began, found, wrong = time.monotonic(), [], list[str]()
    for source in dict.fromkeys(wanted.values()):
        those = [name for name, its_source in wanted.items() if its_source is source]
        groups = (those[start : start + _TOGETHER] for start in range(0, len(those), _TOGETHER))
        for result in (result for group in groups for result in ported(group, source, kept, backward, wrong)):
            found.append(result)
            print(result.row, result.why[:300], file=sys.stderr, flush=True)
            if results is not None and kept.get(result.model) != result:
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
    print(HEAD)
    for result in sorted(found, key=lambda item: list(wanted).index(item.model)):
        print(result.row)
    same = sum(result.verdict == "Same" for result in found)
    methods = sum(result.methods for result in found)
    from_source = sum(result.source for result in found)
    seconds = time.monotonic() - began
    print(
        f"\n{same} of {len(found)} the same with difference 0, {from_source} of {methods} methods from source, {seconds:.0f} s."
    )
    for result in found:
        if result.why:
            print(f"{result.model}: {result.why}")
    lines = (
        f"{sum(result.csharp for result in found)} lines of C# for {sum(result.python for result in found)} of Python"
    )
    compiled = f"{len(wrong)} problems" if wrong else "nothing found by compiler and formatter"
    print(f"{lines}; against TorchSharp's signatures: {compiled}.")
    for line in wrong[:20]:
        print(line)
    sys.exit(0 if same == len(found) and not wrong else 1)


if __name__ == "__main__":
    main()
