"""``port``: the translation of a PyTorch model to a C# project."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from bridge.commands import common


@click.command(short_help="Translate a PyTorch model to a C# project.")
@click.argument("model", metavar="FILE.py|MODULE:CLASS[(ARGS)]")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FOLDER",
              help="The folder of the project, which must be new or empty.")  # fmt: skip
@common.input_options
@click.option("--weights", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Load a checkpoint into the model first: a state dict of torch.save, or a .safetensors file.")  # fmt: skip
@click.option("--train", is_flag=True, help="Also compare in train mode, including the buffers after the run.")
@click.option("--backward", is_flag=True, help="Also compare the gradients of inputs and parameters.")
@click.option("--runtime", type=click.Choice(("torchsharp", "bridge")),
              help="The package reference of the project: TorchSharp, the default, or Bridge.Torch. If torchsharp is given, a port that "
              "agrees is also compared on TorchSharp itself.")  # fmt: skip
@click.option("--try-for", "seconds", type=click.FloatRange(min=0), default=10, show_default=True, metavar="SECONDS",
              help="How long to try other inputs on a port that is complete and agrees; 0 for none.")  # fmt: skip
@common.handle_errors
def port(
    model: str,
    output: Path,
    files: tuple[Path, ...],
    shapes: tuple[str, ...],
    seed: int,
    weights: Path | None,
    train: bool,
    backward: bool,
    runtime: str | None,
    seconds: float,
) -> int:
    """Translate a PyTorch model to a C# project for TorchSharp, build it, and compare it with the original.

    The model runs on the inputs several times, to determine the types of its values. Code that cannot be translated is listed as left
    to do; in the comparison, the original's methods run in its place. Unless --try-for is 0, a complete port that agrees is then also
    compared on other sizes and values, with None for optional parameters, in train mode, over several calls in a row, and constructed with
    other arguments; its initial values are compared, too. Without a .NET SDK, the project is written, but neither built nor compared.

    Exit codes: 0: the port is complete and agrees. 1: it is incomplete, differs, or was not compared. 2: the command could not run.

    \b
    Example:
      python -m bridge port lenet.py:LeNet \\
        --shape 1,1,28,28 -o LeNet
    """
    with common.progress() as step:
        step("starting torch")
        import torch

        gc.freeze()  # torch's objects live as long as the process: without them, each full collection is 0.1 s shorter

        from bridge.clr.compile.projects import build_project
        from bridge.clr.errors import BuildError
        from bridge.clr.find import assemblies
        from bridge.compare.errors import CompareError
        from bridge.compare.models import targets
        from bridge.port import porting
        from bridge.port.forwards.constructors import constructors
        from bridge.port.observe.arguments import drop_defaults
        from bridge.port.observe.models.checkpoints import load_checkpoint
        from bridge.port.observe.models.construction import construct
        from bridge.port.project import commands, folder
        from bridge.port.verify import comparisons
        from bridge.port.verify.further import run_further
        from bridge.port.verify.report import report_lines

        target = targets.python_target(model)
        folder.check_folder(output)
        inputs = common.load_inputs(files, shapes, seed)
        step(f"constructing {target}")
        torch.manual_seed(seed)
        original, given = construct(target.make, constructors)
        if weights is not None:
            step(f"loading {weights.name}")
            load_checkpoint(original, weights)
        arguments = drop_defaults(original, inputs.bind(original.eval()))
        name = folder.name_namespace(output.resolve())
        written = porting.write(original, given, arguments, name, step)
        step(f"writing {output.name}")
        package = runtime or "torchsharp"
        folder.write_project(output, written, original, arguments, target, package)
        judged, why, tried = None, "there is no .NET SDK.", []
        if comparisons.can_build():
            step(f"building {name}.csproj")
            try:
                assembly = build_project(output / f"{name}.csproj", assemblies.folder()[0])
                root = f"{written.namespace}.{written.root}"
                judged = comparisons.judge(
                    original,
                    assembly,
                    root,
                    arguments,
                    seed=seed,
                    step=step,
                    modes=(False, True) if train else (False,),
                    backward=backward,
                    unfinished=written.unfinished,
                    keywords=written.arguments,
                )
            except (BuildError, CompareError) as error:
                if not written.left:
                    raise
                why = str(error)  # reported with the code that is left to do, which may be the cause
        agrees = bool(judged) and not written.left and all(result.same for _, result in judged or ())
        if agrees and judged and runtime == "torchsharp":
            judged += comparisons.judge_on_torchsharp(
                original, assembly, root, arguments, seed=seed, step=step, keywords=written.arguments
            )
            agrees = all(result.same for _, result in judged)
        if agrees and seconds:
            tried = run_further(original, given, written, assembly, arguments, seed=seed, seconds=seconds, step=step)
    console = common.make_console(None)
    lines = report_lines(output, written, judged, why, tried)
    for line in (*lines, "", *commands.list_commands(output, package, left=bool(written.left))):
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    return common.SAME if agrees and not any(one.difference for one in tried) else common.DIFFERENT
